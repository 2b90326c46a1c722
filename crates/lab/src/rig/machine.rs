//! QEMU's command line.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::kernel::{self, Kernel};
use super::options::{GuestOptions, ScratchDisk};
use super::scratch::Scratch;
use super::tsc;
use crate::error::{Result, Tried};
use crate::host;

/// All that QEMU needs to know.
pub struct QemuMachine {
    kernel: Kernel,
    initrd: PathBuf,
    /// Each with its kind, as QEMU names it.
    disks: Vec<(&'static str, PathBuf, Vec<String>)>,
    /// The file that receives the guest's tar.
    pub output: Option<PathBuf>,
    memory: u64,
    icount: bool,
    kvm: bool,
    tsc_khz: Option<u64>,
}

const QEMU: &str = "qemu-system-x86_64";
/// QEMU 7.2 emulates `iret` with SMAP and `cmpxchg16b` wrongly: Linux 6.12 does not boot with them.
const CPU: &str = "max,smap=off,cx16=off";

impl QemuMachine {
    /// Makes the disks.
    pub fn prepare(options: &GuestOptions, initrd: PathBuf, scratch: &Scratch) -> Result<Self> {
        let mut disks = Vec::new();
        let virtio = options.disks.iter().map(|disk| ("virtio-blk-pci", disk));
        let nvme = options.nvme.iter().map(|disk| ("nvme", disk));
        for (number, (kind, disk)) in virtio.chain(nvme).enumerate() {
            let file = disk_file(disk, number, scratch)?;
            disks.push((kind, file, disk.properties.clone()));
        }
        let output = scratch.path("out");
        let output = options.out.is_some().then_some(output);
        Ok(Self {
            kernel: kernel::wanted()?,
            initrd,
            disks,
            output,
            memory: options.memory,
            icount: options.icount,
            kvm: options.kvm,
            tsc_khz: tsc::khz(),
        })
    }

    /// The command for a machine type, `microvm` or `q35`.
    pub fn command(&self, kind: &str) -> Result<Command> {
        for (program, package) in [(QEMU, "qemu-system-x86"), ("setpriv", "util-linux")] {
            host::which(program)
                .tried(|| format!("{program} is missing (Debian package {package})"))?;
        }
        let mut command = host::command("setpriv");
        // The guest dies with us, however we die.
        command.args(["--pdeathsig", "KILL", "--", QEMU]);
        command.args(self.arguments(kind));
        Ok(command)
    }

    fn arguments(&self, kind: &str) -> Vec<String> {
        let machine = if kind == "microvm" {
            "microvm,pcie=on"
        } else {
            kind
        };
        let cpus = if self.icount { "1" } else { "2" };
        let memory = self.memory.to_string();
        let mut all: Vec<String> = Vec::new();
        let mut add = |parts: &[&str]| all.extend(parts.iter().map(|part| (*part).to_owned()));
        add(&[
            "-accel",
            self.accelerator(),
            "-machine",
            machine,
            "-cpu",
            CPU,
        ]);
        add(&[
            "-smp",
            cpus,
            "-m",
            &memory,
            "-nodefaults",
            "-no-user-config",
        ]);
        add(&["-display", "none", "-serial", "stdio", "-no-reboot"]);
        if self.icount {
            add(&["-icount", "shift=2,sleep=off", "-seed", "1"]);
            add(&["-rtc", "base=2024-01-01,clock=vm"]);
        }
        add(&["-kernel", &self.kernel.image.to_string_lossy()]);
        add(&["-initrd", &self.initrd.to_string_lossy()]);
        add(&["-append", &self.parameters(kind)]);
        for (number, (kind, path, properties)) in self.disks.iter().enumerate() {
            all.extend(drive(kind, path, &format!("d{number}"), properties));
        }
        if let Some(path) = &self.output {
            all.extend(port(path));
        }
        all
    }

    const fn accelerator(&self) -> &'static str {
        match (self.kvm, self.icount) {
            (true, false) => "kvm",
            (_, true) => "tcg,thread=single",
            (false, false) => "tcg,thread=multi",
        }
    }

    /// The kernel's command line.
    fn parameters(&self, kind: &str) -> String {
        let mut text = String::from(
            "console=ttyS0 quiet loglevel=3 panic=-1 rdinit=/init mitigations=off random.trust_cpu=on",
        );
        if self.icount {
            text.push_str(" nokaslr norandmaps");
        }
        // A microvm has no timer that the kernel could calibrate the TSC with.
        match (kind, self.icount, self.tsc_khz) {
            ("microvm", true, _) => text.push_str(" tsc_early_khz=1000000"),
            ("microvm", false, Some(khz)) => {
                text.push_str(&format!(" tsc_early_khz={khz} tsc=reliable no_timer_check"));
            }
            _ => {}
        }
        text
    }
}

/// A disk whose serial is `name`, unless it has one of its own: the guest's init finds a virtio disk by that.
fn drive(kind: &str, path: &Path, name: &str, properties: &[String]) -> Vec<String> {
    // A comma in the path would end the option.
    let path = path.to_string_lossy().replace(',', ",,");
    let mut device = format!("{kind},drive={name}");
    if !properties.iter().any(|one| one.starts_with("serial=")) {
        device.push_str(&format!(",serial={name}"));
    }
    for property in properties {
        device.push(',');
        device.push_str(property);
    }
    let drive = format!("file={path},format=raw,if=none,id={name},cache=unsafe,discard=unmap");
    vec!["-drive".into(), drive, "-device".into(), device]
}

/// A virtio port: not a block device, so the guest's stack holds only what was asked for.
fn port(path: &Path) -> Vec<String> {
    let path = path.to_string_lossy().replace(',', ",,");
    let parts = [
        "-device",
        "virtio-serial-pci",
        "-chardev",
        &format!("file,id=out,path={path}"),
        "-device",
        "virtserialport,chardev=out,name=out",
    ];
    parts.map(str::to_owned).to_vec()
}

fn disk_file(disk: &ScratchDisk, number: usize, scratch: &Scratch) -> Result<PathBuf> {
    let path = match &disk.path {
        Some(path) => {
            std::path::absolute(path).tried(|| format!("cannot follow {}", path.display()))?
        }
        None => scratch.path(&format!("d{number}")),
    };
    if !path.exists() {
        sparse(&path, disk.size)?;
    }
    Ok(path)
}

fn sparse(path: &Path, size: u64) -> Result<()> {
    let make = || File::create_new(path)?.set_len(size);
    make().tried(|| format!("cannot make {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(icount: bool) -> QemuMachine {
        QemuMachine {
            kernel: Kernel {
                version: "6".into(),
                image: "/boot/vmlinuz-6".into(),
                root: "/".into(),
            },
            initrd: "/i".into(),
            disks: vec![
                (
                    "virtio-blk-pci",
                    "/a,b".into(),
                    vec!["opt_io_size=65536".into()],
                ),
                ("nvme", "/c".into(), vec!["ocp=on".into()]),
            ],
            output: None,
            memory: 512,
            icount,
            kvm: false,
            tsc_khz: Some(2_600_000),
        }
    }

    #[test]
    fn disks_carry_serial_and_topology() {
        let line = machine(false).arguments("microvm").join(" ");
        assert!(line.contains("file=/a,,b,format=raw"));
        assert!(line.contains("virtio-blk-pci,drive=d0,serial=d0,opt_io_size=65536"));
        assert!(line.contains("nvme,drive=d1,serial=d1,ocp=on"));
        assert!(line.contains("tsc_early_khz=2600000"));
    }

    #[test]
    fn virtual_time_is_deterministic() {
        let line = machine(true).arguments("microvm").join(" ");
        assert!(line.contains("-icount shift=2,sleep=off"));
        assert!(line.contains("-smp 1"));
        assert!(line.contains("tsc_early_khz=1000000 ") || line.contains("tsc_early_khz=1000000"));
        assert!(
            !machine(true)
                .arguments("q35")
                .join(" ")
                .contains("tsc_early")
        );
    }
}

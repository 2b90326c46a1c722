//! A PC that boots an image and is watched over its serial line.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::root;

/// How long a boot may take: under emulation, on a machine that does other things as well.
const PATIENCE: Duration = Duration::from_secs(240);

/// What starts the boot loader.
pub enum Firmware {
    /// SeaBIOS.
    Bios,
    /// OVMF, with its variables in this file.
    Uefi(PathBuf),
}

/// How a disk is connected, and its logical sector.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    pub bus: Bus,
    pub sector: u32,
}

/// What the disk is to the guest.
#[derive(Clone, Copy, Debug)]
pub enum Bus {
    Virtio,
    Nvme,
    Scsi,
}

impl Seat {
    /// The disk of most machines.
    pub const USUAL: Self = Self {
        bus: Bus::Virtio,
        sector: 512,
    };

    /// The devices of QEMU for a drive with the name `disk`.
    fn devices(self) -> Vec<String> {
        let sectors = format!(
            "drive=disk,logical_block_size={},physical_block_size=4096",
            self.sector
        );
        match self.bus {
            Bus::Virtio => vec![format!("virtio-blk-pci,{sectors}")],
            Bus::Nvme => vec![format!("nvme,serial=universal,{sectors}")],
            Bus::Scsi => vec!["virtio-scsi-pci".to_owned(), format!("scsi-hd,{sectors}")],
        }
    }
}

/// Boots until somebody may log in. The image is not written: what the guest writes is thrown away.
pub fn to_login(image: &Path, firmware: &Firmware) {
    let mut guest = Guest::start(image, firmware, Seat::USUAL, "on");
    let said = guest.until("login:");
    assert!(said.contains(root::SUMS_ARE_RIGHT), "{said}");
}

/// What the guest says until it says these words. What it writes goes to the image.
pub fn said_until(words: &str, image: &Path, firmware: &Firmware, seat: Seat) -> String {
    Guest::start(image, firmware, seat, "off").until(words)
}

/// A running QEMU; it ends with this value, and with this process.
struct Guest {
    child: Child,
    console: Receiver<Vec<u8>>,
}

impl Guest {
    fn start(image: &Path, firmware: &Firmware, seat: Seat, snapshot: &str) -> Self {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", "qemu-system-x86_64"]);
        command.args(["-accel", "tcg,thread=multi", "-machine", "q35"]);
        // As in `cargo xtask vm`: QEMU 7.2 emulates these two wrongly.
        command.args(["-cpu", "max,smap=off,cx16=off"]);
        command.args(["-smp", "2", "-m", "512", "-nodefaults", "-no-user-config"]);
        command.args(["-display", "none", "-serial", "stdio", "-no-reboot"]);
        if let Firmware::Uefi(variables) = firmware {
            let code = "if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd";
            let variables = format!("if=pflash,format=raw,file={}", variables.display());
            command.args(["-drive", code, "-drive", &variables]);
        }
        let drive = format!(
            "file={},format=raw,if=none,id=disk,snapshot={snapshot}",
            image.display()
        );
        command.args(["-drive", &drive]);
        for device in seat.devices() {
            command.args(["-device", &device]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let console = lines(child.stdout.take().unwrap());
        Self { child, console }
    }

    /// All that it says up to these words.
    fn until(&mut self, words: &str) -> String {
        let begun = Instant::now();
        let mut said = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&said);
            if text.contains(words) {
                return text.into_owned();
            }
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let end = match self.console.recv_timeout(left) {
                Ok(more) => {
                    said.extend(more);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => "nothing more",
                Err(RecvTimeoutError::Disconnected) => "it ended",
            };
            panic!("no {words:?} after {:?}, {end}: {text}", begun.elapsed());
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What comes out of a pipe, read by a thread that ends with it.
fn lines(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

//! The smallest Debian that asks for a login: its kernel, busybox, and a few files with their sums.

use std::fs;
use std::path::{Path, PathBuf};

use ioalign_testkit::run::{command, text, tool};

use super::super::kinds;

/// What the guest says when all its files are what they were.
pub const SUMS_ARE_RIGHT: &str = "all sums are right";

/// The identity of the root file system.
pub const UUID: &str = "6f0c2f4e-21f4-4a0b-8e6b-2f3c5d1e7a90";

/// GRUB's commands. On a busy machine the emulated timer may come too late for the kernel's check of it.
pub const GRUB: &str = "linux /boot/vmlinuz root=UUID=6f0c2f4e-21f4-4a0b-8e6b-2f3c5d1e7a90 console=ttyS0 quiet mitigations=off no_timer_check panic=-1
initrd /boot/initrd
boot
";

/// The modules that disks and an EFI system partition need, each after those that it uses.
const MODULES: [&str; 8] = [
    "virtio_pci",
    "virtio_blk",
    "nvme",
    "virtio_scsi",
    "sd_mod",
    "vfat",
    "nls_cp437",
    "nls_ascii",
];

const INIT: &str = "#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
for module in $(cat /modules); do insmod /lib/$module || :; done
root=$(sed 's/.*root=UUID=\\([^ ]*\\).*/\\1/' /proc/cmdline)
until device=$(findfs UUID=$root 2>/dev/null); do sleep 0.1; done
echo \"root is $device, sectors of $(blockdev --getss $device) bytes\"
mkdir /esp
esp=$(findfs LABEL=ESP 2>/dev/null) && mount -t vfat -o ro $esp /esp && echo \"the ESP has $(ls /esp/EFI/BOOT)\" && umount /esp
mount -t ext4 -o ro \"$device\" /root
mount --move /dev /root/dev
umount /proc
exec switch_root /root /sbin/init
";

const INITTAB: &str = "::sysinit:/bin/busybox mount -t proc proc /proc
::sysinit:/etc/sums.sh
ttyS0::respawn:/sbin/getty -L 115200 ttyS0 vt100
";

const SUMS: &str = "#!/bin/sh
cd /srv && /bin/busybox sha256sum -c -s /etc/sums && echo 'all sums are right'
";

/// The folder that has `/boot` and `/lib/modules` of the guest's kernel: an unpacked package, or this machine.
fn kernel_root() -> PathBuf {
    std::env::var_os("IOALIGN_VM_KERNEL").map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

/// The newest Debian cloud kernel there.
pub fn kernel() -> (String, PathBuf) {
    let boot = kernel_root().join("boot");
    let names = fs::read_dir(&boot).unwrap();
    let names = names.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let mut found: Vec<_> = names
        .filter_map(|name| Some(name.strip_prefix("vmlinuz-")?.to_owned()))
        .filter(|version| version.contains("cloud"))
        .collect();
    found.sort();
    let version = found
        .pop()
        .expect("linux-image-cloud-amd64 is needed for this test");
    let image = boot.join(format!("vmlinuz-{version}"));
    (version, image)
}

/// Makes `/boot/vmlinuz` and `/boot/initrd` in a folder.
pub fn boot_files(folder: &Path, scratch: &Path) {
    fs::create_dir_all(folder).unwrap();
    let (version, image) = kernel();
    fs::copy(image, folder.join("vmlinuz")).unwrap();
    let tree = scratch.join("initrd.d");
    for directory in ["bin", "dev", "proc", "root", "lib"] {
        fs::create_dir_all(tree.join(directory)).unwrap();
    }
    busybox(&tree);
    executable(&tree.join("init"), INIT);
    let names = modules(&version, &tree.join("lib"));
    fs::write(tree.join("modules"), names.join("\n")).unwrap();
    let pack = "cd \"$1\" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 >\"$2\"";
    let initrd = folder.join("initrd");
    tool("sh", &["-ec", pack, "sh", text(&tree), text(&initrd)]);
}

/// The root file system, its `/boot` excepted.
pub fn fill(root: &Path) {
    for directory in ["bin", "sbin", "dev", "proc", "etc", "root", "srv"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    busybox(root);
    for link in ["bin/sh", "bin/login", "sbin/init", "sbin/getty"] {
        std::os::unix::fs::symlink("/bin/busybox", root.join(link)).unwrap();
    }
    fs::write(root.join("etc/passwd"), "root::0:0:root:/root:/bin/sh\n").unwrap();
    fs::write(root.join("etc/inittab"), INITTAB).unwrap();
    executable(&root.join("etc/sums.sh"), SUMS);
    kinds::files(&root.join("srv"));
    let sums = "cd \"$1\"/srv && find . -type f -exec sha256sum '{}' + >../etc/sums";
    tool("sh", &["-ec", sums, "sh", text(root)]);
}

fn busybox(root: &Path) {
    fs::copy("/bin/busybox", root.join("bin/busybox"))
        .expect("busybox-static is needed for this test");
}

fn executable(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Copies the modules there; their files' names, in the order in which to load them.
fn modules(version: &str, into: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for module in MODULES {
        let mut modprobe = command("modprobe");
        modprobe.arg("-d").arg(kernel_root());
        modprobe.args(["-S", version, "--show-depends", module]);
        let lines = String::from_utf8(modprobe.output().unwrap().stdout).unwrap();
        for line in lines.lines() {
            let path = line.trim_start_matches("insmod ").trim();
            let name = path.rsplit('/').next().unwrap().to_owned();
            if line.starts_with("insmod") && !names.contains(&name) {
                fs::copy(path, into.join(&name)).unwrap();
                names.push(name);
            }
        }
    }
    names
}

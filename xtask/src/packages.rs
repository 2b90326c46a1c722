//! Debian packages: what is missing is installed, what is there is left alone.

use std::path::Path;

use anyhow::{Result, bail};

use crate::paths::which;
use crate::run;
use crate::vm::kernel;

/// A thing that must be there, and the package that brings it.
type Need = (&'static str, &'static str);

/// What a build needs beside the Rust toolchain.
pub const BUILD: &[Need] = &[("cc", "gcc"), ("/usr/include/stdlib.h", "libc6-dev")];

/// The reference tools that tests compare with, and what the shell checks need.
pub const TEST: &[Need] = &[
    ("ansible", "ansible-core"),
    ("blkparse", "blktrace"),
    ("bzip2", "bzip2"),
    ("clang-14", "clang-14"),
    ("cryptsetup", "cryptsetup-bin"),
    ("dmsetup", "dmsetup"),
    ("extlinux", "extlinux"),
    ("fio", "fio"),
    ("gdisk", "gdisk"),
    ("genisoimage", "genisoimage"),
    ("grub-install", "grub2-common"),
    ("/usr/lib/grub/i386-pc/grub-bios-setup", "grub-pc-bin"),
    ("hivexregedit", "libwin-hivex-perl"),
    ("lvm", "lvm2"),
    ("make-bcache", "bcache-tools"),
    ("llvm-strip-14", "llvm-14"),
    ("losetup", "mount"),
    ("lz4", "lz4"),
    ("makefs", "makefs"),
    ("mariadb-install-db", "mariadb-server-core"),
    ("mdadm", "mdadm"),
    ("minfo", "mtools"),
    ("mkfs.btrfs", "btrfs-progs"),
    ("mkfs.erofs", "erofs-utils"),
    ("mkfs.exfat", "exfatprogs"),
    ("mkfs.ext4", "e2fsprogs"),
    ("mkfs.f2fs", "f2fs-tools"),
    ("mkfs.jfs", "jfsutils"),
    ("mkfs.nilfs2", "nilfs-tools"),
    ("mkfs.ntfs", "ntfs-3g"),
    ("mkfs.vfat", "dosfstools"),
    ("mkfs.xfs", "xfsprogs"),
    ("mksquashfs", "squashfs-tools"),
    ("mkudffs", "udftools"),
    ("parted", "parted"),
    ("perf", "linux-perf"),
    ("prometheus", "prometheus"),
    ("prometheus-node-exporter", "prometheus-node-exporter"),
    ("promtool", "prometheus"),
    ("qemu-img", "qemu-utils"),
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("sfdisk", "fdisk"),
    ("shellcheck", "shellcheck"),
    ("sqlite3", "sqlite3"),
    ("systemd-analyze", "systemd"),
    ("thin_check", "thin-provisioning-tools"),
    ("time", "time"),
    ("virt-alignment-scan", "guestfs-tools"),
    ("xmllint", "libxml2-utils"),
    ("xz", "xz-utils"),
    ("zstd", "zstd"),
    ("/usr/lib/grub/x86_64-efi/moddep.lst", "grub-efi-amd64-bin"),
    ("/usr/lib/postgresql", "postgresql-15"),
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "ovmf"),
    ("/usr/lib/python3/dist-packages/yaml", "python3-yaml"),
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "ovmf"),
];

/// What the microVM needs. The kernel is looked for by itself.
pub const VM: &[Need] = &[
    ("busybox", "busybox-static"),
    ("dd", "coreutils"),
    ("dmsetup", "dmsetup"),
    ("lsblk", "util-linux"),
    ("kmod", "kmod"),
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("setpriv", "util-linux"),
    ("tar", "tar"),
];

const KERNEL: &str = "linux-image-cloud-amd64";

/// Installs what is missing of `needs`.
pub fn ensure(needs: &[Need]) -> Result<()> {
    install(&missing(needs))
}

/// Installs what is missing for microVMs, the guest's kernel included.
pub fn ensure_vm() -> Result<()> {
    let mut packages = missing(VM);
    if kernel::newest().is_none() {
        packages.push(KERNEL);
    }
    install(&packages)
}

fn missing(needs: &[Need]) -> Vec<&'static str> {
    let absent = needs.iter().filter(|(thing, _)| !present(thing));
    let mut packages: Vec<_> = absent.map(|(_, package)| *package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn present(thing: &str) -> bool {
    if thing.starts_with('/') {
        Path::new(thing).exists()
    } else {
        which(thing).is_some()
    }
}

fn install(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let wanted = packages.join(" ");
    let Some(mut prefix) = privilege() else {
        bail!(
            "these Debian packages are missing, and neither root nor a password-free sudo is at hand: apt-get install -y {wanted}"
        );
    };
    prefix.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    eprintln!("xtask: installing {wanted}");
    apt(&prefix, &["update", "-q"])?;
    let mut args = vec!["install", "-y", "-q", "--no-install-recommends"];
    args.extend(packages);
    apt(&prefix, &args)
}

/// What to put before apt-get: nothing as root, sudo when it asks for no password.
fn privilege() -> Option<Vec<&'static str>> {
    which("apt-get")?;
    if run::output(run::command("id").arg("-u")).is_ok_and(|id| id.trim() == "0") {
        return Some(Vec::new());
    }
    run::output(run::command("sudo").args(["-n", "true"])).ok()?;
    Some(vec!["sudo", "-n"])
}

fn apt(prefix: &[&str], args: &[&str]) -> Result<()> {
    let Some((program, rest)) = prefix.split_first() else {
        bail!("no way to run apt-get");
    };
    let mut command = run::command(program);
    // Standard output belongs to the caller's own result.
    run::must(command.args(rest).args(args).stdout(std::io::stderr()))
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn only_what_is_absent_is_listed_once() {
        let needs = [
            ("/", "there"),
            ("/no/such/a", "one"),
            ("no-such-program-b", "one"),
        ];
        assert_eq!(missing(&needs), ["one"]);
    }
}

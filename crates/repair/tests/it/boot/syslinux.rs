//! EXTLINUX, by its own installer. It asks the kernel for the start of the partition, which loop devices do not
//! tell: the number is then 0, and the MBR code says where the partition starts.

use std::path::Path;

use ioalign_repair::boot::Weight;
use ioalign_testkit::device::{Loop, MountGuard};
use ioalign_testkit::run::tool;

use super::{bytes, image_of, says, shift, write};

const ONE: &str = "label: dos\nlabel-id: 0x12345678\nstart=63, size=80000, type=83, bootable\n";

/// Installs it, and gives its boot sector.
fn extlinux(path: &Path) -> Vec<u8> {
    let disk = Loop::new(path, &[]);
    tool("partx", &["--add", disk.text()]);
    let partition = format!("{}p1", disk.text());
    tool("/usr/sbin/mke2fs", &["-q", "-F", "-t", "ext2", &partition]);
    let mount = MountGuard::new(&[&partition], &path.with_extension("mount"));
    tool("extlinux", &["--install", mount.path().to_str().unwrap()]);
    drop(mount);
    drop(disk);
    bytes(path, 63 * 512, 512)
}

#[test]
fn only_the_hidden_sectors_of_extlinux_change() {
    needs!(Packages, Root);
    for (hidden, new) in [(63u32, 2048u32), (0, 0), (99, 99)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk.img");
        image_of(&path, 64, 512, ONE);
        let mut boot = extlinux(&path);
        write(&path, 63 * 512 + 0x1c, &hidden.to_le_bytes());
        let fixups = shift(&path, 512, &[(1, 2048)]);
        assert_eq!(fixups.patches.len(), usize::from(hidden == 63));
        assert!(says(
            &fixups,
            Weight::Told,
            "SYSLINUX is in its boot sector"
        ));
        boot[0x1c..0x20].copy_from_slice(&new.to_le_bytes());
        assert_eq!(bytes(&path, 2048 * 512, 512), boot);
    }
}

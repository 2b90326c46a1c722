//! Signatures of real tools, with a table written over the disk by accident.

use super::*;

/// A disk that was formatted as a whole, and got a table afterwards.
pub struct Made {
    pub name: &'static str,
    /// What the refusal calls it.
    pub says: &'static str,
    /// A shell script that formats `$1`.
    make: &'static str,
    table: &'static str,
}

pub const MBR: &str = "start=63,size=100000,type=83\n";
const GPT: &str = "label: gpt\nstart=2048,size=100000\n";

impl Made {
    pub fn disk(&self) -> Disk {
        let disk = Disk::new("disk.img", 130 * MIB);
        run_on(self.make, disk.path(), self.name);
        table_over(disk.path(), self.table);
        disk
    }
}

/// Runs a shell script whose `$1` is a disk, in its folder.
pub fn run_on(script: &str, path: &Path, name: &str) {
    let ran = command("sh")
        .args(["-e", "-c", script, "sh", text(path)])
        .current_dir(path.parent().unwrap())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{name}: {ran:?}");
}

const fn made(name: &'static str, says: &'static str, make: &'static str) -> Made {
    Made {
        name,
        says,
        make,
        table: MBR,
    }
}

const fn under_gpt(name: &'static str, says: &'static str, make: &'static str) -> Made {
    Made {
        name,
        says,
        make,
        table: GPT,
    }
}

pub const EXT4: &str = "mkfs.ext4 -q -F \"$1\"";
pub const BTRFS: &str = "mkfs.btrfs -q -f \"$1\"";
pub const JFS: &str = "mkfs.jfs -q \"$1\"";
pub const F2FS: &str = "mkfs.f2fs -q -f \"$1\"";
pub const NILFS2: &str = "mkfs.nilfs2 -q -f \"$1\"";
pub const FAT16: &str = "mkfs.vfat -F 16 \"$1\"";
pub const FAT32: &str = "mkfs.vfat -F 32 \"$1\"";
pub const EXFAT: &str = "mkfs.exfat \"$1\"";
pub const NTFS: &str = "mkfs.ntfs -q -F -p 63 -H 255 -S 63 \"$1\"";
pub const SWAP: &str = "mkswap -q \"$1\"";
pub const MINIX: &str = "mkfs.minix \"$1\"";
pub const MINIX3: &str = "mkfs.minix -3 \"$1\"";
pub const BFS: &str = "mkfs.bfs \"$1\"";
pub const UDF: &str = "mkudffs --media-type=hd --blocksize=2048 \"$1\"";
pub const LUKS1: &str = "echo x | cryptsetup -q luksFormat --type luks1 --iter-time 1 \"$1\" -";
pub const LUKS2: &str = "echo x | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \"$1\" -";
pub const BCACHE: &str = "make-bcache -B \"$1\"";
pub const BCACHE_CACHE: &str = "make-bcache -C \"$1\"";
/// Formats of which only a folder makes one: it is copied over the beginning.
pub const SQUASHFS: &str = "mkdir d; echo x > d/x; mksquashfs d fs -quiet; dd if=fs of=\"$1\" conv=notrunc status=none; rm -r d fs";
pub const EROFS: &str = "mkdir d; echo x > d/x; mkfs.erofs fs d; dd if=fs of=\"$1\" conv=notrunc status=none; rm -r d fs";
pub const CRAMFS: &str = "mkdir d; echo x > d/x; mkfs.cramfs d fs; dd if=fs of=\"$1\" conv=notrunc status=none; rm -r d fs";
pub const ISO: &str = "mkdir d; echo x > d/x; genisoimage -quiet -o fs d; dd if=fs of=\"$1\" conv=notrunc status=none; rm -r d fs";

pub const ALL: &[Made] = &[
    made("ext4", "the file system ext", EXT4),
    made("ext2", "the file system ext", "mkfs.ext2 -q -F \"$1\""),
    made("btrfs", "the file system btrfs", BTRFS),
    under_gpt("btrfs under a GPT", "the file system btrfs", BTRFS),
    made("jfs", "the file system jfs", JFS),
    under_gpt("jfs under a GPT", "the file system jfs", JFS),
    made("f2fs", "the file system f2fs", F2FS),
    made("nilfs2", "the file system nilfs2", NILFS2),
    made("fat16", "the file system fat16", FAT16),
    made("fat32", "the file system fat32", FAT32),
    made("exfat", "the file system exfat", EXFAT),
    made("ntfs", "the file system ntfs", NTFS),
    made("swap", "swap space", SWAP),
    made(
        "swap of large pages",
        "swap space",
        "mkswap -q -p 65536 \"$1\"",
    ),
    made("minix", "the file system minix", MINIX),
    made("minix3", "the file system minix", MINIX3),
    made("bfs", "the file system bfs", BFS),
    made("udf", "the udf file system of a disc", UDF),
    made("iso9660", "the iso9660 file system of a disc", ISO),
    made("squashfs", "the file system squashfs", SQUASHFS),
    made("erofs", "the file system erofs", EROFS),
    made("cramfs", "the file system cramfs", CRAMFS),
    made("luks1", "a LUKS volume", LUKS1),
    made("luks2", "a LUKS volume", LUKS2),
    made("bcache", "a bcache device", BCACHE),
    made("bcache, cache", "a bcache device", BCACHE_CACHE),
    made(
        "verity",
        "dm-verity",
        "truncate -s 1M data; veritysetup format data \"$1\"; rm data",
    ),
];

//! btrfs, F2FS, swap, JFS, NILFS2, EROFS and SquashFS against the tools that make them.

use std::fs;

use ioalign_core::Bytes;

use super::{Fixture, MIB, command, number, put, value};
use crate::tools::run;

#[test]
fn btrfs_is_that_of_dump_super() {
    needs!(Packages);
    let options = ["-q", "-f", "-s", "4096", "-n", "16384", "-L", "label"];
    let fixture = Fixture::made_by(128 * MIB, "mkfs.btrfs", &options);
    let found = fixture.agreed("btrfs");
    let said = fixture.tool("btrfs", &["inspect-internal", "dump-super"]);
    let size = Bytes::new(number(&said, "dev_item.total_bytes"));
    assert_eq!(found.block, Some(Bytes::new(number(&said, "sectorsize"))));
    assert_eq!(found.size, Some(size));
    assert_eq!(found.uuid, value(&said, "fsid"));
    assert_eq!(found.facts["device-uuid"], value(&said, "dev_item.uuid"));
    assert_eq!(found.facts["devices"], value(&said, "num_devices"));
    assert_eq!(found.facts["nodesize"], "16 KiB");
    assert_eq!(found.facts["stripesize"], "4 KiB");
    assert_eq!(found.data_start, Bytes::ZERO);
}

/// The number after the last colon of what dump.f2fs prints as `[0x  200 : 512]`.
fn field(said: &str, key: &str) -> u64 {
    let text = value(said, key);
    let decimal = text.rsplit(':').next().unwrap();
    decimal.trim_end_matches(']').trim().parse().unwrap()
}

#[test]
fn f2fs_areas_are_those_of_dump_f2fs() {
    needs!(Packages);
    let fixture = Fixture::made_by(64 * MIB, "mkfs.f2fs", &["-q", "-f", "-l", "label"]);
    let found = fixture.agreed("f2fs");
    let said = fixture.tool("dump.f2fs", &["-d", "1"]);
    let bytes = |key| Bytes::new(field(&said, key) * 4096).to_string();
    assert_eq!(
        found.block,
        Some(Bytes::new(1 << field(&said, "log_blocksize")))
    );
    assert_eq!(
        found.sector,
        Some(Bytes::new(1 << field(&said, "log_sectorsize")))
    );
    assert_eq!(found.size, Some(Bytes::new(64 * MIB)));
    assert_eq!(found.facts["segment"], "2 MiB");
    assert_eq!(found.facts["section"], "2 MiB");
    assert_eq!(found.facts["main-area-start"], bytes("main_blkaddr"));
    assert_eq!(found.facts["segment0-start"], bytes("segment0_blkaddr"));
}

#[test]
fn swap_tells_its_page_size() {
    for page in ["4096", "8192", "16384", "65536"] {
        let fixture = Fixture::made_by(4 * MIB, "mkswap", &["-q", "-p", page, "-L", "label"]);
        let found = fixture.agreed("swap");
        assert_eq!(found.facts["page-size"], found.block.unwrap().to_string());
        assert_eq!(found.block, Some(page.parse().unwrap()));
        assert_eq!(found.size, Some(Bytes::new(4 * MIB)));
    }
    let fixture = Fixture::made_by(4 * MIB, "mkswap", &["-q", "-L", "label"]);
    let said = fixture.tool("swaplabel", &[]);
    assert_eq!(value(&said, "UUID"), fixture.probe().unwrap().uuid);
}

#[test]
fn a_hibernated_system_in_swap_is_remarked() {
    let fixture = Fixture::made_by(4 * MIB, "mkswap", &["-q"]);
    fixture.write(4086, b"S1SUSPEND\0");
    let found = fixture.agreed("swsuspend");
    assert_eq!(found.kind, "swap");
    assert_eq!(found.remarks[0].rule, "swap-holds-hibernation-image");
}

#[test]
fn jfs_and_nilfs2_have_their_block() {
    needs!(Packages);
    let jfs = Fixture::made_by(32 * MIB, "mkfs.jfs", &["-q", "-L", "label"]);
    let found = jfs.agreed("jfs");
    assert_eq!(found.block, Some(Bytes::new(4096)));
    assert!(found.size.unwrap() <= Bytes::new(32 * MIB));
    assert!(found.size.unwrap() > Bytes::new(30 * MIB));
    for block in ["1024", "4096"] {
        let options = ["-q", "-f", "-b", block, "-L", "label"];
        let nilfs = Fixture::made_by(160 * MIB, "mkfs.nilfs2", &options);
        let found = nilfs.agreed("nilfs2");
        assert_eq!(found.block, Some(block.parse().unwrap()));
        assert_eq!(found.size, Some(Bytes::new(160 * MIB)));
    }
}

#[test]
fn packed_ones_have_their_block() {
    needs!(Packages);
    let fixture = Fixture::new(0);
    let folder = fixture.path.with_file_name("content");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), vec![7; 300_000]).unwrap();
    run(command("mkfs.erofs").arg(&fixture.path).arg(&folder));
    assert_eq!(fixture.agreed("erofs").block, Some(Bytes::new(4096)));
    fs::remove_file(&fixture.path).unwrap();
    let squash = ["-quiet", "-no-progress", "-b", "256K"];
    run(command("mksquashfs")
        .arg(&folder)
        .arg(&fixture.path)
        .args(squash));
    let found = fixture.agreed("squashfs");
    assert_eq!(found.block, Some(Bytes::new(256 << 10)));
    assert!(found.remarks.is_empty(), "{:?}", found.remarks);
}

/// The superblock at sector 8. No Debian tool makes one and libblkid 2.38 does not know it: the
/// layout is the kernel's.
pub(super) fn bcachefs() -> Vec<u8> {
    let mut sb = vec![0; 1024];
    let magic = "c68573f666ce90a9d96a60cf803df7ef";
    for (i, byte) in sb[24..40].iter_mut().enumerate() {
        *byte = u8::from_str_radix(&magic[2 * i..2 * i + 2], 16).unwrap();
    }
    put(&mut sb, 56, &[0x11; 16]);
    put(&mut sb, 72, b"label");
    put(&mut sb, 120, &8_u16.to_le_bytes());
    put(&mut sb, 122, &[1, 2]);
    // A section of another kind, then the members: 16 bytes of head, two of 56 bytes.
    let (other, members) = (752, 752 + 24);
    put(&mut sb, other, &3_u32.to_le_bytes());
    put(&mut sb, other + 4, &5_u32.to_le_bytes());
    put(&mut sb, members, &16_u32.to_le_bytes());
    put(&mut sb, members + 4, &11_u32.to_le_bytes());
    put(&mut sb, members + 8, &56_u16.to_le_bytes());
    put(&mut sb, members + 16 + 56 + 26, &1024_u16.to_le_bytes());
    sb
}

#[test]
fn bcachefs_has_its_block_and_bucket() {
    let mut image = vec![0; 64 << 10];
    put(&mut image, 4096, &bcachefs());
    let found = super::probe_bytes(image).unwrap();
    assert_eq!((found.kind, found.label.as_str()), ("bcachefs", "label"));
    assert_eq!(found.block, Some(Bytes::new(4096)));
    assert_eq!(found.facts["bucket"], "512 KiB");
    assert_eq!(found.uuid, "11111111-1111-1111-1111-111111111111");
}

#[test]
fn apple_s_are_recognised() {
    let mut image = vec![0; 16 << 10];
    put(&mut image, 32, b"NXSB");
    put(&mut image, 36, &4096_u32.to_le_bytes());
    put(&mut image, 40, &4_u64.to_le_bytes());
    let found = super::probe_bytes(image).unwrap();
    assert_eq!((found.kind, found.block), ("apfs", Some(Bytes::new(4096))));
    let mut image = vec![0; 16 << 10];
    put(&mut image, 1024, b"H+\0\x04");
    put(&mut image, 1024 + 40, &8192_u32.to_be_bytes());
    put(&mut image, 1024 + 44, &2_u32.to_be_bytes());
    let found = super::probe_bytes(image).unwrap();
    assert_eq!(
        (found.kind, found.block),
        ("hfsplus", Some(Bytes::new(8192)))
    );
}

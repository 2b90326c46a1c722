//! VMFS, written by the test; libblkid is the oracle for the headers.

use ioalign_core::Bytes;

use super::{Fixture, MIB, blkid};

fn uuid() -> Vec<u8> {
    (1..=16).collect()
}

const UUID: &str = "04030201-08070605-0a09-0b0c0d0e0f10";

pub(super) fn volume(version: u32) -> Vec<u8> {
    let mut header = vec![0; 1024];
    super::put(&mut header, 0, &0xc001_d00d_u32.to_le_bytes());
    super::put(&mut header, 4, &version.to_le_bytes());
    super::put(&mut header, 0x82, &uuid());
    super::put(&mut header, 0x214, b"5e1cf9d4-1b2c3d4e-5f60-0011223344556");
    header
}

fn header(magic: u32, block: u64) -> Vec<u8> {
    let mut header = vec![0; 512];
    super::put(&mut header, 0, &magic.to_le_bytes());
    super::put(&mut header, 4, &5_u32.to_le_bytes());
    super::put(&mut header, 8, &[61]);
    super::put(&mut header, 9, &uuid());
    super::put(&mut header, 0x1d, b"datastore1");
    super::put(&mut header, 0xa1, &block.to_le_bytes());
    header
}

#[test]
fn volumes_are_recognised_with_their_file_system() {
    for (version, kind, block) in [(3, "vmfs3", 8), (5, "vmfs5", 1), (6, "vmfs6", 1)] {
        let fixture = Fixture::new(32 * MIB);
        fixture.write(MIB, &volume(version));
        fixture.write(19 * MIB, &header(0x2fab_f15e, block * MIB));
        let said = blkid(&fixture.path);
        let found = fixture.probe().unwrap();
        assert_eq!(said["TYPE"], "VMFS_volume_member");
        assert_eq!(said["UUID_SUB"], found.facts["volume-uuid"]);
        assert_eq!(said["VERSION"], found.facts["volume-version"]);
        if version < 6 {
            assert_eq!(said["UUID"], found.facts["lvm-uuid"]);
        }
        assert_eq!((found.kind, found.uuid.as_str()), (kind, UUID));
        assert_eq!(found.label, "datastore1");
        assert_eq!(found.block, Some(Bytes::new(block * MIB)));
        assert_eq!(found.data_start, Bytes::new(17 * MIB));
    }
}

#[test]
fn a_bare_header_is_enough() {
    let fixture = Fixture::new(8 * MIB);
    fixture.write(2 * MIB, &header(0x2fab_f15e, MIB));
    let found = fixture.agreed("VMFS");
    assert_eq!((found.kind, found.block), ("vmfs5", Some(Bytes::MIB)));
    assert_eq!(blkid(&fixture.path)["VERSION"], found.facts["version"]);
}

#[test]
fn a_volume_header_alone_is_enough() {
    let fixture = Fixture::new(8 * MIB);
    fixture.write(MIB, &volume(5));
    let found = fixture.probe().unwrap();
    assert_eq!((found.kind, found.block), ("vmfs5", None));
}

#[test]
fn vmfs_l_is_told_apart() {
    let fixture = Fixture::new(32 * MIB);
    fixture.write(MIB, &volume(6));
    fixture.write(19 * MIB, &header(0x2fab_f15f, MIB));
    let found = fixture.probe().unwrap();
    assert_eq!(found.kind, "vmfs6");
    assert_eq!(found.facts["variant"], "VMFS-L");
}

//! NTFS and exFAT against their tools, ReFS against libblkid.

use ioalign_core::Bytes;

use super::{Fixture, MIB, number, put};

fn ntfs(size: u64, arguments: &[&str]) -> Fixture {
    let arguments = [&["-F", "-Q", "-q", "-H", "16", "-S", "63"], arguments].concat();
    Fixture::made_by(size, "mkfs.ntfs", &arguments)
}

#[test]
fn ntfs_is_that_of_ntfsinfo() {
    needs!(Packages);
    for (sector, cluster) in [("512", "4096"), ("512", "65536"), ("4096", "4096")] {
        let options = ["-p", "63", "-s", sector, "-c", cluster, "-L", "label"];
        let fixture = ntfs(64 * MIB, &options);
        let found = fixture.agreed("ntfs");
        let said = fixture.tool("ntfsinfo", &["-m", "-f"]);
        let clusters = number(&said, "Volume Size in Clusters");
        let block = number(&said, "Cluster Size");
        let size = found.size.unwrap().get();
        assert_eq!(found.block, Some(Bytes::new(block)));
        assert_eq!(found.sector, Some(Bytes::new(number(&said, "Sector Size"))));
        assert_eq!(found.sector, Some(sector.parse().unwrap()));
        assert_eq!(size / block, clusters);
        assert_eq!(found.hidden_sectors, Some(63));
        assert_eq!(fixture.read(0x1c, 4), 63_u32.to_le_bytes());
        assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    }
}

#[test]
fn exfat_heap_and_offset_are_those_of_dump_exfat() {
    needs!(Packages);
    let fixture = Fixture::made_by(64 * MIB, "mkfs.exfat", &["-c", "32k", "-L", "label ü"]);
    fixture.write(64, &2048_u64.to_le_bytes());
    let found = fixture.probe().unwrap();
    let said = fixture.tool("dump.exfat", &[]);
    let sector = 1 << number(&said, "Sector Size Bits:");
    let heap = number(&said, "Cluster Heap Offset (sector offset):") * sector;
    let fat = number(&said, "FAT Offset(sector offset):") * sector;
    let volume = number(&said, "Volume Length(sectors):") * sector;
    assert_eq!(found.kind, "exfat");
    assert_eq!(found.data_start, Bytes::new(heap));
    assert_eq!(found.facts["fat-start"], Bytes::new(fat).to_string());
    assert_eq!(found.size, Some(Bytes::new(volume)));
    assert_eq!(found.block, Some(Bytes::new(32 << 10)));
    assert_eq!(found.sector, Some(Bytes::new(sector)));
    assert_eq!(found.hidden_sectors, Some(2048));
    assert_eq!(found.label, "label ü");
}

#[test]
fn exfat_names_are_those_of_blkid() {
    needs!(Packages);
    let fixture = Fixture::made_by(64 * MIB, "mkfs.exfat", &["-L", "label"]);
    fixture.agreed("exfat");
    fixture.write(108, &[13]);
    let error = ioalign_inspect::filesystems::probe(&fixture.view()).unwrap_err();
    assert_eq!(error.field_name(), Some("BytesPerSectorShift"));
}

#[test]
fn refs_has_its_cluster() {
    let mut boot = vec![0; 512];
    put(&mut boot, 0, b"\0\0\0ReFS\0");
    put(&mut boot, 16, b"FSRS\0\x02");
    put(&mut boot, 24, &32768_u64.to_le_bytes());
    put(&mut boot, 32, &512_u32.to_le_bytes());
    put(&mut boot, 36, &128_u32.to_le_bytes());
    put(&mut boot, 40, &[3, 4]);
    let fixture = Fixture::new(16 * MIB);
    fixture.write(0, &boot);
    assert_eq!(super::blkid(&fixture.path)["TYPE"], "ReFS");
    let found = fixture.probe().unwrap();
    assert_eq!(found.kind, "refs");
    assert_eq!(found.block, Some(Bytes::new(64 << 10)));
    assert_eq!(found.size, Some(Bytes::new(16 * MIB)));
    assert_eq!(found.facts["version"], "3.4");
}

//! Apple partition maps, against parted.

use ioalign_core::{Bytes, Role};
use ioalign_inspect::tables::probe;

use super::disk::{Disk, partx, put, read, read_in, rules, sized, spans, view};

#[test]
fn parted_and_partx_agree() {
    needs!(Packages);
    let disk = Disk::new(200 << 20);
    let path = disk.path().to_string_lossy().into_owned();
    let steps = "mklabel mac mkpart a hfs 2048s 40959s mkpart swap linux-swap 40960s 81919s";
    let args = ["-s", path.as_str()].into_iter().chain(steps.split(' '));
    crate::tools::run(std::process::Command::new("parted").args(args));
    let table = disk.table();
    assert_eq!(table.kind.name(), "apm");
    assert_eq!(
        spans(&table, 512),
        [(1, 63), (2048, 38_912), (40_960, 40_960)]
    );
    let theirs = partx(&disk);
    assert!(spans(&table, 512).iter().all(|span| theirs.contains(span)));
    let roles: Vec<_> = table.partitions.iter().map(|p| p.role).collect();
    assert_eq!(roles, [Role::Reserved, Role::Data, Role::Swap]);
    assert_eq!(table.first_usable, Some(Bytes::new(64 * 512)));
}

/// (start, blocks, type) an entry, in blocks of `block` bytes; entries every `spacing` bytes.
pub fn map(block: u16, spacing: usize, entries: &[(u32, u32, &str)]) -> Vec<u8> {
    let mut image = vec![0; 4 << 20];
    put(&mut image, 0, b"ER");
    put(&mut image, 2, &block.to_be_bytes());
    let count = u32::try_from(entries.len()).unwrap();
    for (i, (start, blocks, kind)) in entries.iter().enumerate() {
        let at = (i + 1) * spacing;
        put(&mut image, at, b"PM");
        put(&mut image, at + 4, &count.to_be_bytes());
        put(&mut image, at + 8, &start.to_be_bytes());
        put(&mut image, at + 12, &blocks.to_be_bytes());
        put(&mut image, at + 48, kind.as_bytes());
    }
    image
}

#[test]
fn blocks_of_2048_bytes_and_maps_for_512_byte_readers() {
    let entries = [
        (1, 10, "Apple_partition_map"),
        (16, 100, "Apple_HFS"),
        (200, 9, "Apple_Free"),
    ];
    let table = read(&map(2048, 2048, &entries)).unwrap().unwrap();
    assert_eq!(spans(&table, 2048), [(1, 10), (16, 100)]);
    let table = read(&map(2048, 512, &entries)).unwrap().unwrap();
    assert_eq!(spans(&table, 512), [(1, 10), (16, 100)]);
}

#[test]
fn blocks_below_a_sector_are_no_blocks() {
    let image = map(256, 256, &[(1, 10, "Apple_partition_map")]);
    assert!(read(&image).unwrap().is_none());
}

#[test]
fn broken_maps_are_bounded() {
    let mut image = map(512, 512, &[(1, 63, "Apple_partition_map")]);
    put(&mut image, 512 + 4, &1024_u32.to_be_bytes());
    let table = read(&image).unwrap().unwrap();
    assert_eq!(rules(&table), ["apm-entry-missing"]);
    assert_eq!(table.remarks[0].place.offset, Some(1024));
    assert!(table.remarks[0].why.contains("before entry 2."));
    put(&mut image, 512 + 4, &1025_u32.to_be_bytes());
    assert_eq!(read(&image).unwrap_err().field_name(), Some("pmMapBlkCnt"));
    put(&mut image, 512 + 4, &u32::MAX.to_be_bytes());
    assert_eq!(read(&image).unwrap_err().field_name(), Some("pmMapBlkCnt"));
    put(&mut image, 512, b"XX");
    assert!(read(&image).unwrap().is_none());
}

#[test]
fn the_map_itself_is_not_usable() {
    let entries = [(1, 63, "Apple_partition_map"), (64, 100, "Apple_HFS")];
    let image = map(512, 512, &entries);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.first_usable, Some(Bytes::new(64 * 512)));
    assert_eq!(table.partitions[1].entry_at, Bytes::new(1024));
    assert!(
        read_in(&image, "af", 0).unwrap().is_none(),
        "on whole disks only"
    );
}

#[test]
fn blocks_that_are_no_sectors_are_not_believed() {
    for block in [0, 256, 513] {
        let table = read(&map(block, 512, &[(1, 10, "Apple_HFS")])).unwrap();
        assert_eq!(table.unwrap().sector.unwrap().get(), 512);
    }
    let forced = probe(
        &view(&map(512, 2048, &[(1, 10, "Apple_HFS")])),
        &sized(2048),
    );
    assert_eq!(forced.unwrap().unwrap().sector.unwrap().get(), 2048);
}

//! SGI volume headers, against sfdisk.

use ioalign_core::{Bytes, Role, Severity};
use ioalign_inspect::tables::probe;

use super::disk::{Disk, put, read, read_in, rules, sized, spans, view};

#[test]
fn sfdisk_agrees() {
    needs!(Packages);
    let disk = Disk::sfdisk(
        409_600,
        "label: sgi\nstart=16065,size=40960\nstart=64260,size=61440,type=82\n",
    );
    let table = disk.table();
    assert_eq!(table.kind.name(), "sgi");
    let ours = super::disk::rows(&table, 512);
    for row in disk.dump() {
        assert!(ours.contains(&row), "{row:?} in {ours:?}");
    }
    assert!(!rules(&table).contains(&"sgi-checksum"));
}

/// (blocks, first, type) by index.
pub fn header(partitions: &[(usize, u32, u32, u32)]) -> Vec<u8> {
    let mut image = vec![0; 8 << 20];
    put(&mut image, 0, &0x0BE5_A941_u32.to_be_bytes());
    for (index, blocks, first, kind) in partitions {
        let at = 312 + 12 * index;
        put(&mut image, at, &blocks.to_be_bytes());
        put(&mut image, at + 4, &first.to_be_bytes());
        put(&mut image, at + 8, &kind.to_be_bytes());
    }
    let words = image[..512].chunks_exact(4);
    let sum = words.fold(0_u32, |sum, word| {
        sum.wrapping_add(u32::from_be_bytes(word.try_into().unwrap()))
    });
    put(&mut image, 504, &sum.wrapping_neg().to_be_bytes());
    image
}

#[test]
fn header_and_volume_have_their_roles() {
    let mut image = header(&[(0, 10_000, 4096, 10), (8, 4096, 0, 0), (10, 16_384, 0, 6)]);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.kind.name(), "sgi");
    assert_eq!(spans(&table, 512), [(4096, 10_000), (0, 4096), (0, 16_384)]);
    let roles: Vec<_> = table
        .partitions
        .iter()
        .map(|p| (p.number, p.role))
        .collect();
    assert_eq!(
        roles,
        [(1, Role::Data), (9, Role::Reserved), (11, Role::WholeDisk)]
    );
    assert_eq!(table.first_usable, Some(Bytes::new(2 << 20)));
    assert_eq!(rules(&table), Vec::<&str>::new());
    image[508] ^= 1;
    assert_eq!(rules(&read(&image).unwrap().unwrap()), ["sgi-checksum"]);
}

#[test]
fn volumes_that_overlap_or_end_behind_the_disk_are_named() {
    let table = read(&header(&[(0, 10_000, 4096, 10), (1, 10_000, 8192, 10)]));
    let table = table.unwrap().unwrap();
    let overlap: Vec<_> = table.remarks.iter().map(|r| (r.rule, r.severity)).collect();
    assert_eq!(overlap, [("partition-overlap", Severity::Note)]);
    assert_eq!(table.partitions[1].remarks[0].rule, "partition-past-end");
}

#[test]
fn the_header_names_its_sectors() {
    let sector = |named: u16| {
        let mut image = header(&[(0, 1000, 64, 10), (15, 9, 2000, 7)]);
        put(&mut image, 40, &named.to_be_bytes());
        let table = read(&image).unwrap().unwrap();
        let last = &table.partitions[1];
        assert_eq!((last.number, last.entry_at.get()), (16, 312 + 15 * 12));
        (table.sector.unwrap().get(), table.partitions[0].start.get())
    };
    assert_eq!(sector(0), (512, 64 * 512));
    assert_eq!(sector(512), (512, 64 * 512));
    assert_eq!(sector(2048), (2048, 64 * 2048));
    assert_eq!(sector(256), (512, 64 * 512));
    let forced = probe(&view(&header(&[(0, 1000, 64, 10)])), &sized(4096));
    assert_eq!(forced.unwrap().unwrap().sector.unwrap().get(), 4096);
}

#[test]
fn a_wrong_checksum_is_said_where_it_lies() {
    let mut image = header(&[(0, 1000, 64, 10)]);
    image[100] ^= 1;
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.remarks[0].place.offset, Some(504));
    assert!(
        read_in(&image, "83", 0).unwrap().is_none(),
        "on whole disks only"
    );
}

//! MBRs with logical partitions: the chain of their records.

use std::io;

use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind, Type};
use ioalign_repair::{Disk, MemoryDisk};
use ioalign_testkit::mbr;
use proptest::prelude::*;

use super::{moved, places, table, write};

/// A disk of 16 MiB with one primary and an extended partition that holds these (record, start, count).
pub(super) fn chained(logicals: &[(u32, u32, u32)]) -> Vec<u8> {
    let mut bytes = vec![0; 16 << 20];
    let base = 4_000;
    let boot = mbr::sector(&[(0x83, 63, 2_000), (0x05, base, 16_000)]);
    bytes[..512].copy_from_slice(&boot);
    for (index, (record, start, count)) in logicals.iter().enumerate() {
        let mut entries = vec![(0x83, start - record, *count)];
        if let Some((next, begins, length)) = logicals.get(index + 1) {
            entries.push((0x05, next - base, begins + length - next));
        }
        let mut sector = mbr::sector(&entries);
        // What else is in a record is kept.
        sector[0] = 0x5a;
        bytes[*record as usize * 512..][..512].copy_from_slice(&sector);
    }
    bytes
}

pub(super) const CHAIN: [(u32, u32, u32); 3] = [
    (4_000, 4_063, 1_800),
    (6_000, 6_001, 1_800),
    (10_000, 12_048, 4_000),
];

#[test]
fn a_chain_is_read_as_it_was_written() {
    let bytes = chained(&CHAIN);
    let table = table(&bytes, 512).unwrap();
    assert_eq!((table.name(), table.unit()), ("dos", 512));
    assert_eq!(
        places(&table),
        [
            (1, 63, 2_000),
            (2, 4_000, 16_000),
            (5, 4_063, 1_800),
            (6, 6_001, 1_800),
            (7, 12_048, 4_000),
        ]
    );
    let kinds: Vec<_> = table.slots().iter().map(|slot| slot.kind).collect();
    let (primary, extended, logical) = (SlotKind::Primary, SlotKind::Extended, SlotKind::Logical);
    assert_eq!(kinds, [primary, extended, logical, logical, logical]);
    let records: Vec<_> = table.records().iter().map(|one| one.at / 512).collect();
    assert_eq!(records, [4_000, 6_000, 10_000]);
    assert_eq!(table.usable(), (512, 16 << 20));
    for (number, kind) in [
        (1, Some(0x83)),
        (2, Some(0x05)),
        (3, None),
        (0, None),
        (5, Some(0x83)),
        (8, None),
    ] {
        assert_eq!(table.kind_of(number), kind.map(Type::Dos), "{number}");
    }
    let RewritableTable::Dos(dos) = table else {
        panic!("no MBR");
    };
    let of = |number| dos.record_of(number);
    assert_eq!(
        (of(5), of(7), of(8), of(1)),
        (Some(4_000 * 512), Some(10_000 * 512), None, None)
    );
}

#[test]
fn a_chain_that_is_odd_is_refused_with_the_reason() {
    let said = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = chained(&CHAIN);
        change(&mut bytes);
        table(&bytes, 512).err().unwrap_or_default()
    };
    let record = |lba: usize, at: usize, new: &[u8]| {
        let (at, new) = (lba * 512 + at, new.to_vec());
        move |bytes: &mut [u8]| bytes[at..at + new.len()].copy_from_slice(&new)
    };
    assert_eq!(said(&|_| {}), "");
    assert!(said(&record(0, 446, &[0x7f])).contains("flags 0x7f"));
    assert_eq!(said(&record(0, 446, &[0x80])), "");
    assert!(said(&record(0, 450, &[0x42])).contains("dynamic disk"));
    assert!(said(&record(0, 450, &[0x05])).contains("two extended"));
    assert!(said(&record(6_000, 510, &[0])).contains("at sector 6000 has no signature"));
    let third = [0, 0, 0, 0, 0x83, 0, 0, 0, 1, 0, 0, 0, 1];
    assert!(said(&record(6_000, 478, &third)).contains("more than two entries"));
    assert!(said(&record(6_000, 494, &third)).contains("more than two entries"));
    assert!(said(&record(6_000, 450, &[0x05])).contains("not usual"));
    assert!(said(&record(6_000, 466, &[0x83])).contains("not usual"));
    // The next record: out of the extended partition, just in it, and the same again.
    let link = |to: u32| record(6_000, 470, &(to - 4_000).to_le_bytes());
    assert!(said(&link(20_000)).contains("leads out of"));
    assert!(said(&link(19_999)).contains("no signature"));
    assert!(said(&link(6_000)).contains("does not end: record 3 at sector 6000"));
    // The partition: on its record, and past the end.
    assert!(said(&record(6_000, 454, &[0])).contains("leaves the extended one"));
    let long = |count: u32| record(6_000, 458, &count.to_le_bytes());
    assert!(said(&long(13_999 + 1)).contains("leaves the extended one"));
    assert_eq!(said(&long(13_999)), "");
    assert!(said(&record(6_000, 458, &[0; 4])).contains("names no partition and still leads on"));
    // The last record may be empty.
    assert_eq!(said(&record(10_000, 458, &[0; 4])), "");
}

#[test]
fn the_mbr_is_written_behind_the_records() {
    let bytes = chained(&CHAIN);
    let before = table(&bytes, 512).unwrap();
    let groups = before.rewritten(&[moved(&before, 6, 6_008)]).unwrap();
    let [records, boot] = groups.as_slice() else {
        panic!("{groups:?}");
    };
    let at: Vec<_> = records.iter().map(|one| one.at / 512).collect();
    assert_eq!(at, [4_000, 6_000, 10_000], "records stay where they can");
    assert!(
        records.iter().all(|one| one.bytes[0] == 0x5a),
        "what else is in a record is kept"
    );
    assert_eq!((boot.len(), boot[0].at, boot[0].bytes.len()), (1, 0, 512));
    // A record says where the next one is, and how far its partition reaches from there.
    let word = |at: usize| u32::from_le_bytes(records[0].bytes[at..at + 4].try_into().unwrap());
    assert_eq!(
        (word(462 + 8), word(462 + 12)),
        (2000, 6_008 + 1_800 - 6_000)
    );
    assert_eq!(records[0].bytes[462 + 4], 0x05);
    assert_eq!(
        records[2].bytes[462..478],
        [0; 16],
        "the last one leads nowhere"
    );
}

/// All partitions after some have moved.
fn after(bytes: &[u8], moves: &[(u32, u64)]) -> Result<Vec<(u32, u64, u64)>, String> {
    let mut bytes = bytes.to_vec();
    let before = table(&bytes, 512)?;
    let asked: Vec<_> = moves
        .iter()
        .map(|(number, block)| moved(&before, *number, *block))
        .collect();
    let groups = before
        .rewritten(&asked)
        .map_err(|error| error.to_string())?;
    for sectors in groups.concat() {
        write(&mut bytes, &sectors);
    }
    Ok(places(&table(&bytes, 512)?))
}

#[test]
fn the_extended_partition_stays_or_grows_to_the_right() {
    let bytes = chained(&CHAIN);
    let extended = |moves: &[(u32, u64)]| after(&bytes, moves).map(|all| all[1]);
    assert_eq!(extended(&[(6, 6_008)]), Ok((2, 4_000, 16_000)));
    assert_eq!(extended(&[(7, 16_001)]), Ok((2, 4_000, 16_001)));
    assert_eq!(extended(&[(2, 3_990), (5, 4_000)]), Ok((2, 3_990, 16_000)));
}

#[test]
fn a_primary_may_touch_the_extended_partition() {
    let bytes = chained(&CHAIN);
    let primary = |block: u64| after(&bytes, &[(1, block)]).map(|all| all[0].1);
    assert_eq!((primary(2_000), primary(20_000)), (Ok(2_000), Ok(20_000)));
    for block in [2_001, 16_048, 19_999] {
        let said = primary(block).unwrap_err();
        assert!(
            said.contains("would lie in the extended partition"),
            "{said}"
        );
    }
}

#[test]
fn what_an_entry_is_does_not_change_with_its_place() {
    let bytes = chained(&CHAIN);
    let before = table(&bytes, 512).unwrap();
    let odd = PartitionSlot {
        kind: SlotKind::Logical,
        size: 700 * 512,
        ..moved(&before, 1, 100)
    };
    let groups = before.rewritten(&[odd]).unwrap();
    let boot = &groups[1][0].bytes;
    assert_eq!(boot[446 + 8..446 + 12], 100_u32.to_le_bytes());
    assert_eq!(boot[446 + 12..446 + 16], 700_u32.to_le_bytes());
}

#[test]
fn a_logical_partition_may_become_smaller() {
    let mut bytes = chained(&CHAIN);
    let before = table(&bytes, 512).unwrap();
    let small = PartitionSlot {
        size: 900 * 512,
        ..moved(&before, 6, 6_001)
    };
    for sectors in before.rewritten(&[small]).unwrap().concat() {
        write(&mut bytes, &sectors);
    }
    assert_eq!(places(&table(&bytes, 512).unwrap())[3], (6, 6_001, 900));
}

/// A disk that begins so, and is longer than memory.
struct Long(MemoryDisk, u64);

impl Disk for Long {
    fn size_bytes(&self) -> u64 {
        self.1
    }

    fn logical_bytes(&self) -> u64 {
        self.0.logical_bytes
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_at(at, bytes)
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_mbr_counts_to_two_tib() {
    let usable = |size: u64| {
        let mut long = Long(super::disk(chained(&CHAIN), 512), size);
        RewritableTable::read(&mut long).unwrap().usable()
    };
    assert_eq!(usable(5 << 30), (512, 5 << 30));
    assert_eq!(usable(5 << 40), (512, (2 << 40) - 512));
}

#[test]
fn a_disk_is_told_from_others_by_its_signature() {
    let mut bytes = chained(&CHAIN);
    bytes[440..444].copy_from_slice(&0x1234_5678_u32.to_le_bytes());
    let Ok(RewritableTable::Dos(dos)) = table(&bytes, 512) else {
        panic!("no MBR");
    };
    assert_eq!(dos.signature(), 0x1234_5678);
}

#[test]
fn records_go_where_tools_put_them_or_where_there_is_room() {
    let bytes = chained(&CHAIN);
    let before = table(&bytes, 512).unwrap();
    let record = |number: u32, block: u64| {
        let groups = before.rewritten(&[moved(&before, number, block)]);
        let groups = groups.map_err(|error| error.to_string())?;
        Ok::<_, String>(groups[0][number as usize - 5].at / 512)
    };
    // 2048 sectors before it, where its own place is not free any more.
    assert_eq!(record(6, 9_000), Ok(6_000));
    assert_eq!(record(7, 9_900), Ok(7_852));
    assert_eq!(record(7, 8_000), Ok(7_801));
    assert_eq!(record(7, 7_802), Ok(7_801));
    assert!(
        record(7, 7_801)
            .unwrap_err()
            .contains("logical partition 7 cannot start at sector 7801")
    );
    assert!(record(5, 4_000).is_err());
    assert_eq!(record(5, 4_001), Ok(4_000));
    // The extended partition grows over its last one, and not over others.
    assert_eq!(record(7, 20_000), Ok(10_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is asked of a chain either is refused or reads back as asked, and nothing lies on anything.
    #[test]
    fn a_chain_reads_back_as_asked(starts in proptest::collection::vec(3_990_u64..20_010, 3), primary in 1_u64..4_000) {
        let mut bytes = chained(&CHAIN);
        let before = table(&bytes, 512).unwrap();
        let mut asked: Vec<_> = (5..8).zip(&starts).map(|(number, start)| moved(&before, number, *start)).collect();
        asked.push(moved(&before, 1, primary));
        let Ok(groups) = before.rewritten(&asked) else { return Ok(()) };
        for sectors in groups.concat() {
            write(&mut bytes, &sectors);
        }
        let after = table(&bytes, 512).unwrap();
        for slot in &asked {
            prop_assert!(after.slots().contains(slot));
        }
        let mut taken: Vec<_> = after.records().iter().map(|one| (one.at, one.at + 512)).collect();
        let data = after.slots().into_iter().filter(|slot| slot.kind != SlotKind::Extended);
        taken.extend(data.map(|slot| (slot.start, slot.end())));
        taken.push((0, 512));
        taken.sort_unstable();
        prop_assert!(taken.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{:?}", taken);
    }
}

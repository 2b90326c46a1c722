//! Tables in memory that are rewritten: what was asked for is read back, one copy is whole at every moment,
//! and what is odd is refused.

use ioalign_repair::tables::{
    Ground, PartitionSlot, RewritableTable, SlotKind, TableSectors, Type,
};
use ioalign_repair::{Disk, MemoryDisk};
use ioalign_testkit::gpt::{self, GptImage};
use ioalign_testkit::mbr;
use proptest::prelude::*;

const LBAS: u64 = 2048;

fn disk(bytes: Vec<u8>, logical_bytes: u64) -> MemoryDisk {
    MemoryDisk {
        bytes,
        logical_bytes,
    }
}

fn index(at: u64) -> usize {
    usize::try_from(at).unwrap()
}

/// Two partitions of 100 blocks each.
fn image(unit: u64) -> GptImage<'static> {
    GptImage::new(unit, LBAS)
        .with(gpt::LINUX, 300, 399)
        .with(gpt::ESP, 500, 599)
}

fn table(bytes: &[u8], unit: u64) -> Result<RewritableTable, String> {
    RewritableTable::read(&mut disk(bytes.to_vec(), unit)).map_err(|error| error.to_string())
}

fn write(bytes: &mut [u8], sectors: &TableSectors) {
    bytes[index(sectors.at)..][..sectors.bytes.len()].copy_from_slice(&sectors.bytes);
}

fn places(table: &RewritableTable) -> Vec<(u32, u64, u64)> {
    let unit = table.unit();
    let place = |slot: &PartitionSlot| (slot.number, slot.start / unit, slot.size / unit);
    table.slots().iter().map(place).collect()
}

fn moved(table: &RewritableTable, number: u32, block: u64) -> PartitionSlot {
    let slots = table.slots();
    let slot = slots.iter().find(|slot| slot.number == number).unwrap();
    PartitionSlot {
        start: block * table.unit(),
        ..*slot
    }
}

/// The header of a copy, where header and entries match their checksums.
fn whole(bytes: &[u8], unit: u64, lba: u64) -> bool {
    let header = &bytes[index(lba * unit)..][..92];
    let number = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap());
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
    let mut sealed = header.to_vec();
    gpt::seal(&mut sealed);
    let length = index(u64::from(word(80)) * u64::from(word(84)));
    let entries = &bytes[index(number(72) * unit)..][..length];
    sealed == header && number(24) == lba && crc32fast::hash(entries) == word(88)
}

#[test]
fn a_gpt_is_read_as_it_was_written() {
    for unit in [512, 4096] {
        let bytes = image(unit).build();
        let table = table(&bytes, unit).unwrap();
        assert_eq!((table.name(), table.unit()), ("gpt", unit));
        assert_eq!(places(&table), [(1, 300, 100), (2, 500, 100)]);
        assert!(
            table
                .slots()
                .iter()
                .all(|slot| slot.kind == SlotKind::Primary)
        );
        let array = image(unit).array_lbas();
        assert_eq!(
            table.usable(),
            ((2 + array) * unit, (LBAS - 1 - array) * unit)
        );
        assert_eq!(table.kind_of(2), Some(Type::Gpt(gpt::guid(gpt::ESP))));
        assert_eq!(table.kind_of(3), None);
        assert!(table.records().is_empty());
        assert_eq!(table.slots()[0].end(), 400 * unit);
    }
}

#[test]
fn one_copy_of_a_gpt_is_whole_at_every_moment() {
    for unit in [512, 4096] {
        let mut bytes = image(unit).build();
        let old = bytes.clone();
        let before = table(&bytes, unit).unwrap();
        let groups = before.rewritten(&[moved(&before, 1, 320)]).unwrap();
        let [backup, primary] = groups.as_slice() else {
            panic!("{groups:?}");
        };
        for sectors in backup {
            write(&mut bytes, sectors);
            assert!(
                whole(&bytes, unit, 1),
                "the primary while the backup is written"
            );
        }
        assert!(whole(&bytes, unit, LBAS - 1));
        // Nothing but the backup has been written.
        let end = index((LBAS - 1 - image(unit).array_lbas()) * unit);
        assert_eq!(bytes[..end], old[..end]);
        for sectors in primary {
            write(&mut bytes, sectors);
            assert!(
                whole(&bytes, unit, LBAS - 1),
                "the backup while the primary is written"
            );
        }
        let after = table(&bytes, unit).unwrap();
        assert_eq!(places(&after), [(1, 320, 100), (2, 500, 100)]);
        assert_eq!(after.kind_of(1), before.kind_of(1));
        // Of an entry only first and last have changed.
        let entry = &bytes[index(2 * unit)..][..128];
        let was = &old[index(2 * unit)..][..128];
        assert_eq!((&entry[..32], &entry[48..]), (&was[..32], &was[48..]));
    }
}

#[test]
fn a_gpt_that_is_odd_is_refused_with_the_reason() {
    let refused = |bytes: &[u8], why: &str| {
        let said = table(bytes, 512).unwrap_err();
        assert!(said.contains(why), "{said}");
    };
    let good = image(512).build();
    let with = |lba: u64, at: usize, new: &[u8], sealed: bool| {
        let mut bytes = good.clone();
        let header = &mut bytes[index(lba * 512)..][..92];
        header[at..at + new.len()].copy_from_slice(new);
        if sealed {
            gpt::seal(header);
        }
        bytes
    };
    let last = LBAS - 1;
    for (lba, name) in [(1, "primary"), (last, "backup")] {
        refused(
            &with(lba, 0, b"x", false),
            &format!("the {name} GPT header is not there"),
        );
        refused(
            &with(lba, 40, &[99], false),
            &format!("the {name} GPT header has a wrong checksum"),
        );
        let long = with(lba, 12, &600_u32.to_le_bytes(), false);
        refused(
            &long,
            &format!("the {name} GPT header has an impossible length"),
        );
        // Entries, bytes of one, first and last usable.
        for (at, new) in [
            (80, &4097_u32.to_le_bytes()[..]),
            (84, &64_u32.to_le_bytes()),
            (84, &8192_u32.to_le_bytes()),
            (84, &384_u32.to_le_bytes()),
            (40, &3000_u64.to_le_bytes()),
        ] {
            let bytes = with(lba, at, new, true);
            refused(
                &bytes,
                &format!("the {name} GPT header has impossible numbers"),
            );
        }
    }
    let mut entries = good.clone();
    entries[1024 + 60] ^= 1;
    refused(&entries, "the entries of the primary GPT do not match");
    refused(
        &with(1, 32, &(LBAS + 7).to_le_bytes(), true),
        "the backup GPT header would lie past the end",
    );
    refused(
        &with(last, 32, &5_u64.to_le_bytes(), true),
        "do not name each other",
    );
    refused(
        &with(last, 24, &7_u64.to_le_bytes(), true),
        "do not name each other",
    );
    // Another list, right in itself.
    let mut other = good.clone();
    let back = index((last - 32) * 512);
    other[back + 60] ^= 1;
    let crc = crc32fast::hash(&other[back..back + 128 * 128]);
    let header = &mut other[index(last * 512)..][..92];
    header[88..].copy_from_slice(&crc.to_le_bytes());
    gpt::seal(header);
    refused(&other, "list different partitions");
    // The disk has grown: the backup is where the primary says, and not at the end.
    let mut longer = good.clone();
    longer.extend([0; 512]);
    refused(
        &longer,
        "the backup GPT is at block 2047 and the disk ends at 2048",
    );
    let anywhere = RewritableTable::read_anywhere(&mut disk(longer, 512)).unwrap();
    assert_eq!(places(&anywhere), [(1, 300, 100), (2, 500, 100)]);
    // A hybrid; an entry without a length is none.
    let mut hybrid = good;
    hybrid[462 + 4] = 0x83;
    hybrid[462 + 12] = 1;
    refused(&hybrid, "hybrid");
    hybrid[462 + 12] = 0;
    assert!(table(&hybrid, 512).is_ok());
    refused(&vec![0; 1 << 20], "there is no partition table");
}

#[test]
fn entries_may_be_as_many_and_as_large_as_they_can_be() {
    for (count, entry_size) in [(4096, 128), (16, 4096), (1, 128)] {
        let image = GptImage {
            count,
            entry_size,
            lbas: 8192,
            ..GptImage::new(512, 8192)
        };
        let image = image.with(gpt::LINUX, 3000, 3099);
        let mut bytes = image.build();
        let before = table(&bytes, 512).unwrap();
        assert_eq!(places(&before), [(1, 3000, 100)]);
        for sectors in before
            .rewritten(&[moved(&before, 1, 3008)])
            .unwrap()
            .concat()
        {
            write(&mut bytes, &sectors);
        }
        assert_eq!(places(&table(&bytes, 512).unwrap()), [(1, 3008, 100)]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let bytes = image(512).build();
    let table = table(&bytes, 512).unwrap();
    let array = image(512).array_lbas();
    let (first, end) = (2 + array, LBAS - 1 - array);
    let said = |number, block| {
        let asked = table.rewritten(&[moved(&table, number, block)]);
        asked.err().map_or(String::new(), |error| error.to_string())
    };
    assert_eq!(
        (said(1, first), said(2, end - 100)),
        (String::new(), String::new())
    );
    assert!(said(1, first - 1).contains("outside the usable"));
    assert!(said(2, end - 99).contains("outside the usable"));
    assert_eq!((said(1, 400), said(2, 400)), (String::new(), String::new()));
    assert!(said(1, 401).contains("overlap"), "{}", said(1, 401));
    assert!(said(2, 399).contains("overlap"), "{}", said(2, 399));
    let empty = PartitionSlot {
        size: 0,
        ..moved(&table, 1, 320)
    };
    assert!(table.rewritten(&[empty]).is_err());
    let odd = PartitionSlot {
        start: 320 * 512 + 1,
        ..moved(&table, 1, 320)
    };
    let said = table.rewritten(&[odd]).unwrap_err().to_string();
    assert!(said.contains("is not of whole 512-byte sectors"), "{said}");
}

/// All of a table and its partitions, on a disk of other blocks.
fn remade(unit: u64, ground: Ground, starts: &[(u32, u64, u64)]) -> Result<MemoryDisk, String> {
    let bytes = image(unit).build();
    let table = table(&bytes, unit)?;
    let slots: Vec<_> = starts
        .iter()
        .map(|(number, start, size)| PartitionSlot {
            start: *start,
            size: *size,
            ..moved(&table, *number, 0)
        })
        .collect();
    let new = table
        .remade(ground, &slots)
        .map_err(|error| error.to_string())?;
    let mut bytes = vec![0; index(ground.size)];
    for place in &new.stale {
        assert!(place.end > place.start && place.end <= LBAS * unit);
    }
    let mut covered: u64 = new.stale.iter().map(|place| place.end - place.start).sum();
    covered /= unit;
    assert_eq!(covered, 2 * (1 + image(unit).array_lbas()));
    for sectors in new.groups.concat() {
        write(&mut bytes, &sectors);
    }
    Ok(disk(bytes, ground.unit))
}

#[test]
fn a_gpt_is_remade_in_other_blocks_and_for_other_lengths() {
    let mib = 1_u64 << 20;
    let wanted = [(1, 8 * mib, mib), (2, 10 * mib, 2 * mib)];
    for (from, unit, size) in [
        (512, 4096, 16 * mib),
        (4096, 512, 16 * mib),
        (512, 512, 64 * mib),
        (4096, 4096, 16 * mib + 4096),
        (512, 512, 16 * mib + 512),
    ] {
        let ground = Ground { unit, size };
        let mut disk = remade(from, ground, &wanted).unwrap();
        assert_eq!(Ground::of(&disk), ground);
        let table = RewritableTable::read(&mut disk).unwrap();
        let found: Vec<_> = table
            .slots()
            .iter()
            .map(|slot| (slot.number, slot.start, slot.size))
            .collect();
        assert_eq!(found, wanted);
        assert_eq!(table.kind_of(2), Some(Type::Gpt(gpt::guid(gpt::ESP))));
        // What was usable stays so, but for the room of the table.
        let array = (128 * 128_u64).div_ceil(unit);
        let old_first = (2 + image(from).array_lbas()) * from;
        let first = old_first.div_ceil(unit).max(2 + array) * unit;
        assert_eq!(table.usable(), (first, (size / unit - 1 - array) * unit));
        let mut guard = [0; 16];
        guard.copy_from_slice(&disk.bytes[446..462]);
        assert_eq!((guard[4], guard[8..12].to_vec()), (0xee, vec![1, 0, 0, 0]));
        let count = u32::try_from(size / unit - 1).unwrap();
        assert_eq!(guard[12..], count.to_le_bytes());
    }
}

#[test]
fn a_disk_that_is_too_short_for_a_gpt_is_refused() {
    // Header, entries, one block, entries, header, and the boot record.
    let least = 1 + 1 + 32 + 1 + 32 + 1;
    for (blocks, fits) in [(least, true), (least - 1, false), (1, false), (0, false)] {
        let bytes = image(512).build();
        let table = table(&bytes, 512).unwrap();
        let ground = Ground {
            unit: 512,
            size: blocks * 512,
        };
        assert_eq!(table.usable_on(ground).is_ok(), fits, "{blocks}");
        assert_eq!(ground.blocks(), blocks);
    }
    let none = Ground { unit: 0, size: 512 };
    assert_eq!(none.blocks(), 0);
}

/// A disk of 16 MiB with one primary and an extended partition that holds these (record, start, count).
fn chained(logicals: &[(u32, u32, u32)]) -> Vec<u8> {
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

const CHAIN: [(u32, u32, u32); 3] = [
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

    /// The same of a GPT, against plain arithmetic.
    #[test]
    fn a_gpt_takes_what_fits_and_nothing_else(first in 0_u64..2100, second in 0_u64..2100) {
        let mut bytes = image(512).build();
        let before = table(&bytes, 512).unwrap();
        let asked = [moved(&before, 1, first), moved(&before, 2, second)];
        let inside = |start: u64| start >= 34 && start + 100 <= LBAS - 33;
        let fits = inside(first) && inside(second) && first.abs_diff(second) >= 100;
        let groups = before.rewritten(&asked);
        prop_assert_eq!(groups.is_ok(), fits);
        for sectors in groups.unwrap_or_default().concat() {
            write(&mut bytes, &sectors);
        }
        let wanted = if fits { [first, second] } else { [300, 500] };
        let found = places(&table(&bytes, 512).unwrap());
        prop_assert_eq!(found, [(1, wanted[0], 100), (2, wanted[1], 100)]);
    }
}

#[test]
fn an_mbr_is_remade_in_other_blocks() {
    let mut bytes = vec![0; 1 << 20];
    bytes[..512].copy_from_slice(&mbr::sector(&[(0x83, 64, 640), (0x07, 800, 800)]));
    bytes[0] = 0x5a;
    let before = table(&bytes, 512).unwrap();
    let ground = Ground {
        unit: 4096,
        size: 2 << 20,
    };
    assert_eq!(before.usable_on(ground).unwrap(), (4096, 2 << 20));
    let new = before.remade(ground, &before.slots()).unwrap();
    assert!(new.stale.is_empty());
    let mut bytes = vec![0; 2 << 20];
    write(&mut bytes, &new.groups[0][0]);
    assert_eq!(bytes[0], 0x5a);
    let mut on_4k = disk(bytes, 4096);
    assert_eq!(on_4k.logical_bytes(), 4096);
    let after = RewritableTable::read(&mut on_4k).unwrap();
    assert_eq!(places(&after), [(1, 8, 80), (2, 100, 100)]);
    assert_eq!(after.kind_of(2), Some(Type::Dos(7)));
    // Records of logical partitions cannot be counted in other blocks.
    let chain = table(&chained(&CHAIN), 512).unwrap();
    let said = chain
        .remade(ground, &chain.slots())
        .unwrap_err()
        .to_string();
    assert!(said.contains("logical partitions have a record"), "{said}");
}

//! Tables for disks of other blocks or another length.

use ioalign_repair::tables::{Ground, PartitionSlot, RewritableTable, Type};
use ioalign_repair::{Disk, MemoryDisk};
use ioalign_testkit::gpt::{self, GptImage};
use ioalign_testkit::mbr;

use super::chain::{CHAIN, chained};
use super::{LBAS, disk, image, index, moved, places, table, write};

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
        let ground = Ground {
            unit,
            size,
            both: false,
        };
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
        // The entries of the backup are right before its header.
        let backup = &disk.bytes[index(size - unit)..];
        let entries = size / unit - 1 - array;
        assert_eq!(backup[72..80], entries.to_le_bytes());
    }
}

/// Wherever they were before: the guard from sector 1 on, and the entries right behind the header.
#[test]
fn what_a_gpt_consists_of_is_put_in_its_usual_place() {
    let odd = GptImage {
        array: 40,
        ..image(512)
    };
    let mut bytes = odd.build();
    bytes[446 + 8] = 2;
    let before = table(&bytes, 512).unwrap();
    bytes.resize(2 << 20, 0);
    let ground = Ground {
        unit: 512,
        size: 2 << 20,
        both: false,
    };
    for sectors in before
        .remade(ground, &before.slots())
        .unwrap()
        .groups
        .concat()
    {
        write(&mut bytes, &sectors);
    }
    assert_eq!(bytes[446 + 8], 1);
    assert_eq!(bytes[512 + 72..512 + 80], 2_u64.to_le_bytes());
    assert_eq!(places(&table(&bytes, 512).unwrap()), places(&before));
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
            both: false,
        };
        assert_eq!(table.usable_on(ground).is_ok(), fits, "{blocks}");
        assert_eq!(ground.blocks(), blocks);
    }
    let none = Ground {
        unit: 0,
        size: 512,
        both: false,
    };
    assert_eq!(none.blocks(), 0);
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
        both: false,
    };
    assert_eq!(before.usable_on(ground).unwrap(), (4096, 2 << 20));
    let large = Ground {
        unit: 512,
        size: 5 << 40,
        both: false,
    };
    assert_eq!(before.usable_on(large).unwrap(), (512, (2 << 40) - 512));
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

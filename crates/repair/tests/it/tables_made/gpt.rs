//! GPTs: both copies, their order, and what is refused.

use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind, Type};
use ioalign_testkit::gpt::{self, GptImage};
use proptest::prelude::*;

use super::chain::{CHAIN, chained};
use super::{LBAS, disk, image, index, moved, places, table, write};

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
    refused(
        &with(1, 32, &LBAS.to_le_bytes(), true),
        "the backup GPT header would lie past the end",
    );
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

#[test]
fn a_table_without_a_copy_at_the_end_is_read_as_any_other() {
    let anywhere = |bytes: Vec<u8>| {
        let read = RewritableTable::read_anywhere(&mut disk(bytes, 512));
        read.map(|table| table.name())
            .map_err(|error| error.to_string())
    };
    assert_eq!(anywhere(chained(&CHAIN)), Ok("dos"));
    let mut unsigned = image(512).build();
    unsigned[510] = 0;
    assert!(
        anywhere(unsigned)
            .unwrap_err()
            .contains("there is no partition table")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is asked of a GPT is refused where it does not fit by plain arithmetic, and else reads back as asked.
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

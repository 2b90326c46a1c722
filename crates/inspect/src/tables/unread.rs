//! Tables that are recognised and not read: DASD volumes of IBM's mainframes, and the root sector of Atari.
//!
//! Layouts: `struct vtoc_volume_label_cdl` and its like of the kernel's `arch/s390/include/uapi/asm/vtoc.h`;
//! `struct rootsector` of `block/partitions/atari.h`.

use ioalign_core::{Remark, Severity, TableKind, rules};

use super::{Context, PartitionTable};
use crate::error::Result;
use crate::view::{Record, View};

/// `VOL1` in EBCDIC, four bytes into block 2; `LNX1` and `CMS1` at its beginning.
const VOLUME: &[u8] = b"\xe5\xd6\xd3\xf1";
const WITHOUT_VOLUME_TABLE: [&[u8]; 2] = [b"\xd3\xd5\xe7\xf1", b"\xc3\xd4\xe2\xf1"];
const BLOCKS: [u64; 4] = [4096, 2048, 1024, 512];

/// Tries the label of a DASD volume.
pub(super) fn probe_dasd(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    if context.parent_type.is_some() {
        return Ok(None);
    }
    for block in BLOCKS {
        let at = 2 * block;
        let mut found = view.has(at + 4, VOLUME)?;
        for label in WITHOUT_VOLUME_TABLE {
            found |= view.has(at, label)?;
        }
        if found {
            return Ok(Some(unread(
                TableKind::Dasd,
                "a DASD volume label",
                "fdasd -p",
            )));
        }
    }
    Ok(None)
}

/// Where the four entries of the root sector begin, and the size of the disk stands before them.
const ENTRIES: usize = 0x1c6;
const DISK_SECTORS: usize = 0x1c2;
const KNOWN: [&[u8]; 7] = [b"GEM", b"BGM", b"XGM", b"LNX", b"SWP", b"RAW", b"MIX"];

/// Tries the root sector. It has no magic number: every entry in use must be of a known kind and on the disk.
pub(super) fn probe_atari(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    if context.parent_type.is_some() {
        return Ok(None);
    }
    let root = view
        .try_record(0, 512)?
        .filter(|root| is_atari(root, view.len() / 512));
    Ok(root.map(|_| unread(TableKind::Atari, "an Atari root sector", "partx --show")))
}

fn is_atari(root: &Record, sectors: u64) -> bool {
    let size = u64::from(root.be32(DISK_SECTORS));
    let used: Vec<_> = (0..4)
        .map(|number| ENTRIES + 12 * number)
        .filter(|at| root.u8(*at) & 1 == 1)
        .collect();
    let sound = |at: &usize| {
        let (start, len) = (u64::from(root.be32(at + 4)), u64::from(root.be32(at + 8)));
        let known = KNOWN.iter().any(|kind| root.has(at + 1, kind));
        known && start > 0 && len > 0 && start + len <= size
    };
    !used.is_empty() && size <= sectors && used.iter().all(sound)
}

fn unread(kind: TableKind, what: &str, command: &str) -> PartitionTable {
    let why = format!(
        "It has {what}, which is recognised and not read: where its partitions start is not known"
    );
    let remark = Remark::new(rules::TABLE_NOT_READ, Severity::Unknown, why);
    PartitionTable {
        kind,
        remarks: vec![remark.advise(format!(
            "ask `{command}` for the starts, and check that text"
        ))],
        ..PartitionTable::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::MemorySource;

    fn kind(bytes: Vec<u8>) -> Option<TableKind> {
        let view = View::new(Arc::new(MemorySource::new(bytes)));
        let table = super::super::probe(&view, &Context::default()).unwrap()?;
        assert_eq!(table.remarks.len(), 1);
        Some(table.kind)
    }

    fn with(parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; 64 << 10];
        for (at, part) in parts {
            bytes.splice(*at..at + part.len(), part.iter().copied());
        }
        bytes
    }

    #[test]
    fn volumes_are_found_for_each_size_of_block() {
        for block in [512, 1024, 2048, 4096] {
            assert_eq!(
                kind(with(&[(2 * block + 4, VOLUME)])),
                Some(TableKind::Dasd)
            );
            for label in WITHOUT_VOLUME_TABLE {
                assert_eq!(kind(with(&[(2 * block, label)])), Some(TableKind::Dasd));
                let both = [(2 * block, label), (2 * block + 4, VOLUME)];
                assert_eq!(kind(with(&both)), Some(TableKind::Dasd));
            }
        }
        assert_eq!(kind(with(&[(2052 + 16, VOLUME)])), None);
    }

    #[test]
    fn a_root_sector_is_one_if_all_entries_are_sound() {
        let size: &[u8] = &128_u32.to_be_bytes();
        let good = b"\x01GEM\0\0\0\x02\0\0\0\x40";
        let past = b"\x01GEM\0\0\0\x02\0\0\x01\x40";
        let odd = b"\x01abc\0\0\0\x02\0\0\0\x40";
        let root = |entry: &[u8]| kind(with(&[(DISK_SECTORS, size), (ENTRIES, entry)]));
        assert_eq!(root(good), Some(TableKind::Atari));
        assert_eq!(root(past), None);
        assert_eq!(root(odd), None);
        assert_eq!(root(b"\x01GEM\0\0\0\x02\0\0\0\x7e"), Some(TableKind::Atari));
        assert_eq!(root(b"\x01GEM\0\0\0\x02\0\0\0\x7f"), None, "past the end");
        assert_eq!(
            root(b"\x01GEM\0\0\0\0\0\0\0\x40"),
            None,
            "over the root sector"
        );
        assert_eq!(root(b"\x01GEM\0\0\0\x02\0\0\0\0"), None, "empty");
        assert_eq!(root(b"\0abc\0\0\0\x02\0\0\0\x40"), None, "not in use");
        let two = [
            (DISK_SECTORS, size),
            (ENTRIES, &good[..]),
            (ENTRIES + 12, &odd[..]),
        ];
        assert_eq!(kind(with(&two)), None);
    }

    #[test]
    fn a_root_sector_names_no_more_than_the_disk_has() {
        let good = b"\x81LNX\0\0\0\x02\0\0\0\x40";
        let sized = |sectors: u32, slot: usize| {
            let size = sectors.to_be_bytes();
            kind(with(&[
                (DISK_SECTORS, &size[..]),
                (ENTRIES + 12 * slot, &good[..]),
            ]))
        };
        // 64 KiB are 128 sectors.
        for slot in 0..4 {
            assert_eq!(sized(128, slot), Some(TableKind::Atari));
        }
        assert_eq!(sized(129, 0), None);
        assert_eq!(sized(65, 0), None);
        assert_eq!(sized(66, 0), Some(TableKind::Atari));
    }
}

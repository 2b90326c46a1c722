//! The marker on a disk whose partitions are being moved, in place of its partition table.
//!
//! While data move, no table of the disk is true: a kernel, a file system check or an installer that took one for
//! true would write on data that are on their way. So the first sector holds this marker instead of the MBR, until
//! the last byte has arrived. It has the shape of an MBR with one partition of type `0xDA` ("Non-FS data") over the
//! whole disk: for every partition tool the disk is in use, for none of them it has a file system, and without the
//! type `0xEE` no reader takes a GPT for valid. Its boot code prints what to do and halts.
//!
//! | byte | what |
//! |---|---|
//! | 0 | boot code, then the text that it prints, ends in NUL |
//! | 144 | [`MAGIC`], 12 bytes; version, `u16`; length of host, `u8`; length of journal, `u8` |
//! | 160 | id of the run, `u128` |
//! | 176 | CRC-32 of bytes 0 to 175 and 180 to 511 |
//! | 180 | bytes 440 to 509 of the sector that was here: disk signature and partition entries |
//! | 250 | host, then journal |
//! | 446 | one entry of an MBR, three empty ones, `55 AA` |
//!
//! Numbers are in little endian.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub use crate::on_disk::GPT_SIGNATURE;

/// Distinguishes the marker from a boot sector.
pub const MAGIC: [u8; 12] = *b"IOALIGN-MOVE";
/// Its length. On disks with larger sectors the rest of the first one stays as it is.
pub const BYTES: usize = 512;

/// Its first bytes while partitions move; the rest of it stays.
pub const GPT_SET_ASIDE: [u8; 8] = *b"IOALNGPT";

/// The offset of the disk signature in an MBR; the entries follow it.
const TABLE_AT: usize = 440;
/// Up to its signature `55 AA`.
const OLD_TABLE_BYTES: usize = 70;

const VERSION: u16 = 1;
const TEXT_AT: usize = 32;
const MAGIC_AT: usize = 144;
const CRC_AT: usize = 176;
const OLD_TABLE_AT: usize = 180;
const NAMES_AT: usize = OLD_TABLE_AT + OLD_TABLE_BYTES;
const ENTRY_AT: usize = 446;
const HOST_MOST: usize = 64;
const NAMES_MOST: usize = ENTRY_AT - NAMES_AT;

/// Prints the text at byte 32 of this sector through the BIOS, and halts.
const BOOT_CODE: [u8; 26] = [
    0xfb, 0x31, 0xc0, 0x8e, 0xd8, 0xfc, 0xbe, 0x20, 0x7c, 0xac, 0x84, 0xc0, 0x74, 0x09, 0xb4, 0x0e,
    0xbb, 0x07, 0x00, 0xcd, 0x10, 0xeb, 0xf2, 0xf4, 0xeb, 0xfd,
];
const BOOT_TEXT: &[u8] = b"ioalign: the partitions of this disk are being moved.\r\n\
Start another system: ioalign fix DISK --resume\r\n\0";
/// "Non-FS data".
const PARTITION_TYPE: u8 = 0xda;

/// The first bytes of each 512 that replace a superblock, which the journal keeps.
const SET_ASIDE: &[u8] =
    b"ioalign: this superblock is in the journal of a move that has not ended\n";

/// A move in progress, as the disk itself names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveMarker {
    /// The id of the run, as in its journal.
    pub run: u128,
    /// The name of the machine that the journal is on; cut off where it is long.
    pub host: String,
    /// The absolute path of the journal there; empty where it is too long for the sector.
    pub journal: PathBuf,
    /// Disk signature and partition entries of the MBR that the marker stands in for.
    pub old_table: [u8; OLD_TABLE_BYTES],
}

/// The state of a move, as in the first sector of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkerFound {
    /// The marker is whole.
    Whole(MoveMarker),
    /// There was a marker, and its checksum or its version is not right.
    Damaged,
}

impl MoveMarker {
    /// The bytes of an MBR that [`MoveMarker::old_table`] keeps.
    pub fn table_in(sector: &[u8]) -> [u8; OLD_TABLE_BYTES] {
        let table = sector.get(TABLE_AT..).and_then(|rest| rest.first_chunk());
        table.copied().unwrap_or([0; OLD_TABLE_BYTES])
    }

    /// The sector, for a disk of `blocks` logical blocks.
    pub fn encode(&self, blocks: u64) -> [u8; BYTES] {
        let host = cut(&self.host, HOST_MOST);
        let journal = self.journal.as_os_str().as_bytes();
        let fits =
            host.len() + journal.len() <= NAMES_MOST && journal.len() <= usize::from(u8::MAX);
        let journal = if fits { journal } else { &[] };
        let length = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap_or(0);
        let mut sector = [0; BYTES];
        let mut put = |at: usize, bytes: &[u8]| {
            if let Some(place) = sector.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        put(0, &BOOT_CODE);
        put(TEXT_AT, BOOT_TEXT);
        put(MAGIC_AT, &MAGIC);
        put(MAGIC_AT + 12, &VERSION.to_le_bytes());
        put(MAGIC_AT + 14, &[length(host.as_bytes()), length(journal)]);
        put(MAGIC_AT + 16, &self.run.to_le_bytes());
        put(OLD_TABLE_AT, &self.old_table);
        put(NAMES_AT, host.as_bytes());
        put(NAMES_AT + host.len(), journal);
        put(ENTRY_AT, &entry(blocks));
        put(510, &[0x55, 0xaa]);
        let crc = checksum(&sector);
        if let Some(place) = sector.get_mut(CRC_AT..CRC_AT + 4) {
            place.copy_from_slice(&crc.to_le_bytes());
        }
        sector
    }

    /// The marker in the first sector of a disk; `None` where there is none.
    pub fn decode(sector: &[u8]) -> Option<MarkerFound> {
        if sector.get(MAGIC_AT..MAGIC_AT + 12)? != MAGIC {
            return None;
        }
        Some(Self::fields(sector).map_or(MarkerFound::Damaged, MarkerFound::Whole))
    }

    /// Puts crosses in place of host and path, for a copy that others read. `false`: there is no whole marker.
    pub fn cross_out_names(sector: &mut [u8]) -> bool {
        let Some(MarkerFound::Whole(_)) = Self::decode(sector) else {
            return false;
        };
        let Some(sector) = sector.first_chunk_mut::<BYTES>() else {
            return false;
        };
        let names = sector.get_mut(NAMES_AT..ENTRY_AT).unwrap_or_default();
        for byte in names
            .iter_mut()
            .filter(|byte| **byte != 0 && **byte != b'/')
        {
            *byte = b'x';
        }
        let crc = checksum(sector);
        if let Some(place) = sector.get_mut(CRC_AT..CRC_AT + 4) {
            place.copy_from_slice(&crc.to_le_bytes());
        }
        true
    }

    fn fields(sector: &[u8]) -> Option<Self> {
        let sector = sector.first_chunk::<BYTES>()?;
        let u16_at = |at: usize| Some(u16::from_le_bytes(*sector.get(at..)?.first_chunk()?));
        let crc = u32::from_le_bytes(*sector.get(CRC_AT..)?.first_chunk()?);
        if crc != checksum(sector) || u16_at(MAGIC_AT + 12)? != VERSION {
            return None;
        }
        let [host, journal] = *sector.get(MAGIC_AT + 14..)?.first_chunk::<2>()?;
        let run = u128::from_le_bytes(*sector.get(MAGIC_AT + 16..)?.first_chunk()?);
        let old_table = *sector.get(OLD_TABLE_AT..)?.first_chunk()?;
        let names = sector.get(NAMES_AT..ENTRY_AT)?;
        let (host, names) = names.split_at_checked(usize::from(host))?;
        let journal = names.get(..usize::from(journal))?;
        Some(Self {
            run,
            host: String::from_utf8_lossy(host).into_owned(),
            journal: Path::new(OsStr::from_bytes(journal)).to_owned(),
            old_table,
        })
    }
}

/// The bytes of the old MBR as they stand in a marker, be it whole or damaged.
pub fn old_table(sector: &[u8]) -> [u8; OLD_TABLE_BYTES] {
    let table = sector
        .get(OLD_TABLE_AT..)
        .and_then(|rest| rest.first_chunk());
    table.copied().unwrap_or([0; OLD_TABLE_BYTES])
}

/// `bytes` (whole sectors of 512) that replace a superblock, which the journal of `run` keeps.
pub fn set_aside(run: u128, bytes: usize) -> Vec<u8> {
    let mut sector = SET_ASIDE.to_vec();
    sector.extend(run.to_le_bytes());
    sector.resize(BYTES, 0);
    let mut all = Vec::with_capacity(bytes);
    while all.len() < bytes {
        all.extend_from_slice(&sector);
    }
    all.truncate(bytes);
    all
}

/// The run whose journal has the superblock that these bytes replace.
pub fn is_set_aside(bytes: &[u8]) -> Option<u128> {
    let rest = bytes.strip_prefix(SET_ASIDE)?;
    Some(u128::from_le_bytes(*rest.first_chunk()?))
}

/// Checksum of everything but itself.
fn checksum(sector: &[u8; BYTES]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(sector.get(..CRC_AT).unwrap_or_default());
    hasher.update(sector.get(CRC_AT + 4..).unwrap_or_default());
    hasher.finalize()
}

/// One partition from block 1 to the end, with the CHS values that mean "see LBA".
fn entry(blocks: u64) -> [u8; 16] {
    let size = u32::try_from(blocks.saturating_sub(1)).unwrap_or(u32::MAX);
    let mut entry = [0; 16];
    entry[1..8].copy_from_slice(&[0xfe, 0xff, 0xff, PARTITION_TYPE, 0xfe, 0xff, 0xff]);
    entry[8..12].copy_from_slice(&1u32.to_le_bytes());
    entry[12..].copy_from_slice(&size.to_le_bytes());
    entry
}

/// The first characters of a text that fit in this many bytes.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marker(host: &str, journal: &str) -> MoveMarker {
        MoveMarker {
            run: 0x0123_4567_89ab_cdef,
            host: host.to_owned(),
            journal: PathBuf::from(journal),
            old_table: [7; 70],
        }
    }

    #[test]
    fn a_marker_returns_from_its_sector() {
        let one = marker("db7", "/var/lib/ioalign/disk.journal");
        let sector = one.encode(2048);
        assert_eq!(MoveMarker::decode(&sector), Some(MarkerFound::Whole(one)));
        assert_eq!(&sector[510..], [0x55, 0xaa]);
        assert!(BOOT_TEXT.len() + TEXT_AT <= MAGIC_AT);
    }

    #[test]
    fn a_path_that_is_too_long_is_left_out() {
        let sector = marker("h", &"x".repeat(300)).encode(9);
        let Some(MarkerFound::Whole(found)) = MoveMarker::decode(&sector) else {
            panic!("no marker");
        };
        assert_eq!(
            (found.host.as_str(), found.journal.as_os_str()),
            ("h", OsStr::new(""))
        );
    }

    #[test]
    fn names_can_be_crossed_out() {
        let mut sector = marker("db7", "/root/j").encode(9);
        assert!(MoveMarker::cross_out_names(&mut sector));
        let expected = marker("xxx", "/xxxx/x");
        assert_eq!(
            MoveMarker::decode(&sector),
            Some(MarkerFound::Whole(expected))
        );
        assert!(!MoveMarker::cross_out_names(&mut [0; 512]));
    }

    #[test]
    fn other_sectors_have_none() {
        assert_eq!(MoveMarker::decode(&[0; 512]), None);
        assert_eq!(MoveMarker::decode(b"short"), None);
    }

    #[test]
    fn superblocks_set_aside_name_their_run() {
        let bytes = set_aside(7, 1024);
        assert_eq!(bytes.len(), 1024);
        assert_eq!(
            (is_set_aside(&bytes), is_set_aside(&bytes[512..])),
            (Some(7), Some(7))
        );
        assert_eq!(is_set_aside(&[0; 512]), None);
    }

    proptest! {
        #[test]
        fn a_changed_byte_is_noticed(at in 0usize..512, bit in 0u8..8, host in "[a-zä]{0,90}") {
            let mut sector = marker(&host, "/j").encode(1 << 40);
            sector[at] ^= 1 << bit;
            prop_assert!(!matches!(MoveMarker::decode(&sector), Some(MarkerFound::Whole(_))));
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = MoveMarker::decode(&bytes);
            let _ = is_set_aside(&bytes);
        }
    }
}

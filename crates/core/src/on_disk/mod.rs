//! Structures as they lie on disks: fields of partition tables and boot sectors, decoded without a judgement.
//!
//! A reader that only shows a table and one that rewrites it judge differently; what a field says is the same.

mod boot_record;
pub mod bytes;
mod chs;
mod fat;
mod gpt;
mod ntfs;

pub use boot_record::{
    BOOT_RECORD_BYTES, DOS_ENTRIES_AT, DOS_ENTRY_BYTES, DosEntry, PROTECTIVE, is_boot_record,
};
pub use fat::{FAT12_BELOW, FAT16_BELOW, FatBootSector};
pub use gpt::{GPT_ENTRY_BYTES, GPT_HEADER_BYTES, GPT_SIGNATURE, GptEntry, GptHeader};
pub use ntfs::NtfsBootSector;

//! The metadata region of a VHDX: sizes, sectors, parent. \[MS-VHDX\] 2.6.

use super::header::{MIB, VhdxRegion};
use crate::error::{Error, Result};
use crate::images::windows;
use crate::view::{Record, View};

/// Bytes of the metadata table.
const TABLE_BYTES: usize = 64 << 10;
const MOST_ITEMS: u16 = 2047;
/// \[MS-VHDX\] 2.6.2.2: 64 TiB.
const MOST_DISK_BYTES: u64 = 64 << 40;
const MOST_BLOCK_BYTES: u64 = 256 * MIB;
/// Bytes of a parent locator that are read.
const MOST_LOCATOR_BYTES: u64 = 64 << 10;

const FILE_PARAMETERS: &str = "CAA16737-FA36-4D43-B3B6-33F0AA44E76B";
const DISK_SIZE: &str = "2FA54224-CD1B-4876-B211-5DBED83BF4B8";
const DISK_ID: &str = "BECA12AB-B2E6-4523-93EF-C309E000C746";
const LOGICAL_SECTOR: &str = "8141BF1D-A96F-4709-BA47-F233A8FAAB5F";
const PHYSICAL_SECTOR: &str = "CDA348C7-445D-4471-9CC9-E9885251C556";
const PARENT_LOCATOR: &str = "A8D35F2D-B30B-454D-ABF7-D3D84834AB0C";
/// The only type of locator that there is: a VHDX parent.
const LOCATOR_TYPE: &str = "B04AEFB7-D19E-4A81-B789-25B8E9445913";

/// What the items say. Sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VhdxMetadata {
    /// Payload block.
    pub(super) block: u64,
    /// Whether blocks stay allocated: a fixed disk.
    pub(super) fixed: bool,
    /// Whether there is a parent.
    pub(super) has_parent: bool,
    /// Guest bytes.
    pub(super) size: u64,
    /// 512 or 4096.
    pub(super) logical_sector: u64,
    /// 512 or 4096; zero where it is not said.
    pub(super) physical_sector: u64,
    /// Id of the disk.
    pub(super) id: Option<String>,
    /// Names of the parent, the most telling first.
    pub(super) names: Vec<String>,
    /// `data write` ids of the parent that are right.
    pub(super) linkage: Vec<String>,
}

impl VhdxMetadata {
    /// Reads and checks the region.
    pub(super) fn read(view: &View, region: VhdxRegion) -> Result<Self> {
        let within = view.sub(region.at, region.len);
        let head = within.record(0, 32)?;
        if !head.has(0, b"metadata") {
            return Err(head.bad(0, "signature", "The metadata table has another signature"));
        }
        let count = usize::from(head.le16(10).min(MOST_ITEMS));
        let table = within.record(0, (32 + count * 32).min(TABLE_BYTES))?;
        let mut out = Self::default();
        for i in 0..count {
            out.item(&within, &table, 32 + i * 32)?;
        }
        out.check(&head)?;
        Ok(out)
    }

    fn item(&mut self, within: &View, table: &Record, entry: usize) -> Result<()> {
        let at = u64::from(table.le32(entry + 16));
        let len = u64::from(table.le32(entry + 20));
        let value = |bytes: usize| {
            within
                .record(at, bytes)
                .map_err(|error| error.field("metadata item"))
        };
        match table.guid(entry).as_str() {
            FILE_PARAMETERS => {
                let value = value(8)?;
                self.block = u64::from(value.le32(0));
                self.fixed = value.le32(4) & 1 != 0;
                self.has_parent = value.le32(4) & 2 != 0;
            }
            DISK_SIZE => self.size = value(8)?.le64(0),
            LOGICAL_SECTOR => self.logical_sector = u64::from(value(4)?.le32(0)),
            PHYSICAL_SECTOR => self.physical_sector = u64::from(value(4)?.le32(0)),
            DISK_ID => self.id = Some(value(16)?.guid(0)),
            PARENT_LOCATOR => {
                let len = len.min(MOST_LOCATOR_BYTES);
                self.locator(&value(usize::try_from(len).unwrap_or(0))?)?;
            }
            other if table.le32(entry + 24) & 4 != 0 => {
                let what = format!("The required metadata item {other} is not known");
                let error = Error::unsupported(what).field("metadata item");
                return Err(within.locate(error, entry as u64));
            }
            _ => {}
        }
        Ok(())
    }

    fn check(&self, head: &Record) -> Result<()> {
        let block = self.block;
        if !block.is_power_of_two() || !(MIB..=MOST_BLOCK_BYTES).contains(&block) {
            let what =
                format!("Blocks of {block} bytes; a power of two from 1 to 256 MiB is needed");
            return Err(head.bad(0, "block size", what));
        }
        let logical = self.logical_sector;
        if !matches!(logical, 512 | 4096) {
            let what = format!("Logical sectors of {logical} bytes; 512 or 4096 is needed");
            return Err(head.bad(0, "logical sector size", what));
        }
        if self.size == 0 || self.size > MOST_DISK_BYTES || !self.size.is_multiple_of(logical) {
            let what = format!(
                "A disk of {} bytes; a multiple of {logical} up to 64 TiB is needed",
                self.size
            );
            return Err(head.bad(0, "virtual disk size", what));
        }
        Ok(())
    }

    /// Key and value pairs that name the parent.
    fn locator(&mut self, locator: &Record) -> Result<()> {
        if locator.guid(0) != LOCATOR_TYPE {
            let what = format!("A parent locator of type {}", locator.guid(0));
            return Err(locator.bad(0, "parent locator", what));
        }
        let mut pairs = Vec::new();
        for i in 0..usize::from(locator.le16(18)) {
            let entry = 20 + i * 12;
            if locator.slice(entry, 12).is_empty() {
                break;
            }
            let text = |at: u32, len: u16| {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                windows::utf16(locator.slice(at, usize::from(len)), u16::from_le_bytes)
            };
            let key = text(locator.le32(entry), locator.le16(entry + 8));
            let value = text(locator.le32(entry + 4), locator.le16(entry + 10));
            pairs.push((key, value));
        }
        let pick = |keys: &[&str]| -> Vec<String> {
            let known = |key: &&str| pairs.iter().find(|(have, _)| have == key);
            let values = keys.iter().filter_map(known).map(|(_, value)| value);
            values.filter(|value| !value.is_empty()).cloned().collect()
        };
        self.names = pick(&["relative_path", "absolute_win32_path", "volume_path"]);
        let bare = |guid: String| guid.trim_matches(['{', '}']).to_ascii_uppercase();
        let linkage = pick(&["parent_linkage", "parent_linkage2"]);
        self.linkage = linkage.into_iter().map(bare).collect();
        Ok(())
    }
}

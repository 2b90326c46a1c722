//! How the entries of grain directories and grain tables are coded.

use super::descriptor::SECTOR;
use crate::error::Result;
use crate::images::entries::{entry, for_each_used};
use crate::view::View;

/// The kind of a grain.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// Not allocated: the parent's bytes, or zeros.
    Below,
    /// Zeros, for any parent.
    Zero,
    /// At this byte of the extent's file.
    At(u64),
}

/// The two codings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// 32-bit sector numbers; entry 1 of a grain table may mean zeros.
    Sectors {
        /// Whether 1 means zeros (flag bit 2 of the hosted header).
        zero_grain: bool,
    },
    /// seSparse: 64-bit, a kind in the top nibble, and an index.
    Indices {
        /// Byte offset of grain table 0.
        tables: u64,
        /// Byte offset of grain 0.
        grains: u64,
    },
}

impl Coding {
    /// Bytes an entry.
    pub(super) const fn entry_bytes(self) -> u64 {
        match self {
            Self::Sectors { .. } => 4,
            Self::Indices { .. } => 8,
        }
    }

    /// Where the grain table lies that a directory's entry names; `per_table` in entries.
    pub(super) fn table(self, raw: u64, per_table: u64) -> Option<u64> {
        match self {
            Self::Sectors { .. } => raw.checked_mul(SECTOR),
            // Allocated entries have 1 in the top nibble and a 32-bit number.
            Self::Indices { .. } if raw >> 32 != 0x1000_0000 => None,
            Self::Indices { tables, .. } => {
                let len = per_table.checked_mul(self.entry_bytes())?;
                let past = (raw & 0xFFFF_FFFF).checked_mul(len)?;
                tables.checked_add(past)
            }
        }
    }

    /// What a grain table's entry means; `None` where its code is impossible. `grain` in bytes.
    pub(super) fn decode(self, raw: u64, grain: u64) -> Option<Grain> {
        match self {
            _ if raw == 0 => Some(Grain::Below),
            Self::Sectors { zero_grain } => Some(match raw {
                1 if zero_grain => Grain::Zero,
                sector => Grain::At(sector.checked_mul(SECTOR)?),
            }),
            Self::Indices { grains, .. } => match raw >> 60 {
                1 | 2 => Some(Grain::Zero),
                3 => {
                    // The low 12 bits of the index stand above the high 48.
                    let index = (raw >> 48 & 0xFFF) | (raw & 0xFFFF_FFFF_FFFF) << 12;
                    let past = index.checked_mul(grain)?;
                    grains.checked_add(past).map(Grain::At)
                }
                _ => None,
            },
        }
    }

    /// Entry `index` of the directory or table at byte `at`.
    pub(super) fn raw(self, view: &View, at: u64, index: u64) -> Result<u64> {
        Ok(match self {
            Self::Sectors { .. } => u64::from(u32::from_le_bytes(entry(view, at, index)?)),
            Self::Indices { .. } => u64::from_le_bytes(entry(view, at, index)?),
        })
    }

    /// Streams the entries of a directory or table, long stretches of zeros left out.
    pub(super) fn for_each_entry(
        self,
        view: &View,
        at: u64,
        count: u64,
        each: &mut impl FnMut(u64, u64) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sectors { .. } => for_each_used(view, at, count, |index, raw| {
                each(index, u64::from(u32::from_le_bytes(raw)))
            }),
            Self::Indices { .. } => for_each_used(view, at, count, |index, raw| {
                each(index, u64::from_le_bytes(raw))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn se_sparse_entries_swap_the_halves_of_the_index() {
        let coding = Coding::Indices {
            tables: 512,
            grains: 1 << 20,
        };
        let at = |raw| coding.decode(raw, 4096);
        assert_eq!(at(0), Some(Grain::Below));
        assert_eq!(at(0x1000_0000_0000_0000), Some(Grain::Zero));
        assert_eq!(at(0x3001_0000_0000_0000), Some(Grain::At((1 << 20) + 4096)));
        let high = 0x3000_0000_0000_0001;
        assert_eq!(at(high), Some(Grain::At((1 << 20) + (4096 << 12))));
        assert_eq!(at(0x4000_0000_0000_0000), None);
        assert_eq!(at(0x3FFF_FFFF_FFFF_FFFF), None, "past 64 bits");
        assert_eq!(
            coding.table(0x1000_0000_0000_0002, 4096),
            Some(512 + (64 << 10))
        );
        assert_eq!(coding.table(0x1000_0001_0000_0002, 4096), None);
    }

    #[test]
    fn sector_one_means_zeros_only_where_the_header_says_so() {
        let coding = |zero_grain| Coding::Sectors { zero_grain };
        assert_eq!(coding(true).decode(1, 512), Some(Grain::Zero));
        assert_eq!(coding(false).decode(1, 512), Some(Grain::At(512)));
        assert_eq!(coding(true).table(3, 512), Some(1536));
    }
}

//! The footer of a VHD, its copy at the start, and which of its sizes is the right one.
//!
//! Microsoft "Virtual Hard Disk Image Format Specification" 1.0. All numbers are big-endian.

use ioalign_core::{ImageFault, ImageVariant, Remark, Severity, rules};

use crate::error::{Error, Result};
use crate::view::{Record, View};

/// Bytes of the footer.
pub(super) const FOOTER_BYTES: usize = 512;
const COOKIE: &[u8] = b"conectix";
/// Virtual PC before 2004 wrote footers of 511 bytes.
const OLD_FOOTER_BYTES: u64 = 511;
/// Cylinders × heads × sectors of a disk too large for CHS.
const MOST_CHS_SECTORS: u64 = 65535 * 16 * 255;
/// The format's unit.
pub(super) const SECTOR: u64 = 512;

/// Creators whose disks have the current size.
const BY_CURRENT_SIZE: [&str; 7] = ["qem2", "win", "d2v", "tap", "CTXS", "wa", "vbox"];
/// Creators whose disks have the size of the geometry.
const BY_GEOMETRY: [&str; 2] = ["vpc", "qemu"];

/// How the data are kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum VhdKind {
    /// The disk, then the footer.
    Fixed,
    /// Blocks behind a table.
    Dynamic,
    /// The same, over a parent.
    Differencing,
}

impl VhdKind {
    pub(super) const fn variant(self) -> ImageVariant {
        match self {
            Self::Fixed => ImageVariant::Fixed,
            Self::Dynamic => ImageVariant::Dynamic,
            Self::Differencing => ImageVariant::Differencing,
        }
    }
}

/// The contents of the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Footer {
    /// Kind of disk.
    pub(super) kind: VhdKind,
    /// The place of the dynamic header; unused in fixed disks.
    pub(super) header: u64,
    /// `creator application`: four characters.
    pub(super) creator: String,
    /// `current size` in bytes.
    pub(super) current: u64,
    /// Size by cylinders, heads and sectors, in bytes.
    pub(super) chs: u64,
    /// `unique id`.
    pub(super) id: String,
    /// Where this footer was read.
    pub(super) at: u64,
}

impl Footer {
    /// The footer at the end, or else the copy at the start; `None` where there is neither.
    pub(super) fn read(view: &View, remarks: &mut Vec<Remark>) -> Result<Option<Self>> {
        let end = Self::at_end(view)?;
        let start = Self::record(view, 0)?;
        let (record, at) = match (&end, &start) {
            (Some((record, at)), _) if checksum_holds(record) => (record, *at),
            (_, Some(copy)) if checksum_holds(copy) => {
                remarks.push(copy_used(end.is_some()));
                (copy, 0)
            }
            (Some((record, at)), _) => {
                remarks.push(bad_checksum(*at));
                (record, *at)
            }
            (None, Some(copy)) => {
                remarks.extend([copy_used(false), bad_checksum(0)]);
                (copy, 0)
            }
            (None, None) => return Ok(None),
        };
        Self::parse(record, at).map(Some)
    }

    fn at_end(view: &View) -> Result<Option<(Record, u64)>> {
        for len in [FOOTER_BYTES as u64, OLD_FOOTER_BYTES] {
            let Some(at) = view.len().checked_sub(len) else {
                continue;
            };
            if view.has(at, COOKIE)? {
                let bytes = usize::try_from(len).unwrap_or(FOOTER_BYTES);
                return Ok(Some((view.record(at, bytes)?, at)));
            }
        }
        Ok(None)
    }

    fn record(view: &View, at: u64) -> Result<Option<Record>> {
        let record = view.try_record(at, FOOTER_BYTES)?;
        Ok(record.filter(|record| record.has(0, COOKIE)))
    }

    fn parse(record: &Record, at: u64) -> Result<Self> {
        let kind = match record.be32(60) {
            2 => VhdKind::Fixed,
            3 => VhdKind::Dynamic,
            4 => VhdKind::Differencing,
            other => return Err(record.bad(60, "disk type", format!("Type {other}"))),
        };
        let cylinders = u64::from(record.be16(56));
        let (heads, sectors) = (u64::from(record.u8(58)), u64::from(record.u8(59)));
        Ok(Self {
            kind,
            header: record.be64(16),
            creator: record.text(28, 4),
            current: record.be64(48),
            chs: cylinders * heads * sectors * SECTOR,
            id: record.uuid(68),
            at,
        })
    }

    /// Whether the guest sees the size by geometry: Virtual PC and old QEMU, unless the disk is
    /// too large for a geometry. The table is that of QEMU's `block/vpc.c`; VirtualBox (`vbox`)
    /// uses the current size as well. QEMU takes the geometry for any other program; the length of the
    /// file of a fixed disk is better evidence, where it is the current size.
    pub(super) fn sized_by_geometry(&self) -> bool {
        let whole_file = self.kind == VhdKind::Fixed && self.at == self.current;
        self.geometry_fits()
            && !BY_CURRENT_SIZE.contains(&self.creator.as_str())
            && !(self.is_unknown() && whole_file)
    }

    /// Both sizes, where they differ and the program that made it is not known.
    pub(super) fn two_sizes(&self) -> Option<Remark> {
        let unsure = self.is_unknown() && self.geometry_fits() && self.chs != self.current;
        unsure.then(|| {
            let why = format!(
                "The disk has {} bytes by its current size and {} by its geometry, and the program \
                 that made it (`{}`) is not known: Hyper-V shows the first, QEMU the second. {} \
                 bytes are judged.",
                self.current,
                self.chs,
                self.creator,
                self.size()
            );
            Remark::note(rules::VHD_TWO_SIZES, why).advise(
                "qemu-img convert -O vpc -o subformat=fixed,force_size makes one that has one size",
            )
        })
    }

    fn is_unknown(&self) -> bool {
        !BY_CURRENT_SIZE
            .iter()
            .chain(&BY_GEOMETRY)
            .any(|known| *known == self.creator)
    }

    const fn geometry_fits(&self) -> bool {
        self.chs != 0 && self.chs != MOST_CHS_SECTORS * SECTOR
    }

    /// Bytes that the guest sees.
    pub(super) fn size(&self) -> u64 {
        if self.sized_by_geometry() {
            self.chs
        } else {
            self.current
        }
    }

    /// A size that no VHD has: the format ends at 2 TiB and a little.
    pub(super) fn check_size(&self) -> Result<()> {
        if self.size() > u64::from(u32::MAX) * SECTOR {
            let what = format!("A disk of {} bytes; the format ends at 2 TiB", self.size());
            return Err(Error::too_large(what).field("current size"));
        }
        Ok(())
    }
}

/// One's complement of the sum of all bytes but the checksum at 64.
pub(super) fn checksum(bytes: &[u8], at: usize) -> u32 {
    let sum = |part: &[u8]| {
        part.iter()
            .fold(0_u32, |sum, b| sum.wrapping_add(u32::from(*b)))
    };
    let own = bytes.get(at..at + 4).unwrap_or_default();
    !sum(bytes).wrapping_sub(sum(own))
}

fn checksum_holds(record: &Record) -> bool {
    checksum(record.bytes(), 64) == record.be32(64)
}

fn bad_checksum(at: u64) -> Remark {
    let why = format!("The checksum of the footer at byte {at} does not hold.");
    Remark::new(rules::VHD_FOOTER_CHECKSUM, Severity::Broken, why)
        .malformed()
        .of_fault(ImageFault::FooterChecksum)
        .at(at.saturating_add(64), "checksum")
}

fn copy_used(damaged: bool) -> Remark {
    let what = if damaged {
        "damaged"
    } else {
        "missing: the file was cut off or has grown"
    };
    let why = format!("The footer at the end is {what}; its copy at the start is used.");
    Remark::new(rules::VHD_FOOTER_MISSING, Severity::Broken, why)
        .of_fault(ImageFault::FooterMissing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer(creator: &str, current: u64, chs: u64) -> Footer {
        Footer {
            kind: VhdKind::Fixed,
            header: u64::MAX,
            creator: creator.to_owned(),
            current,
            chs,
            id: String::new(),
            at: 0,
        }
    }

    #[test]
    fn the_creator_decides_which_size_counts() {
        for (creator, size) in [("qemu", 900), ("vpc", 900), ("qem2", 1000), ("win", 1000)] {
            assert_eq!(footer(creator, 1000, 900).size(), size, "{creator}");
        }
        let most = MOST_CHS_SECTORS * SECTOR;
        assert_eq!(footer("vpc", most + 512, most).size(), most + 512);
        assert_eq!(footer("vpc", 1000, 0).size(), 1000);
        assert!(footer("win", u64::MAX, 0).check_size().is_err());
    }

    #[test]
    fn an_unknown_creator_is_asked_by_the_length_of_its_file() {
        let of = |at| Footer {
            at,
            ..footer("*img", 1000, 900)
        };
        assert_eq!((of(1000).size(), of(900).size()), (1000, 900));
        let why = of(1000).two_sizes().unwrap().why;
        assert!(why.contains("1000 bytes") && why.contains("900"), "{why}");
        assert_eq!(footer("vpc", 1000, 900).two_sizes(), None);
        assert_eq!(footer("*img", 900, 900).two_sizes(), None);
    }

    #[test]
    fn checksum_leaves_itself_out() {
        let mut bytes = [1; 512];
        let before = checksum(&bytes, 64);
        bytes[64..68].copy_from_slice(&before.to_be_bytes());
        assert_eq!(checksum(&bytes, 64), before);
        assert_eq!(before, !508);
    }
}

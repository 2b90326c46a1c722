//! XFS: block, sector, stripe unit and width, log stripe unit, realtime extent.
//!
//! Layout: `struct xfs_dsb` (kernel `fs/xfs/libxfs/xfs_format.h`), big endian, at byte 0.

use ioalign_core::{Bytes, Remark, Severity};
use ioalign_core::{layer::RaidGeometry, rules};

use super::FileSystem;
use super::fields::{power_of_two, product};
use crate::error::Result;
use crate::view::{Record, View};

const MAGIC: &[u8; 4] = b"XFSB";
/// Written also where there is no realtime section.
const DEFAULT_REALTIME_EXTENT: u64 = 4096;

/// Tries XFS.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    if !view.has(0, MAGIC)? {
        return Ok(None);
    }
    match view.try_record(0, 264)? {
        Some(sb) => describe(&sb).map(Some),
        None => Ok(None),
    }
}

fn describe(sb: &Record) -> Result<FileSystem> {
    let (block, sector) = (u64::from(sb.be32(4)), u64::from(sb.be16(102)));
    if !power_of_two(block, 512, 65536) {
        let what = format!("An XFS block of {block} bytes is not a power of two from 512 to 65536");
        return Err(sb.bad(4, "sb_blocksize", what));
    }
    if !power_of_two(sector, 512, 32768) {
        let what = format!("An XFS sector of {sector} bytes is not a power of two to 32768");
        return Err(sb.bad(102, "sb_sectsize", what));
    }
    let mut found = FileSystem {
        kind: "xfs",
        block: Some(Bytes::new(block)),
        sector: Some(Bytes::new(sector)),
        size: product(sb.be64(8), block),
        geometry: geometry(sb, block),
        label: sb.text(108, 12),
        uuid: sb.uuid(32),
        reflink: Some(reflink(sb)),
        ..FileSystem::default()
    };
    add_facts(&mut found, sb, block);
    found.remarks.extend(bogus_geometry(&found));
    Ok(found)
}

/// `XFS_SB_FEAT_RO_COMPAT_REFLINK` of `sb_features_ro_compat`, which version 5 has.
fn reflink(sb: &Record) -> bool {
    const VERSION: u16 = 5;
    sb.be16(100) & 0xf == VERSION && sb.be32(212) & 1 << 2 != 0
}

/// `sb_unit` and `sb_width` count file-system blocks, unlike the options of mkfs.xfs.
fn geometry(sb: &Record, block: u64) -> Option<RaidGeometry> {
    let (unit, width) = (u64::from(sb.be32(184)), u64::from(sb.be32(188)));
    if unit == 0 && width == 0 {
        return None;
    }
    Some(RaidGeometry {
        unit: product(unit, block)?,
        width: product(width, block)?,
    })
}

fn add_facts(found: &mut FileSystem, sb: &Record, block: u64) {
    let mut add = |key, bytes: Option<Bytes>| {
        if let Some(bytes) = bytes.filter(|bytes| !bytes.is_zero()) {
            found.facts.insert(key, bytes.to_string());
        }
    };
    // 1 is the code for "no stripe unit" of version 2 logs.
    let log_unit = u64::from(sb.be32(196));
    add("log-sunit", (log_unit > 1).then(|| Bytes::new(log_unit)));
    add("log-sector", Some(Bytes::new(u64::from(sb.be16(194)))));
    add("allocation-group", product(u64::from(sb.be32(84)), block));
    let extent = u64::from(sb.be32(80)) * block;
    let realtime = sb.be64(16) != 0 || extent > block.max(DEFAULT_REALTIME_EXTENT);
    add("realtime-extent", realtime.then(|| Bytes::new(extent)));
    if sb.be64(48) == 0 {
        found.facts.insert("log", "external".to_owned());
    }
}

/// A unit without a width, or a width that holds no whole number of units: such values come from
/// lying device hints, and newer kernels refuse them.
pub(crate) fn bogus_geometry(found: &FileSystem) -> Option<Remark> {
    let RaidGeometry { unit, width } = found.geometry?;
    if !unit.is_zero() && !width.is_zero() && width.is_multiple_of(unit) {
        return None;
    }
    let why = format!(
        "XFS stripe unit {} B with stripe width {} B: the width must be a multiple of the unit, \
         and kernel >= 4.x may refuse to mount it",
        unit.get(),
        width.get()
    );
    let remark = Remark::new(rules::XFS_GEOMETRY_BOGUS, Severity::Suboptimal, why);
    Some(remark.advise("mount -o sunit=SECTORS,swidth=SECTORS writes new values"))
}

//! The three headers of sparse extents: hosted (`KDMV`), vmfsSparse (`COWD`) and seSparse.
//!
//! Hosted and COWD: VMware Virtual Disk Format 5.0, "Sparse Extents". seSparse has no public
//! document; the layout is that of QEMU's `block/vmdk.c`, read-only there as here.

use ioalign_core::{ImageFault, Remark, Severity, rules};

use super::coding::Coding;
use super::descriptor::SECTOR;
use super::grains::{Grains, VmdkGrainLayout};
use crate::error::{Error, Result};
use crate::view::{Record, View};

/// Bytes of the hosted and the seSparse headers; COWD has 2048.
const HEADER_BYTES: usize = 512;
const COWD_BYTES: usize = 2048;
/// Grains a COWD grain table.
const COWD_PER_TABLE: u64 = 4096;
/// `gdOffset` of a stream: header and grain directory are at the end.
const AT_END: u64 = u64::MAX;
/// Marker, footer and end-of-stream marker: the last three sectors of a stream.
const FOOTER_BYTES: u64 = 3 * SECTOR;
/// Compressed grains are inflated in memory; every tool writes 64 KiB.
const MOST_PACKED_GRAIN: u64 = 8 << 20;

const SE_MAGIC: u64 = 0xCAFE_BABE;
const SE_VOLATILE_MAGIC: u64 = 0xCAFE_CAFE;
const SE_VERSION: u64 = 0x0000_0002_0000_0001;

/// How grains are packed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct VmdkPacking {
    /// Whether a 12-byte marker (sector, size) precedes each grain.
    pub(super) markers: bool,
}

/// A sparse extent.
#[derive(Clone)]
pub(super) struct Sparse {
    /// `hosted`, `cowd` or `sesparse`.
    pub(super) kind: &'static str,
    /// Version of the header.
    pub(super) version: u64,
    /// Its tables; `None` for a hosted header that only carries a descriptor.
    pub(super) grains: Option<Grains>,
    /// Compressed grains (streamOptimized).
    pub(super) packing: Option<VmdkPacking>,
    /// Place of the embedded descriptor in bytes: offset and length.
    pub(super) descriptor: Option<(u64, u64)>,
    /// Whether a redundant grain directory is kept.
    pub(super) redundant: bool,
}

/// Reads a sparse header of any kind at the start; `None` without one.
pub(super) fn read(view: &View, remarks: &mut Vec<Remark>) -> Result<Option<Sparse>> {
    if view.has(0, b"KDMV")? {
        hosted(view, remarks).map(Some)
    } else if view.has(0, b"COWD")? {
        cowd(view, remarks).map(Some)
    } else if view.has(0, &SE_MAGIC.to_le_bytes())? {
        se_sparse(view, remarks).map(Some)
    } else {
        Ok(None)
    }
}

fn hosted(view: &View, remarks: &mut Vec<Remark>) -> Result<Sparse> {
    let first = view.record(0, HEADER_BYTES)?;
    let stream = first.le64(56) == AT_END;
    let header = if stream { footer(view)? } else { first.clone() };
    let version = header.le32(4);
    if !(1..=3).contains(&version) {
        let what = format!("Version {version} of the sparse extent header");
        return Err(view.locate(Error::unsupported(what), 4).field("version"));
    }
    hosted_remarks(&first, remarks);
    let grains = hosted_grains(view, &header)?;
    if grains.as_ref().is_some_and(Grains::replaced) {
        let why = "The grain directory lies outside the file; the redundant one is used.";
        remarks.push(Remark::new(
            rules::VMDK_DIRECTORY_COPY,
            Severity::Broken,
            why,
        ));
    }
    Ok(Sparse {
        kind: "hosted",
        version: u64::from(version),
        grains,
        packing: packing(&header)?,
        descriptor: embedded(&first)?,
        redundant: header.le32(8) & 2 != 0,
    })
}

fn hosted_grains(view: &View, header: &Record) -> Result<Option<Grains>> {
    let (flags, capacity, per_table) = (header.le32(8), header.le64(12), header.le32(44));
    if capacity == 0 {
        return Ok(None);
    }
    if per_table > 512 {
        let what = format!("{per_table} entries a grain table, the format has at most 512");
        return Err(header.bad(44, "numGTEsPerGT", what));
    }
    let layout = VmdkGrainLayout {
        capacity,
        grain: header.le64(20),
        per_table: u64::from(per_table),
        directory: header.le64(56),
        spare: (flags & 2 != 0).then(|| header.le64(48)),
        coding: Coding::Sectors {
            zero_grain: flags & 4 != 0,
        },
    };
    Grains::new(view, &layout).map(Some)
}

fn packing(header: &Record) -> Result<Option<VmdkPacking>> {
    let (flags, grain) = (header.le32(8), header.le64(20));
    match header.le16(77) {
        0 => return Ok(None),
        1 => {}
        other => {
            let what = format!("Compression {other}; only deflate (1) is known");
            return Err(header.bad(77, "compressAlgorithm", what));
        }
    }
    if grain > MOST_PACKED_GRAIN / SECTOR {
        let what = format!("Compressed grains of {grain} sectors, more than 8 MiB");
        return Err(header.bad(20, "grainSize", what));
    }
    Ok(Some(VmdkPacking {
        markers: flags & 1 << 17 != 0,
    }))
}

/// Offset and length of the embedded descriptor in bytes.
fn embedded(header: &Record) -> Result<Option<(u64, u64)>> {
    let (at, len) = (header.le64(28), header.le64(36));
    if at == 0 || len == 0 {
        return Ok(None);
    }
    match (at.checked_mul(SECTOR), len.checked_mul(SECTOR)) {
        (Some(at), Some(len)) => Ok(Some((at, len))),
        _ => Err(header.bad(28, "descriptorOffset", "It lies past 64 bits")),
    }
}

/// The copy of the header before the end-of-stream marker, which alone knows the directory.
fn footer(view: &View) -> Result<Record> {
    let at = view.len().checked_sub(FOOTER_BYTES).unwrap_or(AT_END);
    let missing = || {
        view.malformed(
            at,
            "The stream has no footer: it was cut off or is not complete",
        )
        .field("footer")
    };
    let Some(end) = view.try_record(at, 3 * HEADER_BYTES)? else {
        return Err(missing());
    };
    let marker = (end.le32(8), end.le32(12));
    let header = view.record(at + SECTOR, HEADER_BYTES)?;
    if marker != (0, 3) || !header.has(0, b"KDMV") || header.le64(56) == AT_END {
        return Err(missing());
    }
    Ok(header)
}

fn hosted_remarks(header: &Record, remarks: &mut Vec<Remark>) {
    if header.u8(72) != 0 {
        remarks.push(unclean());
    }
    // Newline detection: a transfer in text mode changes these four bytes.
    if header.le32(8) & 1 != 0 && !header.has(73, b"\n \r\n") {
        let why = "The newline bytes 73 to 76 of the header are changed: the file went through a \
            text-mode transfer and its data are damaged.";
        remarks.push(Remark::new(
            rules::VMDK_TEXT_TRANSFER,
            Severity::Broken,
            why,
        ));
    }
}

fn unclean() -> Remark {
    let why = "The extent is marked as not closed cleanly: it is in use, or its last session ended \
        in a crash.";
    Remark::note(rules::VMDK_UNCLEAN_SHUTDOWN, why).of_fault(ImageFault::UncleanShutdown)
}

fn cowd(view: &View, remarks: &mut Vec<Remark>) -> Result<Sparse> {
    let header = view.record(0, COWD_BYTES)?;
    if header.le32(1648) == 1 {
        remarks.push(unclean());
    }
    let layout = VmdkGrainLayout {
        capacity: u64::from(header.le32(12)),
        grain: u64::from(header.le32(16)),
        per_table: COWD_PER_TABLE,
        directory: u64::from(header.le32(20)),
        spare: None,
        coding: Coding::Sectors { zero_grain: false },
    };
    Ok(Sparse {
        kind: "cowd",
        version: u64::from(header.le32(4)),
        grains: Some(Grains::new(view, &layout)?),
        packing: None,
        descriptor: None,
        redundant: false,
    })
}

fn se_sparse(view: &View, remarks: &mut Vec<Remark>) -> Result<Sparse> {
    let header = view.record(0, HEADER_BYTES)?;
    let known = [
        (8, SE_VERSION, "version"),
        (32, 64, "grainTableSize"),
        (40, 0, "flags"),
    ];
    for (at, value, name) in known {
        if header.le64(at) != value {
            let what = format!("{name} {:#x}, only {value:#x} is known", header.le64(at));
            let error = Error::unsupported(what).field(name);
            return Err(view.locate(error, at as u64));
        }
    }
    volatile_header(view, &header, remarks)?;
    let bytes = |at, name| {
        let sectors: Option<u64> = header.le64(at).checked_mul(SECTOR);
        sectors.ok_or_else(|| header.bad(at, name, "It lies past 64 bits"))
    };
    let layout = VmdkGrainLayout {
        capacity: header.le64(16),
        grain: header.le64(24),
        per_table: header.le64(32) * SECTOR / 8,
        directory: header.le64(128),
        spare: None,
        coding: Coding::Indices {
            tables: bytes(144, "grainTablesOffset")?,
            grains: bytes(192, "grainsOffset")?,
        },
    };
    Ok(Sparse {
        kind: "sesparse",
        version: SE_VERSION,
        grains: Some(Grains::new(view, &layout)?),
        packing: None,
        descriptor: None,
        redundant: false,
    })
}

/// The second header says whether a journal waits to be replayed.
fn volatile_header(view: &View, header: &Record, remarks: &mut Vec<Remark>) -> Result<()> {
    let at = header.le64(80).saturating_mul(SECTOR);
    let Some(second) = view.try_record(at, HEADER_BYTES)? else {
        return Err(header.bad(80, "volatileHeaderOffset", "It is not in the file"));
    };
    if second.le64(0) != SE_VOLATILE_MAGIC {
        return Err(second.bad(0, "magic", "The volatile header has another magic"));
    }
    if second.le64(24) != 0 {
        let why = "The seSparse journal waits to be replayed, which is never done on a file opened \
            for reading: grain tables may be out of date.";
        remarks.push(Remark::note(rules::VMDK_JOURNAL, why).of_fault(ImageFault::Journal));
    }
    Ok(())
}

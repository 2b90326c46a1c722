//! The qcow2 header and its extensions.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::super::foreign;
use super::unpack::Method;
use crate::error::{Error, Result};
use crate::view::{Record, View};

const MAGIC: &[u8] = b"QFI\xfb";
/// Version 2's header; all fields of version 3 end at 105, padded to 112.
const V2_LEN: usize = 72;
const V3_LEN: usize = 104;
const ALL_LEN: usize = 112;
/// QEMU's limit for the L1 table.
const MOST_L1_BYTES: u64 = 32 << 20;
/// QEMU's limit for the name of a backing file.
const MOST_NAME: u32 = 1023;

const DIRTY: u64 = 1 << 0;
const CORRUPT: u64 = 1 << 1;
const EXTERNAL: u64 = 1 << 2;
const COMPRESSION: u64 = 1 << 3;
const EXTENDED: u64 = 1 << 4;
const KNOWN: u64 = DIRTY | CORRUPT | EXTERNAL | COMPRESSION | EXTENDED;

/// Header extension types.
const BACKING_FORMAT: u32 = 0xE279_2ACA;
const DATA_FILE: u32 = 0x4441_5441;

/// The contents of the header; all offsets and sizes are bytes.
pub struct Qcow2Header {
    pub version: u32,
    pub cluster_bits: u32,
    /// Virtual size.
    pub size: u64,
    pub l1_offset: u64,
    /// Entries of the L1 table that the virtual size needs.
    pub l1_entries: u64,
    pub snapshots: u32,
    pub dirty: bool,
    pub corrupt: bool,
    /// Guest data are in another file.
    pub external: bool,
    /// Extended L2 entries: 32 subclusters a cluster.
    pub extended: bool,
    pub lazy_refcounts: bool,
    pub method: Method,
    pub backing: Option<PathBuf>,
    pub backing_format: Option<String>,
    pub data_file: Option<PathBuf>,
}

impl Qcow2Header {
    /// Reads and checks it; `None` when the magic is another.
    pub fn read(view: &View) -> Result<Option<Self>> {
        if !view.has(0, MAGIC)? {
            return Ok(None);
        }
        let version = view.record(0, 8)?.be32(4);
        match version {
            1 => return Err(view.locate(foreign::for_qemu("qcow (version 1)"), 4)),
            2 => Self::parse(view, &view.record(0, V2_LEN)?, version),
            3 => {
                let len = usize::try_from(view.len()).map_or(ALL_LEN, |len| len.min(ALL_LEN));
                Self::parse(view, &view.record(0, len.max(V3_LEN))?, version)
            }
            _ => {
                let error = Error::unsupported(format!("It is qcow version {version}, not 2 or 3"));
                Err(view.locate(error, 4).field("version"))
            }
        }
        .map(Some)
    }

    /// Fields past the end of version 2's record read as zeros, which is what they mean there.
    fn parse(view: &View, raw: &Record, version: u32) -> Result<Self> {
        let features = raw.be64(72);
        check_features(raw, features)?;
        let header_len = header_len(raw, version)?;
        let cluster_bits = cluster_bits(raw, features & EXTENDED != 0)?;
        let mut header = Self {
            version,
            cluster_bits,
            size: raw.be64(24),
            l1_offset: raw.be64(40),
            l1_entries: 0,
            snapshots: raw.be32(60),
            dirty: features & DIRTY != 0,
            corrupt: features & CORRUPT != 0,
            external: features & EXTERNAL != 0,
            extended: features & EXTENDED != 0,
            lazy_refcounts: raw.be64(80) & 1 != 0,
            method: method(raw, header_len, features)?,
            backing: backing(view, raw, cluster_bits)?,
            backing_format: None,
            data_file: None,
        };
        header.l1_entries = header.check_l1(view, raw)?;
        header.read_extensions(view, raw, u64::from(header_len))?;
        Ok(header)
    }

    /// Bytes of guest data that one L2 table maps.
    fn l2_span(&self) -> u64 {
        let entry_bits = if self.extended { 4 } else { 3 };
        1 << (2 * self.cluster_bits - entry_bits)
    }

    fn check_l1(&self, view: &View, raw: &Record) -> Result<u64> {
        let claimed = u64::from(raw.be32(36));
        let needed = self.size.div_ceil(self.l2_span());
        if claimed < needed {
            let what = format!(
                "{claimed} entries, {needed} are needed for {} bytes",
                self.size
            );
            return Err(raw.bad(36, "l1_size", what));
        }
        if claimed * 8 > MOST_L1_BYTES {
            let what = format!("An L1 table of {claimed} entries; at most {MOST_L1_BYTES} bytes");
            return Err(view.locate(Error::too_large(what), 36).field("l1_size"));
        }
        if self.l1_offset & ((1 << self.cluster_bits) - 1) != 0 {
            let what = format!("{:#x} is not at a cluster", self.l1_offset);
            return Err(raw.bad(40, "l1_table_offset", what));
        }
        match self.l1_offset.checked_add(needed * 8) {
            Some(end) if end <= view.len() => Ok(needed),
            _ => {
                let what = format!(
                    "The L1 table at {:#x} with {needed} entries ends behind the file's {} bytes",
                    self.l1_offset,
                    view.len()
                );
                Err(raw.bad(40, "l1_table_offset", what))
            }
        }
    }

    /// Takes the extensions that matter here, up to the end mark, the backing file's name or
    /// the end of the first cluster. Each is 8 bytes or more, so the walk ends.
    fn read_extensions(&mut self, view: &View, raw: &Record, from: u64) -> Result<()> {
        let name = raw.be64(8);
        let end = if name == 0 { u64::MAX } else { name };
        let end = end.min(1 << self.cluster_bits).min(view.len());
        let mut at = from;
        while at + 8 <= end {
            let head = view.record(at, 8)?;
            let (kind, len) = (head.be32(0), u64::from(head.be32(4)));
            if kind == 0 {
                break;
            }
            if len > end - at - 8 {
                let what = format!("An extension of {len} bytes ends behind byte {end}");
                return Err(head.bad(4, "extension_length", what));
            }
            self.take_extension(view, kind, at + 8, len)?;
            at += 8 + len.next_multiple_of(8);
        }
        Ok(())
    }

    fn take_extension(&mut self, view: &View, kind: u32, at: u64, len: u64) -> Result<()> {
        if !matches!(kind, BACKING_FORMAT | DATA_FILE) {
            return Ok(());
        }
        if len > u64::from(MOST_NAME) {
            return Err(view.malformed(at, format!("A name of {len} bytes")));
        }
        let text = view.read(at, usize::try_from(len).unwrap_or(0))?;
        if kind == BACKING_FORMAT {
            self.backing_format = Some(String::from_utf8_lossy(&text).into_owned());
        } else {
            self.data_file = Some(PathBuf::from(OsStr::from_bytes(&text)));
        }
        Ok(())
    }
}

fn check_features(raw: &Record, features: u64) -> Result<()> {
    let unknown = features & !KNOWN;
    if unknown != 0 {
        let bit = unknown.trailing_zeros();
        let what = format!("It needs incompatible feature {bit}, which is not known");
        return Err(Error::unsupported(what)
            .at(72)
            .field("incompatible_features"));
    }
    match raw.be32(32) {
        0 => Ok(()),
        method => {
            let name = if method == 2 { "LUKS" } else { "AES" };
            let what = format!(
                "Its data are encrypted with {name}; decrypt it with `qemu-img convert` first"
            );
            Err(Error::unsupported(what).at(32).field("crypt_method"))
        }
    }
}

fn header_len(raw: &Record, version: u32) -> Result<u32> {
    if version == 2 {
        return Ok(72);
    }
    let len = raw.be32(100);
    if len < 104 || !len.is_multiple_of(8) {
        return Err(raw.bad(100, "header_length", format!("{len} bytes")));
    }
    Ok(len)
}

fn cluster_bits(raw: &Record, extended: bool) -> Result<u32> {
    let bits = raw.be32(20);
    let least = if extended { 14 } else { 9 };
    if (least..=21).contains(&bits) {
        return Ok(bits);
    }
    let what = format!("Clusters of 2^{bits} bytes; they are 2^{least} to 2^21");
    Err(raw.bad(20, "cluster_bits", what))
}

fn method(raw: &Record, header_len: u32, features: u64) -> Result<Method> {
    let code = if header_len > 104 { raw.u8(104) } else { 0 };
    match (code, features & COMPRESSION != 0) {
        (0, false) => Ok(Method::Deflate),
        (1, true) => Ok(Method::Zstd),
        (2.., true) => {
            let what = format!("Compression type {code} is not known");
            Err(Error::unsupported(what).at(104).field("compression_type"))
        }
        _ => {
            let what = format!("{code} contradicts the compression feature bit");
            Err(raw.bad(104, "compression_type", what))
        }
    }
}

/// The backing file's name: anywhere in the first cluster, 1 to 1023 bytes.
fn backing(view: &View, raw: &Record, cluster_bits: u32) -> Result<Option<PathBuf>> {
    let (at, len) = (raw.be64(8), raw.be32(16));
    if at == 0 || len == 0 {
        return Ok(None);
    }
    let end = at.checked_add(u64::from(len));
    if len > MOST_NAME || end.is_none_or(|end| end > 1 << cluster_bits) {
        let what = format!("A name of {len} bytes at {at:#x} is not in the first cluster");
        return Err(raw.bad(8, "backing_file_offset", what));
    }
    let name = view.read(at, usize::try_from(len).unwrap_or(0))?;
    Ok(Some(PathBuf::from(OsStr::from_bytes(&name))))
}

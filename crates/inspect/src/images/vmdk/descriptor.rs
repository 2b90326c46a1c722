//! The text descriptor of a VMDK: what kind of disk, which extents, which parent.
//!
//! VMware Virtual Disk Format 5.0, "The Descriptor File". Lines are `key = value`, or
//! `access sectors type "file" [offset]`; sectors are always 512 bytes.

use crate::error::{Error, Result};
use crate::view::View;

/// A descriptor is a few hundred bytes; 1 MiB is QEMU's bound too.
const MOST_BYTES: u64 = 1 << 20;
/// 64 TiB in pieces of 2 GiB would be more, but no tool writes that.
pub(super) const MOST_EXTENTS: usize = 2048;
/// The unit of all sizes and offsets of the format.
pub(super) const SECTOR: u64 = 512;

/// How an extent stores its data.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum VmdkStorage {
    /// `FLAT`, `VMFS`: plain bytes.
    Flat,
    /// `SPARSE`, `VMFSSPARSE`, `SESPARSE`: grains behind tables; the file's magic says which.
    Sparse,
    /// `ZERO`, and everything that `NOACCESS` forbids to read.
    Zero,
    /// `VMFSRAW`, `VMFSRDM`: a LUN that this file only points at.
    Raw,
}

/// One extent line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VmdkExtentLine {
    /// Bytes of guest address space.
    pub(super) len: u64,
    /// How it is stored.
    pub(super) store: VmdkStorage,
    /// File name as written; empty for `ZERO`, and in an embedded descriptor that means its own file.
    pub(super) name: String,
    /// The start of guest data in a flat file, in bytes.
    pub(super) offset: u64,
    /// Byte offset of the line in the descriptor, for messages.
    pub(super) at: u64,
}

/// A parsed descriptor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VmdkDescriptor {
    /// `createType`.
    pub(super) create_type: String,
    /// Content id.
    pub(super) cid: Option<u32>,
    /// Content id of the parent when the child was made; `None` without parent.
    pub(super) parent_cid: Option<u32>,
    /// `parentFileNameHint`.
    pub(super) parent: Option<String>,
    /// `ddb.adapterType`.
    pub(super) adapter: Option<String>,
    /// The extents in guest order.
    pub(super) extents: Vec<VmdkExtentLine>,
}

/// Whether these first bytes of a file are a descriptor: QEMU's rule, comments and blank lines
/// and then `version=`.
pub(super) fn is_descriptor(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let titled = text
        .trim_start()
        .to_ascii_lowercase()
        .starts_with("# disk descriptorfile");
    let versioned = first
        .and_then(key_value)
        .is_some_and(|(key, value)| key == "version" && matches!(value, "1" | "2" | "3" | "4"));
    titled || versioned && text.contains("createType")
}

/// Reads and parses the descriptor in `[at, at + len)`, which ends at the first NUL.
pub(super) fn read(view: &View, at: u64, len: u64) -> Result<VmdkDescriptor> {
    let len = len.min(view.len().saturating_sub(at));
    let part = len.min(MOST_BYTES);
    let bytes = view.read(at, usize::try_from(part).unwrap_or(0))?;
    let end = bytes.iter().position(|byte| *byte == 0);
    if end.is_none() && len > MOST_BYTES {
        let error = Error::too_large(format!("A descriptor of more than {MOST_BYTES} bytes"));
        return Err(view.locate(error, at).field("descriptor"));
    }
    let text = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
    parse(&String::from_utf8_lossy(text)).map_err(|error| {
        let past = error.offset().unwrap_or(0);
        let moved = Error::new(error.kind(), error.to_string());
        view.locate(moved, at.saturating_add(past)).field("extent")
    })
}

/// Parses the text. Errors carry the byte offset within it.
fn parse(text: &str) -> Result<VmdkDescriptor> {
    let mut out = VmdkDescriptor::default();
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let line = raw.trim();
        if line.is_empty() || line.starts_with('#') {
            // A comment or a blank line.
        } else if let Some(extent) = extent(line, at).map_err(|error| error.at(at))? {
            if out.extents.len() >= MOST_EXTENTS {
                let what = format!("More than {MOST_EXTENTS} extents");
                return Err(Error::too_large(what).at(at));
            }
            out.extents.push(extent);
        } else if let Some((key, value)) = key_value(line) {
            assign(&mut out, &key, value);
        }
        at += raw.len() as u64;
    }
    Ok(out)
}

fn assign(out: &mut VmdkDescriptor, key: &str, value: &str) {
    let id = || u32::from_str_radix(value, 16).ok();
    match key {
        "createtype" => out.create_type = value.to_owned(),
        "cid" => out.cid = id(),
        "parentcid" => out.parent_cid = id().filter(|id| *id != u32::MAX),
        "parentfilenamehint" if !value.is_empty() => out.parent = Some(value.to_owned()),
        "ddb.adaptertype" => out.adapter = Some(value.to_owned()),
        _ => {}
    }
}

/// `key = "value"` with the key in lower case and without quotes.
fn key_value(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim();
    let bare = value.strip_prefix('"').map_or(value, |rest| {
        rest.split_once('"').map_or(rest, |(inner, _)| inner)
    });
    Some((key.trim().to_ascii_lowercase(), bare))
}

/// An extent line; `None` for any other line.
fn extent(line: &str, at: u64) -> Result<Option<VmdkExtentLine>> {
    let mut words = line.splitn(4, char::is_whitespace);
    let (Some(access), Some(sectors), Some(kind)) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    if !matches!(access, "RW" | "RDONLY" | "NOACCESS") {
        return Ok(None);
    }
    let store = store(access, kind)?;
    let (name, offset) = name_and_offset(words.next().unwrap_or_default());
    let bytes = |sectors: &str| {
        sectors
            .parse()
            .ok()
            .and_then(|n: u64| n.checked_mul(SECTOR))
    };
    let len = bytes(sectors).filter(|len| *len > 0);
    let offset = offset.map_or(Some(0), bytes);
    let (Some(len), Some(offset)) = (len, offset) else {
        return Err(bad(line, "its size or offset is no count of sectors"));
    };
    Ok(Some(VmdkExtentLine {
        len,
        store,
        name: name.to_owned(),
        offset,
        at,
    }))
}

/// Every extent of a stand-alone descriptor names its file. An embedded one speaks of the file that
/// it is in: FreeBSD's mkimg leaves the name empty, and no program reads it.
pub(super) fn names_files(extents: &[VmdkExtentLine]) -> Result<()> {
    let nameless = |line: &&VmdkExtentLine| {
        line.name.is_empty() && matches!(line.store, VmdkStorage::Flat | VmdkStorage::Sparse)
    };
    match extents.iter().find(nameless) {
        Some(line) => Err(Error::malformed("An extent line names no file")
            .at(line.at)
            .field("extent")),
        None => Ok(()),
    }
}

fn store(access: &str, kind: &str) -> Result<VmdkStorage> {
    Ok(match kind {
        _ if access == "NOACCESS" => VmdkStorage::Zero,
        "FLAT" | "VMFS" => VmdkStorage::Flat,
        "SPARSE" | "VMFSSPARSE" | "SESPARSE" => VmdkStorage::Sparse,
        "ZERO" => VmdkStorage::Zero,
        "VMFSRAW" | "VMFSRDM" => VmdkStorage::Raw,
        other => return Err(Error::unsupported(format!("Extent type {other}"))),
    })
}

/// `"name" offset …` in its two parts. A partition's GUID and device id may follow.
fn name_and_offset(rest: &str) -> (&str, Option<&str>) {
    let rest = rest.trim();
    match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((name, tail)) => (name, tail.split_whitespace().next()),
        None => ("", None),
    }
}

fn bad(line: &str, what: &str) -> Error {
    let shown: String = line.chars().take(80).collect();
    Error::malformed(format!("The extent line `{shown}`: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Disk DescriptorFile\r\nversion=1\r\nCID = 0Abc12ff\nparentCID=ffffffff\n\
        createType=\"twoGbMaxExtentFlat\"\n\nRW 8 FLAT \"a b.vmdk\" 16\nRDONLY 4 SPARSE \"s.vmdk\"\n\
        RW 2 ZERO\nNOACCESS 1 FLAT \"x\" 0\nRW 63 VMFSRDM \"lun-rdm.vmdk\"\n\
        ddb.adapterType = \"lsilogic\"\n";

    #[test]
    fn all_line_kinds() {
        let read = parse(TEXT).unwrap();
        assert_eq!(read.create_type, "twoGbMaxExtentFlat");
        assert_eq!((read.cid, read.parent_cid), (Some(0x0ABC_12FF), None));
        assert_eq!(read.adapter.as_deref(), Some("lsilogic"));
        let stores: Vec<_> = read.extents.iter().map(|line| line.store).collect();
        let wanted = [
            VmdkStorage::Flat,
            VmdkStorage::Sparse,
            VmdkStorage::Zero,
            VmdkStorage::Zero,
            VmdkStorage::Raw,
        ];
        assert_eq!(stores, wanted);
        let first = &read.extents[0];
        assert_eq!((first.len, first.offset), (4096, 8192));
        assert_eq!(first.name, "a b.vmdk");
    }

    #[test]
    fn a_descriptor_is_known_by_its_first_lines() {
        assert!(is_descriptor(TEXT.as_bytes()));
        assert!(is_descriptor(b"#x\n\nversion=1\ncreateType=\"vmfs\"\n"));
        assert!(!is_descriptor(b"version=1\nname=demo\n"));
        assert!(!is_descriptor(b"{\"version\": 1}"));
        assert!(!is_descriptor(&[0; 512]));
    }

    #[test]
    fn bad_lines_are_named_with_their_place() {
        for (line, at) in [
            ("RW -1 FLAT \"a\" 0", 0),
            ("RW 0 FLAT \"a\" 0", 0),
            ("RW 8 WHATEVER \"a\"", 0),
            ("\n\nRW 99999999999999999999 FLAT \"a\"", 2),
            ("RW 36028797018963968 FLAT \"a\"", 0),
            ("RW 8 FLAT \"a\" -5", 0),
        ] {
            assert_eq!(parse(line).unwrap_err().offset(), Some(at), "{line}");
        }
    }

    #[test]
    fn only_an_embedded_descriptor_may_leave_the_name_out() {
        let mkimg = parse("RW 20480 SPARSE \"\"\n").unwrap();
        assert_eq!(mkimg.extents[0].name, "");
        assert_eq!(names_files(&mkimg.extents).unwrap_err().offset(), Some(0));
        let plain = parse("#\nRW 8 FLAT").unwrap();
        assert_eq!(names_files(&plain.extents).unwrap_err().offset(), Some(2));
        assert!(names_files(&parse("RW 8 ZERO\n").unwrap().extents).is_ok());
    }

    #[test]
    fn extents_are_bounded() {
        let many = "RW 1 ZERO\n".repeat(MOST_EXTENTS + 1);
        assert!(parse(&many).is_err());
    }
}

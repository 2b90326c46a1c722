//! What an image says it lies on, read from its header alone: whether it could be opened does not matter.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_core::on_disk::bytes::{be32, be64, has, le32, le64};
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::source::{FileSource, Source};
use serde_json::Value;

use super::is_same;

/// What is read of an image before its format is known; descriptions of VMDKs are shorter.
const HEAD: usize = 64 << 10;
/// QEMU takes no longer name.
const LONGEST_NAME: usize = 1023;

/// What an image lies on.
#[derive(Debug, Default)]
pub struct Backing {
    /// The names of backing files, as written.
    pub parents: Vec<PathBuf>,
    /// The files that hold its own data, where it has none itself.
    pub data: Vec<PathBuf>,
    /// The id of a parent that is not named.
    parent_id: Option<Vec<u8>>,
    /// Its header could not be read to its end: it may lie on anything.
    pub is_unknown: bool,
}

/// What the image in a file lies on; `None`: it is no image of a format that has parents.
pub fn of(path: &Path) -> Option<Backing> {
    let file = File::open(path).ok()?;
    let mut head = vec![0; HEAD];
    let len = read(&file, &mut head);
    head.truncate(len);
    if has(&head, 0, b"QFI\xfb") {
        return Some(qcow(&file, &head).unwrap_or_else(unknown));
    }
    if has(&head, 0, b"QED\0") {
        return Some(qed(&file, &head).unwrap_or_else(unknown));
    }
    if le32(&head, VDI_MAGIC_AT) == VDI_MAGIC {
        return Some(vdi(&head));
    }
    if has(&head, 0, b"KDMV") || has(&head, 0, b"# Disk Desc") {
        return Some(vmdk(&file, &head));
    }
    let others: [&[u8]; 3] = [b"COWD", b"vhdxfile", b"conectix"];
    let is_other = others.iter().any(|magic| has(&head, 0, magic));
    is_other.then(|| by_reader(path).unwrap_or_else(unknown))
}

impl Backing {
    /// Whether a file is the parent that it names by its id.
    pub fn is_child_of(&self, file: &Path) -> bool {
        let Some(id) = &self.parent_id else {
            return false;
        };
        let mut head = vec![0; 512];
        let read = File::open(file).map(|file| read(&file, &mut head));
        let is_vdi = read.is_ok() && le32(&head, VDI_MAGIC_AT) == VDI_MAGIC;
        is_vdi && has(&head, VDI_ID, id)
    }
}

/// Whether a name in the image at `path` leads to `file`. Where it leads nowhere, because folders were moved, the last
/// part of it decides.
pub fn leads_to(name: &Path, path: &Path, file: &Path) -> bool {
    let real = path.canonicalize().ok();
    let folders = [Some(path), real.as_deref()].into_iter().flatten();
    let folders = folders.filter_map(Path::parent);
    // QEMU takes the names in `json:` from the folder that it runs in.
    let here = Path::new(".");
    let places: Vec<_> = folders
        .chain([here])
        .map(|folder| folder.join(name))
        .collect();
    if places.iter().any(|place| is_same(place, file)) {
        return true;
    }
    let is_lost = !places.iter().any(|place| place.exists());
    is_lost && name.file_name().is_some() && name.file_name() == file.file_name()
}

fn unknown() -> Backing {
    Backing {
        is_unknown: true,
        ..Backing::default()
    }
}

fn read(file: &File, buffer: &mut [u8]) -> usize {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, done as u64) {
            Ok(0) | Err(_) => break,
            Ok(more) => done += more,
        }
    }
    done
}

/// Bytes of a name; `None` where they are not there or too many.
fn name_at(file: &File, at: u64, len: usize) -> Option<PathBuf> {
    if len > LONGEST_NAME {
        return None;
    }
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(PathBuf::from(OsStr::from_bytes(&bytes)))
}

/// Versions 1 to 3 have the name of the backing file in the same place. `None`: it cannot be read.
fn qcow(file: &File, head: &[u8]) -> Option<Backing> {
    let (at, len) = (be64(head, 8), be32(head, 16));
    let mut backing = Backing::default();
    if at != 0 && len != 0 {
        let name = name_at(file, at, usize::try_from(len).ok()?)?;
        backing.parents = plain(&name)?;
    }
    let extensions = match be32(head, 4) {
        2 => 72,
        version if version >= 3 => usize::try_from(be32(head, 100)).ok()?,
        _ => return Some(backing),
    };
    if let Some(data) = data_file(head, extensions) {
        // Guest addresses are those of the file if it is marked as raw.
        let is_raw = be64(head, 88) & 2 != 0;
        match is_raw {
            true => backing.data.push(data),
            false => backing.parents.push(data),
        }
    }
    Some(backing)
}

/// The header extension that names an external data file.
fn data_file(head: &[u8], mut at: usize) -> Option<PathBuf> {
    loop {
        let body = at.checked_add(8)?;
        let (kind, len) = (be32(head, at), be32(head, at.checked_add(4)?));
        let len = usize::try_from(len).ok()?;
        let text = head.get(body..body.checked_add(len)?)?;
        match kind {
            0 => return None,
            0x4441_5441 => return Some(PathBuf::from(OsStr::from_bytes(text))),
            _ => at = body.checked_add(len.checked_next_multiple_of(8)?)?,
        }
    }
}

/// `QED_F_BACKING_FILE`; the header is little-endian (QEMU `docs/interop/qed_spec.txt`).
fn qed(file: &File, head: &[u8]) -> Option<Backing> {
    let mut backing = Backing::default();
    if le64(head, 16) & 1 != 0 {
        let (at, len) = (le32(head, 56), usize::try_from(le32(head, 60)).ok()?);
        backing.parents = plain(&name_at(file, u64::from(at), len)?)?;
    }
    Some(backing)
}

const VDI_MAGIC_AT: usize = 64;
const VDI_MAGIC: u32 = 0xbeda_107f;
/// The ids of an image and of its parent.
const VDI_ID: usize = 392;
const VDI_PARENT: usize = 424;

fn vdi(head: &[u8]) -> Backing {
    let id = head.get(VDI_PARENT..VDI_PARENT + 16);
    let id = id.filter(|id| id.iter().any(|byte| *byte != 0));
    Backing {
        parent_id: id.map(<[u8]>::to_vec),
        ..Backing::default()
    }
}

/// The description: text, in sectors that the header names, or all of the file.
fn vmdk(file: &File, head: &[u8]) -> Backing {
    let mut text = head.to_vec();
    if has(head, 0, b"KDMV") {
        let at = le64(head, 28).saturating_mul(512);
        let len = le64(head, 36).saturating_mul(512).min(HEAD as u64);
        text = vec![0; usize::try_from(len).unwrap_or(0)];
        if at != 0 && file.read_exact_at(&mut text, at).is_err() {
            return unknown();
        }
    }
    let text = String::from_utf8_lossy(&text);
    let mut backing = Backing::default();
    for line in text.lines() {
        let quoted = line.split('"').nth(1).map(PathBuf::from);
        let word = line.trim_start();
        if word.starts_with("parentFileNameHint") {
            backing.parents.extend(quoted);
        } else if ["RW ", "RDONLY ", "NOACCESS "]
            .iter()
            .any(|access| word.starts_with(access))
        {
            backing.data.extend(quoted);
        }
    }
    backing
}

/// Formats whose names are in structures of their own. `None`: the reader cannot open it.
fn by_reader(path: &Path) -> Option<Backing> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).ok()?);
    let policy = ImagePolicy {
        allow_backing: true,
        chain: vec![path.to_owned()],
    };
    let image = images::open(&source, &policy).ok()??;
    let opened = image
        .backing
        .as_ref()
        .map(|below| below.guest.path().to_owned());
    Some(Backing {
        parents: image.backing_path.into_iter().chain(opened).collect(),
        ..Backing::default()
    })
}

/// The files that a name of QEMU's leads to: a path, `file:PATH`, or the file names in `json:`. None for a disk on the
/// network; `None` where it makes no sense.
fn plain(name: &Path) -> Option<Vec<PathBuf>> {
    let bytes = name.as_os_str().as_bytes();
    if let Some(json) = bytes.strip_prefix(b"json:") {
        let value: Value = serde_json::from_slice(json).ok()?;
        let mut names = Vec::new();
        file_names(&value, &mut names);
        return Some(names);
    }
    let rest = bytes.strip_prefix(b"file:").unwrap_or(bytes);
    // QEMU's rule: a colon before the first slash ends a protocol.
    let is_local = rest.iter().find(|byte| matches!(byte, b':' | b'/')) != Some(&b':');
    Some(match is_local {
        true => vec![PathBuf::from(OsStr::from_bytes(rest))],
        false => Vec::new(),
    })
}

fn file_names(value: &Value, names: &mut Vec<PathBuf>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(name) if key == "filename" || key.ends_with(".filename") => {
                        names.push(PathBuf::from(name));
                    }
                    value => file_names(value, names),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| file_names(value, names)),
        _ => {}
    }
}

//! Opening the files that an image names: backing files, external data files, extents.
//!
//! A name inside an image is a claim by its author. Followed without care it reads `/etc/shadow` as
//! a disk, waits for ever on a FIFO, or loops. So a name stays in the folder of its image unless
//! the user allows more, and only files and block devices are opened.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::ImagePolicy;
use crate::confined::ConfinedFolder;
use crate::error::{Error, ErrorKind, Result};
use crate::source::{FileSource, Source};

/// Images on the way from the top of a chain to its base; QEMU warns far earlier.
const MOST_DEEP: usize = 32;

/// Opens the file that the image at `image_path` calls `written`, and gives the policy for what
/// that file names in turn.
///
/// A relative name counts from the folder of the image, as in QEMU and VMware.
pub fn open_beside(
    image_path: &Path,
    written: &Path,
    policy: &ImagePolicy,
) -> Result<(Arc<dyn Source>, ImagePolicy)> {
    let written = plain_name(written).map_err(|error| error.in_file(image_path))?;
    let target = resolve(image_path, &written, policy).map_err(|e| e.in_file(image_path))?;
    let policy = extended(image_path, &target, policy).map_err(|e| e.in_file(image_path))?;
    let source = open_judged(image_path, &target, &policy)?;
    Ok((Arc::new(source), policy))
}

/// Opens what was judged, and nothing that has come in its place since.
fn open_judged(image_path: &Path, target: &Path, policy: &ImagePolicy) -> Result<FileSource> {
    let home = canonical(folder_of(image_path))?;
    let folder = ConfinedFolder::open(&home)?.filter(|_| !policy.allow_backing);
    let opened = match (folder, target.strip_prefix(&home)) {
        (Some(folder), Ok(inside)) => FileSource::open_in(&folder, inside),
        _ => FileSource::open_judged(target),
    };
    opened.map_err(|error| error.in_file(target))
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The name without `file:`; another protocol is not followed.
///
/// QEMU's rule (`path_has_protocol`): a colon before the first slash ends a protocol.
fn plain_name(written: &Path) -> Result<PathBuf> {
    let bytes = written.as_os_str().as_bytes();
    if bytes.is_empty() {
        return Err(Error::malformed("It names a file with an empty name"));
    }
    if bytes.contains(&0) {
        return Err(Error::malformed("It names a file with a NUL in its name"));
    }
    let rest = bytes.strip_prefix(b"file:").unwrap_or(bytes);
    match rest.iter().find(|b| matches!(b, b':' | b'/')) {
        Some(b':') => Err(Error::unsupported(format!(
            "It rests on `{}`, which is not a plain file; \
             convert the chain with `qemu-img convert` first",
            written.display()
        ))),
        _ => Ok(PathBuf::from(std::ffi::OsStr::from_bytes(rest))),
    }
}

/// The canonical path of the target, inside the folder unless the policy allows more.
fn resolve(image_path: &Path, written: &Path, policy: &ImagePolicy) -> Result<PathBuf> {
    let folder = folder_of(image_path);
    let home = canonical(folder)?;
    // Judged by its letters first: what is refused is not even looked at, so that a name
    // cannot be used to ask which files exist.
    if !policy.allow_backing && leaves(written, folder, &home) {
        return Err(refused(written));
    }
    let target = canonical(&folder.join(written))?;
    if !policy.allow_backing && !target.starts_with(&home) {
        return Err(refused(written));
    }
    Ok(target)
}

fn leaves(written: &Path, folder: &Path, home: &Path) -> bool {
    written
        .components()
        .any(|part| part == Component::ParentDir)
        || (written.is_absolute() && !written.starts_with(folder) && !written.starts_with(home))
}

fn refused(written: &Path) -> Error {
    let what = format!(
        "It rests on `{}`, outside its own folder; pass --allow-backing to follow it",
        written.display()
    );
    Error::new(ErrorKind::Refused, what)
}

fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize()
        .map_err(|error| Error::io(format!("Cannot find `{}`", path.display()), error))
}

/// The chain with the image and the target; an error when the target is on it already.
fn extended(image_path: &Path, target: &Path, policy: &ImagePolicy) -> Result<ImagePolicy> {
    let mut policy = policy.clone();
    let image = image_path.canonicalize().ok();
    // The caller of the outermost image may not have put it on the chain.
    if let Some(image) = image.filter(|image| !policy.chain.contains(image)) {
        policy.chain.push(image);
    }
    if policy.chain.iter().any(|path| path == target) {
        let what = format!("It rests on itself by way of `{}`", target.display());
        return Err(Error::new(ErrorKind::Loop, what));
    }
    if policy.chain.len() >= MOST_DEEP {
        let what = format!("It rests on a chain of more than {MOST_DEEP} files");
        return Err(Error::too_large(what));
    }
    policy.chain.push(target.to_owned());
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<PathBuf> {
        plain_name(Path::new(text))
    }

    #[test]
    fn protocols_are_told_from_names() {
        assert_eq!(name("file:base.img").unwrap(), Path::new("base.img"));
        assert_eq!(name("./a:b").unwrap(), Path::new("./a:b"));
        for text in [
            "json:{}",
            "nbd://host/x",
            "rbd:pool/x",
            "file:nbd:x",
            "host_device:/dev/x",
        ] {
            assert_eq!(
                name(text).unwrap_err().kind(),
                ErrorKind::Unsupported,
                "{text}"
            );
        }
        assert_eq!(name("").unwrap_err().kind(), ErrorKind::Malformed);
        assert_eq!(name("a\0b").unwrap_err().kind(), ErrorKind::Malformed);
    }

    #[test]
    fn names_that_leave_are_seen() {
        let (folder, home) = (Path::new("link"), Path::new("/vm"));
        for inside in ["a", "sub/a", "./a", "/vm/a"] {
            assert!(!leaves(Path::new(inside), folder, home), "{inside}");
        }
        for outside in [
            "../a",
            "sub/../../a",
            "/etc/shadow",
            "/vm/../etc/x",
            "/vmx/a",
        ] {
            assert!(leaves(Path::new(outside), folder, home), "{outside}");
        }
    }
}

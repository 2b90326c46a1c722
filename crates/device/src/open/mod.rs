//! Opening a target of each kind, with its refusals.

mod by_name;
mod file;
mod folder;

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_core::Bytes;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, ioctl_blksszget};
use rustix::io::Errno;

use crate::cache::{self, Caches};
use crate::direct::{self, Direct};
use crate::pinned::Pinned;
use crate::target::{Target, TargetFile, TargetKind};
use crate::target_request::TargetRequest;
use crate::users::{self, Use, users};
use crate::{Error, ErrorKind, Result, content, create, in_flight};

/// Closed rings release their devices only after a while; opening is retried for this time.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// A block device.
pub(crate) fn block(path: &Path, pinned: &Pinned, want: &TargetRequest) -> Result<Target> {
    let mut notes = Vec::new();
    in_flight::check(path, pinned, want.write, &mut notes)?;
    check_users(pinned, want.write, &mut notes)?;
    if want.write && users::is_read_only(&pinned.path()) {
        return Err(Error::new(ErrorKind::Io, "is read-only").advise("measure reads"));
    }
    let file = open(pinned, want.write, exclusive(want))?;
    let whole = (&file)
        .seek(SeekFrom::End(0))
        .map_err(|error| Error::io("its size cannot be read", error))?;
    let size_bytes = usable(whole, want)?;
    check_empty(&file, size_bytes, want, path)?;
    let is_direct = past_the_cache(&file, want, &mut notes)?;
    let sector = ioctl_blksszget(&file).map_or(512, u64::from);
    let member = TargetFile {
        path: path.to_owned(),
        file,
        size_bytes,
        scratch: None,
    };
    finish(
        path,
        TargetKind::Block,
        vec![member],
        is_direct,
        sector,
        want,
        notes,
    )
}

/// A file.
pub(crate) fn file(path: &Path, pinned: &Pinned, want: &TargetRequest) -> Result<Target> {
    let mut notes = Vec::new();
    let (member, is_direct) = file::existing(path, pinned, want, path, &mut notes)?;
    finish(
        path,
        TargetKind::File,
        vec![member],
        is_direct,
        1,
        want,
        notes,
    )
}

/// A file that is not there.
pub(crate) fn new_file(path: &Path, want: &TargetRequest) -> Result<Target> {
    let mut notes = Vec::new();
    let (folder, name) = create::folder_of(path)?;
    let (member, is_direct) = file::made(path, &folder, &name, want, &mut notes)?;
    finish(
        path,
        TargetKind::File,
        vec![member],
        is_direct,
        1,
        want,
        notes,
    )
}

/// How much of a target of `whole` bytes is used.
fn usable(whole: u64, want: &TargetRequest) -> Result<u64> {
    match want.size_bytes {
        _ if whole == 0 => Err(Error::new(ErrorKind::Unsupported, "is empty: 0 bytes long")
            .advise("give a size to have it filled, or another target")),
        Some(size) if size > whole => Err(Error::new(
            ErrorKind::Unsupported,
            format!(
                "has {}, and {} were asked for",
                Bytes::new(whole),
                Bytes::new(size)
            ),
        )
        .advise("ask for no more than it has")),
        Some(size) => Ok(size),
        None => Ok(whole),
    }
}

fn check_users(pinned: &Pinned, write: bool, notes: &mut Vec<String>) -> Result<()> {
    let all = users_patiently(pinned, write);
    match all.first() {
        Some(used) if write => {
            Err(Error::new(ErrorKind::InUse, format!("is in use: {used}")).advise(used.remedy()))
        }
        Some(used) => {
            notes.push(format!(
                "{used}: its own I/O continues during the measurement"
            ));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Rings of a run that has just ended hold its locks on files for a while as well.
fn users_patiently(pinned: &Pinned, write: bool) -> Vec<Use> {
    let begun = Instant::now();
    loop {
        let all = users(&pinned.path());
        // A program that looks at devices (losetup, udev) has one open for a moment.
        let may_end = |used: &Use| matches!(used, Use::Program | Use::OpenForWriting { .. });
        let is_lasting = all.is_empty() || !all.iter().all(may_end);
        if !write || is_lasting || begun.elapsed() > PATIENCE {
            return all;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Refuses to write over data, unless the target was named for it.
fn check_empty(file: &File, size_bytes: u64, want: &TargetRequest, target: &Path) -> Result<()> {
    if !want.write || want.destroy.is_some() {
        return Ok(());
    }
    let cannot = |error| Error::io("cannot be read to see whether it is empty", error);
    let Some(at) = content::first_data(file, size_bytes).map_err(cannot)? else {
        return Ok(());
    };
    Err(Error::new(
        ErrorKind::Refused,
        format!("holds data (at byte {at}) that writing would destroy"),
    )
    .advise(meant(target)))
}

fn meant(target: &Path) -> String {
    format!(
        "if that is meant, name it again: --destroy-data {}",
        target.display()
    )
}

/// A device that is written is claimed, so that it cannot be mounted in the meantime.
fn exclusive(want: &TargetRequest) -> OFlags {
    if want.write {
        OFlags::EXCL
    } else {
        OFlags::empty()
    }
}

/// The one descriptor by which a target is judged, filled and used.
fn open(pinned: &Pinned, write: bool, more: OFlags) -> Result<File> {
    while_busy(|| pinned.open(write, more)).map_err(|error| explain(error, write))
}

/// Opens a device that another program has claimed as soon as it is free, for two seconds at most. Programs that look at
/// new devices, children between their fork and their exec, and rings that were closed hold one for a moment.
pub fn while_busy(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    let begun = Instant::now();
    loop {
        let file = open();
        let is_busy = matches!(&file, Err(e) if e.kind() == io::ErrorKind::ResourceBusy);
        if !is_busy || begun.elapsed() > PATIENCE {
            return file;
        }
        std::thread::sleep(PAUSE);
    }
}

/// From now on the file is read and written past the page cache, where that is wanted and possible.
fn past_the_cache(file: &File, want: &TargetRequest, notes: &mut Vec<String>) -> Result<bool> {
    let failed = |error: Errno| Error::io("its mode of access cannot be set", error.into());
    let flags = fcntl_getfl(file).map_err(failed)?;
    // Times of access cost some processor time each read; who does not own a file must bear it.
    let quiet = flags | OFlags::NOATIME;
    let flags = fcntl_setfl(file, quiet).map_or(flags, |()| quiet);
    if !want.direct {
        return Ok(false);
    }
    match fcntl_setfl(file, flags | OFlags::DIRECT) {
        Ok(()) => {
            // btrfs answers direct reads from pages that are cached already (Linux 6.18).
            if file.metadata().is_ok_and(|found| found.is_file()) {
                let _ = cache::drop_pages(file);
            }
            Ok(true)
        }
        Err(Errno::INVAL) => {
            notes.push(
                "its file system has no O_DIRECT: I/O goes through the page cache".to_owned(),
            );
            Ok(false)
        }
        Err(error) => Err(failed(error)),
    }
}

fn explain(error: io::Error, write: bool) -> Error {
    let how = if write {
        "reading and writing"
    } else {
        "reading"
    };
    let kind = error.kind();
    let failed = Error::io(format!("cannot be opened for {how}"), error);
    match kind {
        io::ErrorKind::PermissionDenied => {
            failed.advise("run as root, or as a user who may do so, or take a file of your own")
        }
        io::ErrorKind::ReadOnlyFilesystem => failed.advise("it is read-only: measure reads"),
        io::ErrorKind::ResourceBusy => Error::new(
            ErrorKind::InUse,
            "is in use: the kernel or another program has claimed it",
        )
        .advise("see what holds it: lsblk, fuser -v"),
        _ => failed,
    }
}

fn finish(
    path: &Path,
    kind: TargetKind,
    members: Vec<TargetFile>,
    is_direct: bool,
    sector: u64,
    want: &TargetRequest,
    mut notes: Vec<String>,
) -> Result<Target> {
    let Some(first) = members.first() else {
        return Err(Error::new(ErrorKind::Unsupported, "has no files"));
    };
    let found = direct::probe_direct_io(&first.file, kind == TargetKind::Block);
    let direct: Option<Direct> = found.filter(|_| is_direct);
    if is_direct && direct.is_none() {
        return Err(
            Error::new(ErrorKind::Unsupported, "no read succeeds with O_DIRECT")
                .advise("measure through the page cache: --buffered"),
        );
    }
    let caches = Caches::below(&first.file, &mut notes);
    Ok(Target {
        path: path.to_owned(),
        kind,
        logical_bytes: direct.map_or(sector, |direct| direct.offset_bytes.max(sector)),
        direct,
        write: want.write,
        caches,
        notes,
        members,
        below: None,
    })
}

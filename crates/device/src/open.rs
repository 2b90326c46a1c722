//! Opening a target of each kind, with its refusals.

pub(crate) mod folder;

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_core::Bytes;
use rustix::fs::{OFlags, ioctl_blksszget};
use rustix::io::Errno;

use crate::cache::Caches;
use crate::direct::{self, Direct};
use crate::scratch::{self, Scratch};
use crate::target::{Kind, Member, Target, Want};
use crate::users::{self, Use, users};
use crate::{Error, ErrorKind, Result, content, lock};

/// Rings that were closed give their devices back only after a while; so long it is tried again.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// A block device.
pub(crate) fn block(path: &Path, want: &Want) -> Result<Target> {
    let mut notes = Vec::new();
    check_users(path, want.write, &mut notes)?;
    if want.write && users::is_read_only(path) {
        return Err(Error::new(ErrorKind::Io, "is read-only").advise("measure reads"));
    }
    let (file, is_direct) = open(path, want, exclusive(want), &mut notes)?;
    let whole = (&file)
        .seek(SeekFrom::End(0))
        .map_err(|error| Error::io("its size cannot be read", error))?;
    let size_bytes = usable(whole, want)?;
    check_empty(path, size_bytes, want, path)?;
    let sector = ioctl_blksszget(&file).map_or(512, u64::from);
    let members = vec![member(path, file, size_bytes)];
    finish(path, Kind::Block, members, is_direct, sector, want, notes)
}

/// A file, which is made where there is none.
pub(crate) fn file(path: &Path, want: &Want) -> Result<Target> {
    let mut notes = Vec::new();
    check_users(path, want.write, &mut notes)?;
    let scratch = scratch::provide(path, want, &mut notes)?;
    if scratch == Scratch::Foreign {
        check_empty(path, usable(length(path)?, want)?, want, path)?;
    }
    let member = open_member(path, want, &mut notes)?;
    finish(path, Kind::File, vec![member.0], member.1, 1, want, notes)
}

fn open_member(path: &Path, want: &Want, notes: &mut Vec<String>) -> Result<(Member, bool)> {
    let (file, is_direct) = open(path, want, OFlags::empty(), notes)?;
    if want.write {
        // No machine is started on it for as long as the load goes on.
        lock::exclusive(&file, path)?;
    }
    let size_bytes = usable(length(path)?, want)?;
    Ok((member(path, file, size_bytes), is_direct))
}

fn member(path: &Path, file: File, size_bytes: u64) -> Member {
    Member {
        path: path.to_owned(),
        file,
        size_bytes,
    }
}

fn length(path: &Path) -> Result<u64> {
    let found = path.metadata();
    Ok(found
        .map_err(|error| Error::io("cannot be looked at", error))?
        .len())
}

/// How much of a target of `whole` bytes is used.
fn usable(whole: u64, want: &Want) -> Result<u64> {
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

fn check_users(path: &Path, write: bool, notes: &mut Vec<String>) -> Result<()> {
    let all = users_patiently(path, write);
    match all.first() {
        Some(used) if write => {
            Err(Error::new(ErrorKind::InUse, format!("is in use: {used}")).advise(used.remedy()))
        }
        Some(used) => {
            notes.push(format!(
                "{used}: its own I/O goes on beside the measurement"
            ));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Rings of a run that has just ended hold its locks on files for a while as well.
fn users_patiently(path: &Path, write: bool) -> Vec<Use> {
    let begun = Instant::now();
    loop {
        let all = users(path);
        if !write || all != [Use::Program] || begun.elapsed() > PATIENCE {
            return all;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Refuses to write over data, unless the target was named for it.
fn check_empty(path: &Path, size_bytes: u64, want: &Want, target: &Path) -> Result<()> {
    if !want.write || want.destroy.is_some() {
        return Ok(());
    }
    let cannot = |error| Error::io("cannot be read to see whether it is empty", error);
    let file = File::open(path).map_err(cannot)?;
    let Some(at) = content::first_data(&file, size_bytes).map_err(cannot)? else {
        return Ok(());
    };
    Err(Error::new(
        ErrorKind::Refused,
        format!("holds data (at byte {at}) that writing would destroy"),
    )
    .advise(format!(
        "if that is meant, name it again: --destroy-data {}",
        target.display()
    )))
}

/// A device that is written is claimed: nobody can mount it meanwhile.
fn exclusive(want: &Want) -> OFlags {
    if want.write {
        OFlags::EXCL
    } else {
        OFlags::empty()
    }
}

/// The open file, and whether it goes past the page cache.
fn open(path: &Path, want: &Want, more: OFlags, notes: &mut Vec<String>) -> Result<(File, bool)> {
    if want.direct {
        match open_patiently(path, want.write, more | OFlags::DIRECT) {
            Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
                notes.push(
                    "its file system has no O_DIRECT: I/O goes through the page cache".to_owned(),
                );
            }
            other => return other.map(|file| (file, true)).map_err(|e| explain(e, want)),
        }
    }
    let file = open_patiently(path, want.write, more).map_err(|error| explain(error, want))?;
    Ok((file, false))
}

fn open_patiently(path: &Path, write: bool, flags: OFlags) -> io::Result<File> {
    let begun = Instant::now();
    loop {
        // Times of access cost some processor time each read; who does not own a file must bear it.
        let quietly = open_once(path, write, flags | OFlags::NOATIME);
        let file = match quietly {
            Err(error) if error.raw_os_error() == Some(Errno::PERM.raw_os_error()) => {
                open_once(path, write, flags)
            }
            other => other,
        };
        let is_busy = matches!(&file, Err(e) if e.kind() == io::ErrorKind::ResourceBusy);
        if !is_busy || begun.elapsed() > PATIENCE {
            return file;
        }
        std::thread::sleep(PAUSE);
    }
}

fn open_once(path: &Path, write: bool, flags: OFlags) -> io::Result<File> {
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(write)
        .custom_flags(flags)
        .open(path)
}

fn explain(error: io::Error, want: &Want) -> Error {
    let how = if want.write {
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
    kind: Kind,
    members: Vec<Member>,
    is_direct: bool,
    sector: u64,
    want: &Want,
    mut notes: Vec<String>,
) -> Result<Target> {
    let Some(first) = members.first() else {
        return Err(Error::new(ErrorKind::Unsupported, "has no files"));
    };
    let found = direct::of(&first.file, kind == Kind::Block);
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
    })
}

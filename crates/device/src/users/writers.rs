//! Processes that have a file or a device open, or mapped and shared, for writing.

use std::fs;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

use super::Use;
use super::processes::OtherProcess;

/// The search ends after this many open files: writers behind them are not found.
const MOST_FILES: usize = 1 << 18;
/// `O_ACCMODE`, `O_RDONLY` and the flag of a descriptor for a path alone, `O_PATH`.
const ACCESS: u32 = 0o3;
const READ_ONLY: u32 = 0;
const PATH_ONLY: u32 = 0o10_000_000;

/// A file, or devices.
enum WriterQuery<'a> {
    File((u64, u64)),
    Devices(&'a [u64]),
}

pub(super) fn of_file(processes: &[OtherProcess], file: (u64, u64)) -> Vec<Use> {
    look(processes, &WriterQuery::File(file))
}

pub(super) fn of_devices(processes: &[OtherProcess], numbers: &[u64]) -> Vec<Use> {
    look(processes, &WriterQuery::Devices(numbers))
}

fn look(processes: &[OtherProcess], wanted: &WriterQuery<'_>) -> Vec<Use> {
    let mut left = MOST_FILES;
    let writes =
        |process: &&OtherProcess| wanted.is_open(process, &mut left) || wanted.is_mapped(process);
    let found = processes.iter().filter(writes);
    found
        .map(|process| Use::OpenForWriting {
            pid: process.pid,
            name: process.name(),
        })
        .collect()
}

impl WriterQuery<'_> {
    /// Whether a descriptor of the process can write to it.
    fn is_open(&self, process: &OtherProcess, left: &mut usize) -> bool {
        let entries = fs::read_dir(process.file("fd")).into_iter().flatten();
        for entry in entries.flatten() {
            let Some(rest) = left.checked_sub(1) else {
                return false;
            };
            *left = rest;
            if self.is_at(&entry.path())
                && is_writing(process, &entry.file_name().to_string_lossy())
            {
                return true;
            }
        }
        false
    }

    /// Whether a link of `/proc` leads to it. No server is asked: a network file system may not answer.
    fn is_at(&self, link: &Path) -> bool {
        let Ok(found) = statx(CWD, link, AtFlags::STATX_DONT_SYNC, StatxFlags::BASIC_STATS) else {
            return false;
        };
        let node = makedev(found.stx_rdev_major, found.stx_rdev_minor);
        match self {
            Self::File(file) => {
                let device = makedev(found.stx_dev_major, found.stx_dev_minor);
                node == 0 && (device, found.stx_ino) == *file
            }
            Self::Devices(numbers) => is_block(found.stx_mode) && numbers.contains(&node),
        }
    }

    /// Whether a shared mapping of the process writes to it: the descriptor may be closed by then.
    fn is_mapped(&self, process: &OtherProcess) -> bool {
        let maps = fs::read(process.file("maps")).unwrap_or_default();
        let maps = String::from_utf8_lossy(&maps);
        // `7f00-7f10 rw-s 00000000 08:01 1234  /path`
        maps.lines().any(|line| {
            let mut fields = line.split(' ');
            let (Some(range), Some(access)) = (fields.next(), fields.next()) else {
                return false;
            };
            let writes = matches!(access.as_bytes(), [_, b'w', _, b's']);
            writes && self.is_at(&process.file(&format!("map_files/{range}")))
        })
    }
}

fn is_block(mode: u16) -> bool {
    u32::from(mode) & libc::S_IFMT == libc::S_IFBLK
}

/// By the flags of a descriptor, which are octal: `flags: 0100002`.
fn is_writing(process: &OtherProcess, number: &str) -> bool {
    let text = fs::read_to_string(process.file(&format!("fdinfo/{number}")));
    let text = text.unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & PATH_ONLY == 0 && flags & ACCESS != READ_ONLY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    /// The look leaves its own process out, so the functions below it are asked.
    #[test]
    fn descriptors_that_write_are_told_from_those_that_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "x").unwrap();
        let found = fs::metadata(&path).unwrap();
        let wanted = WriterQuery::File((found.dev(), found.ino()));
        let own = OtherProcess {
            pid: std::process::id(),
        };
        let is_open = || wanted.is_open(&own, &mut 1000);
        let reading = fs::File::open(&path).unwrap();
        assert!(!is_open());
        let writing = fs::File::options().append(true).open(&path).unwrap();
        assert!(is_open());
        drop((reading, writing));
        assert!(!is_open());
    }
}

//! Where bytes come from: a file, a block device, a guest's view of an image, memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{Mode, OFlags, SeekFrom, seek};
use rustix::io::Errno;

use crate::confined::ConfinedFolder;
use crate::error::{Error, Result};
use crate::trail::Trail;

/// Random-access bytes that never change under the reader's feet in a harmful way: a reader that
/// sees two states of a live device may report nonsense, but it cannot panic or hang.
pub trait Source: Send + Sync {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Whether there is nothing to read.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` from `offset`, or fails; never reads past [`Source::len`].
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;

    /// The file behind it, for messages.
    fn path(&self) -> &Path;

    /// How many bytes from `offset` on are known to be zeros without a look at them; 0 where that is
    /// not known.
    fn zeros_at(&self, _offset: u64) -> u64 {
        0
    }

    /// The destination of recorded reads, if they are recorded.
    fn trail(&self) -> Option<&Trail> {
        None
    }
}

/// Bytes of a cache page. Superblocks are small and far apart: with pages of 16 KiB a third of the
/// time of a run on one image was clearing and copying unused bytes.
const PAGE: usize = 4 << 10;
const PAGE_BYTES: u64 = PAGE as u64;
/// Pages kept: 256 KiB a source.
const PAGES: usize = 64;
/// Holes remembered.
const HOLES: usize = 16;
/// After this many pages of zeros that are not holes, the file counts as one without holes.
const DOUBTS: u8 = 4;

/// A file or block device, read through a small cache.
pub struct FileSource {
    file: File,
    path: PathBuf,
    len: u64,
    cache: Mutex<Cache>,
}

/// The pages read last, by their number.
struct Cache {
    /// Pages of zeros, which most places are where a superblock could be and is not, are kept as
    /// `None`: a kept page costs a page fault, more than the read itself.
    pages: Vec<(u64, Option<Box<[u8]>>)>,
    /// Where the next page is read to.
    buffer: Vec<u8>,
    /// Stretches that the file system holds no data for: they are zeros without being read. Most
    /// images are sparse, and most probes of most readers fall into their holes.
    holes: Vec<Range<u64>>,
    /// Pages of zeros that were no holes.
    doubts: u8,
}

impl Cache {
    const fn new() -> Self {
        Self {
            pages: Vec::new(),
            buffer: Vec::new(),
            holes: Vec::new(),
            doubts: 0,
        }
    }

    fn is_hole(&self, start: u64, end: u64) -> bool {
        let covers = |hole: &Range<u64>| hole.start <= start && end <= hole.end;
        self.holes.iter().any(covers)
    }
}

impl FileSource {
    /// Opens a regular file or block device for reading.
    ///
    /// A FIFO would block the open, and a character device may act on it (rewind a tape), so the
    /// type is asked before; again after, because the name may mean something else by then.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, OFlags::empty())
    }

    /// The same for a path that was made canonical and judged: a link that has come in its place
    /// since is not followed.
    pub fn open_judged(path: &Path) -> Result<Self> {
        Self::open_with(path, OFlags::NOFOLLOW)
    }

    /// The same for one that was judged by its place in a folder: through no link at all.
    pub(crate) fn open_in(folder: &ConfinedFolder, inside: &Path) -> Result<Self> {
        let path = folder.path_of(inside);
        Self::open_by(&path, || folder.open_file(inside))
    }

    fn open_with(path: &Path, more: OFlags) -> Result<Self> {
        let flags = more | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Self::open_by(path, || {
            let opened = rustix::fs::open(path, flags, Mode::empty());
            let fd = opened.map_err(|e| Error::io("Cannot open it", e.into()).in_file(path))?;
            Ok(File::from(fd))
        })
    }

    fn open_by(path: &Path, open: impl FnOnce() -> Result<File>) -> Result<Self> {
        let failed = |error| Error::io("Cannot open it", error).in_file(path);
        let check = |data: std::fs::Metadata| check_type(&data).map_err(|e| e.in_file(path));
        check(path.metadata().map_err(failed)?)?;
        let file = open()?;
        check(file.metadata().map_err(failed)?)?;
        Self::from_file(file, path)
    }

    /// Takes a file or block device that is open for reading; `path` names it in messages.
    pub fn from_file(mut file: File, path: &Path) -> Result<Self> {
        let failed = |error| Error::io("Cannot open it", error).in_file(path);
        // `metadata` gives 0 for a block device; seeking to the end gives the size of both.
        let len = io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(failed)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            len,
            cache: Mutex::new(Cache::new()),
        })
    }

    /// The open file, for ioctls.
    pub const fn file(&self) -> &File {
        &self.file
    }

    fn read_page(&self, page: u64, cache: &mut Cache) -> Result<()> {
        let start = page * PAGE_BYTES;
        let len = usize::try_from(self.len.saturating_sub(start)).map_or(PAGE, |n| n.min(PAGE));
        if cache.buffer.is_empty() {
            cache.buffer = vec![0; PAGE];
        }
        let bytes = cache.buffer.get_mut(..len).unwrap_or_default();
        self.read_file(start, bytes)?;
        let kept = (!is_zero(bytes)).then(|| Box::from(&*bytes));
        if kept.is_none() {
            self.note_hole(start, cache);
        }
        if cache.pages.len() >= PAGES {
            cache.pages.remove(0);
        }
        cache.pages.push((page, kept));
        Ok(())
    }

    /// Asks how far the zeros at `start` go on as a hole of the file. A block device does not know.
    fn note_hole(&self, start: u64, cache: &mut Cache) {
        if cache.doubts >= DOUBTS || cache.holes.len() >= HOLES {
            return;
        }
        let end = match seek(&self.file, SeekFrom::Data(start)) {
            Ok(data) => data,
            // No data up to the end.
            Err(Errno::NXIO) => self.len,
            Err(_) => 0,
        };
        if end > start {
            cache.holes.push(start..end.min(self.len));
        } else {
            cache.doubts += 1;
        }
    }

    fn read_file(&self, start: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(out, start).map_err(|error| {
            Error::io("Cannot read it", error)
                .in_file(&self.path)
                .at(start)
        })
    }

    /// Copies what `page` holds of the range; reads the page at most once while it is cached.
    fn copy_page(&self, page: u64, from: usize, out: &mut [u8]) -> Result<()> {
        let mut cache = self
            .cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let start = page * PAGE_BYTES + from as u64;
        if cache.is_hole(start, start + out.len() as u64) {
            out.fill(0);
            return Ok(());
        }
        if !cache.pages.iter().any(|(cached, _)| *cached == page) {
            self.read_page(page, &mut cache)?;
        }
        match cache.pages.iter().find(|(cached, _)| *cached == page) {
            Some((_, Some(bytes))) => match bytes.get(from..from + out.len()) {
                Some(part) => out.copy_from_slice(part),
                None => return Err(Error::malformed("It shrank while being read")),
            },
            _ => out.fill(0),
        }
        Ok(())
    }
}

/// By blocks, which is some thirty times the speed of byte by byte.
fn is_zero(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<64>();
    blocks.iter().all(|block| *block == [0; 64]) && rest.iter().all(|byte| *byte == 0)
}

fn check_type(metadata: &std::fs::Metadata) -> Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() || kind.is_block_device() {
        return Ok(());
    }
    let name = if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a character device"
    };
    Err(Error::unsupported(format!(
        "It is {name}, not a file or block device"
    )))
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        if buffer.len() > PAGE {
            // A table: read once, and it would push the superblocks out of the cache.
            return self.read_file(offset, buffer);
        }
        let (mut offset, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let from = usize::try_from(offset % PAGE_BYTES).unwrap_or(0);
            let part = rest.len().min(PAGE - from);
            let (now, later) = rest.split_at_mut(part);
            self.copy_page(offset / PAGE_BYTES, from, now)?;
            offset += part as u64;
            rest = later;
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn zeros_at(&self, offset: u64) -> u64 {
        let data = match seek(&self.file, SeekFrom::Data(offset)) {
            Ok(data) => data,
            Err(Errno::NXIO) => self.len,
            Err(_) => offset,
        };
        data.min(self.len).saturating_sub(offset)
    }
}

/// Bytes in memory: those that came without a file, tests and fuzzing.
pub struct MemorySource {
    bytes: Vec<u8>,
    path: PathBuf,
}

impl MemorySource {
    /// Wraps `bytes`.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            path: PathBuf::from("memory"),
        }
    }

    /// Wraps `bytes`, which messages call `path`.
    pub fn named(bytes: impl Into<Vec<u8>>, path: &Path) -> Self {
        Self {
            bytes: bytes.into(),
            path: path.to_owned(),
        }
    }
}

impl Source for MemorySource {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        let start = usize::try_from(offset).map_err(|_| Error::malformed("Offset too large"))?;
        match self.bytes.get(start..start + buffer.len()) {
            Some(part) => buffer.copy_from_slice(part),
            None => return Err(past_end(self, offset, buffer.len())),
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Fails when `[offset, offset + len)` is not inside `source`.
pub fn check_range(source: &(impl Source + ?Sized), offset: u64, len: usize) -> Result<()> {
    match offset.checked_add(len as u64) {
        Some(end) if end <= source.len() => Ok(()),
        _ => Err(past_end(source, offset, len)),
    }
}

fn past_end(source: &(impl Source + ?Sized), offset: u64, len: usize) -> Error {
    Error::malformed(format!(
        "{len} bytes are wanted past the end of {} bytes",
        source.len()
    ))
    .in_file(source.path())
    .at(offset)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_holes_of_a_sparse_file_are_zeros_and_its_data_is_read() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 30).unwrap();
        // In the middle of a page, at page ends, a byte alone in the midst of a hole, at the end.
        let places = [0, 5000, 8191, 65_536, 100 << 20, (1 << 30) - 1];
        for at in places {
            file.write_all_at(&[7], at).unwrap();
        }
        let source = FileSource::from_file(file, Path::new("sparse")).unwrap();
        let read = |at| {
            let mut byte = [9];
            source.read_at(at, &mut byte).unwrap();
            byte[0]
        };
        for at in (0..1 << 30).step_by((1 << 20) - 1) {
            assert_eq!(read(at), if places.contains(&at) { 7 } else { 0 }, "{at}");
        }
        for at in places {
            assert_eq!(read(at), 7, "{at}");
            assert_eq!(
                read(at.saturating_sub(1)),
                if at == 0 { 7 } else { 0 },
                "{at}"
            );
        }
        let cache = source.cache.lock().unwrap();
        // Where the temporary folder's file system knows holes, few pages are read.
        assert!(cache.doubts == DOUBTS || !cache.holes.is_empty());
    }

    #[test]
    fn every_range_reads_as_the_file_does() {
        // Pages of zeros, pages with one byte, a short last page; more pages than are kept.
        let mut bytes = vec![0; 100 * PAGE + 1000];
        for page in (0..100).step_by(3) {
            bytes[page * PAGE + page] = 1 + u8::try_from(page).unwrap();
        }
        bytes.extend([7; 30]);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let source = FileSource::open(file.path()).unwrap();
        for len in [1, 64, 4096, 4097, 20_000] {
            for at in (0..bytes.len() - len).step_by(1021) {
                let mut read = vec![9; len];
                source.read_at(at as u64, &mut read).unwrap();
                assert!(read == bytes[at..at + len], "{len} bytes at {at}");
            }
        }
        let mut last = [0; 30];
        source.read_at(bytes.len() as u64 - 30, &mut last).unwrap();
        assert_eq!(last, [7; 30]);
        assert!(source.read_at(bytes.len() as u64 - 29, &mut last).is_err());
    }
}

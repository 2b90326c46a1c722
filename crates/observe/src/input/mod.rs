//! Files, pipes and compressed files as one stream of bytes, cut into chunks.

pub mod chunks;
mod pipe;
mod squeezed;

use std::fs::File;
use std::io::{Cursor, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{ObserveError, ObserveErrorKind, Result};
use pipe::StoppablePipe;

/// Bytes in order.
pub type ByteStream = Box<dyn Read + Send>;

/// Bytes that are used to detect the format.
pub const HEAD: u64 = 64 << 10;

/// A stream whose beginning is known.
pub struct Input {
    /// For messages.
    pub path: PathBuf,
    /// The first 64 KiB, uncompressed; fewer if the trace is shorter.
    pub head: Vec<u8>,
    /// All of it, the head included.
    pub reader: ByteStream,
    /// `gzip`, `zstd`, `xz`, where it is compressed.
    pub compression: Option<&'static str>,
    /// Set when the compressed data end before their end.
    pub cut: Arc<AtomicBool>,
}

/// Opens a trace; `-` is standard input.
pub fn open(path: &Path) -> Result<Input> {
    open_until(path, &Arc::default())
}

/// The same; what is no file, and may have nothing to read for long, ends when `stop` is set.
pub fn open_until(path: &Path, stop: &Arc<AtomicBool>) -> Result<Input> {
    let failed = |error| ObserveError::io("Cannot open it", error).in_file(path);
    let file = if path.as_os_str() == "-" {
        let own = std::io::stdin().as_fd().try_clone_to_owned();
        File::from(own.map_err(failed)?)
    } else {
        File::open(path).map_err(failed)?
    };
    let kind = file.metadata().map_err(failed)?.file_type();
    if kind.is_dir() {
        let what = "It is a folder: name the trace files in it";
        return Err(ObserveError::new(ObserveErrorKind::Unsupported, what).in_file(path));
    }
    // Reading a plain file never blocks; files of tracefs look plain, except for their size.
    let raw: ByteStream = if kind.is_file() && !endless(&file) {
        Box::new(file)
    } else {
        Box::new(StoppablePipe::new(file, stop))
    };
    of_reader(raw, path)
}

/// `trace_pipe` of the kernel: a file by its type, and a pipe by what it does.
fn endless(file: &File) -> bool {
    const TRACEFS: rustix::fs::FsWord = 0x7472_6163;
    rustix::fs::fstatfs(file).is_ok_and(|data| data.f_type == TRACEFS)
}

/// The same for any stream.
pub fn of_reader(raw: ByteStream, path: &Path) -> Result<Input> {
    let (head, raw) = peek(raw).map_err(|e| ObserveError::io("Cannot read it", e).in_file(path))?;
    let Some(compression) = squeezed::detect(&head) else {
        return Ok(Input {
            path: path.to_owned(),
            head,
            reader: raw,
            compression: None,
            cut: Arc::default(),
        });
    };
    let failed =
        |e| ObserveError::io(format!("Cannot read it as {}", compression.name), e).in_file(path);
    let cut = Arc::default();
    let plain = CutOff {
        plain: (compression.open)(raw).map_err(failed)?,
        cut: Arc::clone(&cut),
    };
    let (head, reader) = peek(Box::new(plain)).map_err(failed)?;
    Ok(Input {
        path: path.to_owned(),
        head,
        reader,
        compression: Some(compression.name),
        cut,
    })
}

/// Whether the data ended too early: the decoder of zstd has that as the cause of an error of its own.
fn is_end(error: &std::io::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(one) = cause {
        if let Some(io) = one.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::UnexpectedEof
        {
            return true;
        }
        let inner = one
            .downcast_ref::<std::io::Error>()
            .and_then(|io| io.get_ref());
        cause = match inner {
            Some(inner) => Some(inner),
            None => one.source(),
        };
    }
    false
}

/// Compressed data that may end too early, as those of a full disk or a killed program do: what is there is read as of
/// a plain file.
struct CutOff {
    plain: ByteStream,
    cut: Arc<AtomicBool>,
}

impl Read for CutOff {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match self.plain.read(out) {
            Err(error) if is_end(&error) => {
                self.cut.store(true, Ordering::Relaxed);
                Ok(0)
            }
            other => other,
        }
    }
}

type Peeked = (Vec<u8>, ByteStream);

fn peek(mut reader: ByteStream) -> std::io::Result<Peeked> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut head)?;
    let all = Cursor::new(head.clone()).chain(reader);
    Ok((head, Box::new(all)))
}

//! A window into a source, and a record read from it with named fields.

use std::sync::Arc;

use ioalign_core::on_disk::bytes;

use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;

/// No single read is larger; a format that wants more reads in pieces.
const MOST_BYTES: usize = 16 << 20;

/// Magic numbers up to this long are compared on the stack.
const LONGEST_MAGIC: usize = 64;

/// `[start, start + len)` of a source, as an address space of its own. Offsets are bytes.
#[derive(Clone)]
pub struct View {
    source: Arc<dyn Source>,
    start: u64,
    len: u64,
}

impl View {
    /// The whole source.
    pub fn new(source: Arc<dyn Source>) -> Self {
        let len = source.len();
        Self {
            source,
            start: 0,
            len,
        }
    }

    /// Bytes in the window.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the window is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The start of the window in its source.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// The source.
    pub const fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// A window inside this one, cut at its end. `len` may reach past it.
    pub fn sub(&self, start: u64, len: u64) -> Self {
        let start = start.min(self.len);
        let len = len.min(self.len - start);
        Self {
            source: Arc::clone(&self.source),
            start: self.start + start,
            len,
        }
    }

    /// Reads `len` bytes at `offset`. Past the end, or over 16 MiB, is an error.
    pub fn read(&self, offset: u64, len: usize) -> Result<Vec<u8>> {
        if len > MOST_BYTES {
            return Err(self.locate(Error::too_large(format!("{len} bytes in one read")), offset));
        }
        self.check(offset, len)?;
        let mut bytes = vec![0; len];
        self.source.read_at(self.start + offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Runs a reader. What it read is forgotten when it says that the bytes are not its own: see
    /// [`crate::trail`].
    ///
    /// # Errors
    /// Those of the reader.
    pub fn trying<T>(&self, read: impl FnOnce(&Self) -> Result<Option<T>>) -> Result<Option<T>> {
        let Some(trail) = self.source.trail() else {
            return read(self);
        };
        let mark = trail.mark();
        let found = read(self);
        if matches!(found, Ok(None)) {
            trail.forget(mark);
        }
        found
    }

    /// Reads a structure of `len` bytes at `offset`, to take fields from.
    pub fn record(&self, offset: u64, len: usize) -> Result<Record> {
        Ok(Record {
            bytes: self.read(offset, len)?,
            view: self.clone(),
            base: offset,
        })
    }

    /// The same, or `None` where it does not fit: for probing small devices.
    pub fn try_record(&self, offset: u64, len: usize) -> Result<Option<Record>> {
        if self.fits(offset, len) {
            self.record(offset, len).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Whether `magic` stands at `offset`; false where it does not fit.
    pub fn has(&self, offset: u64, magic: &[u8]) -> Result<bool> {
        if !self.fits(offset, magic.len()) {
            return Ok(false);
        }
        // Other contents there are dropped, as in a chain of readers.
        let found = self.trying(|view| Ok(view.holds(offset, magic)?.then_some(())));
        Ok(found?.is_some())
    }

    /// [`View::has`] for what fits. A probe asks this some eighty times, so without an allocation each.
    fn holds(&self, offset: u64, magic: &[u8]) -> Result<bool> {
        let mut room = [0; LONGEST_MAGIC];
        let Some(found) = room.get_mut(..magic.len()) else {
            return Ok(self.read(offset, magic.len())? == magic);
        };
        self.source.read_at(self.start + offset, found)?;
        Ok(found == magic)
    }

    /// Whether `[offset, offset + len)` lies inside.
    pub fn fits(&self, offset: u64, len: usize) -> bool {
        offset
            .checked_add(len as u64)
            .is_some_and(|end| end <= self.len)
    }

    /// An error about the bytes at `offset`, with the file and the file offset.
    pub fn malformed(&self, offset: u64, what: impl Into<String>) -> Error {
        self.locate(Error::malformed(what), offset)
    }

    /// Adds file and offset to an error.
    pub fn locate(&self, error: Error, offset: u64) -> Error {
        error
            .in_file(self.source.path())
            .at(self.start.saturating_add(offset))
    }

    fn check(&self, offset: u64, len: usize) -> Result<()> {
        if self.fits(offset, len) {
            return Ok(());
        }
        let what = format!(
            "{len} bytes are wanted, the space ends at byte {}",
            self.len
        );
        Err(self.locate(Error::new(ErrorKind::Malformed, what), offset))
    }
}

/// Bytes of one on-disk structure. Every field is read by offset and name, so that an error
/// can say which field of which file is wrong.
#[derive(Clone)]
pub struct Record {
    bytes: Vec<u8>,
    view: View,
    base: u64,
}

macro_rules! number {
    ($($name:ident, $type:ty, $read:ident, $doc:literal;)*) => { $(
        #[doc = $doc]
        ///
        /// Zero past the end of the record: readers ask within the length that they read.
        pub fn $name(&self, at: usize) -> $type {
            bytes::$read(&self.bytes, at)
        }
    )* };
}

impl Record {
    number! {
        u8, u8, u8_at, "The byte at `at`.";
        le16, u16, le16, "A little-endian 16-bit field.";
        le32, u32, le32, "A little-endian 32-bit field.";
        le64, u64, le64, "A little-endian 64-bit field.";
        be16, u16, be16, "A big-endian 16-bit field.";
        be32, u32, be32, "A big-endian 32-bit field.";
        be64, u64, be64, "A big-endian 64-bit field.";
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// `len` bytes at `at`; empty past the end.
    pub fn slice(&self, at: usize, len: usize) -> &[u8] {
        at.checked_add(len)
            .and_then(|end| self.bytes.get(at..end))
            .unwrap_or_default()
    }

    /// Whether `magic` stands at `at`.
    pub fn has(&self, at: usize, magic: &[u8]) -> bool {
        self.slice(at, magic.len()) == magic
    }

    /// Text up to the first NUL, trimmed; what is not UTF-8 is replaced.
    pub fn text(&self, at: usize, len: usize) -> String {
        let raw = self.slice(at, len);
        let end = raw.iter().position(|b| *b == 0).unwrap_or(raw.len());
        String::from_utf8_lossy(raw.get(..end).unwrap_or_default())
            .trim()
            .to_owned()
    }

    /// A UUID in RFC 4122 byte order, in lower case.
    pub fn uuid(&self, at: usize) -> String {
        let mut out = String::with_capacity(36);
        for (i, byte) in self.slice(at, 16).iter().enumerate() {
            if matches!(i, 4 | 6 | 8 | 10) {
                out.push('-');
            }
            out.push_str(&format!("{byte:02x}"));
        }
        out
    }

    /// A GUID in Microsoft's mixed byte order (GPT, VHDX, LDM), in upper case.
    pub fn guid(&self, at: usize) -> String {
        let tail: String = self
            .slice(at + 8, 8)
            .iter()
            .map(|b| format!("{b:02X}"))
            .collect();
        let (clock, node) = tail.split_at(4.min(tail.len()));
        let (a, b, c) = (self.le32(at), self.le16(at + 4), self.le16(at + 6));
        format!("{a:08X}-{b:04X}-{c:04X}-{clock}-{node}")
    }

    /// The place of the byte `at` in the file.
    pub const fn offset(&self, at: usize) -> u64 {
        let start = self.view.start.saturating_add(self.base);
        start.saturating_add(at as u64)
    }

    /// The error that the field `name` at `at` holds something impossible.
    pub fn bad(&self, at: usize, name: &'static str, what: impl Into<String>) -> Error {
        self.view
            .malformed(self.base.saturating_add(at as u64), what)
            .field(name)
    }
}

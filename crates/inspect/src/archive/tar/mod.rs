//! Tar archives as a stream: v7, ustar, GNU and POSIX (pax) members, sparse files among them.
//!
//! Layout: `tar.5` of libarchive and "Basic Tar Format" of GNU tar's manual. Not a crate, because what
//! is wanted here is bounded work on hostile bytes: names, pax records and sparse maps have limits,
//! and the zeros of a sparse file are never made.

pub(super) mod header;
mod pax;
mod sparse;

use std::io::{self, Read};

use super::MOST_ENTRIES;
use super::content::FileContent;
use super::feed::{Feed, TOO_MUCH};
use crate::error::{Error, Result};
use header::{BLOCK, TarHeader};
use pax::Extra;

/// Longer names and link targets are refused; Linux stops at 4096.
const MOST_NAME: u64 = 64 << 10;
/// Larger sets of pax records are refused.
const MOST_PAX: u64 = 1 << 20;
/// A kept piece of a file that may be mostly zeros.
const PIECE: usize = 4096;
/// Bytes read at once.
const READ: usize = 64 << 10;

/// The kind of a member.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TarMemberKind {
    File,
    HardLink,
    Link,
    Folder,
    /// Devices, FIFOs, labels, volumes.
    Other,
}

/// A member of the archive.
#[derive(Debug)]
pub(super) struct TarMember {
    /// Its name as it stands there.
    pub(super) name: Vec<u8>,
    /// Where a link leads.
    pub(super) target: Vec<u8>,
    pub(super) kind: TarMemberKind,
    /// Length of the file, holes counted.
    pub(super) len: u64,
    /// The place of its stored bytes in it, when it is sparse.
    map: Option<Vec<(u64, u64)>>,
}

impl TarMember {
    /// Whether its bytes are stored without its zeros.
    pub(super) const fn is_sparse(&self) -> bool {
        self.map.is_some()
    }
}

/// An archive that is being read.
pub(super) struct TarArchive<'a> {
    feed: &'a mut dyn Feed,
    /// Unpacked bytes behind us.
    at: u64,
    /// Bytes of the member's data that were not read yet.
    left: u64,
    /// Bytes that fill its last block.
    padding: u64,
    members: u64,
    /// Whether the mark at the end was seen.
    pub(super) ended: bool,
}

impl<'a> TarArchive<'a> {
    pub(super) const fn new(feed: &'a mut dyn Feed) -> Self {
        Self {
            feed,
            at: 0,
            left: 0,
            padding: 0,
            members: 0,
            ended: false,
        }
    }

    /// The next member; its data not read so far are passed over.
    pub(super) fn next(&mut self) -> Result<Option<TarMember>> {
        self.pass()?;
        let mut extra = Extra::default();
        loop {
            self.members += 1;
            if self.members > MOST_ENTRIES {
                let what = format!("It has more than {MOST_ENTRIES} entries: the rest is not read");
                return Err(Error::too_large(what).at(self.at));
            }
            let start = self.at;
            let Some(block) = self.block()? else {
                return Ok(None);
            };
            if block == [0; BLOCK] {
                self.ended = true;
                return Ok(None);
            }
            let header = TarHeader::parse(&block).map_err(|error| error.at(start))?;
            (self.left, self.padding) = (header.size, header.padding());
            match header.flag {
                b'L' => extra.name = Some(self.name()?),
                b'K' => extra.target = Some(self.name()?),
                b'x' | b'X' => extra.add(&self.small(MOST_PAX)?),
                b'g' => {}
                _ => return self.member(&header, &block, extra).map(Some),
            }
            self.pass()?;
        }
    }

    /// The first byte of the member's data that was not read, and how many there are.
    pub(super) const fn place(&self) -> (u64, u64) {
        (self.at, self.left)
    }

    fn member(
        &mut self,
        header: &TarHeader,
        block: &[u8; BLOCK],
        extra: Extra,
    ) -> Result<TarMember> {
        if let Some(size) = extra.size {
            (self.left, self.padding) = (size, header::padding(size));
        }
        let mut member = TarMember {
            name: extra.name.unwrap_or_else(|| header.name.clone()),
            target: extra.target.unwrap_or_else(|| header.target.clone()),
            kind: header.kind(),
            len: self.left,
            map: None,
        };
        if !matches!(member.kind, TarMemberKind::File) && header.has_no_data() {
            (self.left, self.padding) = (0, 0);
        }
        let start = self.at;
        let sparse = if header.flag == b'S' {
            Some(sparse::gnu(self, block)?)
        } else if extra.map_in_data {
            let map = sparse::in_data(self)?;
            Some((map, extra.real_size.unwrap_or(0)))
        } else {
            extra.map.map(|map| (map, extra.real_size.unwrap_or(0)))
        };
        if let Some((map, len)) = sparse {
            sparse::check(&map, len, self.left).map_err(|error| error.at(start))?;
            (member.map, member.len) = (Some(map), len);
        }
        Ok(member)
    }

    /// Goes to the end of the member's data.
    fn pass(&mut self) -> Result<()> {
        let bytes = self.left.saturating_add(self.padding);
        self.feed.skip(bytes).map_err(|error| self.failed(&error))?;
        self.at = self.at.saturating_add(bytes);
        (self.left, self.padding) = (0, 0);
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Error {
        let what = match error.kind() {
            io::ErrorKind::UnexpectedEof => "The archive ends in the middle of an entry".to_owned(),
            _ if error.to_string() == TOO_MUCH => {
                let what = "It unpacks to too much for its size: the rest is not read";
                return Error::too_large(what).at(self.at);
            }
            _ => format!("It cannot be unpacked further: {error}"),
        };
        Error::malformed(what).at(self.at)
    }

    /// The next block of headers; `None` when the archive ends before it.
    fn block(&mut self) -> Result<Option<[u8; BLOCK]>> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.feed.read(rest) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(self.failed(&io::ErrorKind::UnexpectedEof.into())),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        self.at = self.at.saturating_add(BLOCK as u64);
        Ok(Some(block))
    }

    /// Fills `out` with data of the member.
    fn data(&mut self, out: &mut [u8]) -> Result<()> {
        let left = self.left.checked_sub(out.len() as u64);
        let left = left.ok_or_else(|| self.failed(&io::ErrorKind::UnexpectedEof.into()))?;
        self.feed
            .read_exact(out)
            .map_err(|error| self.failed(&error))?;
        self.at = self.at.saturating_add(out.len() as u64);
        self.left = left;
        Ok(())
    }

    /// All data of a member that describes the next one.
    fn small(&mut self, most: u64) -> Result<Vec<u8>> {
        if self.left > most {
            let what = format!("A name or record of {} bytes", self.left);
            return Err(Error::too_large(what).at(self.at));
        }
        let mut bytes = vec![0; usize::try_from(self.left).unwrap_or(0)];
        self.data(&mut bytes)?;
        Ok(bytes)
    }

    fn name(&mut self) -> Result<Vec<u8>> {
        let mut bytes = self.small(MOST_NAME)?;
        let end = bytes.iter().position(|byte| *byte == 0);
        bytes.truncate(end.unwrap_or(bytes.len()));
        Ok(bytes)
    }

    /// The first `most` bytes of the member, and whether there are more.
    pub(super) fn text(&mut self, member: &TarMember, most: u64) -> Result<(FileContent, bool)> {
        if member.map.is_some() {
            return self.sparse(member, most);
        }
        let wanted = self.left.min(most);
        let more = self.left > most;
        let mut bytes = Vec::new();
        let mut limited = (&mut *self.feed).take(wanted);
        let read = limited.read_to_end(&mut bytes);
        read.map_err(|error| self.failed(&error))?;
        if (bytes.len() as u64) < wanted {
            return Err(self.failed(&io::ErrorKind::UnexpectedEof.into()));
        }
        self.left -= wanted;
        self.at = self.at.saturating_add(wanted);
        Ok((FileContent::whole(bytes), more))
    }

    /// The member without its zeros; and whether more than `most` bytes are not zero, so that not
    /// all were read.
    pub(super) fn sparse(&mut self, member: &TarMember, most: u64) -> Result<(FileContent, bool)> {
        let whole = [(0, member.len)];
        let map = member.map.as_deref().unwrap_or(&whole);
        let mut content = FileContent::zeros(member.len);
        let mut buffer = vec![0; READ];
        for (start, len) in map {
            let (mut at, mut left) = (*start, *len);
            while left > 0 {
                let part = usize::try_from(left).map_or(READ, |left| left.min(READ));
                let part = buffer.get_mut(..part).unwrap_or_default();
                self.data(part)?;
                add_pieces(&mut content, at, part);
                at += part.len() as u64;
                left -= part.len() as u64;
                if content.held() as u64 > most {
                    return Ok((content, true));
                }
            }
        }
        Ok((content, false))
    }
}

/// Adds what is not zero, piece by piece.
fn add_pieces(content: &mut FileContent, at: u64, bytes: &[u8]) {
    for (index, piece) in (0_u64..).zip(bytes.chunks(PIECE)) {
        if piece.iter().any(|byte| *byte != 0) {
            let at = at + index * PIECE as u64;
            // The map was checked: pieces ascend and end inside.
            let _fits = content.push(at, piece);
        }
    }
}

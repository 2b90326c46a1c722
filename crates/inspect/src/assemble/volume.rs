//! The bytes of an array or logical volume, put together from its members.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::striped::StripedLayout;
use crate::error::{Error, Result};
use crate::source::{Source, check_range};
use crate::trail::Trail;
use crate::view::View;

/// One stretch of a volume.
pub(super) enum VolumePiece {
    /// The bytes lie in one place: `len` bytes at `to` of a member; `None` where it is missing.
    Straight {
        /// Their place.
        member: Option<View>,
        /// First byte there.
        to: u64,
    },
    /// Dealt out in chunks: each slot's member with the offset of its first chunk.
    Striped {
        /// Bytes a chunk; not zero.
        chunk: u64,
        /// Which slot holds which chunk.
        layout: StripedLayout,
        /// Members by slot.
        members: Vec<Option<(View, u64)>>,
    },
}

/// A volume as a source: pieces in order, without gaps.
pub(super) struct VolumeSource {
    name: PathBuf,
    pieces: Vec<(u64, VolumePiece)>,
    len: u64,
}

impl VolumeSource {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: PathBuf::from(name),
            pieces: Vec::new(),
            len: 0,
        }
    }

    /// Appends `len` bytes.
    pub(super) fn push(&mut self, len: u64, piece: VolumePiece) {
        self.pieces.push((self.len, piece));
        self.len = self.len.saturating_add(len);
    }

    pub(super) fn into_view(self) -> View {
        View::new(Arc::new(self))
    }

    /// A view, unless nothing of it can be read.
    pub(super) fn into_readable(self) -> Option<View> {
        let readable = self.pieces.iter().any(|(_, piece)| match piece {
            VolumePiece::Straight { member, .. } => member.is_some(),
            VolumePiece::Striped { members, .. } => members.iter().any(Option::is_some),
        });
        readable.then(|| self.into_view())
    }

    /// The place of `offset`: member, offset there, and how many bytes follow in one go.
    fn locate(&self, offset: u64) -> Result<(&View, u64, u64)> {
        let index = self.pieces.partition_point(|(from, _)| *from <= offset);
        let (from, piece) = index
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index))
            .ok_or_else(|| Error::malformed("An empty volume").in_file(&self.name))?;
        let end = self.pieces.get(index).map_or(self.len, |(next, _)| *next);
        let within = offset - from;
        let missing = || {
            let what = "It lies on a member that is not here";
            Error::unsupported(what).in_file(&self.name).at(offset)
        };
        match piece {
            VolumePiece::Straight { member, to } => {
                let member = member.as_ref().ok_or_else(missing)?;
                Ok((member, to.saturating_add(within), end - offset))
            }
            VolumePiece::Striped {
                chunk,
                layout,
                members,
            } => {
                let (slot, row) = layout.locate(within / chunk);
                let slot = usize::try_from(slot)
                    .ok()
                    .and_then(|slot| members.get(slot));
                let (member, start) = slot.and_then(Option::as_ref).ok_or_else(missing)?;
                let past = within % chunk;
                let there = row
                    .checked_mul(*chunk)
                    .and_then(|row| row.checked_add(start + past));
                let there = there.ok_or_else(|| Error::too_large("A member address").at(offset))?;
                Ok((member, there, (chunk - past).min(end - offset)))
            }
        }
    }
}

impl Source for VolumeSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(self, offset, buffer.len())?;
        let (mut offset, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let (member, there, room) = self.locate(offset)?;
            let part = usize::try_from(room)
                .map_or(rest.len(), |room| room.min(rest.len()))
                .max(1);
            let (now, later) = rest.split_at_mut(part);
            now.copy_from_slice(&member.read(there, part)?);
            offset += part as u64;
            rest = later;
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.name
    }

    fn trail(&self) -> Option<&Trail> {
        // All members of a host write to the same one.
        let member = self.pieces.iter().find_map(|(_, piece)| match piece {
            VolumePiece::Straight { member, .. } => member.as_ref(),
            VolumePiece::Striped { members, .. } => {
                members.iter().flatten().map(|(member, _)| member).next()
            }
        });
        member?.source().trail()
    }
}

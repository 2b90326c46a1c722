//! Disks whose bytes all have a place from the start: fixed VHD, flat VMDK in one file or many.

use std::io;

use super::store::{Store, damaged};
use crate::Disk;

/// The place of a stretch of the disk.
#[derive(Clone, Copy, Debug)]
pub struct FlatPiece {
    /// Its first byte on the disk.
    pub from: u64,
    /// Which store.
    pub store: usize,
    /// Its first byte there.
    pub at: u64,
    /// How long it is.
    pub bytes: u64,
}

/// A disk made of pieces of stores.
pub struct Pieces {
    stores: Vec<Box<dyn Store>>,
    /// In the order of the disk, without gaps.
    pieces: Vec<FlatPiece>,
    size: u64,
}

impl Pieces {
    /// A disk of these pieces; `None` where they leave a byte out or lie outside their stores.
    pub fn new(stores: Vec<Box<dyn Store>>, mut pieces: Vec<FlatPiece>, size: u64) -> Option<Self> {
        pieces.sort_by_key(|piece| piece.from);
        let mut next = 0;
        for piece in &pieces {
            let end = piece.at.checked_add(piece.bytes)?;
            if piece.from != next || end > stores.get(piece.store)?.size_bytes() {
                return None;
            }
            next = piece.from.checked_add(piece.bytes)?;
        }
        (next == size).then_some(Self {
            stores,
            pieces,
            size,
        })
    }

    /// The store and place of a byte, and how many follow it there.
    fn find(&mut self, at: u64) -> io::Result<(&mut dyn Store, u64, u64)> {
        let index = self.pieces.partition_point(|piece| piece.from <= at);
        let piece = index
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index));
        let piece = *piece.ok_or_else(|| damaged(format!("byte {at} is on no disk")))?;
        let within = at - piece.from;
        if within >= piece.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let store = self.stores.get_mut(piece.store);
        let store = store.ok_or_else(|| damaged("a piece of no file"))?;
        Ok((store.as_mut(), piece.at + within, piece.bytes - within))
    }
}

/// As much of a length as there is room for.
fn part(length: usize, room: u64) -> usize {
    usize::try_from(room).map_or(length, |room| room.min(length))
}

impl Disk for Pieces {
    fn size_bytes(&self) -> u64 {
        self.size
    }

    fn logical_bytes(&self) -> u64 {
        512
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let (mut at, mut rest) = (at, bytes);
        while !rest.is_empty() {
            let (store, place, room) = self.find(at)?;
            let (now, later) = rest.split_at_mut(part(rest.len(), room));
            store.read_at(place, now)?;
            at += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut at, mut rest) = (at, bytes);
        while !rest.is_empty() {
            let (store, place, room) = self.find(at)?;
            let (now, later) = rest.split_at(part(rest.len(), room));
            store.write_at(place, now)?;
            at += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stores.iter_mut().try_for_each(|store| store.flush())
    }

    fn release(&mut self, at: u64, bytes: u64) {
        let end = at.saturating_add(bytes).min(self.size);
        let mut at = at;
        while at < end {
            let Ok((store, place, room)) = self.find(at) else {
                return;
            };
            let part = room.min(end - at);
            store.release(place, part);
            at += part;
        }
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        let found = self.find(at);
        found.map_or(0, |(store, place, room)| store.zeros_from(place).min(room))
    }
}

//! The disk that will be, to be read.

use std::io;

use super::origin::{ByteOrigin, Origins, fill};
use super::{ByteSource, OverlayLayer, OverlayPiece, Spot};
use crate::{Disk, Move};

/// The disk as it will be. It cannot be written.
pub struct OverlayView<'a> {
    disk: &'a mut dyn Disk,
    logical: u64,
    shown: OverlayLayout<'a>,
}

impl<'a> OverlayView<'a> {
    /// `disk` after these moves with these layers over it, the last one on top. Where `size` is more than
    /// the disk has, there are zeros.
    pub fn new(
        disk: &'a mut dyn Disk,
        (size, logical): (u64, u64),
        moves: &'a [Move],
        layers: &'a [OverlayLayer],
    ) -> Self {
        let shown = OverlayLayout {
            size,
            there: disk.size_bytes(),
            moves,
            layers,
        };
        Self {
            disk,
            logical,
            shown,
        }
    }

    /// What is there when everything has moved and nothing is laid over it yet.
    pub(super) fn moved(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let bare = OverlayLayout {
            layers: &[],
            ..self.shown
        };
        bare.read(self.disk, at, bytes)
    }

    /// The disk as it is, and where what is shown comes from.
    pub(crate) fn parts(&mut self) -> (&mut dyn Disk, OverlayLayout<'a>) {
        (self.disk, self.shown)
    }
}

impl Disk for OverlayView<'_> {
    fn size_bytes(&self) -> u64 {
        self.shown.size
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.shown.read(self.disk, at, bytes)
    }

    fn write_at(&mut self, _at: u64, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn zeros_from(&mut self, at: u64) -> u64 {
        let (origin, room) = self.shown.origin(at);
        match origin {
            ByteOrigin::Zeros => room,
            ByteOrigin::Old(from) => self.disk.zeros_from(from).min(room),
            ByteOrigin::Bytes(_) => 0,
        }
    }
}

/// What a view shows, without the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OverlayLayout<'a> {
    /// Bytes of the disk that will be.
    pub size: u64,
    /// Bytes of the disk that is.
    there: u64,
    moves: &'a [Move],
    layers: &'a [OverlayLayer],
}

impl OverlayLayout<'_> {
    fn read(&self, disk: &mut dyn Disk, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        fill(self, at, bytes, |from, part| disk.read_at(from, part))
    }

    /// Below all layers: what moves there, or what is there, before `end`.
    fn below(&self, at: u64, mut end: u64) -> (ByteOrigin<'_>, u64) {
        for to in self.moves.iter().map(Move::destination) {
            if to.start > at {
                end = end.min(to.start);
            }
        }
        let arrives = |one: &&Move| one.destination().contains(&at);
        let (from, end) = match self.moves.iter().find(arrives) {
            Some(one) => (one.from + (at - one.to), end.min(one.destination().end)),
            None if at < self.there => (at, end.min(self.there)),
            None => return (ByteOrigin::Zeros, end),
        };
        (ByteOrigin::Old(from), end)
    }
}

impl Origins for OverlayLayout<'_> {
    fn origin(&self, at: u64) -> (ByteOrigin<'_>, u64) {
        let mut end = self.size;
        for layer in self.layers.iter().rev() {
            match layer.spot(at) {
                Spot::On(piece) => {
                    let end = end.min(piece.place().end);
                    return (on(piece, at), end.saturating_sub(at));
                }
                Spot::Before(next) => end = end.min(next),
                Spot::Behind => {}
            }
        }
        let (origin, end) = self.below(at, end);
        (origin, end.saturating_sub(at))
    }
}

/// Where the byte at `at` comes from, which a piece fills.
fn on(piece: &OverlayPiece, at: u64) -> ByteOrigin<'_> {
    let skipped = at - piece.at;
    match &piece.from {
        ByteSource::Zeros(_) => ByteOrigin::Zeros,
        ByteSource::Old(old) => ByteOrigin::Old(old.start + skipped),
        ByteSource::Bytes(bytes) => {
            let start = usize::try_from(skipped).unwrap_or(usize::MAX);
            ByteOrigin::Bytes(bytes.get(start..).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    /// Byte by byte and in pieces of any length it is the same, and only what is shown is read.
    #[test]
    fn the_upper_layer_is_seen_and_nothing_below_it_is_read() {
        let mut disk = MemoryDisk {
            bytes: (0..100).collect(),
            logical_bytes: 1,
        };
        let moves = [Move {
            from: 10,
            to: 60,
            bytes: 20,
        }];
        let piece = |at, from| OverlayPiece { at, from };
        let layers = [
            OverlayLayer::new(vec![
                piece(5, ByteSource::Bytes(vec![200; 10])),
                piece(70, ByteSource::Old(0..4)),
            ]),
            OverlayLayer::new(vec![
                piece(8, ByteSource::Zeros(3)),
                piece(90, ByteSource::Bytes(vec![201; 12])),
            ]),
        ];
        let mut view = OverlayView::new(&mut disk, (110, 1), &moves, &layers);
        let mut whole = vec![7; 110];
        view.read_at(0, &mut whole).unwrap();
        let expected: Vec<u8> = (0..110)
            .map(|at| match at {
                8..=10 | 102..110 => 0,
                90..=101 => 201,
                5..=7 | 11..=14 => 200,
                70..=73 => at - 70,
                60..=69 | 74..=79 => at - 50,
                _ => at,
            })
            .collect();
        assert_eq!(whole, expected);
        for at in 0..110 {
            let mut one = [7];
            view.read_at(at, &mut one).unwrap();
            assert_eq!(one[0], expected[usize::try_from(at).unwrap()], "{at}");
        }
        assert!(view.read_at(109, &mut [0; 2]).is_err());
        assert_eq!(view.shown.origin(6), (ByteOrigin::Bytes(&[200; 9]), 2));
        assert_eq!(view.shown.origin(102), (ByteOrigin::Zeros, 8));
    }
}

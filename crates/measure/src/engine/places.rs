//! Chooses the next I/O: its place, its length, and whether it writes.

use ioalign_core::Random;
use ioalign_core::workload::{Pattern, SizeShare};

use super::space::Space;
use super::zipf::Zipf;
use crate::chance::Chance;

/// The law of places.
#[derive(Clone, Debug)]
pub(crate) struct PlaceLaw<'a> {
    pub(crate) sizes: &'a [SizeShare],
    pub(crate) read_ratio: f64,
    pub(crate) pattern: Pattern,
    /// Places are multiples of this; `None`: of the size of each I/O.
    pub(crate) align_bytes: Option<u64>,
    pub(crate) offset_bytes: u64,
}

/// One I/O.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct IoSpot {
    pub(crate) file: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u32,
    pub(crate) write: bool,
}

/// A stream of places.
#[derive(Clone, Debug)]
pub(crate) struct PlaceStream {
    random: Random,
    writes: Chance,
    sizes: Vec<Size>,
    weights: u64,
    order: PlaceOrder,
}

#[derive(Clone, Debug)]
struct Size {
    bytes: u32,
    /// Weights up to and with this one.
    up_to: u64,
    space: Space,
}

#[derive(Clone, Debug)]
enum PlaceOrder {
    Random,
    Zipf(Vec<Zipf>),
    Sequential(PlaceCursor),
}

/// A place in a walk through all files.
#[derive(Clone, Debug)]
struct PlaceCursor {
    files: Vec<(u32, u64)>,
    at: usize,
    byte: u64,
    offset: u64,
    step: Option<u64>,
}

impl PlaceStream {
    /// `None` where some size fits nowhere.
    pub(crate) fn new(law: &PlaceLaw<'_>, files: &[(u32, u64)], seed: u64) -> Option<Self> {
        let mut weights = 0;
        let mut sizes = Vec::new();
        for share in law.sizes.iter().filter(|share| share.weight != 0) {
            weights += u64::from(share.weight);
            let step = law.align_bytes.unwrap_or(share.bytes);
            sizes.push(Size {
                bytes: u32::try_from(share.bytes).ok()?,
                up_to: weights,
                space: Space::new(files, share.bytes, step, law.offset_bytes)?,
            });
        }
        let zipf = |theta| {
            let of_size = |size: &Size| Zipf::new(size.space.places(), theta);
            sizes.iter().map(of_size).collect()
        };
        let order = match law.pattern {
            Pattern::Random => PlaceOrder::Random,
            Pattern::Zipf { theta } => PlaceOrder::Zipf(zipf(theta)),
            Pattern::Sequential => PlaceOrder::Sequential(PlaceCursor::new(law, files)?),
        };
        let mut places = Self {
            random: Random::new(seed),
            writes: Chance::of(1.0 - law.read_ratio),
            sizes,
            weights,
            order,
        };
        places.restart();
        Some(places)
    }

    /// A walk begins somewhere else.
    pub(crate) fn restart(&mut self) {
        if let (PlaceOrder::Sequential(cursor), Some(size)) = (&mut self.order, self.sizes.first())
        {
            let start = self.random.below(size.space.places());
            cursor.go(size.space.at(start));
        }
    }

    /// The next bytes of a walk, to be read; `None`: there is no walk, or no room for them.
    pub(crate) fn walk(&mut self, bytes: u32) -> Option<IoSpot> {
        let PlaceOrder::Sequential(cursor) = &mut self.order else {
            return None;
        };
        let (file, offset) = cursor.whole(bytes)?;
        Some(IoSpot {
            file,
            offset,
            bytes,
            write: false,
        })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<IoSpot> {
        let which = self.size();
        let size = self.sizes.get(which)?;
        let (file, offset) = match &mut self.order {
            PlaceOrder::Random => size.space.at(self.random.below(size.space.places())),
            PlaceOrder::Zipf(all) => size.space.at(all.get(which)?.draw(&mut self.random)),
            PlaceOrder::Sequential(cursor) => cursor.next(size.bytes)?,
        };
        Some(IoSpot {
            file,
            offset,
            bytes: size.bytes,
            write: self.writes.hits(&mut self.random),
        })
    }

    #[inline]
    fn size(&mut self) -> usize {
        if self.sizes.len() == 1 {
            return 0;
        }
        let drawn = self.random.below(self.weights);
        self.sizes.partition_point(|size| size.up_to <= drawn)
    }
}

impl PlaceCursor {
    fn new(law: &PlaceLaw<'_>, files: &[(u32, u64)]) -> Option<Self> {
        let largest = law.sizes.iter().map(|share| share.bytes).max()?;
        let end = law.offset_bytes.checked_add(largest)?;
        let fits = |file: &&(u32, u64)| file.1 >= end;
        let files: Vec<_> = files.iter().filter(fits).copied().collect();
        (!files.is_empty()).then_some(Self {
            files,
            at: 0,
            byte: law.offset_bytes,
            offset: law.offset_bytes,
            step: law.align_bytes,
        })
    }

    fn go(&mut self, (file, byte): (u32, u64)) {
        let at = self.files.iter().position(|known| known.0 == file);
        self.at = at.unwrap_or(0);
        self.byte = byte;
    }

    /// The next place with this many bytes in one piece, if there is one before the end of a file.
    fn whole(&mut self, bytes: u32) -> Option<(u32, u64)> {
        let (_, end) = *self.files.get(self.at)?;
        if self.byte.saturating_add(bytes.into()) > end {
            return None;
        }
        self.next(bytes)
    }

    #[inline]
    fn next(&mut self, bytes: u32) -> Option<(u32, u64)> {
        let (mut file, end) = *self.files.get(self.at)?;
        if self.byte.saturating_add(bytes.into()) > end {
            self.at = (self.at + 1) % self.files.len();
            self.byte = self.offset;
            file = self.files.get(self.at)?.0;
        }
        let place = self.byte;
        let after = place + u64::from(bytes);
        self.byte = match self.step {
            Some(step) => self.offset + (after - self.offset).next_multiple_of(step.max(1)),
            None => after,
        };
        Some((file, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(pattern: Pattern) -> PlaceLaw<'static> {
        PlaceLaw {
            sizes: &[SizeShare {
                bytes: 4096,
                weight: 1,
            }],
            read_ratio: 1.0,
            pattern,
            align_bytes: None,
            offset_bytes: 512,
        }
    }

    #[test]
    fn a_walk_visits_all_and_wraps() {
        let files = [(0, 4096 * 3), (1, 4096 * 2)];
        let mut places = PlaceStream::new(&law(Pattern::Sequential), &files, 3).unwrap();
        let walk: Vec<_> = (0..6).map(|_| places.next().unwrap()).collect();
        let round: Vec<_> = walk.iter().map(|spot| (spot.file, spot.offset)).collect();
        let mut sorted = round[..3].to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [(0, 512), (0, 4608), (1, 512)]);
        assert_eq!(round[..3], round[3..]);
    }

    #[test]
    fn a_piece_of_a_walk_is_whole_or_none() {
        let mut places = PlaceStream::new(&law(Pattern::Sequential), &[(0, 4096 * 8)], 3).unwrap();
        let first = places.next().unwrap().offset;
        let left = 4096 * 8 - first - 4096;
        let piece = u32::try_from(left / 4096 * 4096).unwrap();
        assert_eq!(places.walk(piece + 4096), None);
        if piece > 0 {
            let spot = places.walk(piece).unwrap();
            assert_eq!((spot.offset, spot.bytes), (first + 4096, piece));
        }
        // The walk goes on at the beginning.
        assert_eq!(places.next().unwrap().offset, 512);
        let jumps = &mut PlaceStream::new(&law(Pattern::Random), &[(0, 4096 * 8)], 3).unwrap();
        assert_eq!(jumps.walk(4096), None);
    }

    #[test]
    fn shares_are_as_asked() {
        let sizes = [
            SizeShare {
                bytes: 512,
                weight: 3,
            },
            SizeShare {
                bytes: 8192,
                weight: 1,
            },
        ];
        let mixed = PlaceLaw {
            sizes: &sizes,
            read_ratio: 0.7,
            ..law(Pattern::Random)
        };
        let mut places = PlaceStream::new(&mixed, &[(0, 1 << 20)], 5).unwrap();
        let all: Vec<_> = (0..100_000).map(|_| places.next().unwrap()).collect();
        let large = all.iter().filter(|spot| spot.bytes == 8192).count();
        let writes = all.iter().filter(|spot| spot.write).count();
        assert!((24_000..26_000).contains(&large), "{large}");
        assert!((29_000..31_000).contains(&writes), "{writes}");
        assert!(
            all.iter()
                .all(|spot| (spot.offset - 512) % u64::from(spot.bytes) == 0)
        );
        assert!(
            all.iter()
                .all(|spot| spot.offset + u64::from(spot.bytes) <= 1 << 20)
        );
    }
}

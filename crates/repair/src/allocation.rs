//! How much a disk that leaves out zeros has to allocate for a job.

use std::ops::Range;

use crate::mover::holes::GRAIN;
use crate::{Disk, Job, Move};

/// A disk that does not know the end of a run of data is asked again after this many bytes.
const STEP: u64 = 64 << 10;
/// Runs of holes and data that are looked at in one stretch; what is behind them counts as data.
const MOST_RUNS: u32 = 1 << 18;

/// Data of a whole disk are looked for in pieces of this.
const IMAGE_STEP: u64 = 1 << 20;
/// Tables and headers of a new image, beside one part in 256 of its data.
const IMAGE_OVERHEAD: u64 = 4 << 20;

/// What a new image of a disk may take, in bytes: as much of it as is not known to be zeros, and the tables of
/// the image.
pub fn of_new_image(disk: &mut dyn Disk) -> u64 {
    let size = disk.size_bytes();
    let (mut at, mut data) = (0_u64, 0_u64);
    while at < size {
        let zeros = disk.zeros_from(at);
        if zeros == 0 {
            data = data.saturating_add(IMAGE_STEP.min(size - at));
        }
        // A piece that ends in zeros counts as a whole.
        at = at.saturating_add(if zeros == 0 { IMAGE_STEP } else { zeros });
    }
    data.saturating_add(data / 256)
        .saturating_add(IMAGE_OVERHEAD)
}

/// The most bytes that a job allocates: data that go to unallocated places.
pub fn most(disk: &mut dyn Disk, job: &Job) -> u64 {
    let moves = job.moves.iter();
    moves.fold(0, |sum, one| sum.saturating_add(by_move(disk, *one)))
}

fn by_move(disk: &mut dyn Disk, one: Move) -> u64 {
    let data = data_in(disk, one.from, one.bytes);
    let there = data_in(disk, one.to, one.bytes);
    let stored: u64 = there.iter().map(|place| place.end - place.start).sum();
    // Data that begin elsewhere in a grain than before may need one more at each end.
    let ends = (data.len() as u64).saturating_mul(2 * GRAIN);
    let new = outside(&data, &there).saturating_add(ends);
    new.min(one.bytes.saturating_sub(stored))
}

/// How many bytes of some places lie outside of others; both in order, and none overlaps another of its own.
fn outside(all: &[Range<u64>], others: &[Range<u64>]) -> u64 {
    let mut others = others.iter().peekable();
    let mut sum = 0_u64;
    for place in all {
        let mut at = place.start;
        while let Some(other) = others.peek().filter(|other| other.start < place.end) {
            sum = sum.saturating_add(other.start.saturating_sub(at));
            at = at.max(other.end.min(place.end));
            if other.end > place.end {
                break;
            }
            others.next();
        }
        sum = sum.saturating_add(place.end - at);
    }
    sum
}

/// What of a stretch is not known to be zeros, counted from its start.
fn data_in(disk: &mut dyn Disk, from: u64, bytes: u64) -> Vec<Range<u64>> {
    let mut all: Vec<Range<u64>> = Vec::new();
    let mut at = 0_u64;
    for _ in 0..MOST_RUNS {
        at = at
            .saturating_add(disk.zeros_from(from.saturating_add(at)))
            .min(bytes);
        if at == bytes {
            return all;
        }
        let known = disk.data_from(from.saturating_add(at));
        let length = if known == 0 { STEP } else { known };
        let end = at.saturating_add(length).min(bytes);
        match all.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => all.push(at..end),
        }
        at = end;
    }
    all.push(at..bytes);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Only the bytes between these are data.
    struct Sparse(std::ops::Range<u64>);

    impl Disk for Sparse {
        fn size_bytes(&self) -> u64 {
            1 << 30
        }

        fn logical_bytes(&self) -> u64 {
            512
        }

        fn read_at(&mut self, _: u64, bytes: &mut [u8]) -> io::Result<()> {
            bytes.fill(0);
            Ok(())
        }

        fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn zeros_from(&mut self, at: u64) -> u64 {
            match at {
                at if at < self.0.start => self.0.start - at,
                at if at >= self.0.end => (1 << 30) - at,
                _ => 0,
            }
        }

        fn data_from(&mut self, at: u64) -> u64 {
            let inside = self.0.contains(&at);
            if inside { self.0.end - at } else { 0 }
        }
    }

    #[test]
    fn data_that_go_into_holes_count() {
        let mut disk = Sparse(1 << 20..5 << 20);
        let one = |from, to| Move {
            from,
            to,
            bytes: 10 << 20,
        };
        // 4 MiB of data, and the grains that they share with zeros.
        assert_eq!(by_move(&mut disk, one(0, 100 << 20)), (4 << 20) + 2 * GRAIN);
        // Most of it goes to where data are.
        assert_eq!(by_move(&mut disk, one(0, 1 << 20)), (1 << 20) + 2 * GRAIN);
        assert_eq!(by_move(&mut disk, one(100 << 20, 0)), 0);
        let data = data_in(&mut disk, 0, 2 << 20);
        assert_eq!(
            (data.len(), data[0].start, data[0].end),
            (1, 1 << 20, 2 << 20)
        );
    }

    #[test]
    fn what_lies_outside_is_counted() {
        let others = [10..20, 30..40, 50..60];
        for (all, expected) in [
            (vec![0..3, 3..5], 5),
            (vec![0..15, 15..35], 20),
            (vec![12..18, 33..38], 0),
            (vec![0..90, 90..100], 70),
            (vec![25..28, 55..70], 13),
        ] {
            assert_eq!(outside(&all, &others), expected, "{all:?}");
        }
    }
}

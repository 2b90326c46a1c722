//! A watch as text: lines of intervals, single I/Os, what the full screen shows, and the summary at the end.

mod assertions;
mod awaits;
mod bursts;
mod diskstats;
pub mod files;
pub mod groups;
mod lines;
pub mod screen;
mod straddling;
mod summary;

use ioalign_core::Bytes;
use ioalign_core::profile::GridProfile;

pub use assertions::assertions;
pub(crate) use assertions::found;
pub use groups::container;
pub use lines::{LineColumns, WatchLines};
pub use straddling::straddling;
pub use summary::render;

pub use crate::words::rmw::overwrites;

/// What bars are made of.
const SIGN: &str = "█";

/// `4 KiB physical-block`.
fn boundary(grid: &GridProfile) -> String {
    format!("{} {}", Bytes::new(grid.size_bytes), grid.kind)
}

/// I/Os that do not start at a boundary of the unit, by their powers of two; `None` for a unit that is no power.
fn off_unit(starts: &[u64], unit: u64, ios: u64) -> Option<u64> {
    let power = usize::try_from(unit.trailing_zeros()).ok()?;
    let on: u64 = starts.iter().skip(power).sum();
    unit.is_power_of_two().then(|| ios.saturating_sub(on))
}

/// The share of I/Os that is off the unit, by the powers of two of their starts.
fn share_off(starts: &[u64], unit: u64, ios: u64) -> String {
    let off = off_unit(starts, unit, ios);
    off.map_or_else(
        || "-".to_owned(),
        |off| crate::words::numbers::share(off, ios),
    )
}

#[cfg(test)]
mod tests {
    use super::off_unit;

    /// Powers of two of some starts, as the program counts them.
    fn starts(sectors: &[u64]) -> Vec<u64> {
        let mut all = vec![0; 64];
        for sector in sectors {
            let power = ((sector * 512) | (1 << 63)).trailing_zeros() as usize;
            if let Some(count) = all.get_mut(power) {
                *count += 1;
            }
        }
        all
    }

    /// The published `align.d` says 8 KiB and tests `blkno % 8`. A block number counts 512 bytes, so 8
    /// of them are 4 KiB: I/O at sector 8 is in the middle of an 8 KiB block, and the script calls it
    /// aligned. 8 KiB are 16 sectors.
    #[test]
    fn the_published_script_tests_4_kib_where_it_says_8() {
        let sectors = [0, 8, 16, 24, 63];
        let script = sectors.iter().filter(|blkno| *blkno % 8 != 0).count() as u64;
        let right = sectors.iter().filter(|blkno| *blkno % 16 != 0).count() as u64;
        assert_eq!((script, right), (1, 3));
        let starts = starts(&sectors);
        assert_eq!(off_unit(&starts, 8192, 5), Some(right));
        assert_eq!(off_unit(&starts, 4096, 5), Some(script));
        // Not a power of two: the grid's own counters tell.
        assert_eq!(off_unit(&starts, 192 << 10, 5), None);
    }
}

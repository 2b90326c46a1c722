//! Loss of power at every write and flush of generated jobs.

use ioalign_repair::mover::ReadErrors;
use ioalign_testkit::Random;

use super::layout::{Layout, generate};
use super::trial::{Machine, Verb, crash};

/// Layouts of the inner loop; a whole run has 400 (`IOALIGN_CRASH_LAYOUTS`).
const LAYOUTS: u64 = 40;
/// Crash points of each; `IOALIGN_CRASH_POINTS=all` takes every one.
const POINTS: u64 = 100;

struct Counts {
    layouts: u64,
    points: u64,
    crashes: u64,
}

fn all_points(layout: &Layout, seed: u64, most: u64, counts: &mut Counts) {
    let mut whole = Machine::new(layout, u64::MAX);
    whole.run(Verb::Apply, ReadErrors::Map).unwrap();
    let events = whole.events();
    let step = events.div_ceil(most).max(1);
    let mut random = Random(seed);
    let first = random.within(1, step + 1);
    for at in (first..=events).step_by(usize::try_from(step).unwrap()) {
        let mut random = Random(seed ^ (at << 32));
        match crash(layout, at, &mut random) {
            Ok(crashes) => counts.crashes += crashes,
            Err(error) => panic!(
                "layout {seed}, event {at} of {events}: {error}\n{:?}\n{:?}",
                layout.job.moves, layout.options
            ),
        }
        counts.points += 1;
    }
    counts.layouts += 1;
}

#[test]
fn no_crash_loses_a_byte() {
    let asked = std::env::var("IOALIGN_CRASH_LAYOUTS");
    let asked = asked.ok().and_then(|text| text.parse().ok());
    let layouts = asked.unwrap_or(LAYOUTS);
    let takes_all = std::env::var("IOALIGN_CRASH_POINTS").is_ok_and(|text| text == "all");
    let most = if takes_all { u64::MAX } else { POINTS };
    let mut counts = Counts {
        layouts: 0,
        points: 0,
        crashes: 0,
    };
    let mut seed = 0;
    while counts.layouts < layouts {
        seed += 1;
        if let Some(layout) = generate(seed) {
            all_points(&layout, seed, most, &mut counts);
        }
    }
    let Counts {
        layouts,
        points,
        crashes,
    } = counts;
    eprintln!(
        "{layouts} layouts, {points} crash points, {crashes} crashes with those of recoveries"
    );
    assert!(points >= 50 * layouts, "{points} points");
}

//! Counting many rows at once is counting them one by one, to the last bit of the profile.

use ioalign_core::GridSpec;
use ioalign_core::profile::Profile;
use proptest::prelude::*;

use super::grid;
use crate::analyse::wide::Level;
use crate::analyse::{Analysis, Settings};
use crate::pipeline::Directory;
use crate::record::{Columns, Io, NO_LATENCY, Op};

/// What the I/Os of a trace are like.
#[derive(Clone, Debug)]
struct Mix {
    seed: u64,
    ios: usize,
    devices: u64,
    processes: u64,
    /// So many of 16 go on where another one ended.
    sequential: u64,
    /// So many of 1024 have something odd.
    odd: u64,
    latency: u64,
    gap: u64,
    reach: u64,
}

fn mixes() -> impl Strategy<Value = Mix> {
    let shape = (
        any::<u64>(),
        1..1000_usize,
        1..3_u64,
        prop_oneof![1..9_u64, 1..200_u64],
        prop_oneof![Just(0), 0..17_u64],
        prop_oneof![Just(0), 0..4_u64, 0..600_u64],
    );
    let size = (
        prop_oneof![1..2_000_000_u64, 1..1_u64 << 36, Just(1)],
        prop_oneof![1..20_000_u64, 1..1_u64 << 31, Just(1)],
        16..40_u64,
    );
    (shape, size).prop_map(
        |((seed, ios, devices, processes, sequential, odd), (latency, gap, reach))| Mix {
            seed,
            ios,
            devices,
            processes,
            sequential,
            odd,
            latency,
            gap,
            reach,
        },
    )
}

impl Mix {
    fn ios(&self) -> Vec<Io> {
        let mut random = ioalign_testkit::Random(self.seed);
        let mut below = |end: u64| random.next() % end;
        let (mut time, mut ends) = (0_i64, [0_u64; 4]);
        let mut all = Vec::new();
        for _ in 0..self.ios {
            time += i64::try_from(below(self.gap)).unwrap();
            let mut io = Io {
                time,
                offset: below(1 << self.reach) / 4096 * 4096,
                len: one_of(&[4096, 8192, 512, 65536, 1024, 12288], below(6)),
                latency: below(self.latency),
                device: u32::try_from(below(self.devices)).unwrap(),
                process: u32::try_from(below(self.processes)).unwrap(),
                op: one_of(
                    &[Op::Read, Op::Write, Op::Read, Op::Write, Op::Discard],
                    below(5),
                ),
            };
            if below(4) == 0 {
                io.offset += below(8) * 512;
            }
            if below(16) < self.sequential {
                io.offset = one_of(&ends, below(4));
            }
            if below(1024) < self.odd {
                odd(&mut io, below(9), below(1 << 20));
            }
            ends[usize::try_from(below(4)).unwrap()] = io.offset.wrapping_add(u64::from(io.len));
            all.push(io);
        }
        all
    }
}

fn one_of<T: Copy>(all: &[T], index: u64) -> T {
    all[usize::try_from(index).unwrap()]
}

fn odd(io: &mut Io, kind: u64, by: u64) {
    match kind {
        0 => io.len = 0,
        1 => io.op = Op::Flush,
        2 => io.op = Op::Other,
        3 => io.latency = NO_LATENCY,
        4 => io.offset = 1 << 63 | by,
        5 => io.latency = u64::MAX >> (8 + by % 56),
        6 => io.time -= i64::try_from(by).unwrap(),
        7 => io.len = u32::try_from(by).unwrap(),
        _ => io.offset = io.offset.wrapping_add(by),
    }
}

fn settings(grids: Vec<GridSpec>, interval: bool) -> Settings {
    Settings {
        grids,
        interval: interval.then_some(1_000_000),
        ..Settings::default()
    }
}

fn counted(settings: &Settings, level: Option<Level>, add: impl Fn(&mut Analysis)) -> Profile {
    let mut analysis = Analysis::new(settings);
    analysis.level = level;
    add(&mut analysis);
    analysis.profile(&Directory::default())
}

fn is_as_one_by_one(ios: &[Io], settings: &Settings) -> Result<(), TestCaseError> {
    let mut columns = Columns::default();
    columns.extend(ios);
    let wanted = counted(settings, None, |analysis| analysis.add(ios));
    for level in Level::all() {
        let by_rows = counted(settings, Some(level), |analysis| analysis.add(ios));
        prop_assert_eq!(&by_rows, &wanted, "{:?}, rows", level);
        let by_columns = counted(settings, Some(level), |analysis| {
            analysis.add_columns(columns.all());
        });
        prop_assert_eq!(&by_columns, &wanted, "{:?}, columns", level);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn many_at_once_are_as_one_by_one(mix in mixes(), interval in any::<bool>()) {
        let grids = vec![grid(4096, 0), grid(512, 0), grid(1 << 16, 31 << 9), grid(3 << 16, 512)];
        is_as_one_by_one(&mix.ios(), &settings(grids, interval))?;
    }

    #[test]
    fn so_they_are_after_a_shift(mix in mixes(), shift in -5000..5000_i64) {
        let settings = Settings { shift, ..settings(vec![grid(4096, 0)], false) };
        is_as_one_by_one(&mix.ios(), &settings)?;
    }
}

#[test]
fn so_is_a_long_trace() {
    // Means of many, batches that are joined, the most in flight far up.
    for (seed, latency) in [(1, 300_000), (2, 1 << 24)] {
        let mix = Mix {
            seed,
            ios: 5_000,
            devices: 1,
            processes: 8,
            sequential: 0,
            odd: 0,
            latency,
            gap: 3000,
            reach: 30,
        };
        is_as_one_by_one(&mix.ios(), &Settings::default()).unwrap();
    }
}

//! Experiments whose truth is known, on a real target: `aa MODE TARGET [RUNS]`.
//!
//! * `null`: two equal arms, looked at after every round; how often a difference is seen, and how often by tests that
//!   others would use on the same data.
//! * `runs`: the same two arms one after the other, as benchmarks are run, and what a t-test makes of it.
//! * `effect PERCENT`: an arm that is slower by so much, because every batch of it is made longer.
//! * `cost`: what an experiment itself takes of a processor for each batch, on a target that does nothing.
//!
//! `benches/aa.sh` runs them all. `DEPTH`, `BLOCK`, `PATTERN=sequential`, `COLD=1` and `SECONDS_EACH` in the environment
//! change the load, `SEED` the order of everything, `ROPE` the region of practical equivalence of `effect` in per cent.

mod classic;
mod effect;
mod null;
mod serial;
mod subjects;

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ioalign_core::workload::Pattern;
use ioalign_device::{Target, TargetRequest};
use ioalign_measure::engine::{ArmPlace, Bench, CellSpec, EngineOptions};

pub fn main() {
    let words: Vec<String> = env::args().skip(2).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["null", target, rest @ ..] => null::run(target, runs(rest)),
        ["runs", target, rest @ ..] => serial::run(target, runs(rest)),
        ["effect", percent, target, rest @ ..] => {
            effect::run(percent.parse().unwrap(), target, runs(rest));
        }
        ["cost"] => effect::cost(),
        _ => panic!("aa null|runs|effect PERCENT|cost TARGET [RUNS]"),
    }
}

fn runs(words: &[&str]) -> u64 {
    words.first().map_or(400, |word| word.parse().unwrap())
}

fn variable(name: &str, or: f64) -> f64 {
    env::var(name).map_or(or, |value| value.parse().unwrap())
}

/// So many equal arms of random reads on a target.
fn bench(target: &str, arms: usize, seed: u64) -> Bench {
    let want = TargetRequest {
        direct: true,
        ..TargetRequest::default()
    };
    let target = Arc::new(Target::open(Path::new(target), &want).unwrap());
    let place = ArmPlace {
        target,
        offset_bytes: 0,
    };
    let whole = |name, or: f64| format!("{:.0}", variable(name, or)).parse::<u32>().unwrap();
    let cell = CellSpec {
        block_bytes: whole("BLOCK", 4096.0).into(),
        read_ratio: 1.0,
        pattern: match env::var("PATTERN").as_deref() {
            Ok("sequential") => Pattern::Sequential,
            _ => Pattern::Random,
        },
        queue_depth: whole("DEPTH", 1.0),
        workers: 1,
    };
    let options = EngineOptions {
        seed,
        cold: env::var("COLD").is_ok(),
        // Whoever measures may have stopped this process for a while.
        stall: Duration::from_secs(3600),
        ..EngineOptions::default()
    };
    Bench::new(&vec![place; arms], &cell, &options).unwrap()
}

/// The seeds of this many runs.
fn seeds(runs: u64) -> std::ops::Range<u64> {
    let first = env::var("SEED").map_or(0, |seed| seed.parse().unwrap());
    first..first + runs
}

fn each(or: f64) -> Duration {
    Duration::from_secs_f64(variable("SECONDS_EACH", or))
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|arm| format!("arm {arm}")).collect()
}

/// `part` of `all`, with its share.
fn share(part: u64, all: u64) -> String {
    let percent = 100.0 * ioalign_measure::stats::real(part) / ioalign_measure::stats::real(all);
    format!("{part:>4} of {all} = {percent:5.1} %")
}

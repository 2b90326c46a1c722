//! `ioalign measure matrix`: the test of the VMFS paper, both arms in one run.

use std::time::Duration;

use anyhow::{Context, Result};
use ioalign_core::workload::{Data, Pattern};

use super::arms::Arms;
use super::cells::{self, Usual};
use super::compare::design;
use super::open::{self, Opener};
use super::output;
use super::session::{Session, readable};
use crate::args::MatrixArgs;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;

/// Of the paper, in bytes.
const SIZES: [u64; 8] = [1024, 4096, 8192, 16384, 32768, 65536, 73728, 131_072];
/// Sector 63 against sector 0.
const OFFSETS: [u64; 2] = [0, 32256];
/// Four times the cache of the paper's array.
const TARGET_SIZE: u64 = 20 << 30;
const QUICK_SIZE: u64 = 1 << 30;
const QUICK_RAMP_MS: u64 = 1000;
const QUICK_TIME_MS: u64 = 10_000;

/// Runs the verb.
pub fn run(arguments: &MatrixArgs) -> Result<Exit> {
    let arms = Arms::new(&arguments.target, &arguments.arms, &OFFSETS)?;
    let usual = Usual {
        sizes: &SIZES,
        ops: &[1.0, 0.0],
        patterns: &[Pattern::Random, Pattern::Sequential],
        depth: &[16],
    };
    let write = arguments.io.write;
    let (specs, left_out) = readable(cells::all(&arguments.cells, &usual), write);
    if specs.is_empty() {
        return Err(UsageError("all cells write, which needs --write".to_owned()).into());
    }
    let interrupt = Interrupt::default();
    interrupt.watch().context("cannot watch for Ctrl-C")?;
    let opener = Opener {
        arguments: &arguments.io,
        write: specs.iter().any(|spec| spec.read_ratio < 1.0),
        usual_size: Some(if arguments.quick {
            QUICK_SIZE
        } else {
            TARGET_SIZE
        }),
        interrupt: &interrupt,
    };
    let targets = opener.all(&arms.targets)?;
    let data = open::data(&Data::default(), &arguments.data);
    let options = open::options(&arguments.io, &arguments.engine, data);
    let mut session = Session::new(&arms, &targets, options, &arguments.shown, &interrupt);
    session.comparison.notes.extend(left_out);
    let (ramp, time) = times(arguments);
    session.design = design(&arguments.stats, time, arguments.engine.seed);
    if arguments.full {
        session.design.min_time = session.design.max_time;
    }
    session.ramp = Duration::from_millis(ramp);
    let (comparison, exit) = session.all(&specs)?;
    output::write(&comparison, &arguments.shown)?;
    Ok(exit)
}

/// Milliseconds of the ramp, and at most of a point.
const fn times(arguments: &MatrixArgs) -> (u64, u64) {
    if arguments.quick {
        (QUICK_RAMP_MS, QUICK_TIME_MS)
    } else {
        (arguments.ramp, arguments.time)
    }
}

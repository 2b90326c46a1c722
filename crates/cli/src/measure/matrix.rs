//! `ioalign measure matrix`: the test of the VMFS paper, both arms in one run.

use anyhow::Result;
use ioalign_core::workload::{Data, Pattern};

use super::arms::Arms;
use super::cells::{self, Usual};
use super::output;
use super::session::{Session, Wanted, readable};
use crate::args::MatrixArgs;
use crate::check;
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
    let how = &arguments.how;
    let (specs, left_out) = readable(cells::all(&arguments.cells, &usual), how.io.write);
    if specs.is_empty() {
        return Err(UsageError("all cells write, which needs --write".to_owned()).into());
    }
    check::possible(how.shown.output.as_deref())?;
    let interrupt = Interrupt::watched()?;
    let (ramp_ms, time_ms) = times(arguments);
    let wanted = Wanted {
        arms: &arms,
        specs: &specs,
        usual_size: Some(if arguments.quick {
            QUICK_SIZE
        } else {
            TARGET_SIZE
        }),
        data: Data::default(),
        like: None,
        notes: left_out.as_slice(),
        ramp_ms,
        time_ms,
    };
    let mut session = Session::open(&wanted, how, &interrupt)?;
    if arguments.full {
        session.design.min_time = session.design.max_time;
    }
    let (comparison, exit) = session.all(&specs)?;
    output::write(&comparison, &how.shown)?;
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

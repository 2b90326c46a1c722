//! `ioalign measure matrix`: the test of the VMFS paper, both arms in one run.

use anyhow::Result;
use ioalign_core::workload::{Data, Pattern};

use super::arms::Arms;
use super::cells::{self, Usual};
use super::session::{MeasureRequest, MeasureSession, readable};
use super::{output, quick};
use crate::args::MatrixArgs;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;

/// The sizes of the paper, in bytes.
const SIZES: [u64; 8] = [1024, 4096, 8192, 16384, 32768, 65536, 73728, 131_072];
/// Sector 63 against sector 0.
const OFFSETS: [u64; 2] = [0, 32256];
/// Four times the cache of the paper's array.
const TARGET_SIZE: u64 = 20 << 30;

/// Runs the verb.
pub fn run(arguments: &MatrixArgs) -> Result<Exit> {
    let arms = Arms::new(&arguments.target, &arguments.arms, &OFFSETS)?;
    let how = &arguments.how;
    let (specs, writes) = readable(
        cells::all(&arguments.cells, &usual(arguments)),
        how.io.write,
    );
    let quick = arguments
        .quick
        .then(|| quick::left_out(&arguments.cells, &SIZES));
    let left_out: Vec<_> = quick.flatten().into_iter().chain(writes).collect();
    if specs.is_empty() {
        return Err(UsageError("all cells write, which needs --write".to_owned()).into());
    }
    output::destination(&how.shown, &arms.targets).check()?;
    let interrupt = Interrupt::watched()?;
    let (ramp_ms, time_ms) = times(arguments, specs.len());
    let wanted = MeasureRequest {
        arms: &arms,
        specs: &specs,
        atomic: &[],
        usual_size: Some(if arguments.quick {
            quick::TARGET_SIZE
        } else {
            TARGET_SIZE
        }),
        data: Data::default(),
        like: None,
        notes: &left_out,
        ramp_ms,
        time_ms,
    };
    let mut session = MeasureSession::open(&wanted, how, &interrupt)?;
    if arguments.full {
        session.design.min_time = session.design.max_time;
    }
    let (comparison, exit) = session.all(&specs)?;
    output::write(&comparison, &how.shown)?;
    Ok(exit)
}

/// The default measurement.
const fn usual(arguments: &MatrixArgs) -> Usual<'static> {
    let (sizes, patterns): (&[u64], &[Pattern]) = if arguments.quick {
        (&quick::SIZES, &[Pattern::Random])
    } else {
        (&SIZES, &[Pattern::Random, Pattern::Sequential])
    };
    Usual {
        sizes,
        ops: &[1.0, 0.0],
        patterns,
        depth: &[16],
    }
}

/// Milliseconds of the ramp, and at most of a point.
fn times(arguments: &MatrixArgs, cells: usize) -> (u64, u64) {
    if arguments.quick {
        (0, quick::time_ms(cells))
    } else {
        (arguments.ramp, arguments.time)
    }
}

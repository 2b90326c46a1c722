//! `ioalign measure atomic`: pages written twice, in one piece, and once.

use anyhow::Result;
use ioalign_core::comparison::{Arm, ComparisonSubject};
use ioalign_core::workload::{Data, Pattern};
use ioalign_measure::engine::{CellSpec, PageWay};

use super::arms::Arms;
use super::session::{MeasureRequest, MeasureSession};
use super::{open, output};
use crate::args::AtomicCostArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;

/// The baseline first.
const WAYS: [(&str, PageWay); 3] = [
    ("twice", PageWay::Twice),
    ("atomic", PageWay::Atomic),
    ("once", PageWay::Once),
];

/// Runs the verb.
pub fn run(arguments: &AtomicCostArgs) -> Result<Exit> {
    open::allowed(true, &arguments.how.io)?;
    let arms = arms(arguments);
    let spec = CellSpec {
        block_bytes: arguments.page,
        read_ratio: 0.0,
        pattern: Pattern::Random,
        queue_depth: arguments.batch,
        workers: 1,
    };
    output::destination(&arguments.how.shown, &arms.targets).check()?;
    let interrupt = Interrupt::watched()?;
    let wanted = MeasureRequest {
        arms: &arms,
        specs: &[spec],
        atomic: &[arguments.page],
        usual_size: None,
        data: Data::default(),
        like: None,
        notes: &[note(arguments)],
        ramp_ms: arguments.ramp,
        time_ms: arguments.time,
    };
    let mut session = MeasureSession::open(&wanted, &arguments.how, &interrupt)?;
    session.comparison.subject = ComparisonSubject::PageWrites;
    session.ways = WAYS.map(|(_, way)| way).to_vec();
    let (comparison, exit) = session.all(&[spec])?;
    output::write(&comparison, &arguments.how.shown)?;
    Ok(exit)
}

fn arms(arguments: &AtomicCostArgs) -> Arms {
    let arm = |(name, _): (&str, PageWay)| Arm {
        name: name.to_owned(),
        ..Arm::default()
    };
    Arms {
        list: WAYS.map(arm).to_vec(),
        targets: vec![arguments.target.clone()],
        are_usual: false,
    }
}

fn note(arguments: &AtomicCostArgs) -> String {
    format!(
        "an I/O is a page, a latency is that of {} pages written and flushed; twice: first to a doublewrite area, with a \
         flush; atomic: marked RWF_ATOMIC; once: plain writes, which may be torn",
        arguments.batch
    )
}

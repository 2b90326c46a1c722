//! `ioalign trace generate`.

use std::sync::atomic::Ordering;

use anyhow::Result;
use ioalign_core::GridClaim;
use ioalign_device::create::Readers;
use ioalign_observe::TraceProgress;
use ioalign_observe::generate::{GeneratePlan, Truth, processes, write};
use ioalign_observe::write::WritableFormat;

use super::{bar, file, look};
use crate::args::GenerateArgs;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::output_file::Destination;

/// Runs the verb.
pub fn run(arguments: &GenerateArgs) -> Result<Exit> {
    let target = match &arguments.format {
        Some(name) => file::target(name)?,
        None => match file::by_ending(&arguments.output) {
            Some(target) => target,
            None => file::target("blktrace")?,
        },
    };
    let plan = plan(arguments, target)?;
    let interrupt = Interrupt::watched()?;
    let progress = TraceProgress::default();
    let mut truth = arguments.truth.as_ref().map(|_| {
        let assumed = [GridClaim::assumed_block()];
        let grids: Vec<_> = assumed.iter().chain(&arguments.grid).cloned().collect();
        Truth::new(&plan, &grids, arguments.burst_gap)
    });
    let to = Destination::data(&arguments.output, arguments.replace, Readers::Usual);
    let truth_to = arguments.truth.as_deref().map(|path| Destination {
        readers: Readers::Usual,
        ..Destination::report(Some(path), arguments.replace, &[])
    });
    if let Some(truth_to) = &truth_to {
        truth_to.check()?;
    }
    let (output, out) = file::TraceOutput::create(&to)?;
    let written = bar::while_shown(&[], false, &progress, &interrupt, || {
        let mut writer = (target.writer)(out, true)?;
        write(&plan, &mut *writer, truth.as_mut(), &progress)
    });
    written?;
    output.keep()?;
    if let (Some(truth_to), Some(mut truth)) = (&truth_to, truth) {
        let profile = truth.profile(&plan);
        truth_to.write(|file| look::json_to(file, &profile))?;
    }
    if progress.stop.load(Ordering::Relaxed) {
        file::cut_short(&arguments.output, "made");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

fn plan(arguments: &GenerateArgs, target: &WritableFormat) -> Result<GeneratePlan> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // above zero; saturates
    let whole = |value: f64| value.round() as u64;
    let plan = GeneratePlan {
        ios: arguments.ios,
        seed: arguments.seed,
        device_size: arguments.device_size,
        processes: processes(arguments.processes),
        sizes: arguments.sizes.clone(),
        align: arguments.align,
        misaligned: arguments.misaligned,
        shift: arguments.shift,
        sequential: arguments.sequential,
        reads: arguments.read_ratio,
        discards: arguments.discards,
        flushes: arguments.flushes,
        between: whole(1e9 / arguments.iops),
        bursts: arguments.bursts,
        depth: usize::try_from(arguments.depth).unwrap_or(usize::MAX),
        latency: arguments.latency,
        penalty_percent: whole(arguments.penalty * 100.0),
        ..GeneratePlan::default()
    };
    let plan = plan.for_target(target, arguments.devices);
    match plan.fault().or_else(|| plan.fault_in(target)) {
        Some(what) => Err(UsageError(what).into()),
        None => Ok(plan),
    }
}

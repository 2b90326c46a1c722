//! `ioalign trace generate`.

use std::fs::File;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use ioalign_core::GridSpec;
use ioalign_observe::Progress;
use ioalign_observe::generate::{Plan, Truth, processes, write};
use ioalign_observe::write::Target;

use super::{bar, file, look};
use crate::args::GenerateArgs;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;

/// Runs the verb.
pub fn run(arguments: &GenerateArgs) -> Result<Exit> {
    let target = file::target(&arguments.format)?;
    let plan = plan(arguments, target)?;
    let interrupt = Interrupt::watched()?;
    let progress = Progress::default();
    let mut truth = arguments.truth.as_ref().map(|_| {
        let assumed = [GridSpec::assumed_block()];
        let grids: Vec<_> = assumed.iter().chain(&arguments.grid).cloned().collect();
        Truth::new(&plan, &grids, arguments.burst_gap)
    });
    let (output, out) = file::Output::create(&arguments.output)?;
    let name = arguments.output.display().to_string();
    let written = bar::while_shown(&[], false, &progress, &interrupt, || {
        let mut writer = (target.writer)(out, true)?;
        write(&plan, &mut *writer, truth.as_mut(), &progress)
    });
    written?;
    output.keep().with_context(|| name)?;
    if let (Some(path), Some(mut truth)) = (&arguments.truth, truth) {
        let profile = truth.profile(&plan);
        File::create(path)
            .and_then(|file| look::json_to(file, &profile))
            .with_context(|| path.display().to_string())?;
    }
    if progress.stop.load(Ordering::Relaxed) {
        file::cut_short(&arguments.output, "made");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

fn plan(arguments: &GenerateArgs, target: &Target) -> Result<Plan> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // above zero; saturates
    let whole = |value: f64| value.round() as u64;
    let plan = Plan {
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
        ..Plan::default()
    };
    let plan = plan.for_target(target, arguments.devices);
    match plan.fault().or_else(|| target.fault(&plan)) {
        Some(what) => Err(UsageError(what).into()),
        None => Ok(plan),
    }
}

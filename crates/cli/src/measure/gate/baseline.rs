//! A baseline on the disk: read, and made longer by a session.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ioalign_core::comparison::Conditions;
use ioalign_core::gate_document::{BASELINE_SCHEMA, Baseline, BaselineSession};
use ioalign_core::load::{Load, LoadStep};
use ioalign_core::machine::Machine;
use ioalign_core::shell;
use ioalign_measure::stats::{FEWEST_SESSIONS, SessionLevels, level};

use crate::args::ReplaceArgs;
use crate::document;
use crate::exit::UsageError;
use crate::output_file::Destination;

/// Reads one.
pub fn read(path: &Path) -> Result<Baseline> {
    let baseline: Baseline =
        document::read(path, "baseline", BASELINE_SCHEMA, |one: &Baseline| {
            &one.schema
        })?;
    let steps = baseline.steps.len();
    let whole = |one: &BaselineSession| one.latency_us.len() == steps;
    if steps == 0 || !baseline.sessions.iter().all(whole) {
        bail!(
            "{}: its sessions are not of the load that it names",
            path.display()
        );
    }
    Ok(baseline)
}

/// The levels of all sessions, for each step.
pub fn levels(path: &Path, baseline: &Baseline) -> Result<Vec<SessionLevels>> {
    let of = |step: usize| -> Option<SessionLevels> {
        let seconds = baseline.sessions.iter().map(|one| one.latency_us.get(step));
        let levels: Option<Vec<f64>> = seconds.map(|all| level(&logarithms(all?))).collect();
        SessionLevels::new(&levels?)
    };
    let all: Option<Vec<_>> = (0..baseline.steps.len()).map(of).collect();
    all.ok_or_else(|| {
        let name = shell::path(path);
        anyhow!(
            "{name}: it has {} whole sessions; {FEWEST_SESSIONS} are the fewest that show how far sessions differ, and 10 or \
             more show it well; next: `ioalign measure run … --record {name}` at other times",
            baseline.sessions.len()
        )
    })
}

fn logarithms(seconds: &[f64]) -> Vec<f64> {
    let all = seconds.iter().map(|us| us.ln());
    all.filter(|one| one.is_finite()).collect()
}

/// What of the machine is not as in the last session: the answer may be about that.
pub fn unlike(baseline: &Baseline, now: &Machine) -> Option<String> {
    let then = &baseline.sessions.last()?.machine;
    let all = [
        (then.host != now.host, "host"),
        (then.kernel != now.kernel, "kernel"),
        (then.cpu_model != now.cpu_model, "processor"),
        (then.disks != now.disks, "disks"),
    ];
    let differ = all.iter().filter(|(differs, _)| *differs);
    let words: Vec<_> = differ.map(|(_, word)| *word).collect();
    (!words.is_empty()).then(|| {
        format!(
            "not as in the last session of the baseline: {}. A difference may be due to that",
            words.join(", ")
        )
    })
}

/// Adds a run to a baseline, or begins one with it.
pub fn record(path: &Path, load: &Load, conditions: Conditions) -> Result<()> {
    if load.partial.is_some() || load.steps.iter().any(|step| step.partial.is_some()) {
        bail!(
            "{}: the run ended early, and is no session of it",
            path.display()
        );
    }
    let new = Baseline {
        schema: BASELINE_SCHEMA.to_owned(),
        job: load.job.clone(),
        targets: load.targets.clone(),
        conditions,
        steps: load
            .steps
            .iter()
            .map(|step| step.workload.clone())
            .collect(),
        sessions: vec![BaselineSession {
            tool: load.tool.clone(),
            machine: load.machine.clone(),
            latency_us: load.steps.iter().map(seconds).collect(),
        }],
    };
    let whole = match path.exists() {
        true => longer(path, new)?,
        false => new,
    };
    let kept: Vec<_> = whole.targets.iter().map(Into::into).collect();
    let file = Destination::report(Some(path), ReplaceArgs::default(), &kept);
    file.write(|out| crate::look::json_to(out, &whole))
}

fn longer(path: &Path, new: Baseline) -> Result<Baseline> {
    let mut old = read(path)?;
    let others = old.other_than(&new);
    if !others.is_empty() {
        let what = format!(
            "{}: its sessions are of another run: {}; record this one in another file",
            path.display(),
            others.join(", ")
        );
        return Err(UsageError(what).into());
    }
    old.sessions.extend(new.sessions);
    Ok(old)
}

fn seconds(step: &LoadStep) -> Vec<f64> {
    step.seconds
        .iter()
        .filter_map(|one| one.latency_us)
        .collect()
}

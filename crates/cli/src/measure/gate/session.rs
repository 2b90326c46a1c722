//! The new session: a load each, until there is an answer or its time is over.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use ioalign_core::gate_document::{GateDocument, GateStep, GateVerdict};
use ioalign_core::units::ratio;
use ioalign_core::workload::Workload;
use ioalign_device::Target;
use ioalign_measure::load::{LoadSnapshot, LoadTotals};
use ioalign_measure::stats::{Gate, GateAnswer, GateQuestion, SessionLevels};

use super::super::open;
use super::super::run::ProgressLine;
use super::super::session::INTERRUPTED;
use crate::args::{GateArgs, TargetArgs};
use crate::interrupt::Interrupt;

const SECOND: Duration = Duration::from_secs(1);

pub struct GateSession<'a> {
    pub arguments: &'a GateArgs,
    pub io: &'a TargetArgs,
    pub targets: &'a [Arc<Target>],
    pub interrupt: &'a Interrupt,
}

impl GateSession<'_> {
    /// All steps, which share the allowance of error.
    pub fn all(
        &self,
        steps: &[Workload],
        levels: Vec<SessionLevels>,
        document: &mut GateDocument,
    ) -> Result<()> {
        let progress = ProgressLine::of_steps(steps.len(), self.arguments.look.quiet);
        let many = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let question = GateQuestion {
            slower: self.arguments.slower.ln_1p(),
            alpha: (1.0 - self.arguments.confidence) / f64::from(many),
        };
        for (workload, levels) in steps.iter().zip(levels) {
            let mut gate = Gate::new(levels.clone(), question);
            let partial = self.step(workload, &mut gate, &progress)?;
            document.steps.push(answered(workload, &gate, &levels));
            if self.interrupt.asked() || partial.is_some() {
                document.partial = partial.or_else(|| Some(INTERRUPTED.to_owned()));
                break;
            }
        }
        progress.finish();
        Ok(())
    }

    fn step(
        &self,
        workload: &Workload,
        gate: &mut Gate,
        progress: &ProgressLine,
    ) -> Result<Option<String>> {
        let mut workload = workload.clone();
        workload.run_ms = self.arguments.time.unwrap_or(workload.run_ms);
        let mut options = open::options(self.io, &self.arguments.engine, workload.data.clone());
        options.write &= workload.writes();
        let name = progress.begin(&workload);
        let (mut seconds, mut over) = (GateSeconds::default(), false);
        let report =
            ioalign_measure::load::run(self.targets, &workload, &options, None, &mut |snapshot| {
                progress.show(&name, snapshot);
                if let Some(us) = seconds.see(snapshot) {
                    gate.add(us.ln());
                    over = gate.is_over();
                }
                match over {
                    true => ControlFlow::Break(()),
                    false => self.interrupt.flow(),
                }
            });
        let report = report.map_err(open::refusal)?;
        progress.done();
        Ok(report.partial.filter(|_| !over))
    }
}

/// Cuts the counters of a load into seconds.
#[derive(Default)]
struct GateSeconds {
    begun: Option<(Duration, LoadTotals)>,
}

impl GateSeconds {
    /// The mean time of an I/O in a second that has just ended, in µs.
    fn see(&mut self, snapshot: &LoadSnapshot) -> Option<f64> {
        if snapshot.ramping {
            return None;
        }
        let all = sum(snapshot.read, snapshot.write);
        let (since, before) = *self.begun.get_or_insert((snapshot.elapsed, all));
        if snapshot.elapsed.saturating_sub(since) < SECOND {
            return None;
        }
        self.begun = Some((snapshot.elapsed, all));
        let ios = all.ios.checked_sub(before.ios).filter(|ios| *ios > 0)?;
        let time = all.latency_ns.saturating_sub(before.latency_ns);
        Some(ratio(time, ios) / 1e3)
    }
}

fn sum(one: LoadTotals, other: LoadTotals) -> LoadTotals {
    LoadTotals {
        ios: one.ios + other.ios,
        bytes: one.bytes + other.bytes,
        latency_ns: one.latency_ns + other.latency_ns,
    }
}

fn answered(workload: &Workload, gate: &Gate, levels: &SessionLevels) -> GateStep {
    let state = gate.state();
    GateStep {
        workload: workload.clone(),
        verdict: match gate.answer() {
            GateAnswer::Pass => GateVerdict::Pass,
            GateAnswer::Fail => GateVerdict::Fail,
            GateAnswer::Undecided => GateVerdict::Undecided,
        },
        ratio: state.map(|state| state.at.exp()),
        ratio_low: state.map(|state| state.low.exp()),
        ratio_high: state.map(|state| state.high.exp()),
        between_sessions_ratio: levels.deviation().exp_m1(),
        floor_ratio: gate.floor().exp_m1(),
        slowest: state.is_some_and(|state| state.slowest),
        rounds: gate.rounds(),
        baseline_us: levels.mean().exp(),
        latency_us: state.map(|state| (state.at + levels.mean()).exp()),
    }
}

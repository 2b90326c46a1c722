//! What is said at the end of a watch.

use std::time::Duration;

use anyhow::Result;
use ioalign_core::numbers::thousands;
use ioalign_core::profile::{AssertionOutcome, Profile};
use ioalign_core::watch_document::{DeviceFigures, Iostat, WatchSummary};
use ioalign_observe::live::{self, Timeline, WatchTotals, WatchedDevice};
use ioalign_report::watch as report;

use super::file_names;
use super::session::WatchSession;
use crate::look;

impl WatchSession<'_> {
    /// Shows it; with what became of the assertions.
    pub(super) fn report(
        &self,
        totals: &WatchTotals,
        duration: Duration,
    ) -> Result<Vec<AssertionOutcome>> {
        let timeline = self.clock.timeline.as_ref();
        let mut profile = profile(totals, self.watch.devices(), timeline, duration);
        profile.assertions = self.gate.judge(&profile)?;
        profile.only = self.gate.only();
        if self.arguments.json {
            profile.machine.clone_from(&self.machine);
            for device in &mut profile.devices {
                device.processes.truncate(self.mode.top);
                device.groups.truncate(self.mode.groups);
                self.groups.name(&mut device.groups);
                device.files.truncate(self.mode.files);
                file_names::below_mounts(&mut device.files);
            }
            look::json(&profile)?;
            return Ok(profile.assertions);
        }
        if self.mode.screen {
            self.opening()?;
        }
        look::write(&report::render(&self.summary(totals, duration)))?;
        look::write(&report::assertions(&profile.assertions))?;
        Ok(profile.assertions)
    }

    fn summary(&self, totals: &WatchTotals, duration: Duration) -> WatchSummary {
        let all = self.watch.devices().iter().zip(&totals.devices);
        let all = all.zip(&self.parts).zip(0_usize..);
        let busy = all.filter(|(((_, counted), _), _)| counted.ios() > 0);
        let devices = busy.map(|(((device, counted), parts), slot)| {
            let timeline = self.clock.timeline.as_ref();
            let mut processes = totals.owners_of(slot);
            processes.truncate(self.mode.top);
            DeviceFigures {
                parts: parts.clone(),
                processes,
                groups: self.groups.most(totals, slot, self.mode.groups),
                files: file_names::most(totals, slot, self.mode.files),
                bursts: timeline.map(|timeline| timeline.document(slot, counted)),
                iostat: match self.gate.is_of_a_part() {
                    // It is of all I/O of the device.
                    true => Iostat::default(),
                    false => self.clock.iostat(&device.name),
                },
                ..counted.document(device)
            }
        });
        WatchSummary {
            seconds: duration.as_secs_f64(),
            only: self.gate.only(),
            devices: devices.collect(),
            losses: totals.losses(),
        }
    }
}

/// The profile of these counters, which took `duration`, with its bursts where they were counted.
pub fn profile(
    totals: &WatchTotals,
    devices: &[WatchedDevice],
    timeline: Option<&Timeline>,
    duration: Duration,
) -> Profile {
    let mut profile = totals.profile(devices, duration);
    for device in &mut profile.devices {
        let slot = devices.iter().position(|known| known.name == device.device);
        if let (Some(timeline), Some(slot)) = (timeline, slot) {
            timeline.profile(slot, device);
        }
    }
    profile
}

/// The cost that the kernel measured for each I/O, minus the cost of measuring.
pub fn cost_note(cost: live::ProgramCost, totals: &WatchTotals) -> String {
    let ios: u64 = totals.devices.iter().map(live::DeviceTotals::ios).sum();
    let runs = thousands(cost.runs);
    match (
        cost.nanos.checked_div(ios),
        cost.empty_nanos.checked_div(cost.empty_runs),
    ) {
        (Some(each), Some(empty)) if cost.runs > 0 => {
            let measuring = cost.runs.saturating_mul(empty) / ios.max(1);
            let net = each.saturating_sub(measuring);
            format!(
                "cost {net} ns an I/O: {each} ns in {runs} runs, less {measuring} for empty programs ({empty} ns a run)"
            )
        }
        (Some(each), None) if cost.runs > 0 => {
            format!("cost {each} ns an I/O in {runs} runs, measuring included")
        }
        _ => "cost not measured: sysctl kernel.bpf_stats_enabled=1, and some I/O".to_owned(),
    }
}

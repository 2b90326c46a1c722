//! `ioalign watch`: what I/O does now.

mod command_group;
pub mod confine;
mod ending;
mod fallback;
mod file_names;
mod gate;
mod group_names;
pub mod host;
mod mode;
mod only_files;
pub mod presence;
mod record;
mod screen;
mod session;
pub mod tick;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use ioalign_core::machine::Machine;
use ioalign_observe::live::{self, Timeline, Watch, WatchOptions, WatchedDevice};

use crate::args::{By, WatchArgs};
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::say::note;
pub use ending::profile;
use gate::WatchGate;
use group_names::GroupNames;
use mode::WatchMode;
use only_files::OnlyFiles;
use session::WatchSession;

/// Runs the verb.
pub fn run(arguments: &WatchArgs) -> Result<Exit> {
    let interrupt = Interrupt::watched()?;
    let mut devices = host::devices(&arguments.devices)?;
    let wanted = host::WantedGrids {
        unit: arguments.unit.as_ref(),
        grids: &arguments.grid,
    };
    let parts = host::describe(&mut devices, wanted)?;
    let machine = machine_of(&devices);
    let mode = WatchMode::of(arguments);
    let only_files = OnlyFiles::open(arguments)?;
    only_files.not_seen(&devices, &arguments.file);
    let mut gate = WatchGate::prepare(arguments)?;
    let wanted = WatchOptions {
        owners: mode.top > 0,
        groups: mode.groups > 0,
        files: mode.files > 0,
        bio_ends: file_names::functions(arguments)?,
        only_files: only_files.identities(),
        ring: mode.ring(arguments),
        events: arguments.record.is_some(),
        sample_every: arguments.straddling.unwrap_or(0),
        moments: mode.gap.is_some(),
        cost: arguments.cost,
        only_group: gate.only_group()?,
        plain: arguments.by == Some(By::Tracepoint),
        devices: devices.clone(),
    };
    let groups = GroupNames::prepare(arguments)?;
    if arguments.by == Some(By::Tracefs) {
        if gate.needs_bpf() {
            let why = "--assert, --cgroup, --file and a command need BPF, not --by tracefs";
            return Err(UsageError(why.to_owned()).into());
        }
        groups.not_told();
        return fallback::run(arguments, &devices, machine, &interrupt);
    }
    match Watch::start(wanted) {
        Ok(watch) => {
            // A command has all rights anyway, and its control group is removed with them; a JUnit file may lie anywhere.
            if !gate.has_command()
                && arguments.junit.is_none()
                && let Err(error) = confine::confine(arguments.record.as_deref())
            {
                note(format_args!("it keeps all of its rights: {error:#}"));
            }
            gate.begin()?;
            WatchSession::new(arguments, mode, (parts, machine), (watch, gate, groups))?
                .run(&interrupt)
        }
        Err(error) => {
            note(&error);
            for reason in live::missing::reasons(Path::new("/")) {
                note(reason);
            }
            if arguments.by.is_some() || gate.needs_bpf() {
                return Ok(Exit::Unreadable);
            }
            groups.not_told();
            fallback::run(arguments, &devices, machine, &interrupt)
        }
    }
}

/// This machine, with the disks that are watched.
fn machine_of(devices: &[WatchedDevice]) -> Option<Machine> {
    let paths: Vec<_> = devices
        .iter()
        .map(|device| Path::new("/dev").join(&device.name))
        .collect();
    ioalign_check::machine::read(&paths)
}

/// The view of monitoring with samples of one and of twenty seconds is shown beside bursts.
pub fn timeline(watch: &Watch, gap: Duration) -> Timeline {
    let gap = u64::try_from(gap.as_nanos()).unwrap_or(u64::MAX);
    Timeline::new(watch.devices().len(), gap, &[1_000_000_000, 20_000_000_000])
}

fn watching(devices: &[WatchedDevice]) -> String {
    let names: Vec<_> = devices
        .iter()
        .map(|device| device.name.as_str())
        .take(8)
        .collect();
    let more = devices.len().saturating_sub(names.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("watching {}{more}", names.join(" "))
}

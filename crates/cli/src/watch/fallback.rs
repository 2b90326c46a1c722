//! Without BPF: the kernel's own text, kept in a scratch file and read like any trace.

use std::io::{BufWriter, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ioalign_core::machine::Machine;
use ioalign_core::profile::Profile;
use ioalign_device::create::{self, Readers};
use ioalign_observe::live::WatchedDevice;
use ioalign_observe::live::tracefs::TracefsSession;
use ioalign_observe::{TraceProgress, TraceSettings, summarize};

use crate::args::WatchArgs;
use crate::exit::Exit;
use crate::interrupt::{GLANCE, Interrupt};
use crate::look;
use crate::output_file::{Destination, OutputFile};
use crate::say::note;

/// Watches until the end that was asked for, then shows the profile.
pub fn run(
    arguments: &WatchArgs,
    devices: &[WatchedDevice],
    machine: Option<Machine>,
    interrupt: &Interrupt,
) -> Result<Exit> {
    let mut session = TracefsSession::start(devices)?;
    note("without BPF: events as text from tracefs, figures at the end");
    note(super::watching(devices));
    // The I/O of a machine is for its owner only.
    let record = match &arguments.record {
        Some(path) => Some(Destination::data(path, arguments.replace, Readers::Owner).open()?),
        None => None,
    };
    let file = match &record {
        Some(OutputFile::InPlace(_)) => bail!("a record that is made without BPF has to be a file"),
        Some(OutputFile::Pending(record)) => record.file().try_clone()?,
        None => create::unnamed(&std::env::temp_dir())?,
    };
    let mut out = BufWriter::new(file.try_clone()?);
    let done = follow(arguments, &mut session, &mut out, interrupt)?;
    out.flush()?;
    drop(out);
    let lost = session.lost();
    drop(session);
    // By the descriptor, as it may never have another name.
    let events = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let mut profile = profile(&events, devices)?;
    profile.dropped += lost;
    profile.machine = machine;
    tell(profile, arguments)?;
    if let Some(record) = record {
        record.keep()?;
    }
    let asked = arguments.count.is_some() || arguments.duration.is_some();
    Ok(if done || !asked {
        Exit::Done
    } else {
        Exit::Interrupted
    })
}

fn follow(
    arguments: &WatchArgs,
    session: &mut TracefsSession,
    out: &mut impl Write,
    interrupt: &Interrupt,
) -> Result<bool> {
    let began = std::time::Instant::now();
    let by_count = arguments.count.map(|count| {
        arguments
            .interval
            .saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
    });
    let end = [arguments.duration, by_count].into_iter().flatten().min();
    let mut done = false;
    while !interrupt.asked() && !done {
        std::thread::sleep(GLANCE);
        session.pump(out)?;
        done = end.is_some_and(|end| began.elapsed() >= end);
    }
    session.stop();
    session.pump(out)?;
    Ok(done)
}

/// What the text says.
fn profile(path: &Path, devices: &[WatchedDevice]) -> Result<Profile> {
    let mut settings = TraceSettings {
        format: Some("ftrace".to_owned()),
        ..TraceSettings::default()
    };
    // One list of grids for all devices: those of the first are the operator's and its own.
    if let Some(device) = devices.first() {
        settings.analysis.grids = device.grids.clone();
    }
    let mut profile = summarize(&[path.to_owned()], &settings, &TraceProgress::default())?.profile;
    "live".clone_into(&mut profile.source);
    for device in &mut profile.devices {
        let known = devices
            .iter()
            .find(|known| format!("{}:{}", known.number.0, known.number.1) == device.device);
        if let Some(known) = known {
            device.device.clone_from(&known.name);
        }
    }
    Ok(profile)
}

fn tell(mut profile: Profile, arguments: &WatchArgs) -> Result<()> {
    if arguments.json {
        return look::json(&profile);
    }
    profile.files.clear();
    look::write(&ioalign_report::profile::render(
        &profile,
        &look::uncoloured(),
    ))
}

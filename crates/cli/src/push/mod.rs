//! `ioalign push`: this host's capture and profile, to a server that collects.
//!
//! The push is in the spool before the first byte is sent, so whatever ends this process loses nothing.

mod identity;
mod send;
mod summary;
mod trust;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ioalign_device::create::random;
use ioalign_fleet::envelope::MOST_PROFILE;
use ioalign_fleet::rates::IoRates;
use ioalign_fleet::spool::{DroppedPushes, PushSpool, RetryPause};
use ioalign_fleet::{PushEnvelope, collector};
use ioalign_inspect::recording::CaptureRequest;

use crate::args::PushArgs;
use crate::capture;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::say::note;
use crate::small_file;
use send::{PushAnswer, PushSender};
use summary::PushSummary;

/// Where root keeps what waits.
const SYSTEM_SPOOL: &str = "/var/lib/ioalign/spool";

/// Runs the verb.
pub fn run(arguments: &PushArgs) -> Result<Exit> {
    let interrupt = Interrupt::watched()?;
    let sender = PushSender::new(arguments)?;
    let profile = arguments.profile.as_deref().map(profile).transpose()?;
    let spool = PushSpool::open(&place(arguments)?)?;
    let request = CaptureRequest {
        sysroot: arguments.sysroot.clone(),
        devices: Vec::new(),
        with_serials: false,
        tool: crate::check::tool(),
    };
    let Some(bundle) = capture::read(request, &interrupt)? else {
        note("interrupted; nothing was added to the spool");
        return Ok(Exit::Interrupted);
    };
    let own = bundle.manifest.host.clone();
    let envelope = PushEnvelope {
        host_id: identity::host_id(arguments.sysroot.as_deref(), &spool)?,
        host: identity::name(arguments.host_name.as_deref().or(own.as_deref())),
        taken_at_seconds: collector::now(),
        capture: bundle.bytes,
        profile,
    };
    let dropped = spool.put(&envelope.encode()?)?;
    said(&dropped);
    let mut summary = PushSummary::new(dropped.pushes);
    let is_done = send_all(
        &spool,
        &sender,
        arguments.retry_for,
        &interrupt,
        &mut summary,
    )?;
    summary.waiting = spool.waiting()?.len();
    summary::print(&summary, arguments)?;
    Ok(match is_done {
        false => Exit::Interrupted,
        true if summary.waiting + summary.refused > 0 => Exit::Code(1),
        true => Exit::Done,
    })
}

fn said(dropped: &DroppedPushes) {
    if dropped.pushes > 0 {
        note(format_args!(
            "the spool was full: the {} oldest of its pushes were dropped, {} bytes",
            dropped.pushes, dropped.bytes
        ));
    }
}

/// Sends what waits, oldest first; false when it was interrupted.
fn send_all(
    spool: &PushSpool,
    sender: &PushSender,
    patience: Duration,
    interrupt: &Interrupt,
    summary: &mut PushSummary,
) -> Result<bool> {
    let began = Instant::now();
    // Hosts that start in the same second do not come back in the same second.
    let mut pauses = RetryPause::new(random()?);
    let mut last_failure = String::new();
    'pushes: for push in spool.waiting()? {
        let bytes = spool.read(&push)?;
        loop {
            if interrupt.asked() {
                return Ok(false);
            }
            match sender.send(&bytes) {
                PushAnswer::Acknowledged { duplicate } => {
                    spool.acknowledged(&push)?;
                    summary.acknowledged += 1;
                    summary.duplicates += usize::from(duplicate);
                    continue 'pushes;
                }
                PushAnswer::Refused(why) => {
                    let aside = spool.refused(&push)?;
                    note(format_args!(
                        "the server refuses a push: {why}; it is kept as {}",
                        aside.display()
                    ));
                    summary.refused += 1;
                    continue 'pushes;
                }
                PushAnswer::Later { why, after } => {
                    let pause = pauses.next(after);
                    if began.elapsed() + pause > patience {
                        note(format_args!(
                            "{why}; the push waits in the spool for the next one"
                        ));
                        return Ok(true);
                    }
                    if why != last_failure {
                        note(format_args!("{why}; trying again"));
                        last_failure = why;
                    }
                    if interrupt.wait(pause) {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}

/// Refused here, not by the server tomorrow.
fn profile(path: &Path) -> Result<Vec<u8>> {
    let too_large = "larger than 8 MiB, and no profile of one host is";
    let bytes = small_file::read(path, MOST_PROFILE, too_large)?;
    IoRates::read(&bytes).with_context(|| path.display().to_string())?;
    Ok(bytes)
}

fn place(arguments: &PushArgs) -> Result<PathBuf> {
    if let Some(folder) = &arguments.spool {
        return Ok(folder.clone());
    }
    if rustix::process::geteuid().is_root() {
        return Ok(SYSTEM_SPOOL.into());
    }
    let set = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")));
    state
        .map(|state| state.join("ioalign/spool"))
        .context("there is no home directory for the spool: name one with --spool")
}

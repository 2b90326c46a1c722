//! `ioalign capture`: this host, or a few of its devices, as a bundle for `check` elsewhere.

mod difference;
mod file;
mod summary;

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Result;
use ioalign_inspect::recording::capture::plain;
use ioalign_inspect::recording::{self, CaptureBundle, CaptureRequest};

use crate::args::CaptureArgs;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;

/// How soon Ctrl-C is heard.
const TICK: Duration = Duration::from_millis(20);

/// Runs the verb.
pub fn run(arguments: &CaptureArgs) -> Result<Exit> {
    if !arguments.diff.is_empty() {
        return difference::run(&arguments.diff, arguments.json, arguments.quiet);
    }
    let interrupt = Interrupt::watched()?;
    let wanted = file::WantedBundle::new(arguments)?;
    let request = CaptureRequest {
        sysroot: arguments.sysroot.clone(),
        devices: arguments.devices.clone(),
        with_serials: arguments.with_serials,
        tool: crate::check::tool(),
    };
    let Some(bundle) = read(request, &interrupt)? else {
        summary::interrupted();
        return Ok(Exit::Interrupted);
    };
    let place = match wanted.place {
        Some(place) => place,
        None => file::BundlePlace::File(default_name(&bundle), arguments.replace),
    };
    if !place.write(&bundle.bytes, &interrupt)? {
        summary::interrupted();
        return Ok(Exit::Interrupted);
    }
    summary::print(bundle, &place, arguments)?;
    Ok(Exit::Done)
}

/// Reads the host beside the thread that hears Ctrl-C: a disk that does not answer can hold up a read
/// for minutes. `None`: interrupted.
pub fn read(request: CaptureRequest, interrupt: &Interrupt) -> Result<Option<CaptureBundle>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens any more: interrupted.
        let _ = sender.send(recording::capture(&request));
    });
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(bundle) => return Ok(Some(bundle?)),
            Err(mpsc::RecvTimeoutError::Timeout) if interrupt.asked() => return Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                anyhow::bail!("the reader of the host has ended without an answer")
            }
        }
    }
}

/// `ioalign-HOST-YYYY-MM-DD.tar.gz` in the working directory.
fn default_name(bundle: &CaptureBundle) -> PathBuf {
    let host = bundle.manifest.host.as_deref().map(plain);
    let host = host.filter(|name| !name.is_empty());
    let host = host.unwrap_or_else(|| "host".to_owned());
    Path::new(&format!("ioalign-{host}-{}.tar.gz", crate::check::today())).to_owned()
}

/// An error of the command line.
fn wrong(what: impl Into<String>) -> anyhow::Error {
    UsageError(what.into()).into()
}

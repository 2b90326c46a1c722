//! `cargo xtask vm`: the microVM of `ioalign lab` for scripts, with options in their own lines.

pub mod args;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use std::{fs, path::Path};

use anyhow::{Context, Result};
use ioalign_lab::rig::{self, GuestOptions, GuestRun, VmOutcome};

use crate::{packages, paths};

/// `cargo xtask vm SCRIPT [OPTIONS]`
pub fn command(args: &[String]) -> Result<ExitCode> {
    let (script, rest) = args::script(args)?;
    let options = args::from_script(&script, rest)?;
    let outcome = run(&script, &options, true)?;
    Ok(ExitCode::from(u8::try_from(outcome.status).unwrap_or(1)))
}

/// Runs the script; `echo` shows the console, otherwise only what goes wrong is shown.
pub fn run(script: &Path, options: &GuestOptions, echo: bool) -> Result<VmOutcome> {
    packages::ensure("test")?;
    let started = Instant::now();
    let text = fs::read(script).with_context(|| format!("cannot read {}", script.display()))?;
    let options = with_functions(options)?;
    let guest = GuestRun {
        script: &text,
        options: &options,
        cache: &paths::target().join("vm-cache"),
        interrupt: &|| false,
    };
    let outcome = guest.run(&mut |line| {
        if echo {
            println!("{line}");
        }
    })?;
    if outcome.status != 0 && !echo {
        eprintln!("{}", outcome.tail);
    }
    eprintln!(
        "xtask: the guest ended with {} after {:.1} s",
        outcome.status,
        started.elapsed().as_secs_f64()
    );
    Ok(outcome)
}

/// The hash of the guest that these options make: kernel, programs, modules, init.
pub fn contents_key(options: &GuestOptions) -> Result<String> {
    Ok(rig::contents_key(&with_functions(options)?)?)
}

/// With the functions that scripts share.
fn with_functions(options: &GuestOptions) -> Result<GuestOptions> {
    let path = paths::root().join("lab/guest/capture.sh");
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut options = options.clone();
    options.texts.push((PathBuf::from("/lib/capture.sh"), text));
    Ok(options)
}

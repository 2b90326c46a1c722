//! A microVM for scripts that need a kernel of their own: md, device mapper, lying disks.
//!
//! Everything runs without root: QEMU emulates (TCG), the initramfs is written by
//! [`cpio`] from the machine's own programs, and files leave the guest as a tar through a virtio port.
pub mod args;
mod console;
mod cpio;
mod initramfs;
pub mod kernel;
mod machine;
mod output;
mod programs;
mod scratch;
mod tsc;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::packages;
use args::GuestOptions;
use console::{ConsoleLog, Ending};
use machine::QemuMachine;
use scratch::Scratch;

/// How long a microvm may take to its first sign of life before q35 is tried instead.
const FIRST_SIGN: Duration = Duration::from_secs(30);

/// What a run left behind.
pub struct VmOutcome {
    /// Exit status of the script.
    pub status: i32,
    /// The lines that start with `@@`.
    pub results: Vec<String>,
}

/// `cargo xtask vm SCRIPT [OPTIONS]`
pub fn command(args: &[String]) -> Result<ExitCode> {
    let (script, rest) = args::script(args)?;
    let options = GuestOptions::from_script(&script, rest)?;
    let outcome = run(&script, &options, true)?;
    Ok(ExitCode::from(u8::try_from(outcome.status).unwrap_or(1)))
}

/// Runs the script; `echo` shows the console, otherwise only what goes wrong is shown.
pub fn run(script: &Path, options: &GuestOptions, echo: bool) -> Result<VmOutcome> {
    packages::ensure("test")?;
    let started = Instant::now();
    let base = initramfs::cached(options)?;
    let scratch = Scratch::new()?;
    let text = fs::read(script).with_context(|| format!("cannot read {}", script.display()))?;
    let initrd = initramfs::with_script(&base, &text, &options.files, &scratch)?;
    let machine = QemuMachine::prepare(options, initrd, &scratch)?;
    let (log, status) = boot(&machine, options.timeout, echo)?;
    if status != 0 && !echo {
        eprintln!("{}", log.tail());
    }
    eprintln!(
        "xtask: the guest ended with {status} after {:.1} s",
        started.elapsed().as_secs_f64()
    );
    if status == 0
        && let (Some(folder), Some(tar)) = (&options.out, &machine.output)
    {
        output::unpack(tar, folder)?;
    }
    Ok(VmOutcome {
        status,
        results: log.results,
    })
}

/// Boots a microvm, and q35 when it shows no life: on loaded hosts microvm can stall early.
fn boot(machine: &QemuMachine, limit: Duration, echo: bool) -> Result<(ConsoleLog, i32)> {
    for (kind, patience) in [("microvm", FIRST_SIGN), ("q35", limit)] {
        let log = console::run(machine.command(kind), patience.min(limit), limit, echo)?;
        match log.ending {
            Ending::Done(status) => return Ok((log, status)),
            Ending::NoSign if kind == "microvm" => {
                eprintln!("xtask: no sign of life from microvm, trying q35");
            }
            Ending::NoSign => bail!(
                "the guest did not boot in {} s:\n{}",
                limit.as_secs(),
                log.tail()
            ),
            Ending::TimedOut => bail!(
                "the guest was killed after {} s:\n{}",
                limit.as_secs(),
                log.tail()
            ),
            Ending::Died => bail!("the guest ended without a result:\n{}", log.tail()),
        }
    }
    bail!("no machine type worked")
}

/// The hash of the guest that these options make: kernel, programs, modules, init.
pub fn contents_key(options: &GuestOptions) -> Result<String> {
    let kernel = kernel::newest().context("no Debian cloud kernel is installed")?;
    let shape = format!("{:?} {}", options.disks, options.memory);
    let files = initramfs::contents(&kernel, options)?;
    Ok(initramfs::key(&kernel, &files)? + &shape)
}

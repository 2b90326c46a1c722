//! A microVM for whatever needs a kernel of its own: md, device mapper, disks with wrong limits.
//!
//! Everything runs without root: QEMU emulates (TCG), the initramfs is written by `cpio` from the machine's own
//! programs, and files leave the guest as a tar through a virtio port.

mod accelerator;
mod console;
mod cpio;
mod initramfs;
pub mod kernel;
mod machine;
mod options;
mod output;
mod programs;
mod scratch;
mod tsc;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::error::{LabError, Result};
pub use accelerator::{Accelerator, accelerator};
use console::{ConsoleLog, Ending, GuestClock};
use machine::QemuMachine;
pub use options::{GuestOptions, GuestProgram, ScratchDisk};
pub(crate) use scratch::Scratch;

/// How long a microvm may take to its first sign of life before q35 is tried instead.
const FIRST_SIGN: Duration = Duration::from_secs(30);

/// A script, and what it runs in.
pub struct GuestRun<'a> {
    /// The shell script, as `/script` in the guest.
    pub script: &'a [u8],
    /// What the guest gets.
    pub options: &'a GuestOptions,
    /// The folder for what may be made again.
    pub cache: &'a Path,
    /// True: the guest is killed.
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// What a run left behind.
pub struct VmOutcome {
    /// Exit status of the script.
    pub status: i32,
    /// The lines that start with `@@`.
    pub results: Vec<String>,
    /// The last lines of the console.
    pub tail: String,
}

impl GuestRun<'_> {
    /// Boots the guest and runs the script; `line` sees each line of its console as it comes.
    ///
    /// # Errors
    ///
    /// Something is missing on this machine; the guest does not boot, ends without a result, or takes longer than its
    /// limit; the interrupt was set. The message has the last lines of the console. QEMU is gone in any case.
    pub fn run(&self, line: &mut dyn FnMut(&str)) -> Result<VmOutcome> {
        let base = initramfs::cached(self.options, self.cache)?;
        let scratch = Scratch::new(self.cache)?;
        let initrd = initramfs::with_script(&base, self.script, &self.options.files, &scratch)?;
        let machine = QemuMachine::prepare(self.options, initrd, &scratch)?;
        let (log, status) = self.boot(&machine, line)?;
        if status == 0
            && let (Some(folder), Some(tar)) = (&self.options.out, &machine.output)
        {
            output::unpack(tar, folder)?;
        }
        let tail = log.tail();
        Ok(VmOutcome {
            status,
            results: log.results,
            tail,
        })
    }

    /// The command of a machine on this terminal, and the folder that it needs until it ends.
    pub(crate) fn command(&self) -> Result<(Command, Scratch)> {
        let base = initramfs::cached(self.options, self.cache)?;
        let scratch = Scratch::new(self.cache)?;
        let initrd = initramfs::with_script(&base, self.script, &self.options.files, &scratch)?;
        let machine = QemuMachine::prepare(self.options, initrd, &scratch)?;
        Ok((machine.command("q35")?, scratch))
    }

    /// Boots a microvm, and q35 when it shows no life: on loaded hosts microvm can stall early.
    fn boot(&self, machine: &QemuMachine, line: &mut dyn FnMut(&str)) -> Result<(ConsoleLog, i32)> {
        let limit = self.options.timeout;
        for (kind, patience) in [("microvm", FIRST_SIGN), ("q35", limit)] {
            let clock = GuestClock {
                patience: patience.min(limit),
                limit,
                interrupt: self.interrupt,
            };
            let log = console::run(machine.command(kind)?, &clock, line)?;
            let seconds = limit.as_secs();
            let what = match log.ending {
                Ending::Done(status) => return Ok((log, status)),
                Ending::Interrupted => return Err(LabError::interrupted()),
                Ending::NoSign if kind == "microvm" && patience < limit => continue,
                Ending::NoSign => format!("the guest did not boot in {seconds} s"),
                Ending::TimedOut => format!("the guest was killed after {seconds} s, its limit"),
                Ending::Died => "the guest ended without a result".to_owned(),
            };
            return Err(LabError::new(with_tail(&what, &log.tail())));
        }
        Err(LabError::new("no machine type worked"))
    }
}

/// A message with the end of the console.
pub fn with_tail(what: &str, tail: &str) -> String {
    match tail.trim() {
        "" => format!("{what}; its console is empty"),
        tail => format!("{what}; the end of its console:\n{tail}"),
    }
}

/// The hash of the guest that these options make: kernel, programs, modules, init.
///
/// # Errors
///
/// A program, a module or the kernel is missing.
pub fn contents_key(options: &GuestOptions) -> Result<String> {
    let kernel = kernel::wanted()?;
    let shape = format!("{:?} {}", options.disks, options.memory);
    let files = initramfs::contents(&kernel, options)?;
    Ok(initramfs::key(&kernel, &files, &options.texts)? + &shape)
}

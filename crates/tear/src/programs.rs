//! Other programs: found, run, and stopped.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ioalign_device::{Error, ErrorKind, Result};
use ioalign_lab::host::which;

const PAUSE: Duration = Duration::from_millis(20);
/// Where other systems than Debian keep servers.
const SERVERS: &str = "/usr/libexec";

/// Where a program is, or which Debian package has it.
pub fn found(name: &str, package: &str) -> Result<PathBuf> {
    let elsewhere = || Some(Path::new(SERVERS).join(name)).filter(|file| file.is_file());
    which(name).or_else(elsewhere).ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, format!("{name} is missing"))
            .advise(format!("install the Debian package {package}"))
    })
}

/// Runs it to its end; what it wrote.
pub fn output(command: &mut Command) -> Result<String> {
    let program = PathBuf::from(command.get_program());
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| Error::io("cannot be started", error).of_target(&program))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = errors.lines().rev().find(|line| !line.trim().is_empty());
    let what = format!(
        "ended with {}: {}",
        output.status,
        last.unwrap_or("no message")
    );
    Err(Error::new(ErrorKind::Refused, what).of_target(&program))
}

/// A program that runs beside this one; it is killed when this is dropped.
#[derive(Debug)]
pub struct BesideChild(Child);

impl BesideChild {
    /// Starts it: standard input and output are files, errors go to the end of `log`.
    pub fn start(
        command: &mut Command,
        input: Option<&Path>,
        output: &Path,
        log: &Path,
    ) -> Result<Self> {
        let program = PathBuf::from(command.get_program());
        let mut started = || -> io::Result<Child> {
            let input = input.map(File::open).transpose()?;
            let log = File::options().create(true).append(true).open(log)?;
            command
                .process_group(0)
                .stdin(input.map_or_else(Stdio::null, Stdio::from))
                .stdout(File::create(output)?)
                .stderr(log)
                .spawn()
        };
        started()
            .map(Self)
            .map_err(|error| Error::io("cannot be started", error).of_target(&program))
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// Waits until something holds, or the program has ended, or the time is up; whether it holds.
    pub fn until(&mut self, most: Duration, mut holds: impl FnMut() -> bool) -> bool {
        let end = Instant::now() + most;
        while Instant::now() < end && !self.has_ended() {
            if holds() {
                return true;
            }
            thread::sleep(PAUSE);
        }
        false
    }

    /// Asks it to end, and waits.
    pub fn end(mut self, most: Duration) {
        if let Some(id) = rustix::process::Pid::from_raw(self.0.id().cast_signed()) {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
        self.until(most, || false);
    }
}

/// Kills every process that works in a folder: those that a server has started, which are in groups of their own.
pub fn kill_within(folder: &Path) {
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let works_in = std::fs::read_link(process.path().join("cwd"));
        let number = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if works_in.is_ok_and(|cwd| cwd.starts_with(folder))
            && let Some(id) = number.and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for BesideChild {
    fn drop(&mut self) {
        // A server has processes of its own, which would keep the file system busy.
        if let Some(group) = rustix::process::Pid::from_raw(self.0.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

//! An experiment from its first guest to its document: one guest for each arm that has something to do.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ioalign_core::lab_document::LabDocument;

use crate::document;
use crate::error::{LabError, Result};
use crate::experiment::{LabExperiment, script};
use crate::hash::ContentHash;
use crate::planned::{self, PlannedArm};
use crate::result::{CheckRecord, GuestParts, GuestReader, measured};
use crate::rig::{self, Accelerator, GuestOptions, GuestProgram, GuestRun, kernel};
use crate::state::LabState;

/// What a guest may take beside its loads: boot, layers, check.
const BUILD: Duration = Duration::from_secs(300);
/// The most that a second of a load takes outside.
const SLOWEST: u32 = 6;

/// How an experiment is run.
pub struct LabRun<'a> {
    /// Which; already of the wanted size.
    pub experiment: &'a LabExperiment,
    /// Whether that is the small one.
    pub quick: bool,
    /// Real time instead of virtual time.
    pub real_time: bool,
    /// Cells that are done already count for nothing.
    pub fresh: bool,
    /// The limit for one guest; `None`: by its loads.
    pub timeout: Option<Duration>,
    /// The running program, for the guest.
    pub program: &'a Path,
    /// The folder for what may be made again.
    pub cache: &'a Path,
    /// Set: the guests are killed.
    pub interrupt: &'a AtomicBool,
    /// Hears what is going on.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

impl LabRun<'_> {
    /// Runs what is not done yet, and gives all of it.
    ///
    /// # Errors
    ///
    /// Something is missing on this machine, a guest fails, or the interrupt was set. What was finished is kept.
    pub fn run(&self) -> Result<LabDocument> {
        let kernel = kernel::wanted()?;
        let accelerator = match self.real_time {
            true => rig::accelerator(self.cache, &|| self.is_interrupted())?,
            // KVM has no virtual time.
            false => Accelerator::Tcg,
        };
        let mut base = ContentHash::new();
        base.add(&kernel.version);
        base.add(accelerator.name());
        base.add([u8::from(self.real_time)]);
        base.add_file(self.program)?;
        let arms = planned::arms(self.experiment, &base);
        let state = Mutex::new(LabState::open(
            self.cache,
            &self.experiment.name,
            self.fresh,
        ));
        self.all(&arms, &state, accelerator)?;
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut document = document::document(self.experiment, &arms, &state)?;
        document.quick = self.quick;
        document.kernel = kernel.version;
        document.timing = if self.real_time { "real" } else { "virtual" }.to_owned();
        document.accelerator = accelerator.name().to_owned();
        Ok(document)
    }

    /// All arms; in virtual time two guests at once, for each keeps one processor busy and neither sees the other.
    fn all(
        &self,
        arms: &[PlannedArm<'_>],
        state: &Mutex<LabState>,
        accelerator: Accelerator,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let work = || -> Result<()> {
            while !stop.load(Ordering::Relaxed) {
                let Some(arm) = arms.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let done = self.one(arm, state, accelerator, &stop);
                stop.fetch_or(done.is_err(), Ordering::Relaxed);
                done?;
            }
            Ok(())
        };
        let guests = if self.real_time { 1 } else { 2 };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..guests).map(|_| scope.spawn(work)).collect();
            let mut errors = Vec::new();
            for thread in threads {
                let ended = thread.join();
                let ended =
                    ended.unwrap_or_else(|_| Err(LabError::new("a thread of the lab panicked")));
                errors.extend(ended.err());
            }
            // A guest that was killed because of another one says nothing of its own.
            errors.sort_by_key(LabError::is_interrupted);
            errors.into_iter().next().map_or(Ok(()), Err)
        })
    }

    /// One arm in a guest of its own, with the cells that are not done.
    fn one(
        &self,
        arm: &PlannedArm<'_>,
        state: &Mutex<LabState>,
        accelerator: Accelerator,
        stop: &AtomicBool,
    ) -> Result<()> {
        let missing: Vec<_> = {
            let state = locked(state);
            let cells = arm.cells.iter();
            cells
                .filter(|cell| state.cell(&cell.key).is_none())
                .collect()
        };
        if missing.is_empty() && locked(state).check(&arm.key).is_some() {
            (self.progress)(&format!("{}: done before", arm.arm.name));
            return Ok(());
        }
        let mut text = arm.built.clone();
        text.push_str(&script::checked(self.experiment, arm.arm));
        missing.iter().for_each(|cell| text.push_str(&cell.call));
        let options = self.options(missing.len(), accelerator);
        (self.progress)(&format!(
            "{}: booting, {} loads",
            arm.arm.name,
            missing.len()
        ));
        let guest = GuestRun {
            script: text.as_bytes(),
            options: &options,
            cache: self.cache,
            interrupt: &|| self.is_interrupted() || stop.load(Ordering::Relaxed),
        };
        let mut reader = GuestReader::default();
        let mut damaged = None;
        let ended = guest.run(&mut |line| {
            let taken = reader.line(line).and_then(|parts| match parts {
                Some((key, parts)) => self.take(arm, &key, &parts, state),
                None => Ok(()),
            });
            damaged = damaged.take().or(taken.err());
        });
        let named = |error: LabError| match error.is_interrupted() {
            true => error,
            false => LabError::new(format!("{}: {error}", arm.arm.name)),
        };
        let outcome = ended.map_err(named)?;
        if let Some(error) = damaged {
            return Err(named(error));
        }
        if outcome.status != 0 {
            let why = reader
                .failed
                .unwrap_or_else(|| format!("the script ended with {}", outcome.status));
            return Err(named(LabError::new(rig::with_tail(&why, &outcome.tail))));
        }
        Ok(())
    }

    /// Keeps what a guest has finished.
    fn take(
        &self,
        arm: &PlannedArm<'_>,
        key: &str,
        parts: &GuestParts,
        state: &Mutex<LabState>,
    ) -> Result<()> {
        if key == script::CHECK {
            let record = CheckRecord::new(parts)?;
            (self.progress)(&format!("{}: check says {}", arm.arm.name, record.verdict));
            return locked(state).keep_check(&arm.key, record);
        }
        let Some(cell) = arm.cells.iter().find(|cell| cell.key == key) else {
            return Ok(());
        };
        let found = measured(parts, &cell.load.op, self.experiment.boundaries()?)?;
        let what = format!(
            "{}: {}, seed {}: {:.1} I/Os/s",
            arm.arm.name, cell.load.name, cell.seed, found.iops
        );
        (self.progress)(&what);
        locked(state).keep_cell(key, found)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn options(&self, cells: usize, accelerator: Accelerator) -> GuestOptions {
        let loads = u32::try_from(cells).unwrap_or(u32::MAX);
        let each = Duration::from_secs(self.experiment.seconds.saturating_add(10));
        let own = BUILD + each.saturating_mul(loads).saturating_mul(SLOWEST);
        GuestOptions {
            programs: self.experiment.guest.programs.clone(),
            files: vec![GuestProgram::ioalign(self.program)],
            copies: self.experiment.guest.files.clone(),
            modules: self.experiment.guest.modules.clone(),
            memory: self.experiment.guest.memory_mib,
            timeout: self.timeout.unwrap_or(own),
            icount: !self.real_time,
            kvm: accelerator == Accelerator::Kvm,
            ..GuestOptions::default()
        }
    }
}

fn locked(state: &Mutex<LabState>) -> MutexGuard<'_, LabState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The running program.
///
/// # Errors
///
/// The kernel does not say which it is.
pub fn this_program() -> Result<PathBuf> {
    std::env::current_exe()
        .map_err(|error| LabError::new(format!("cannot find this program: {error}")))
}

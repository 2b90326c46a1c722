//! One crash and all that follows: power goes out, the machine starts again, a program goes on or back and
//! may lose power itself, until one comes to its end; then every byte is looked at.

use std::ops::ControlFlow;
use std::rc::Rc;

use ioalign_repair::journal::{self, Stage};
use ioalign_repair::mover::{self, Done, MoveOrigin, MoverOptions, MoverOutcome, ReadErrors};
use ioalign_repair::{ErrorKind, Result};
use ioalign_testkit::Random;

use super::check::{is_as_before, is_known, is_moved, is_unrecognisable, tables_in_order};
use super::layout::Layout;
use super::sim::{Loss, Peek, Power, SimDisk};

/// The devices of one machine.
pub struct Machine<'a> {
    layout: &'a Layout,
    pub disk: SimDisk,
    pub store: SimDisk,
    power: Rc<Power>,
    /// Told to go on whatever others wrote.
    pub trust_disk: bool,
}

/// Who begins all jobs of the model.
pub fn origin() -> MoveOrigin {
    MoveOrigin {
        host: "model".into(),
        journal: "/journals/model".into(),
        target: "a disk of the model".into(),
    }
}

/// What a program is started to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Apply,
    Resume,
    Rollback,
}

impl<'a> Machine<'a> {
    pub fn new(layout: &'a Layout, events: u64) -> Self {
        let power = Power::lasting(events);
        let bytes = mover::journal_bytes(&layout.job, &layout.options).unwrap();
        let blank = vec![0; usize::try_from(bytes).unwrap()];
        Self {
            layout,
            disk: layout.disk(&power),
            store: SimDisk::new(blank, 1, &power),
            power,
            trust_disk: false,
        }
    }

    pub fn run(&mut self, verb: Verb, read_errors: ReadErrors) -> Result<Done> {
        let options = MoverOptions {
            read_errors,
            trust_disk: self.trust_disk,
            ..self.layout.options.clone()
        };
        let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
        let (disk, store) = (&mut self.disk, &mut self.store);
        match verb {
            Verb::Apply => mover::apply_with(
                disk,
                store,
                &self.layout.job,
                &origin(),
                &options,
                &mut watch,
            ),
            Verb::Resume => mover::resume_with(disk, store, &options, &mut watch),
            Verb::Rollback => mover::rollback_with(disk, store, &options, &mut watch),
        }
    }

    /// One that was killed in the middle of applying, after this many events, and has been started again.
    pub fn killed_after(layout: &'a Layout, events: u64) -> Self {
        let mut machine = Self::new(layout, events);
        machine.run(Verb::Apply, ReadErrors::Stop).unwrap_err();
        machine.start_again(Loss::Killed, Loss::Killed, &mut Random(1), u64::MAX);
        machine
    }

    /// What was in the caches reaches the media.
    pub fn settle(&mut self) {
        self.start_again(Loss::Kept, Loss::Kept, &mut Random(1), u64::MAX);
    }

    /// Does something and is killed after this many events.
    pub fn run_for(&mut self, verb: Verb, events: u64) {
        self.start_again(Loss::Killed, Loss::Killed, &mut Random(1), events);
        let _ = self.run(verb, ReadErrors::Stop);
        self.start_again(Loss::Killed, Loss::Killed, &mut Random(1), u64::MAX);
    }

    /// Whether the last program lost its power.
    pub fn is_out(&self) -> bool {
        self.power.is_out()
    }

    pub fn events(&self) -> u64 {
        self.power.events.get()
    }

    /// Starts it again. What was in the caches of the two devices has fates of its own.
    pub fn restart(&mut self, random: &mut Random, events: u64) {
        const FATES: [(Loss, Loss); 9] = [
            (Loss::Dropped, Loss::Dropped),
            (Loss::Kept, Loss::Kept),
            (Loss::Dropped, Loss::Kept),
            (Loss::Kept, Loss::Dropped),
            (Loss::Last, Loss::Last),
            (Loss::Killed, Loss::Killed),
            (Loss::Torn, Loss::Torn),
            (Loss::Torn, Loss::Torn),
            (Loss::Torn, Loss::Torn),
        ];
        let (disk, store) = *random.pick(&FATES);
        self.start_again(disk, store, random, events);
    }

    fn start_again(&mut self, disk: Loss, store: Loss, random: &mut Random, events: u64) {
        let power = Power::lasting(events);
        self.disk.restart(disk, random, &power);
        self.store.restart(store, random, &power);
        self.power = power;
    }

    /// What the journal says, where there is one.
    pub fn contents(&self) -> Option<journal::Contents> {
        journal::read(&mut Peek(&self.store.view)).ok()
    }

    fn stage(&self) -> Option<Stage> {
        self.contents().map(|contents| contents.state.stage)
    }

    /// What others would find on the disk now, and after the next loss of power.
    fn is_safe(&self) -> Result<(), String> {
        for disk in [&self.disk.view, &self.disk.durable] {
            match self.contents() {
                Some(contents) => {
                    let (stage, run) = (contents.state.stage, contents.run);
                    is_known(self.layout, disk, run)?;
                    tables_in_order(self.layout, disk)?;
                    if stage == Stage::Moving {
                        is_unrecognisable(self.layout, disk, run)?;
                    }
                }
                None if *disk == self.layout.bytes => {}
                None => return Err("something was written without a journal".into()),
            }
        }
        Ok(())
    }

    fn is_committed(&self) -> bool {
        matches!(self.stage(), Some(Stage::Committed | Stage::Done))
    }

    /// What a program that came to its end must have left.
    pub fn judge(&self, done: &Done) -> Result<(), String> {
        let bad = &self.layout.bad;
        let logical = self.layout.logical;
        for place in &done.unreadable {
            let mut blocks = (place.start..place.end).step_by(usize::try_from(logical).unwrap());
            if let Some(block) = blocks.find(|block| !bad.contains(block)) {
                return Err(format!("block {block} was readable"));
            }
        }
        let stated = |bad: &u64| done.unreadable.iter().any(|place| place.contains(bad));
        match done.outcome {
            MoverOutcome::Moved if !bad.iter().all(stated) => {
                Err("a bad block is not reported".into())
            }
            MoverOutcome::Moved => is_moved(self.layout, &self.disk.durable),
            MoverOutcome::RolledBack => is_as_before(self.layout, &self.disk),
        }
    }

    /// Whether nothing has been done at all.
    fn is_untouched(&self) -> bool {
        self.disk.durable == self.layout.bytes && self.disk.view == self.layout.bytes
    }
}

/// Crashes once after `events`, and perhaps again; how many crashes there were.
pub fn crash(layout: &Layout, events: u64, random: &mut Random) -> Result<u64, String> {
    let mut machine = Machine::new(layout, events);
    let mut verb = Verb::Apply;
    let mut errors = *random.pick(&[ReadErrors::Map, ReadErrors::Map, ReadErrors::Stop]);
    let mut crashes = 0;
    loop {
        let ran = machine.run(verb, errors);
        match ran {
            Ok(done) => return machine.judge(&done).map(|()| crashes),
            Err(_) if machine.power.is_out() => crashes += 1,
            // Stopped at a bad block: the next one maps it.
            Err(error) if error.kind() == ErrorKind::Device && errors == ReadErrors::Stop => {
                errors = ReadErrors::Map;
            }
            Err(error) if error.kind() != ErrorKind::Refused => return Err(error.to_string()),
            Err(_) if machine.stage().is_none() && machine.is_untouched() => return Ok(crashes),
            Err(_) if verb == Verb::Rollback && machine.is_committed() => {}
            Err(error) => return Err(format!("{verb:?}: {error}")),
        }
        let last = crashes > 3 || random.below(3) > 0;
        let lasts = if last { u64::MAX } else { random.within(1, 60) };
        machine.restart(random, lasts);
        machine.is_safe()?;
        let back = random.below(2) == 0 && !(machine.is_committed() && verb == Verb::Rollback);
        verb = if back { Verb::Rollback } else { Verb::Resume };
    }
}

//! Progress, bandwidth limit and the wish to stop.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::{Error, ErrorKind, Result};

/// The current task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Data go to their new places.
    Moving,
    /// Data go back.
    MovingBack,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct MoverProgress {
    /// The current task.
    pub task: Task,
    /// Data in place, with those of earlier runs.
    pub done_bytes: u64,
    /// All that move.
    pub total_bytes: u64,
    /// Written in this run, to the disk and to the journal.
    pub written_bytes: u64,
    /// Since this run began.
    pub elapsed: Duration,
    /// What is left, at the speed of this run; `None` before there is one.
    pub left: Option<Duration>,
}

/// Gets the progress and decides whether to continue: `Break` stops at the next safe point.
pub type Watch<'a> = dyn FnMut(&MoverProgress) -> ControlFlow<()> + 'a;

/// Counts what one run does.
pub struct Meter<'a> {
    watch: &'a mut Watch<'a>,
    started: Instant,
    limit: Option<u64>,
    task: Task,
    before: u64,
    total: u64,
    moved: u64,
    pub(crate) written: u64,
    pub(crate) verified: u64,
}

impl<'a> Meter<'a> {
    pub fn new(watch: &'a mut Watch<'a>, limit: Option<u64>, task: Task, total: u64) -> Self {
        Self {
            watch,
            started: Instant::now(),
            limit,
            task,
            before: 0,
            total,
            moved: 0,
            written: 0,
            verified: 0,
        }
    }

    /// The amount at the destinations when this run begins.
    pub const fn begin_at(&mut self, there: u64) {
        self.before = match self.task {
            Task::Moving => there,
            Task::MovingBack => self.total.saturating_sub(there),
        };
    }

    /// Data that need not be moved to be where they belong.
    pub const fn saved(&mut self, bytes: u64) {
        self.before = self.before.saturating_add(bytes);
    }

    /// A piece has been read. Waits where that was too fast; an error where the watcher wants to stop.
    pub fn moved(&mut self, bytes: u64) -> Result<()> {
        self.moved += bytes;
        let elapsed = self.started.elapsed();
        if let Some(limit) = self.limit {
            std::thread::sleep(wait(self.moved, limit, elapsed));
        }
        self.ask()
    }

    /// Tells of the progress; an error where the watcher wants to stop.
    pub fn ask(&mut self) -> Result<()> {
        let progress = self.progress();
        match (self.watch)(&progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::new(ErrorKind::Interrupted, self.stopped())),
        }
    }

    /// Data in place: those of earlier runs and this one. A window that is done again counts once.
    fn done(&self) -> u64 {
        self.before.saturating_add(self.moved).min(self.total)
    }

    fn progress(&self) -> MoverProgress {
        let elapsed = self.started.elapsed();
        MoverProgress {
            task: self.task,
            done_bytes: self.done(),
            total_bytes: self.total,
            written_bytes: self.written,
            elapsed,
            left: left(self.moved, self.total - self.done(), elapsed),
        }
    }

    fn stopped(&self) -> String {
        format!(
            "stopped after {} of {} bytes; nothing is lost, the journal holds the state: `--resume` \
             continues, `--rollback` undoes the move",
            self.done(),
            self.total
        )
    }
}

/// How long to wait so that `moved` bytes take as long as the limit wants.
fn wait(moved: u64, limit: u64, elapsed: Duration) -> Duration {
    let nanos = u128::from(moved) * 1_000_000_000 / u128::from(limit.max(1));
    let due = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    due.saturating_sub(elapsed)
}

/// How long what remains takes at the speed so far.
fn left(moved: u64, remaining: u64, elapsed: Duration) -> Option<Duration> {
    let nanos = (elapsed.as_nanos() * u128::from(remaining)).checked_div(u128::from(moved))?;
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_wait() {
        let second = Duration::from_secs(1);
        assert_eq!(wait(3 << 20, 1 << 20, second), 2 * second);
        assert_eq!(wait(1 << 20, 1 << 20, 2 * second), Duration::ZERO);
        assert_eq!(wait(0, 0, second), Duration::ZERO);
    }

    #[test]
    fn what_is_left_takes_its_share() {
        let second = Duration::from_secs(1);
        assert_eq!(left(100, 300, second), Some(3 * second));
        assert_eq!(left(0, 300, second), None);
    }

    /// A run with a total of 100, and what its watcher hears after each step.
    fn heard(task: Task, steps: impl FnOnce(&mut Meter<'_>)) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        let mut watch = |progress: &MoverProgress| {
            assert_eq!((progress.task, progress.total_bytes), (task, 100));
            all.push((progress.done_bytes, progress.written_bytes));
            ControlFlow::Continue(())
        };
        steps(&mut Meter::new(&mut watch, None, task, 100));
        all
    }

    #[test]
    fn done_is_what_is_in_place_in_the_direction_of_the_run() {
        let forth = heard(Task::Moving, |meter| {
            meter.begin_at(30);
            meter.written += 5;
            meter.moved(10).unwrap();
            meter.moved(10).unwrap();
            meter.moved(90).unwrap();
        });
        assert_eq!(forth, [(40, 5), (50, 5), (100, 5)]);
        let back = heard(Task::MovingBack, |meter| {
            meter.begin_at(30);
            meter.moved(10).unwrap();
            meter.saved(5);
            meter.ask().unwrap();
        });
        assert_eq!(back, [(80, 0), (85, 0)]);
    }

    #[test]
    fn a_limit_makes_the_run_wait() {
        let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
        let mut meter = Meter::new(&mut watch, Some(1000), Task::Moving, 100);
        let began = Instant::now();
        meter.moved(50).unwrap();
        assert!(began.elapsed() >= Duration::from_millis(49));
    }

    #[test]
    fn a_watcher_stops_the_run_and_knows_what_is_left() {
        let mut seen = None;
        let mut watch = |progress: &MoverProgress| {
            seen = Some(*progress);
            ControlFlow::Break(())
        };
        let mut meter = Meter::new(&mut watch, None, Task::Moving, 100);
        std::thread::sleep(Duration::from_millis(2));
        let said = meter.moved(90).unwrap_err().to_string();
        assert!(said.contains("stopped after 90 of 100 bytes"), "{said}");
        let seen = seen.unwrap();
        assert_eq!(seen.left, left(90, 10, seen.elapsed));
        assert!(seen.elapsed >= Duration::from_millis(2));
    }
}

//! How far a migration is, on standard error; and Ctrl-C.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{HumanDuration, ProgressBar};
use ioalign_repair::mover::MoverProgress;

use super::found_image::FoundImage;
use crate::args::LookArgs;
use crate::bar::bar;
use crate::interrupt::Interrupt;

/// A bar over the bytes that all images store.
pub struct MigrationProgress {
    bar: ProgressBar,
    interrupt: Interrupt,
    begun: Instant,
    total: u64,
    /// Of the images before this one.
    before: Cell<u64>,
    /// Of this one.
    own: Cell<u64>,
    message: Cell<String>,
}

impl MigrationProgress {
    /// Watches for Ctrl-C from now on. `digested`: bytes that are compared with manifests first.
    pub fn of(look: &LookArgs, images: &[FoundImage], digested: u64) -> Result<Self> {
        let total = images.iter().map(work).sum::<u64>() + digested;
        let shown = !(look.quiet || look.json);
        Ok(Self {
            bar: bar(
                Some(total),
                shown,
                "{bar:20} {bytes}/{total_bytes} {wide_msg}",
            ),
            interrupt: Interrupt::watched()?,
            begun: Instant::now(),
            total,
            before: Cell::new(0),
            own: Cell::new(0),
            message: Cell::new(String::new()),
        })
    }

    /// Whether to stop.
    pub fn asked(&self) -> bool {
        self.interrupt.asked()
    }

    /// A file is compared with a manifest.
    pub fn compare(&self, name: &str) {
        self.message.set(format!("{name}: digest"));
    }

    /// Bytes of it were read; whether to go on.
    pub fn compared(&self, bytes: u64) -> bool {
        self.before.set(self.before.get() + bytes);
        self.show(0);
        !self.asked()
    }

    /// An image is next.
    pub fn begin(&self, image: &FoundImage) {
        self.own.set(work(image));
        self.message.set(image.name.display().to_string());
        self.show(0);
    }

    /// It is done, or refused.
    pub fn finish(&self, image: &FoundImage) {
        self.before.set(self.before.get() + work(image));
        self.own.set(0);
        self.show(0);
    }

    /// For the copy: shows how it goes and says whether to go on.
    pub fn say(&self, progress: &MoverProgress) -> ControlFlow<()> {
        let (done, total) = (progress.done_bytes, progress.total_bytes.max(1));
        let part = u128::from(self.own.get()) * u128::from(done) / u128::from(total);
        self.show(u64::try_from(part).unwrap_or(0));
        self.interrupt.flow()
    }

    fn show(&self, part: u64) {
        let done = self.before.get() + part;
        self.bar.set_position(done);
        let name = self.message.take();
        let left = left(done, self.total, self.begun.elapsed());
        self.bar.set_message(match left {
            Some(left) => format!("{name}, {} left", HumanDuration(left)),
            None => name.clone(),
        });
        self.message.set(name);
    }

    /// The rest is for people.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Even an empty image takes a moment.
fn work(image: &FoundImage) -> u64 {
    image.stored.max(64 << 10)
}

/// How long the rest takes at the speed so far; `None` before there is one.
fn left(done: u64, total: u64, elapsed: Duration) -> Option<Duration> {
    let rest = u128::from(total.saturating_sub(done));
    let nanos = (elapsed.as_nanos() * rest).checked_div(u128::from(done))?;
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_its_share() {
        let second = Duration::from_secs(1);
        assert_eq!(left(25, 100, second), Some(3 * second));
        assert_eq!(left(0, 100, second), None);
        assert_eq!(left(200, 100, second), Some(Duration::ZERO));
    }
}

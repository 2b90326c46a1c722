//! `--record FILE`: blktrace records as they come, or Parquet, made of them at the end.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::numbers::thousands;
use ioalign_device::create::Readers;
use ioalign_observe::live::{Recorder, Watch};
use ioalign_observe::write::{self, WritableFormat};
use ioalign_observe::{TraceProgress, TraceSettings, convert};

use super::note;
use crate::args::ReplaceArgs;
use crate::output_file::{Destination, OutputFile};

/// A record that is being written. The I/O of a machine is for its owner only.
pub struct WatchRecord {
    path: PathBuf,
    /// The events; they are the record itself, but for Parquet.
    events: OutputFile,
    /// The final format, and its destination.
    later: Option<(&'static WritableFormat, OutputFile)>,
    recorder: Recorder,
}

impl WatchRecord {
    /// Begins to write what `watch` sees; the ending of `path` says how.
    pub fn start(watch: &mut Watch, path: &Path, replace: ReplaceArgs) -> Result<Self> {
        let own = Destination::data(path, replace, Readers::Owner).open()?;
        let (events, later) = match target(path) {
            Some(target) => {
                let beside = beside(path);
                let events = Destination::data(&beside, replace, Readers::Owner).open()?;
                (events, Some((target, own)))
            }
            None => (own, None),
        };
        Ok(Self {
            recorder: Recorder::start(watch, events.file().try_clone()?)?,
            path: path.to_owned(),
            events,
            later,
        })
    }

    /// Ends it, once the program is detached. `lost` events did not fit into the ring.
    pub fn finish(self, lost: u64) -> Result<()> {
        let recorded = self.recorder.finish(lost)?;
        let events = thousands(recorded.events);
        let path = self.path.display();
        let Some((target, file)) = self.later else {
            self.events.keep()?;
            note(format_args!(
                "{events} events in {path} ({} MiB)",
                recorded.bytes >> 20
            ));
            return Ok(());
        };
        let ios = match converted(target, self.events.file(), &file) {
            Ok(ios) => ios,
            Err(error) => {
                self.events.keep()?;
                let raw = beside(&self.path);
                return Err(error.context(format!("the events are in {}", raw.display())));
            }
        };
        file.keep()?;
        note(format_args!(
            "{events} events, {} I/Os in {path}",
            thousands(ios)
        ));
        Ok(())
    }
}

/// Parquet by its ending; anything else is blktrace's.
fn target(path: &Path) -> Option<&'static WritableFormat> {
    let ending = path.extension()?.to_str()?;
    ["parquet", "pq"]
        .contains(&ending)
        .then(|| write::named("parquet"))?
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".events");
    path.with_file_name(name)
}

/// The same reading as `trace convert`, so that the profile is the same.
fn converted(target: &WritableFormat, events: &File, to: &OutputFile) -> Result<u64> {
    let settings = TraceSettings {
        format: Some("blktrace".to_owned()),
        ..TraceSettings::default()
    };
    let writer = || (target.writer)(Box::new(to.file().try_clone()?), false);
    // By the descriptor: these are the events, even if another file now has the name.
    let files = [PathBuf::from(format!(
        "/proc/self/fd/{}",
        events.as_raw_fd()
    ))];
    let done = convert(&files, &settings, &TraceProgress::default(), writer)?;
    Ok(done.written.ios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_how() {
        let name = |path: &str| target(Path::new(path)).map(|target| target.name);
        assert_eq!(name("a/b.parquet"), Some("parquet"));
        assert_eq!(name("b.pq"), Some("parquet"));
        assert_eq!((name("b.blktrace.0"), name("parquet")), (None, None));
        assert_eq!(beside(Path::new("a/b.pq")), Path::new("a/b.pq.events"));
    }
}

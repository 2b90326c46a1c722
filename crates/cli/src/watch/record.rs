//! `--record FILE`: blktrace records as they come, or Parquet, made of them at the end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_observe::live::{Recorder, Watch};
use ioalign_observe::write::{self, Target};
use ioalign_observe::{Progress, Settings, convert};

use super::note;
use super::numbers::grouped;

/// A record on its way.
pub struct Record {
    path: PathBuf,
    /// What it is in the end, and where its events are until then.
    later: Option<(&'static Target, PathBuf)>,
    recorder: Recorder,
}

impl Record {
    /// Begins to write what `watch` sees; the ending of `path` says how.
    pub fn start(watch: &mut Watch, path: &Path) -> Result<Self> {
        let later = target(path).map(|target| (target, beside(path)));
        let events = later.as_ref().map_or(path, |(_, events)| events);
        Ok(Self {
            recorder: Recorder::start(watch, events)?,
            path: path.to_owned(),
            later,
        })
    }

    /// Ends it, once the program is detached. `lost` events did not fit into the ring.
    pub fn finish(self, lost: u64) -> Result<()> {
        let recorded = self.recorder.finish(lost)?;
        let events = grouped(recorded.events);
        let path = self.path.display();
        let Some((target, raw)) = self.later else {
            note(&format!(
                "{events} events in {path} ({} MiB)",
                recorded.bytes >> 20
            ));
            return Ok(());
        };
        let ios = converted(target, &raw, &self.path)
            .with_context(|| format!("the events are in {}", raw.display()))?;
        fs::remove_file(&raw).with_context(|| raw.display().to_string())?;
        note(&format!("{events} events, {} I/Os in {path}", grouped(ios)));
        Ok(())
    }
}

/// Parquet by its ending; anything else is blktrace's.
fn target(path: &Path) -> Option<&'static Target> {
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
fn converted(target: &Target, events: &Path, path: &Path) -> Result<u64> {
    let settings = Settings {
        format: Some("blktrace".to_owned()),
        ..Settings::default()
    };
    let writer = || (target.writer)(Box::new(private(path)?), false);
    let files = [events.to_owned()];
    let done = convert(&files, &settings, &Progress::default(), writer)?;
    Ok(done.written.ios)
}

/// What a machine reads and writes is for its owner's eyes.
fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    options.mode(0o600).open(path)
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

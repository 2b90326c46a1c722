//! Collects where guest data lie while tables are walked, within bounds.
//!
//! A hostile or badly fragmented image can have as many pieces as clusters, and every image of a
//! backing chain keeps a map of its own; so the deeper an image lies the less it may read and keep.

use ioalign_core::{Remark, Runs, Severity, rules};

use super::ImagePolicy;
use crate::error::{Error, Result};

/// Runs that the top image may keep: 48 bytes each, 12 MiB in all.
const MOST_RUNS: usize = 1 << 18;
/// Runs that any image may keep.
const LEAST_RUNS: usize = 1 << 12;
/// Bytes of block tables that are read for the top image's map: 4 TiB of guest data in 64 KiB
/// clusters.
const MOST_TABLE_BYTES: u64 = 512 << 20;
/// Bytes of block tables that may be read for any image.
const LEAST_TABLE_BYTES: u64 = 16 << 20;

/// A map in the making.
pub struct GuestMapBuilder {
    runs: Runs,
    /// The last piece, which may still grow: (from, to, length).
    last: (u64, u64, u64),
    most: usize,
    cut: bool,
    /// Bytes of tables that may still be read.
    table_bytes: u64,
}

/// What one image may read and keep; less the deeper it lies in its chain.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Runs of its map.
    pub runs: usize,
    /// Bytes of block tables.
    pub table_bytes: u64,
}

impl Limits {
    /// The limits of an image as deep in its chain as `policy` says.
    pub fn new(policy: &ImagePolicy) -> Self {
        // The image itself is the last of the chain, or not on it when it is the only one.
        let deep = u32::try_from(policy.chain.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let table_bytes = MOST_TABLE_BYTES.checked_shr(deep).unwrap_or(0);
        Self {
            runs: MOST_RUNS.checked_shr(deep).unwrap_or(0).max(LEAST_RUNS),
            table_bytes: table_bytes.max(LEAST_TABLE_BYTES),
        }
    }
}

impl GuestMapBuilder {
    /// An empty map of an image as deep in its chain as `policy` says.
    pub fn new(policy: &ImagePolicy) -> Self {
        Self::of(Limits::new(policy))
    }

    /// An empty map with limits of its own: for a disk whose files share them.
    pub const fn of(limits: Limits) -> Self {
        Self {
            runs: Runs::new(),
            last: (0, 0, 0),
            most: limits.runs,
            cut: false,
            table_bytes: limits.table_bytes,
        }
    }

    /// Lets it keep `most` runs from now on.
    pub const fn allow(&mut self, most: usize) {
        self.most = most;
    }

    /// Marks it as not whole.
    pub fn cut(&mut self) {
        self.flush();
        self.cut = true;
    }

    /// Runs kept so far.
    pub fn count(&self) -> usize {
        self.runs.iter().count()
    }

    /// Adds a piece behind all others.
    #[inline]
    pub fn push(&mut self, from: u64, to: u64, len: u64) {
        let (last_from, last_to, last_len) = self.last;
        let follows = |last: u64, next| last.checked_add(last_len) == Some(next);
        if follows(last_from, from) && follows(last_to, to) {
            self.last.2 += len;
        } else {
            self.flush();
            self.last = (from, to, len);
        }
    }

    fn flush(&mut self) {
        if !self.cut {
            let (from, to, len) = self.last;
            self.runs.push(from, to, len);
            // A slice's count is its length, no walk. One run above the mark is kept.
            self.cut = self.runs.truncated() || self.runs.iter().count() > self.most;
        }
    }

    /// Whether `bytes` more of tables may be read; the map is cut when not.
    pub fn may_read(&mut self, bytes: u64) -> bool {
        if let Some(left) = self.table_bytes.checked_sub(bytes) {
            self.table_bytes = left;
            return true;
        }
        self.cut();
        false
    }

    /// The map, and a remark when it is not whole.
    pub fn finish(mut self) -> (Runs, Option<Remark>) {
        self.flush();
        let end = self.runs.iter().last().map_or(0, |run| run.end());
        let remark = self.cut.then(|| {
            let why = format!(
                "The block map has too many pieces to keep: \
                 where data lie is shown up to guest byte {end} only."
            );
            Remark::note(rules::IMAGE_MAP_CUT, why)
        });
        (self.runs, remark)
    }
}

/// Table entries that cannot be followed: how many, and the first.
#[derive(Default)]
pub struct Damage {
    count: u64,
    first: Option<Error>,
}

impl Damage {
    /// Counts one more; `error` makes the first one's description.
    pub fn add(&mut self, error: impl FnOnce() -> Error) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert_with(error);
    }

    /// A remark when there was any.
    pub fn remark(&self, rule: &'static str, entries: &str) -> Option<Remark> {
        let first = self.first.as_ref()?;
        let why = format!(
            "{} {entries} cannot be followed, so the guest data behind them cannot be read; \
             the first: {}.",
            self.count,
            first.what()
        );
        let mut remark = Remark::new(rule, Severity::DataRisk, why).malformed();
        remark.place = first.place();
        Some(remark.advise("Run `qemu-img check` on a copy, or restore the image from a backup."))
    }

    /// The first error where nothing at all is usable, otherwise a remark of severity `broken`.
    pub fn settle(self, usable: bool, rule: &'static str, entries: &str) -> Result<Option<Remark>> {
        match self.first {
            Some(first) if !usable => Err(first),
            _ => Ok(self.remark(rule, entries).map(|remark| {
                let advice = "Restore the image from a backup, or copy what can still be read.";
                Remark {
                    severity: Severity::Broken,
                    advice: vec![advice.to_owned()],
                    ..remark
                }
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(chain: usize) -> GuestMapBuilder {
        let chain = vec!["x".into(); chain];
        GuestMapBuilder::new(&ImagePolicy {
            chain,
            ..ImagePolicy::default()
        })
    }

    #[test]
    fn pieces_that_follow_are_joined() {
        let mut mapped = deep(0);
        mapped.push(0, 100, 10);
        mapped.push(10, 110, 10);
        mapped.push(20, 300, 5);
        let (runs, remark) = mapped.finish();
        let runs: Vec<_> = runs.iter().map(|run| (run.from, run.to, run.len)).collect();
        assert_eq!(runs, [(0, 100, 20), (20, 300, 5)]);
        assert_eq!(remark, None);
    }

    #[test]
    fn deep_images_keep_less() {
        let mut mapped = deep(40);
        let mut to = 0;
        for i in 0..10_000 {
            // Steps that differ, so that no two pieces make a run.
            to += i * i;
            mapped.push(i * 10, to, 1 + i % 2);
        }
        let (runs, remark) = mapped.finish();
        assert_eq!(runs.iter().count(), LEAST_RUNS + 1);
        assert_eq!(remark.unwrap().rule, "image-map-cut");
    }

    #[test]
    fn tables_past_the_bound_are_not_read() {
        let mut mapped = deep(1);
        assert!(mapped.may_read(MOST_TABLE_BYTES));
        assert!(!mapped.may_read(1));
        assert!(mapped.finish().1.is_some());
    }
}

//! `--before`: the same cells again, after something was changed.
//!
//! If the target began elsewhere on its disk in the earlier run, the old layout is an arm of this run, at
//! the offset that gives its I/O the old phase: the gain is measured in one run. Otherwise there are only
//! levels of two times, which are no evidence: they are shown without a conclusion.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ioalign_core::comparison::{Before, Change, Comparison, Conditions, SCHEMA};
use ioalign_measure::engine::CellSpec;

use super::arms::Arms;
use super::{cells, start};
use crate::document;
use crate::exit::UsageError;

/// An earlier run.
pub struct EarlierRun {
    path: PathBuf,
    comparison: Comparison,
    interleaved: bool,
}

/// A comparison that was kept.
pub fn document(path: &Path) -> Result<Comparison> {
    document::read(path, "comparison", SCHEMA, |one: &Comparison| &one.schema)
}

/// Reads it.
pub fn read(path: &Path) -> Result<EarlierRun> {
    let name = || path.display().to_string();
    let comparison = document(path)?;
    if comparison.arms.is_empty() || comparison.cells.is_empty() {
        bail!("{}: nothing was measured in it", name());
    }
    if comparison.arms.iter().any(|arm| arm.target.is_some()) {
        let what = format!("{}: it compares targets, which have no before", name());
        return Err(UsageError(what).into());
    }
    Ok(EarlierRun {
        path: path.to_owned(),
        comparison,
        interleaved: false,
    })
}

impl EarlierRun {
    /// The arms of the new run.
    pub fn arms(mut self, target: &Path) -> (Arms, Self) {
        let now = start::on_disk(target);
        let layouts = self.comparison.arms_then_and_now(now);
        self.interleaved = layouts.is_some();
        let list = layouts.unwrap_or_else(|| {
            let mut arms = self.comparison.arms.clone();
            for arm in &mut arms {
                arm.start_bytes = now.map(|start| start + arm.offset_bytes);
            }
            arms
        });
        let arms = Arms {
            list,
            targets: vec![target.to_owned()],
            are_usual: false,
        };
        (arms, self)
    }

    /// The cells of then.
    pub fn specs(&self) -> Result<Vec<CellSpec>> {
        let cells = self.comparison.cells.iter();
        cells
            .map(|cell| {
                cells::spec(cell)
                    .map_err(|what| UsageError(format!("{}: {what}", self.path.display())).into())
            })
            .collect()
    }

    /// How it was measured, where it says so.
    pub const fn conditions(&self) -> Option<&Conditions> {
        self.comparison.conditions.as_ref()
    }

    /// Notes for the reader if this run differs from the earlier one.
    pub fn unlike(&self, now: Option<&Conditions>) -> Option<String> {
        let others = now?.other_than(self.conditions()?);
        (!others.is_empty()).then(|| {
            format!(
                "not as in {}: {}. Levels of the two times do not compare",
                self.path.display(),
                others.join(", ")
            )
        })
    }

    /// The change.
    pub fn against(&self, now: &Comparison) -> Before {
        Before {
            document: self.path.display().to_string(),
            time: self.comparison.machine.time.clone(),
            load_average: self.comparison.machine.load_average,
            start_bytes: self.comparison.began(),
            interleaved: self.interleaved,
            changes: Change::between(&self.comparison, now),
        }
    }
}

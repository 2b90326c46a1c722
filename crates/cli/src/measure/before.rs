//! `--before`: the same cells again, after something was changed.
//!
//! If the target began elsewhere on its disk in the earlier run, the old layout is an arm of this run, at
//! the offset that gives its I/O the old phase: the gain is measured in one run. Otherwise there are only
//! levels of two times, which are no evidence: they are shown without a conclusion.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ioalign_core::comparison::{Arm, Before, Change, Comparison, Conditions, SCHEMA};
use ioalign_measure::engine::CellSpec;

use super::arms::{Arms, PHASE, offset_of};
use super::{cells, start};
use crate::document;
use crate::exit::UsageError;

const THEN: &str = "before";
const NOW: &str = "now";

/// An earlier run.
pub struct Saved {
    path: PathBuf,
    comparison: Comparison,
    interleaved: bool,
}

/// A comparison that was kept.
pub fn document(path: &Path) -> Result<Comparison> {
    document::read(path, "comparison", SCHEMA, |one: &Comparison| &one.schema)
}

/// Reads it.
pub fn read(path: &Path) -> Result<Saved> {
    let name = || path.display().to_string();
    let comparison = document(path)?;
    if comparison.arms.is_empty() || comparison.cells.is_empty() {
        bail!("{}: nothing was measured in it", name());
    }
    if comparison.arms.iter().any(|arm| arm.target.is_some()) {
        let what = format!("{}: it compares targets, which have no before", name());
        return Err(UsageError(what).into());
    }
    Ok(Saved {
        path: path.to_owned(),
        comparison,
        interleaved: false,
    })
}

impl Saved {
    /// The arms of the new run.
    pub fn arms(mut self, target: &Path) -> (Arms, Self) {
        let now = start::on_disk(target);
        let list = self.layouts(now).unwrap_or_else(|| {
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

    /// The layouts of then and of now, where both are known and differ.
    fn layouts(&mut self, now: Option<u64>) -> Option<Vec<Arm>> {
        let (then, now) = (self.began()?, now?);
        if then % PHASE == now % PHASE {
            return None;
        }
        self.interleaved = true;
        // An arm without an offset is the target as it was.
        for cell in &mut self.comparison.cells {
            let plain = self
                .comparison
                .arms
                .iter()
                .find(|arm| arm.offset_bytes == 0);
            for level in &mut cell.levels {
                if plain.is_some_and(|arm| arm.name == level.arm) {
                    NOW.clone_into(&mut level.arm);
                }
            }
        }
        let arm = |name: &str, start: u64, offset| Arm {
            name: name.to_owned(),
            offset_bytes: offset,
            start_bytes: Some(start + offset),
            ..Arm::default()
        };
        let offset = offset_of(then, now) % PHASE;
        Some(vec![arm(THEN, now, offset), arm(NOW, now, 0)])
    }

    /// The start of the target in the earlier run.
    fn began(&self) -> Option<u64> {
        let arm = self.comparison.arms.first()?;
        arm.start_bytes?.checked_sub(arm.offset_bytes)
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
            start_bytes: self.began(),
            interleaved: self.interleaved,
            changes: Change::between(&self.comparison, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::comparison::{Cell, Level};

    fn saved(start: Option<u64>) -> Saved {
        let arm = Arm {
            name: "+0".to_owned(),
            start_bytes: start,
            ..Arm::default()
        };
        let level = Level {
            arm: "+0".to_owned(),
            ..Level::default()
        };
        let cell = Cell {
            levels: vec![level],
            ..Cell::default()
        };
        Saved {
            path: PathBuf::from("before.json"),
            comparison: Comparison {
                arms: vec![arm],
                cells: vec![cell],
                ..Comparison::default()
            },
            interleaved: false,
        }
    }

    #[test]
    fn the_layout_of_then_is_an_arm() {
        let mut then = saved(Some(32256));
        let arms = then.layouts(Some(1 << 20)).unwrap();
        assert_eq!(arms[0].name, "before");
        assert_eq!(arms[0].start_bytes.unwrap() % PHASE, 32256);
        assert_eq!(
            (arms[1].offset_bytes, arms[1].start_bytes),
            (0, Some(1 << 20))
        );
        assert!(then.interleaved);
        assert_eq!(then.comparison.cells[0].levels[0].arm, "now");
    }

    #[test]
    fn what_did_not_move_has_numbers_of_two_times_only() {
        assert!(saved(Some(32256)).layouts(Some(32256)).is_none());
        assert!(saved(Some(1 << 20)).layouts(Some(3 << 20)).is_none());
        assert!(saved(None).layouts(Some(0)).is_none());
        assert!(saved(Some(0)).layouts(None).is_none());
    }
}

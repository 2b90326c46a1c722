//! Which I/O is compared: sizes × operations × patterns × depths × workers.

use anyhow::{Context, Result};
use ioalign_core::comparison::Cell;
use ioalign_core::workload::{Pattern, Workload};
use ioalign_measure::engine::CellSpec;
use ioalign_measure::jobs::{self, LoadJob, values};

use crate::args::CellArgs;
use crate::exit::UsageError;

/// The defaults of a command.
pub struct Usual<'a> {
    pub sizes: &'a [u64],
    pub ops: &'a [f64],
    pub patterns: &'a [Pattern],
    pub depth: &'a [u32],
}

/// All combinations; sizes vary fastest, as in the tables of papers.
pub fn all(arguments: &CellArgs, usual: &Usual<'_>) -> Vec<CellSpec> {
    let mut out = Vec::new();
    for pattern in or(&arguments.patterns, usual.patterns) {
        for op in or(&arguments.ops, usual.ops) {
            for workers in or(&arguments.workers, &[1]) {
                for depth in or(&arguments.depth, usual.depth) {
                    out.extend(
                        or(&arguments.sizes, usual.sizes)
                            .iter()
                            .map(|size| CellSpec {
                                block_bytes: *size,
                                read_ratio: *op,
                                pattern: *pattern,
                                queue_depth: *depth,
                                workers: *workers,
                            }),
                    );
                }
            }
        }
    }
    out
}

fn or<'a, T>(typed: &'a [T], usual: &'a [T]) -> &'a [T] {
    if typed.is_empty() { usual } else { typed }
}

/// The cells of a job: one a step and size.
pub fn of_job(job: &LoadJob) -> Vec<CellSpec> {
    let mut out = Vec::new();
    for step in &job.steps {
        for spec in step.sizes.iter().map(|share| of_step(step, share.bytes)) {
            if !out.contains(&spec) {
                out.push(spec);
            }
        }
    }
    out
}

const fn of_step(step: &Workload, block_bytes: u64) -> CellSpec {
    CellSpec {
        block_bytes,
        read_ratio: step.read_ratio,
        pattern: step.pattern,
        queue_depth: step.queue_depth,
        workers: step.workers,
    }
}

/// A job by its name, or from its file.
pub fn job(name: &str) -> Result<LoadJob> {
    if let Some(job) = jobs::named(name) {
        return Ok(job);
    }
    if !is_job(name) {
        let known: Vec<_> = jobs::NAMED.iter().map(|one| one.name).collect();
        let what = format!("`{name}` is no job: a file *.toml, or {}", known.join(", "));
        return Err(UsageError(what).into());
    }
    let text = std::fs::read_to_string(name).with_context(|| name.to_owned())?;
    jobs::parse(&text).map_err(|what| UsageError(format!("{name}: {what}")).into())
}

/// Whether a word can only be meant as a job.
pub fn is_job(word: &str) -> bool {
    jobs::named(word).is_some()
        || std::path::Path::new(word)
            .extension()
            .is_some_and(|ending| ending == "toml")
}

/// A cell in the words of a report.
pub fn cell(spec: &CellSpec) -> Cell {
    Cell {
        block_bytes: spec.block_bytes,
        op: values::op_word(spec.read_ratio),
        pattern: values::pattern_word(spec.pattern),
        queue_depth: spec.queue_depth,
        workers: spec.workers,
        ..Cell::default()
    }
}

/// The same the other way, for a document that was kept.
pub fn spec(cell: &Cell) -> Result<CellSpec, String> {
    let count = |n: u32| n.clamp(1, 4096);
    Ok(CellSpec {
        block_bytes: cell.block_bytes,
        read_ratio: values::op(&cell.op)?,
        pattern: values::pattern(&cell.pattern)?,
        queue_depth: count(cell.queue_depth),
        workers: count(cell.workers),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_gives_its_cells_back() {
        for name in ["iometer-vmfs", "blender-70-30", "sysbench-fileio"] {
            for wanted in of_job(&jobs::named(name).unwrap()) {
                assert_eq!(spec(&cell(&wanted)).unwrap(), wanted);
            }
        }
        let zipf = CellSpec {
            block_bytes: 4096,
            read_ratio: 1.0,
            pattern: Pattern::Zipf { theta: 0.9 },
            queue_depth: 1,
            workers: 1,
        };
        assert_eq!(spec(&cell(&zipf)).unwrap(), zipf);
    }
}

//! A fix as JSON: `ioalign.fix/1`.

use std::time::Duration;

use ioalign_repair::boot::{Consequence, Weight};
use ioalign_repair::fix::{Plan, is_staged};
use ioalign_repair::mover::{self, Done};
use ioalign_repair::tables::SlotKind;
use serde::Serialize;

use super::convert::Conversion;
use super::{Page, next, options, place, precautions};
use crate::args::FixArgs;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// Nothing was written.
    Planned,
    /// Everything is in its new place.
    Moved,
    /// Everything is where it was.
    RolledBack,
    /// A new image was written.
    Copied,
    /// The image is one for other sectors.
    Converted,
}

/// The document.
#[derive(Debug, Serialize)]
pub struct Document {
    schema: &'static str,
    tool: String,
    target: String,
    result: Ended,
    needed: Option<bool>,
    plan: Option<Planned>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversion: Option<Conversion>,
    done: Option<Finished>,
    next: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Planned {
    name: String,
    table: &'static str,
    disk_bytes: u64,
    sector_bytes: u64,
    partitions: Vec<Partition>,
    moves: Vec<Move>,
    moved_bytes: u64,
    written_bytes: u64,
    written_twice_bytes: u64,
    table_bytes: u64,
    journal: Option<Journal>,
    estimate: Option<Estimate>,
    container: Option<Container>,
    consequences: Vec<Told>,
    precautions: Vec<String>,
}

/// A file that puts data off the grid, wherever partitions start.
#[derive(Debug, Serialize)]
struct Container {
    grid_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Partition {
    number: u32,
    kind: &'static str,
    what: Option<String>,
    start_bytes: u64,
    size_bytes: u64,
    new_start_bytes: u64,
    new_size_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Move {
    partition: u32,
    from_bytes: u64,
    to_bytes: u64,
    size_bytes: u64,
    through_journal: bool,
}

#[derive(Debug, Serialize)]
struct Journal {
    path: String,
    size_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Estimate {
    seconds: u64,
    bytes_per_second: u64,
    source: &'static str,
}

/// A consequence.
#[derive(Debug, Serialize)]
pub struct Told {
    partition: Option<u32>,
    weight: &'static str,
    what: String,
    advice: Option<String>,
}

#[derive(Debug, Serialize)]
struct Finished {
    moved_bytes: u64,
    written_bytes: u64,
    verified_bytes: u64,
    elapsed_us: u64,
    unreadable: Vec<Place>,
}

#[derive(Debug, Serialize)]
struct Place {
    start_bytes: u64,
    end_bytes: u64,
}

/// The document of a page.
pub fn of(page: &Page<'_>) -> Document {
    Document {
        schema: "ioalign.fix/1",
        tool: crate::check::tool(),
        target: page.arguments.target.display().to_string(),
        result: page.ended,
        needed: page.plan.map(|plan| !plan.is_empty()),
        plan: page.plan.map(|plan| planned(page, plan)),
        conversion: None,
        done: page.done.as_ref().map(timed),
        next: match (page.plan, next::afterwards(page)) {
            (_, Some(check)) => vec![check],
            (Some(plan), None) => next::commands(page, plan),
            (None, None) => Vec::new(),
        },
    }
}

/// The document of a conversion.
pub fn of_conversion(
    arguments: &FixArgs,
    conversion: Conversion,
    result: Ended,
    done: Option<&(Done, Duration)>,
    next: Vec<String>,
) -> Document {
    Document {
        schema: "ioalign.fix/1",
        tool: crate::check::tool(),
        target: arguments.target.display().to_string(),
        result,
        needed: Some(conversion.needed),
        plan: None,
        conversion: Some(conversion),
        done: done.map(timed),
        next,
    }
}

fn timed((done, elapsed): &(Done, Duration)) -> Finished {
    Finished {
        elapsed_us: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        ..finished(done)
    }
}

fn planned(page: &Page<'_>, plan: &Plan) -> Planned {
    let options = options(page.arguments);
    let (moved, written) = (plan.job.moved_bytes(), plan.written(&options));
    Planned {
        name: plan.name(),
        table: plan.table.name(),
        disk_bytes: plan.job.identity.size_bytes,
        sector_bytes: plan.job.identity.logical_bytes,
        partitions: partitions(plan),
        moves: moves(plan, &options),
        moved_bytes: moved,
        written_bytes: written,
        written_twice_bytes: plan.written_twice(&options),
        table_bytes: plan.table_bytes(),
        journal: journal(page, plan, &options),
        estimate: page.rate.map(|rate| Estimate {
            seconds: rate.seconds(moved, written),
            bytes_per_second: rate.bytes,
            source: if rate.is_limit { "limit" } else { "read" },
        }),
        container: plan
            .survey
            .container
            .map(|grid_bytes| Container { grid_bytes }),
        consequences: plan.consequences.iter().map(told).collect(),
        precautions: precautions::of(page, plan),
    }
}

fn partitions(plan: &Plan) -> Vec<Partition> {
    let pairs = plan.old.iter().zip(&plan.new);
    pairs
        .map(|(old, new)| Partition {
            number: old.number,
            kind: match old.kind {
                SlotKind::Primary => "primary",
                SlotKind::Extended => "extended",
                SlotKind::Logical => "logical",
            },
            what: plan.what(old.number).map(str::to_owned),
            start_bytes: old.start,
            size_bytes: old.size,
            new_start_bytes: new.start,
            new_size_bytes: new.size,
        })
        .collect()
}

fn moves(plan: &Plan, options: &mover::Options) -> Vec<Move> {
    let pairs = plan.shifts.iter().zip(&plan.job.moves);
    pairs
        .map(|(shift, one)| Move {
            partition: shift.number,
            from_bytes: shift.from,
            to_bytes: shift.to,
            size_bytes: shift.size,
            through_journal: is_staged(*one, options),
        })
        .collect()
}

fn journal(page: &Page<'_>, plan: &Plan, options: &mover::Options) -> Option<Journal> {
    if plan.is_empty() || page.arguments.output.is_some() {
        return None;
    }
    Some(Journal {
        path: place::journal(page.arguments).ok()?.display().to_string(),
        size_bytes: mover::journal_bytes(&plan.job, options).ok()?,
    })
}

/// The word of the document for a weight.
pub const fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Told => "told",
        Weight::Warned => "warned",
        Weight::Refused => "refused",
    }
}

/// A consequence as the document has it.
pub fn told(one: &Consequence) -> Told {
    Told {
        partition: one.partition,
        weight: weight(one.weight),
        what: one.what.clone(),
        advice: one.advice.clone(),
    }
}

fn finished(done: &Done) -> Finished {
    let places = done.unreadable.iter();
    Finished {
        moved_bytes: done.moved_bytes,
        written_bytes: done.written_bytes,
        verified_bytes: done.verified_bytes,
        elapsed_us: 0,
        unreadable: places
            .map(|place| Place {
                start_bytes: place.start,
                end_bytes: place.end,
            })
            .collect(),
    }
}

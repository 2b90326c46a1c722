//! The document of a fix, from the plan and from what was typed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use ioalign_core::fix_document::{
    FixConversion, FixDocument, FixDone, FixEstimate, FixJournal, FixPlan, FixRefusal, FixResult,
    RateSource, SCHEMA,
};
use ioalign_core::{rules, shell};
use ioalign_repair::Job;
use ioalign_repair::fix::RepairPlan;
use ioalign_repair::mover::{self, Done};
use ioalign_report::{RenderOptions, fix as report};

use super::refuse::Refusal;
use super::{FixPage, next, options, place, precautions};
use crate::args::FixArgs;
use crate::exit::UsageError;
use crate::look;

/// Whether a document is on standard output already: there is room for one.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Whether a document was written.
pub fn was_written() -> bool {
    WRITTEN.load(Ordering::Relaxed)
}

/// Writes the document of a call that was refused.
pub fn refused(arguments: &FixArgs, error: &anyhow::Error) -> Result<()> {
    let (rule, next) = match error.downcast_ref::<Refusal>() {
        Some(refusal) => {
            let steps = refusal.next.iter().map(|step| step.command.clone());
            (refusal.rule, steps.collect())
        }
        None => other_error(arguments, error),
    };
    let why = format!("{error:#}");
    let document = FixDocument {
        refused: Some(FixRefusal { why, rule }),
        next,
        ..empty(arguments, FixResult::Refused)
    };
    look::json(&document)
}

/// What is no refusal of a plan: wrong arguments, or an error of the system or of a reader.
fn other_error(arguments: &FixArgs, error: &anyhow::Error) -> (&'static str, Vec<String>) {
    if error.is::<UsageError>() {
        let rule = rules::FIX_USAGE;
        return (rule, vec!["ioalign fix --help".to_owned()]);
    }
    let rule = rules::FIX_UNREADABLE;
    let check = format!("ioalign check {}", shell::path(&arguments.target));
    (rule, vec![check])
}

/// The document of a page.
pub fn of(page: &FixPage<'_>) -> FixDocument {
    FixDocument {
        needed: page.plan.map(|plan| !plan.is_empty()),
        plan: page.plan.map(|plan| planned(page, plan)),
        done: page.done.as_ref().map(timed),
        next: match (page.plan, next::check(page.arguments, page.ended)) {
            (_, Some(check)) => vec![check],
            (Some(plan), None) => next::commands(page.arguments, plan),
            (None, None) => Vec::new(),
        },
        ..empty(page.arguments, page.ended)
    }
}

/// The document of a conversion.
pub fn of_conversion(
    arguments: &FixArgs,
    conversion: FixConversion,
    result: FixResult,
    done: Option<&(Done, Duration)>,
    next: Vec<String>,
) -> FixDocument {
    FixDocument {
        needed: Some(conversion.needed),
        conversion: Some(conversion),
        done: done.map(timed),
        next,
        ..empty(arguments, result)
    }
}

fn empty(arguments: &FixArgs, result: FixResult) -> FixDocument {
    let output = arguments.output.as_ref();
    FixDocument {
        schema: SCHEMA,
        tool: crate::check::tool(),
        target: arguments.target.display().to_string(),
        result,
        needed: None,
        plan: None,
        conversion: None,
        done: None,
        refused: None,
        next: Vec::new(),
        output: output.map(|path| path.display().to_string()),
    }
}

fn timed((done, elapsed): &(Done, Duration)) -> FixDone {
    done.document(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX))
}

fn planned(page: &FixPage<'_>, plan: &RepairPlan) -> FixPlan {
    let in_place = !plan.is_empty() && page.arguments.output.is_none();
    let document = plan.document(&options(page.arguments));
    FixPlan {
        journal: in_place
            .then(|| journal(page.arguments, &plan.job))
            .flatten(),
        estimate: page.rate.map(|rate| FixEstimate {
            seconds: rate.seconds(document.moved_bytes, document.written_bytes),
            bytes_per_second: rate.bytes,
            source: if rate.is_limit {
                RateSource::Limit
            } else {
                RateSource::Read
            },
        }),
        precautions: precautions::of(page, plan),
        ..document
    }
}

/// The end of a call that moves nothing: as JSON, or as this text.
pub fn write_end(
    arguments: &FixArgs,
    result: FixResult,
    next: Vec<String>,
    text: &str,
) -> Result<()> {
    if !arguments.look.json {
        return look::write(text);
    }
    WRITTEN.store(true, Ordering::Relaxed);
    look::json(&FixDocument {
        next,
        ..empty(arguments, result)
    })
}

/// To standard output, as JSON or text.
pub fn write(arguments: &FixArgs, document: &FixDocument, options: &RenderOptions) -> Result<()> {
    WRITTEN.store(true, Ordering::Relaxed);
    match arguments.look.json {
        true => look::json(document),
        false => look::write(&report::render(document, options)),
    }
}

/// Where the journal of a job is, and how long it gets.
pub fn journal(arguments: &FixArgs, job: &Job) -> Option<FixJournal> {
    Some(FixJournal {
        path: place::journal(arguments).ok()?.display().to_string(),
        size_bytes: mover::journal_bytes(job, &options(arguments)).ok()?,
    })
}

//! A fix as text.

mod conversion;
mod ending;
mod layout;

use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_core::fix_document::{FixDocument, FixPlan, FixResult};

use crate::options::RenderOptions;
use crate::text::heading;
use crate::words::clean;
use crate::words::numbers::about;
use crate::words::sentence::capital;
use ending::{consequences, done};
use layout::{could_move, head, moves, partitions};

/// The page.
pub fn render(document: &FixDocument, options: &RenderOptions) -> String {
    let name = clean(&document.target);
    if let Some(one) = &document.conversion {
        return conversion::render(document, one, &name, options);
    }
    let mut text = String::new();
    if options.quiet() {
        let _ = writeln!(text, "{name}: {}", verdict(document));
        return text;
    }
    let is_empty = document.needed == Some(false);
    match (&document.plan, document.result) {
        (Some(_), FixResult::Copied) if is_empty => {}
        (Some(plan), _) if is_empty => {
            head(&mut text, &name, plan);
            consequences(&mut text, &plan.consequences, options);
            could_move(&mut text, plan, options);
            if plan.container.is_some() {
                next(&mut text, document, options);
                text.push('\n');
            }
        }
        (Some(plan), FixResult::Planned) => {
            head(&mut text, &name, plan);
            partitions(&mut text, plan, options);
            moves(&mut text, plan, document.output.is_some(), options);
            consequences(&mut text, &plan.consequences, options);
            before(&mut text, plan, options);
            next(&mut text, document, options);
            return text;
        }
        (Some(plan), _) => {
            partitions(&mut text, plan, options);
            consequences(&mut text, &plan.consequences, options);
        }
        (None, _) => {}
    }
    if let Some(all) = &document.done {
        done(&mut text, all);
    }
    let _ = writeln!(text, "{name}: {}", verdict(document));
    afterwards(&mut text, document);
    text
}

fn verdict(document: &FixDocument) -> String {
    match (document.result, &document.plan) {
        (FixResult::Copied, _) => {
            format!("{}; the original was not touched", written_to(document))
        }
        (_, Some(plan)) if document.needed == Some(false) => match plan.container {
            Some(_) => "nothing needs moving; what is off the grid is the file itself".to_owned(),
            None => "nothing needs moving".to_owned(),
        },
        (FixResult::Planned, Some(plan)) if plan.moves.is_empty() => {
            "the table will be rewritten, no data move; nothing was written".to_owned()
        }
        (FixResult::Planned, plan) => {
            let count = plan.as_ref().map_or(0, |plan| plan.moves.len());
            let moved = plan.as_ref().map_or(0, |plan| plan.moved_bytes);
            let plural = if count == 1 { "" } else { "s" };
            format!(
                "{count} partition{plural} to move, {}; nothing was written",
                about(Bytes::new(moved))
            )
        }
        (FixResult::Moved, Some(plan)) if plan.moves.is_empty() => {
            "the table is as planned, and the journal is gone".to_owned()
        }
        (FixResult::Moved | FixResult::Converted, _) => {
            "everything is in its new place, and the journal is gone".to_owned()
        }
        (FixResult::Refused, _) => "it is refused; nothing was written".to_owned(),
        (FixResult::Forgotten, _) => "the journal is gone".to_owned(),
        (FixResult::Abandoned, _) => "the move is given up".to_owned(),
        (FixResult::RolledBack, _) => {
            "everything is where it was, and the journal is gone".to_owned()
        }
    }
}

fn written_to(document: &FixDocument) -> String {
    let new = document.output.as_deref().unwrap_or_default();
    format!("written to {}", clean(new))
}

fn before(text: &mut String, plan: &FixPlan, options: &RenderOptions) {
    if plan.precautions.is_empty() {
        return;
    }
    heading(text, "Before you do it", options);
    for one in &plan.precautions {
        paragraph(text, &capital(one), "  - ", options);
    }
    text.push('\n');
}

/// Commands are never broken into lines, so that they can be pasted.
fn next(text: &mut String, document: &FixDocument, options: &RenderOptions) {
    heading(text, "Nothing was written. To do it", options);
    for command in &document.next {
        let _ = writeln!(text, "  {command}");
    }
}

/// The command that judges what was done.
fn afterwards(text: &mut String, document: &FixDocument) {
    if document.result != FixResult::Planned {
        for command in &document.next {
            let _ = writeln!(text, "Next: {command}");
        }
    }
}

fn paragraph(text: &mut String, words: &str, mark: &str, options: &RenderOptions) {
    text.push_str(&crate::text::paragraph(words, [mark, "    "], options));
}

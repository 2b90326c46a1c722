//! A fix as text.

use std::fmt::Write;
use std::time::Duration;

use ioalign_core::Bytes;
use ioalign_repair::boot::{Consequence, Weight};
use ioalign_repair::fix::{Plan, is_staged};
use ioalign_repair::mover::{self, Done};
use ioalign_repair::tables::SlotKind;
use ioalign_report::Options;
use ioalign_report::words::clean;
use ioalign_report::words::headline::capital;
use ioalign_report::words::numbers::{about, duration, exact_and_about};

use super::document::Ended;
use super::{Page, next, options, place, precautions};

/// The page.
pub fn render(page: &Page<'_>, look: &Options) -> String {
    let mut text = String::new();
    let name = clean(&page.arguments.target.display().to_string());
    if look.quiet() {
        let _ = writeln!(text, "{name}: {}", verdict(page));
        return text;
    }
    match (page.plan, page.ended) {
        (Some(plan), Ended::Copied) if plan.is_empty() => {}
        (Some(plan), _) if plan.is_empty() => {
            head(&mut text, &name, plan);
            consequences(&mut text, plan, look);
            could_move(&mut text, plan, look);
            if plan.survey.container.is_some() {
                next(&mut text, page, plan, look);
                text.push('\n');
            }
        }
        (Some(plan), Ended::Planned) => {
            head(&mut text, &name, plan);
            partitions(&mut text, plan, look);
            moves(&mut text, page, plan, look);
            consequences(&mut text, plan, look);
            before(&mut text, page, plan, look);
            next(&mut text, page, plan, look);
            return text;
        }
        (Some(plan), _) => {
            partitions(&mut text, plan, look);
            consequences(&mut text, plan, look);
        }
        (None, _) => {}
    }
    if let Some((done, elapsed)) = &page.done {
        ended(&mut text, done, *elapsed);
    }
    let _ = writeln!(text, "{name}: {}", verdict(page));
    if let Some(next) = next::afterwards(page) {
        let _ = writeln!(text, "Next: {next}");
    }
    text
}

fn verdict(page: &Page<'_>) -> String {
    let nothing = page.plan.is_some_and(Plan::is_empty);
    match page.ended {
        _ if nothing && page.ended != Ended::Copied => nothing_to_do(page),
        Ended::Planned if page.plan.is_some_and(|plan| plan.shifts.is_empty()) => {
            "the table will be rewritten, no data move; nothing was written".to_owned()
        }
        Ended::Planned => {
            let count = page.plan.map_or(0, |plan| plan.shifts.len());
            let moved = page.plan.map_or(0, |plan| plan.job.moved_bytes());
            let plural = if count == 1 { "" } else { "s" };
            format!(
                "{count} partition{plural} to move, {}; nothing was written",
                about(Bytes::new(moved))
            )
        }
        Ended::Moved | Ended::Converted => {
            "everything is in its new place, and the journal is gone".to_owned()
        }
        Ended::RolledBack => "everything is where it was, and the journal is gone".to_owned(),
        Ended::Copied => {
            let new = page.arguments.output.as_deref();
            let new = new.map_or_else(String::new, |path| clean(&path.display().to_string()));
            format!("written to {new}; the original was not touched")
        }
    }
}

fn nothing_to_do(page: &Page<'_>) -> String {
    let container = page.plan.and_then(|plan| plan.survey.container);
    match container {
        Some(_) => "nothing needs moving; what is off the grid is the file itself",
        None => "nothing needs moving",
    }
    .to_owned()
}

/// A heading.
pub fn title(text: &mut String, what: &str, look: &Options) {
    let (on, off) = if look.color {
        ("\u{1b}[1m", "\u{1b}[0m")
    } else {
        ("", "")
    };
    let _ = writeln!(text, "{on}{what}{off}");
}

fn head(text: &mut String, name: &str, plan: &Plan) {
    let identity = &plan.job.identity;
    let table = match plan.table.name() {
        "dos" => "MBR",
        _ => "GPT",
    };
    let _ = writeln!(
        text,
        "{name}: {table} of {}-byte sectors, {}\n",
        identity.logical_bytes,
        about(Bytes::new(identity.size_bytes))
    );
}

/// Starts that cost nothing here, and would elsewhere.
fn could_move(text: &mut String, plan: &Plan, look: &Options) {
    let odd = plan.old.iter().any(|slot| {
        slot.kind != SlotKind::Extended && !slot.start.is_multiple_of(Bytes::MIB.get())
    });
    if odd {
        let words = "What is known of it asks for no other starts; --align 1M makes them whole mebibytes all the same.";
        paragraph(text, words, "", look);
        text.push('\n');
    }
}

fn partitions(text: &mut String, plan: &Plan, look: &Options) {
    title(text, "Partitions", look);
    // On a narrow screen sectors stand alone.
    let wide = look.width >= 80;
    let column = if wide { 24 } else { 12 };
    let (from, to) = match wide {
        true => ("starts at sector", "will start at"),
        false => ("sector", "to sector"),
    };
    let mut row = |words: String| paragraph(text, &words, "  ", look);
    row(format!(
        "{:<4}{from:<column$}{to:<column$}{:<11} in it",
        "no", "size"
    ));
    let unit = plan.job.identity.logical_bytes.max(1);
    let pairs = plan.old.iter().zip(&plan.new);
    for (old, new) in pairs {
        let place = |at: u64| match wide {
            true => format!("{} ({})", at / unit, about(Bytes::new(at))),
            false => (at / unit).to_string(),
        };
        let to = if new.start == old.start {
            "stays".to_owned()
        } else {
            place(new.start)
        };
        let what = match old.kind {
            SlotKind::Extended => "logical ones",
            _ => plan.what(old.number).unwrap_or("not recognised"),
        };
        row(format!(
            "{:<4}{:<column$}{to:<column$}{:<11} {}",
            old.number,
            place(old.start),
            about(Bytes::new(new.size)),
            clean(what)
        ));
    }
    text.push('\n');
}

fn moves(text: &mut String, page: &Page<'_>, plan: &Plan, look: &Options) {
    let options = options(page.arguments);
    let title_of = match plan.shifts.is_empty() {
        true => "No data move",
        false => "Moves, in this order",
    };
    title(text, title_of, look);
    for (index, (shift, one)) in (1..).zip(plan.shifts.iter().zip(&plan.job.moves)) {
        let (way, far) = if shift.to > shift.from {
            ("right", shift.to - shift.from)
        } else {
            ("left", shift.from - shift.to)
        };
        let how = match is_staged(*one, &options) && page.arguments.output.is_none() {
            true => ", through the journal",
            false => "",
        };
        let far = match look.verbose() {
            true => exact_and_about(Bytes::new(far)),
            false => about(Bytes::new(far)),
        };
        let line = format!(
            "{index}. partition {}: {} by {far} to the {way}{how}",
            shift.number,
            about(Bytes::new(shift.size)),
        );
        paragraph(text, &line, "  ", look);
    }
    work(text, page, plan, look);
    text.push('\n');
}

/// The amount of writes, and the time that they take.
fn work(text: &mut String, page: &Page<'_>, plan: &Plan, look: &Options) {
    let options = options(page.arguments);
    let (moved, written) = (plan.job.moved_bytes(), plan.written(&options));
    let mut line = |words: String| paragraph(text, &words, "  ", look);
    if let Some(rate) = page.rate {
        let source = if rate.is_limit {
            "as --limit wants"
        } else {
            "the speed of reading here; writing may be slower"
        };
        let seconds = Duration::from_secs(rate.seconds(moved, written));
        let long = indicatif::HumanDuration(seconds);
        let [all, speed] = [moved, rate.bytes].map(|bytes| about(Bytes::new(bytes)));
        line(format!(
            "{all} move, in about {long} at {speed}/s, {source}"
        ));
    }
    if page.arguments.output.is_some() || !(look.verbose() || plan.shifts.is_empty()) {
        return;
    }
    let [all, twice, tables] = [written, plan.written_twice(&options), plan.table_bytes()]
        .map(|bytes| about(Bytes::new(bytes)));
    let tables = format!("{tables} of tables and boot sectors");
    line(match plan.shifts.is_empty() {
        true => format!("{tables} are written"),
        false => format!("{all} are written ({twice} of them twice), and {tables}"),
    });
    let path = place::journal(page.arguments);
    if let (Ok(path), Ok(bytes)) = (path, mover::journal_bytes(&plan.job, &options)) {
        let path = clean(&path.display().to_string());
        line(format!("journal: {} in {path}", about(Bytes::new(bytes))));
    }
}

fn consequences(text: &mut String, plan: &Plan, look: &Options) {
    meanings(text, &plan.consequences, look);
}

/// The consequences.
pub fn meanings(text: &mut String, consequences: &[Consequence], look: &Options) {
    if consequences.is_empty() {
        return;
    }
    title(text, "What it means", look);
    for one in consequences {
        let mark = match one.weight {
            Weight::Told => "  - ",
            Weight::Warned => "  ! ",
            Weight::Refused => "  X refused: ",
        };
        let advice = match &one.advice {
            Some(advice) => format!(". {}", capital(advice)),
            None => String::new(),
        };
        paragraph(text, &format!("{}{advice}", one.what), mark, look);
    }
    text.push('\n');
}

fn paragraph(text: &mut String, words: &str, mark: &str, look: &Options) {
    text.push_str(&ioalign_report::text::paragraph(
        words,
        [mark, "    "],
        look,
    ));
}

fn before(text: &mut String, page: &Page<'_>, plan: &Plan, look: &Options) {
    let all = precautions::of(page, plan);
    if all.is_empty() {
        return;
    }
    title(text, "Before you do it", look);
    for one in all {
        paragraph(text, &capital(&one), "  - ", look);
    }
    text.push('\n');
}

/// Commands are never broken into lines, so that they can be pasted.
fn next(text: &mut String, page: &Page<'_>, plan: &Plan, look: &Options) {
    title(text, "Nothing was written. To do it", look);
    for command in next::commands(page, plan) {
        let _ = writeln!(text, "  {command}");
    }
}

/// The result.
pub fn ended(text: &mut String, done: &Done, elapsed: Duration) {
    if done.written_bytes == 0 {
        text.push_str("nothing had to be written\n");
        return;
    }
    let us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    let _ = writeln!(
        text,
        "{} moved, {} written, {} read back and compared, in {}",
        about(Bytes::new(done.moved_bytes)),
        about(Bytes::new(done.written_bytes)),
        about(Bytes::new(done.verified_bytes)),
        duration(us)
    );
    for place in &done.unreadable {
        let _ = writeln!(
            text,
            "  bytes {} to {} could not be read, and hold zeros now",
            place.start, place.end
        );
    }
}

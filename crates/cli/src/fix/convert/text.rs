//! A conversion as text.

use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_repair::convert::{Conversion, Partition};
use ioalign_repair::{Job, mover};
use ioalign_report::Options;
use ioalign_report::words::clean;
use ioalign_report::words::numbers::about;

use super::super::command::{self, Step};
use super::super::document::Ended;
use super::super::next as outer_next;
use super::super::text::{ended, meanings, title};
use super::super::{output, place, refuse};
use super::Page;
use super::document::rewritten;

/// The page.
pub fn render(page: &Page<'_>, look: &Options) -> String {
    let mut text = String::new();
    let name = clean(&page.arguments.target.display().to_string());
    if let (Some(conversion), false) = (page.conversion, look.quiet()) {
        head(&mut text, &name, conversion);
        title(&mut text, "Partitions", look);
        for part in &conversion.partitions {
            partition(&mut text, part, conversion);
        }
        text.push('\n');
        meanings(&mut text, &conversion.consequences, look);
        if page.ended == Ended::Planned {
            next(&mut text, page, look);
            return text;
        }
        if let Some((done, elapsed)) = &page.done {
            ended(&mut text, done, *elapsed);
        }
    }
    let _ = writeln!(text, "{name}: {}", verdict(page));
    if page.ended != Ended::Planned && !look.quiet() {
        for command in commands(page) {
            let _ = writeln!(text, "Next: {command}");
        }
    }
    text
}

fn verdict(page: &Page<'_>) -> String {
    let to = page.to;
    if page.conversion.is_none() {
        return format!("its table counts in sectors of {to} bytes already");
    }
    match page.ended {
        Ended::Converted => {
            format!("it is for disks with sectors of {to} bytes now, and the journal is gone")
        }
        Ended::Copied => {
            let new = page.arguments.output.as_deref();
            let new = new.map_or_else(String::new, |path| clean(&path.display().to_string()));
            format!(
                "written to {new} for disks with sectors of {to} bytes; the original was not touched"
            )
        }
        _ => {
            format!("it can be made one for disks with sectors of {to} bytes; nothing was written")
        }
    }
}

fn head(text: &mut String, name: &str, conversion: &Conversion) {
    let _ = writeln!(
        text,
        "{name}: from {}-byte to {}-byte sectors, {}",
        conversion.from,
        conversion.to,
        about(Bytes::new(conversion.old_bytes))
    );
    if conversion.grows() {
        let more = conversion.bytes - conversion.old_bytes;
        let _ = writeln!(
            text,
            "  it becomes {} longer: the table at its end is larger",
            about(Bytes::new(more))
        );
    }
    text.push('\n');
}

fn partition(text: &mut String, part: &Partition, conversion: &Conversion) {
    let place = |start: u64, size: u64, unit: u64| {
        format!("{}+{}", start / unit.max(1), size / unit.max(1))
    };
    let (old, new) = (&part.old, &part.new);
    let before = place(old.start, old.size, conversion.from);
    let after = place(new.start, new.size, conversion.to);
    let mut notes = vec![part.content.name().to_owned()];
    if let Some(rebuilt) = &part.rebuilt {
        let (was, is) = rebuilt.cluster_bytes;
        notes.push(if rebuilt.kept {
            format!(
                "rebuilt before its clusters of {}; no file moves",
                about(Bytes::new(was))
            )
        } else {
            format!(
                "rebuilt: its files go to clusters of {} (from {})",
                about(Bytes::new(is)),
                about(Bytes::new(was))
            )
        });
        if rebuilt.lost_clusters > 0 {
            notes.push(format!(
                "{} clusters of no file are freed",
                rebuilt.lost_clusters
            ));
        }
    }
    if old.start != new.start {
        notes.push("moves".to_owned());
    }
    if old.size != new.size {
        notes.push(format!("{} bytes longer", new.size - old.size));
    }
    let _ = writeln!(
        text,
        "  {:<4}{before:<22}-> {after:<20}{}",
        old.number,
        notes.join("; ")
    );
}

fn next(text: &mut String, page: &Page<'_>, look: &Options) {
    title(text, "Nothing was written. To do it", look);
    match &page.job {
        Some(Ok(job)) => in_place(text, page, job),
        Some(Err(why)) => {
            let _ = writeln!(text, "  not in place: {}", clean(why));
        }
        None => {}
    }
    for command in commands(page) {
        let _ = writeln!(text, "  {command}");
    }
}

/// The commands that do it: in place where that can be, or into a new image; afterwards that of the check.
pub fn commands(page: &Page<'_>) -> Vec<String> {
    let arguments = page.arguments;
    if page.conversion.is_none() {
        return Vec::new();
    }
    if page.ended != Ended::Planned {
        return outer_next::check(arguments, page.ended)
            .into_iter()
            .collect();
    }
    let name = match &page.job {
        Some(Ok(job)) => Some(refuse::name(job)),
        _ => None,
    };
    let apply = name.map(|plan| command::line(arguments, Step::Apply(&plan)));
    let ending = arguments
        .target
        .extension()
        .and_then(|ending| ending.to_str());
    let new = match &arguments.output {
        Some(new) => new.clone(),
        None => output::beside(&arguments.target, ending.unwrap_or("img")),
    };
    let output = command::line(arguments, Step::Output(&new, arguments.format));
    apply.into_iter().chain([output]).collect()
}

fn in_place(text: &mut String, page: &Page<'_>, job: &Job) {
    let moved = job.moved_bytes();
    let path = place::journal(page.arguments);
    let bytes = mover::journal_bytes(job, &page.options());
    if let (Ok(path), Ok(bytes)) = (path, bytes) {
        let _ = writeln!(
            text,
            "  {} of tables and file systems are written, {} move; journal: {} in {}",
            about(Bytes::new(rewritten(job))),
            about(Bytes::new(moved)),
            about(Bytes::new(bytes)),
            clean(&path.display().to_string())
        );
    }
}

//! `ioalign trace convert`.

use std::sync::atomic::Ordering;

use anyhow::Result;
use ioalign_observe::write::WritableFormat;
use ioalign_observe::{Converted, TraceProgress, convert};

use super::summarize::{asked, nothing_parsed, reading};
use super::{bar, file};
use crate::args::ConvertArgs;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::output_file::Destination;
use crate::say::note;

/// Runs the verb.
pub fn run(arguments: &ConvertArgs) -> Result<Exit> {
    let target = match &arguments.to {
        Some(name) => file::target(name)?,
        None => file::by_ending(&arguments.output).ok_or_else(|| {
            let what = "the ending of the output says no format: --to parquet, csv, blktrace, blkparse, iolog3, msr";
            UsageError(what.to_owned())
        })?,
    };
    file::differ(&arguments.output, &arguments.files)?;
    let settings = reading(&arguments.source, arguments.jobs);
    let interrupt = Interrupt::watched()?;
    let progress = TraceProgress::default();
    let mut output = file::TraceOutput::default();
    let to = Destination {
        kept: arguments.files.clone(),
        ..Destination::data(
            &arguments.output,
            arguments.replace,
            file::readers_of(&arguments.files),
        )
    };
    let mut refused = None;
    let writer = || {
        let (created, out) = file::TraceOutput::create(&to).map_err(|error| {
            let text = std::io::Error::other(error.to_string());
            refused = Some(error);
            text
        })?;
        output = created;
        (target.writer)(out, true)
    };
    let done = bar::while_shown(
        &arguments.files,
        !arguments.quiet,
        &progress,
        &interrupt,
        || convert(&arguments.files, &settings, &progress, writer),
    );
    if let Some(error) = refused {
        return Err(error);
    }
    let done = done.map_err(asked)?;
    if nothing_parsed(&done.files, done.written.ios + done.written.left_out) {
        return Ok(Exit::Unreadable);
    }
    output.keep()?;
    if !arguments.quiet {
        say(&done, target);
    }
    if progress.stop.load(Ordering::Relaxed) {
        file::cut_short(&arguments.output, "read");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// The I/Os that are missing in the output, on standard error.
fn say(done: &Converted, target: &WritableFormat) {
    let skipped: u64 = done.files.iter().map(|file| file.skipped_rows).sum();
    let counts = [
        (skipped, "rows of the source did not parse"),
        (
            done.written.left_out,
            "I/Os are left out: the format cannot hold such",
        ),
        (
            done.written.cut,
            "I/Os are written without their latency or process, which the format does not know",
        ),
        (done.late, "latencies became known too late to be written"),
    ];
    for file in &done.files {
        if let Some(why) = &file.cut_off {
            note(format_args!("{} is cut off: {why}", file.path));
        }
    }
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        note(format_args!("{count} {what}"));
    }
    note(format_args!(
        "{} I/Os as {}",
        done.written.ios, target.title
    ));
}

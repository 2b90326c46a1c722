//! The partitions of a plan, and their moves.

use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_core::fix_document::{FixMove, FixPlan, PartitionRank, RateSource};

use super::paragraph;
use crate::options::RenderOptions;
use crate::text::heading;
use crate::words::clean;
use crate::words::numbers::{about, exact_and_about, roughly};

/// From here on places in bytes stand beside sectors.
const WIDE: usize = 80;

/// The table and its disk.
pub fn head(text: &mut String, name: &str, plan: &FixPlan) {
    let table = match plan.table {
        "dos" => "MBR",
        _ => "GPT",
    };
    let _ = writeln!(
        text,
        "{name}: {table} of {}-byte sectors, {}\n",
        plan.sector_bytes,
        about(Bytes::new(plan.disk_bytes))
    );
}

/// Starts that cost nothing here, and would elsewhere.
pub fn could_move(text: &mut String, plan: &FixPlan, options: &RenderOptions) {
    let mut data = plan
        .partitions
        .iter()
        .filter(|one| one.kind != PartitionRank::Extended);
    if data.any(|one| !one.start_bytes.is_multiple_of(Bytes::MIB.get())) {
        let words = "What is known of it asks for no other starts; --align 1M makes them whole mebibytes all the same.";
        paragraph(text, words, "", options);
        text.push('\n');
    }
}

/// A row for each partition.
pub fn partitions(text: &mut String, plan: &FixPlan, options: &RenderOptions) {
    heading(text, "Partitions", options);
    let wide = options.width >= WIDE;
    let column = if wide { 24 } else { 12 };
    let (from, to) = match wide {
        true => ("starts at sector", "will start at"),
        false => ("sector", "to sector"),
    };
    let mut row = |words: String| paragraph(text, &words, "  ", options);
    row(format!(
        "{:<4}{from:<column$}{to:<column$}{:<11} in it",
        "no", "size"
    ));
    let unit = plan.sector_bytes.max(1);
    let place = |at: u64| match wide {
        true => format!("{} ({})", at / unit, about(Bytes::new(at))),
        false => (at / unit).to_string(),
    };
    for one in &plan.partitions {
        let to = if one.new_start_bytes == one.start_bytes {
            "stays".to_owned()
        } else {
            place(one.new_start_bytes)
        };
        let what = match one.kind {
            PartitionRank::Extended => "logical ones",
            _ => one.what.as_deref().unwrap_or("not recognised"),
        };
        row(format!(
            "{:<4}{:<column$}{to:<column$}{:<11} {}",
            one.number,
            place(one.start_bytes),
            about(Bytes::new(one.new_size_bytes)),
            clean(what)
        ));
    }
    text.push('\n');
}

/// The moves in their order, and the work that they are; `is_copy`: into a new image.
pub fn moves(text: &mut String, plan: &FixPlan, is_copy: bool, options: &RenderOptions) {
    let title = match plan.moves.is_empty() {
        true => "No data move",
        false => "Moves, in this order",
    };
    heading(text, title, options);
    for (index, one) in (1..).zip(&plan.moves) {
        let line = format!("{index}. {}", shift(one, is_copy, options));
        paragraph(text, &line, "  ", options);
    }
    estimate(text, plan, options);
    if !is_copy && (options.verbose() || plan.moves.is_empty()) {
        work(text, plan, options);
    }
    text.push('\n');
}

fn shift(one: &FixMove, is_copy: bool, options: &RenderOptions) -> String {
    let way = match one.to_bytes > one.from_bytes {
        true => "right",
        false => "left",
    };
    let how = match one.through_journal && !is_copy {
        true => ", through the journal",
        false => "",
    };
    let far = Bytes::new(one.to_bytes.abs_diff(one.from_bytes));
    let far = match options.verbose() {
        true => exact_and_about(far),
        false => about(far),
    };
    format!(
        "partition {}: {} by {far} to the {way}{how}",
        one.partition,
        about(Bytes::new(one.size_bytes)),
    )
}

fn estimate(text: &mut String, plan: &FixPlan, options: &RenderOptions) {
    let Some(estimate) = plan.estimate else {
        return;
    };
    let source = match estimate.source {
        RateSource::Limit => "as --limit wants",
        RateSource::Read => "the speed of reading here; writing may be slower",
    };
    let long = roughly(estimate.seconds);
    let [all, speed] =
        [plan.moved_bytes, estimate.bytes_per_second].map(|bytes| about(Bytes::new(bytes)));
    let line = format!("{all} move, in about {long} at {speed}/s, {source}");
    paragraph(text, &line, "  ", options);
}

/// What is written, and where the journal is.
fn work(text: &mut String, plan: &FixPlan, options: &RenderOptions) {
    let mut line = |words: String| paragraph(text, &words, "  ", options);
    let [all, twice, tables] = [
        plan.written_bytes,
        plan.written_twice_bytes,
        plan.table_bytes,
    ]
    .map(|bytes| about(Bytes::new(bytes)));
    let tables = format!("{tables} of tables and boot sectors");
    line(match plan.moves.is_empty() {
        true => format!("{tables} are written"),
        false => format!("{all} are written ({twice} of them twice), and {tables}"),
    });
    if let Some(journal) = &plan.journal {
        let (path, bytes) = (clean(&journal.path), Bytes::new(journal.size_bytes));
        line(format!("journal: {} in {path}", about(bytes)));
    }
}

//! An experiment on a real kernel: what was predicted beside what happened, and the published figures beside ours.

mod figures;
mod html;
mod tables;

use ioalign_core::lab_document::{LabCell, LabDocument};
use ioalign_core::numbers::percent;

use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
pub use html::render as html;
use tables::LabTable;

/// The whole text.
pub fn text(document: &LabDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let dot = page.glyphs().dot;
    if !options.quiet() {
        let title = format!("{}{dot}{}", document.experiment, conditions(document));
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, document.about.clone())],
        );
        for table in tables::all(document) {
            put(&mut page, &table);
        }
        page.blank();
    }
    for sentence in answers(document) {
        page.put("", "", 2, &[TextSpan::plain(sentence)]);
    }
    for note in document.notes.iter().filter(|_| !options.quiet()) {
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, format!("note: {note}"))],
        );
    }
    page.finish()
}

/// The experiments, a line each: name, sentence, seconds of the small size.
pub fn list(experiments: &[(&str, &str, u64)], options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    for (name, about, seconds) in experiments {
        if options.quiet() {
            page.line(&[TextSpan::plain(*name)]);
            continue;
        }
        page.line(&[
            TextSpan::new(Style::Strong, *name),
            TextSpan::new(Style::Dim, format!("  --quick: about {seconds} s")),
        ]);
        page.put("  ", "  ", 2, &[TextSpan::plain(*about)]);
    }
    page.finish()
}

fn put(page: &mut TextPage, table: &LabTable) {
    page.blank();
    page.put("", "", 2, &[TextSpan::plain(table.title.clone())]);
    let mut lines = TextTable::new(table.left, &table.head);
    for row in &table.rows {
        lines.row(Style::Plain, row.clone());
    }
    lines.put(page);
}

/// `virtual time, tcg, Linux 6.1.0-56-cloud-amd64, small size`
fn conditions(document: &LabDocument) -> String {
    let size = if document.quick { ", small size" } else { "" };
    format!(
        "{} time, {}, Linux {}{size}",
        document.timing, document.accelerator, document.kernel
    )
}

/// Whether what was predicted is so, in sentences.
fn answers(document: &LabDocument) -> Vec<String> {
    let mut answers = Vec::new();
    let wrong: Vec<_> = document
        .checks
        .iter()
        .filter(|check| !check.holds)
        .map(|check| check.arm.as_str())
        .collect();
    answers.push(match wrong.as_slice() {
        [] => "check predicted every arm before the load.".to_owned(),
        wrong => format!("check was wrong about: {}.", wrong.join("; ")),
    });
    let both = (
        document.predicted_straddle_ratio,
        document.watched_straddle_ratio,
    );
    if let (Some(predicted), Some(watched)) = both {
        let agree = match document.straddles_agree() {
            Some(true) if (predicted - watched).abs() <= 0.01 => "within a point",
            Some(true) => "within what chance makes of so few I/Os",
            _ => "which differ",
        };
        answers.push(format!(
            "I/Os that touch a cell more than they must: {} predicted, {} counted, {agree}.",
            percent(predicted),
            percent(watched)
        ));
    }
    let models: Vec<_> = document
        .cells
        .iter()
        .filter_map(|cell| Some((cell, cell.model_agrees()?)))
        .collect();
    let off: Vec<_> = models.iter().filter(|(_, agrees)| !agrees).collect();
    if !models.is_empty() {
        answers.push(match off.as_slice() {
            [] => "The simulated array sends as many I/Os to its disks as md did.".to_owned(),
            off => format!(
                "The simulated array differs in {}.",
                by_load(off.iter().map(|(cell, _)| *cell))
            ),
        });
    }
    let discards: Vec<_> = document
        .cells
        .iter()
        .filter_map(|cell| Some((cell, cell.discard_agrees()?)))
        .collect();
    let off: Vec<_> = discards
        .iter()
        .filter(|(_, agrees)| !agrees)
        .map(|(cell, _)| format!("{}, {}", cell.arm, cell.workload))
        .collect();
    if !discards.is_empty() {
        answers.push(match off.as_slice() {
            [] => "The disk let go of what check predicted, and kept the rest.".to_owned(),
            off => format!("The disk let go of something else in: {}.", off.join("; ")),
        });
    }
    let iostat = document
        .cells
        .iter()
        .filter_map(|cell| cell.iostat.as_ref());
    if iostat.clone().any(|one| one.read_modify_write) {
        answers.push(
            "watch names read-modify-write: the reads that writes wait for are in r_await, and w_await hides them."
                .to_owned(),
        );
    }
    let lost: u64 = document.cells.iter().map(|cell| cell.dropped).sum();
    if lost > 0 {
        answers.push(format!("watch lost {lost} events: its counts are too low."));
    }
    answers
}

/// The loads and arms of these cells, each once: `sysbench seqrd on A, B; …`. Seeds are not told apart.
fn by_load<'a>(cells: impl Iterator<Item = &'a LabCell>) -> String {
    let mut loads: Vec<(&str, Vec<&str>)> = Vec::new();
    for cell in cells {
        let load = cell.workload.as_str();
        let at = loads.iter().position(|(known, _)| *known == load);
        let at = at.unwrap_or_else(|| {
            loads.push((load, Vec::new()));
            loads.len() - 1
        });
        if let Some((_, arms)) = loads.get_mut(at)
            && !arms.contains(&cell.arm.as_str())
        {
            arms.push(&cell.arm);
        }
    }
    let loads = loads
        .iter()
        .map(|(load, arms)| format!("{load}, on {}", arms.join(", ")));
    loads.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use ioalign_core::lab_document::{LabCell, LabCheck, LabDiscard, LabIostat, LabSummary};

    use super::*;

    fn document() -> LabDocument {
        let cell = |arm: &str, iops: f64, share: f64| LabCell {
            arm: arm.to_owned(),
            workload: "reads".to_owned(),
            op: "read".to_owned(),
            iops,
            ios: 4000,
            predicted_straddle_ratio: Some(share),
            watched_straddle_ratio: Some(share),
            disk_ios_per_io: 1.0 + share,
            simulated_disk_ios_per_io: Some(1.0 + share),
            ..LabCell::default()
        };
        LabDocument {
            experiment: "one".to_owned(),
            checks: vec![LabCheck {
                arm: "<sector> 63".to_owned(),
                holds: true,
                ..LabCheck::default()
            }],
            cells: vec![cell("<sector> 63", 600.0, 0.25), cell("2048", 720.0, 0.0)],
            summary: vec![LabSummary {
                workload: "reads".to_owned(),
                gain_ratio: 1.2,
                published_ratio: Some(1.154),
                ..LabSummary::default()
            }],
            predicted_straddle_ratio: Some(0.25),
            watched_straddle_ratio: Some(0.25),
            ..LabDocument::default()
        }
    }

    /// The text without its line ends.
    fn words(document: &LabDocument) -> String {
        let text = text(document, &RenderOptions::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_published_figure_stands_beside_ours() {
        let text = words(&document());
        assert!(
            text.contains("+20.0 %") && text.contains("+15.4 %"),
            "{text}"
        );
        assert!(
            text.contains("25 % predicted, 25 % counted, within a point"),
            "{text}"
        );
        let page = html(&document());
        assert!(page.contains("&lt;sector&gt; 63") && !page.contains("<sector>"));
        assert!(page.contains("+15.4 %") && page.contains("class=\"verdict good\""));
    }

    #[test]
    fn what_a_disk_keeps_and_what_iostat_hides_is_named() {
        let mut document = document();
        document.cells[0].discard = Some(LabDiscard {
            bytes: 1 << 20,
            released_bytes: 0,
            predicted_ratio: Some(0.0),
        });
        document.cells[0].iostat = Some(LabIostat {
            device: "md0".to_owned(),
            w_await_us: Some(2000.0),
            read_modify_write: true,
            ..LabIostat::default()
        });
        let text = words(&document);
        for part in [
            "kept the rest",
            "1 MiB 0 % 0 % 1 MiB",
            "md0 by iostat",
            "w_await hides",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        document.cells[0].discard.as_mut().unwrap().predicted_ratio = Some(1.0);
        let text = words(&document);
        assert!(
            text.contains("something else in: <sector> 63, reads"),
            "{text}"
        );
    }

    #[test]
    fn what_differs_is_named() {
        let mut wrong = document();
        wrong.checks[0].holds = false;
        wrong.cells[1].simulated_disk_ios_per_io = Some(1.1);
        wrong.watched_straddle_ratio = Some(0.5);
        let text = words(&wrong);
        for part in [
            "check was wrong about: <sector> 63",
            "differs in reads, on 2048",
            "which differ",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

//! A simulated array: each start with its rate, its latency and the I/Os of the disks.

use ioalign_core::numbers::{rate, thousands, three, time, times};
use ioalign_core::simulation_document::{ArrayPreset, SimulatedArm, SimulationDocument};

use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};

/// The whole text.
pub fn text(document: &SimulationDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if !options.quiet() {
        let dot = page.glyphs().dot;
        let title = format!("{}{dot}{}", document.array, document.workload);
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, document.about.clone())],
        );
        page.blank();
    }
    for (number, arms) in document.arms.chunk_by(|a, b| a.step == b.step).enumerate() {
        if document
            .arms
            .iter()
            .any(|arm| arm.step != document.workload)
        {
            if number > 0 {
                page.blank();
            }
            let step = arms.first().map_or("", |arm| arm.step.as_str());
            page.put("", "", 2, &[TextSpan::plain(step)]);
        }
        put(&mut page, arms);
    }
    if options.verbose() {
        disks(&mut page, document);
    }
    let notes = document.notes.iter().filter(|_| !options.quiet());
    for note in notes {
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, format!("note: {note}"))],
        );
    }
    page.finish()
}

/// The rates of all starts, and what the disks have to do for them.
fn put(page: &mut TextPage, arms: &[SimulatedArm]) {
    let head = [
        "start",
        "I/Os/s",
        "",
        "bytes/s",
        "mean",
        "p99",
        "disk I/Os",
        "formula",
    ];
    let mut table = TextTable::new(1, &head);
    for arm in arms {
        let formula = arm.closed_form.disk_ios_per_io;
        let row = vec![
            start(arm),
            per_second(arm),
            arm.iops_ratio.map(times).unwrap_or_default(),
            rate(arm.bytes_per_s),
            time(arm.latency_us.mean),
            time(arm.latency_us.p99),
            format!("{:.4}", arm.disk_ios_per_io),
            formula.map_or_else(|| "-".to_owned(), |formula| format!("{formula:.4}")),
        ];
        table.row(Style::Plain, row);
    }
    table.put(page);
}

/// `sector 63`, `sector 2048`.
fn start(arm: &SimulatedArm) -> String {
    format!("sector {}", thousands(arm.start_bytes / 512))
}

/// With several runs half the interval too.
fn per_second(arm: &SimulatedArm) -> String {
    match (arm.iops_low, arm.iops_high) {
        (Some(low), Some(high)) if arm.iops > 0.0 => {
            let half = (high - low) / 2.0 / arm.iops * 100.0;
            format!("{} ±{} %", three(arm.iops), three(half))
        }
        _ => three(arm.iops),
    }
}

fn disks(page: &mut TextPage, document: &SimulationDocument) {
    for arm in &document.arms {
        page.blank();
        let mut table = TextTable::new(1, &["disk", "reads", "writes"]);
        for (number, disk) in arm.disks.iter().enumerate() {
            let name = format!("{}, disk {number}", start(arm));
            table.row(
                Style::Plain,
                vec![name, thousands(disk.reads), thousands(disk.writes)],
            );
        }
        table.put(page);
    }
}

/// The list of presets.
pub fn presets(presets: &[ArrayPreset], options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    for preset in presets {
        let title = format!("{}: ", preset.name);
        page.put(
            "",
            "",
            2,
            &[
                TextSpan::new(Style::Strong, title),
                TextSpan::plain(preset.about),
            ],
        );
        if !options.quiet() {
            for line in preset.toml.lines() {
                page.put("  ", "  ", 2, &[TextSpan::plain(line)]);
            }
            page.put(
                "  ",
                "  ",
                2,
                &[TextSpan::new(
                    Style::Dim,
                    format!("from: {}", preset.source),
                )],
            );
        }
    }
    page.finish()
}

//! A simulated array: each start with its rate, its latency and the I/Os of the disks.

use ioalign_core::numbers::{percent, rate, thousands, three, time, times};
use ioalign_core::simulation_document::{
    ArrayPreset, CalibrationRecord, PlacementDocument, ProvisioningDocument, PublishedFigures,
    SimulatedArm, SimulatedEffect, SimulationDocument, TenantRate,
};

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
    if !options.quiet() {
        effects(&mut page, &document.effects, options.verbose());
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
    let several = arms.iter().any(|arm| !arm.array.is_empty());
    let head = [
        if several { "array, start" } else { "start" },
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
            match arm.array.as_str() {
                "" => start(arm),
                array => format!("{array}, {}", start(arm)),
            },
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

/// Which parameters matter, and which do not.
fn effects(page: &mut TextPage, effects: &[SimulatedEffect], verbose: bool) {
    let named = |matters: bool| {
        let some = effects.iter().filter(|one| one.matters == matters);
        let word = |one: &SimulatedEffect| match one.iops_ratio {
            Some(ratio) if matters || verbose => format!("{} ({})", one.parameter, times(ratio)),
            _ => one.parameter.clone(),
        };
        some.map(word).collect::<Vec<_>>().join(", ")
    };
    for (matters, what) in [
        (true, "matter here, doubled or exchanged: "),
        (false, "do not matter here: "),
    ] {
        let names = named(matters);
        if !names.is_empty() {
            page.put(
                "",
                "",
                2,
                &[TextSpan::new(Style::Dim, format!("{what}{names}"))],
            );
        }
    }
}

fn disks(page: &mut TextPage, document: &SimulationDocument) {
    for arm in &document.arms {
        page.blank();
        let mut table = TextTable::new(1, &["disk", "reads", "writes"]);
        for (number, disk) in arm.disks.iter().enumerate() {
            let array = match arm.array.as_str() {
                "" => String::new(),
                array => format!("{array}, "),
            };
            let name = format!("{array}{}, disk {number}", start(arm));
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

/// What was predicted of a device, and what was measured then.
pub fn calibration(record: &CalibrationRecord, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if !options.quiet() {
        let offset = ioalign_core::Bytes::new(record.offset_bytes);
        let title = format!(
            "{}: an offset of {offset}, by {}",
            record.target, record.array
        );
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, record.about.clone())],
        );
        page.blank();
    }
    let head = [
        "",
        "I/O",
        "aligned I/Os/s",
        "predicted",
        "measured",
        "interval",
        "off by",
    ];
    let mut table = TextTable::new(2, &head);
    for row in &record.rows {
        let or_not = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let interval = row.measured_low.zip(row.measured_high);
        let (style, word) = match row.hit {
            Some(true) => (Style::Plain, "hit"),
            Some(false) => (Style::Warn, "MISS"),
            None => (Style::Dim, "not measured"),
        };
        let cells = vec![
            word.to_owned(),
            row.load.clone(),
            three(row.aligned_iops),
            times(row.predicted_ratio),
            or_not(row.measured_ratio.map(times)),
            or_not(interval.map(|(low, high)| format!("{} to {}", times(low), times(high)))),
            or_not(
                row.error_ratio
                    .map(|error| format!("{:+.1} %", error * 100.0)),
            ),
        ];
        table.row(style, cells);
    }
    table.put(&mut page);
    let notes = record.notes.iter().filter(|_| !options.quiet());
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

/// Published figures and those of the model.
pub fn published(document: &PublishedFigures, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let head = format!(
        "{:4} {:>9} {:>8} {:>6}  figure",
        "", "published", "model", "within"
    );
    page.put("", "", 2, &[TextSpan::new(Style::Dim, head)]);
    for row in &document.rows {
        let number = |value: f64| match row.unit.as_str() {
            "%" => format!("{value:+.1} %"),
            unit => format!("{value:.1}{unit}"),
        };
        let (style, word) = match row.hit {
            true => (Style::Plain, "hit"),
            false => (Style::Warn, "MISS"),
        };
        let within = match row.tolerance > 0.0 {
            true => format!("±{:.1}", row.tolerance),
            false => "-".to_owned(),
        };
        let numbers = format!(
            "{word:4} {:>9} {:>8} {within:>6}  ",
            number(row.published),
            number(row.simulated)
        );
        let text = format!("{}: {}", row.array, row.what);
        let indent = " ".repeat(32);
        page.put(&numbers, &indent, 0, &[TextSpan::new(style, text)]);
    }
    let misses = document.rows.iter().filter(|row| !row.hit).count();
    let summary = format!(
        "{} of {} hit; rows with a mechanical model and a gain are off by {:.1} points on average",
        document.rows.len() - misses,
        document.rows.len(),
        document.mean_error_points
    );
    page.blank();
    page.put("", "", 2, &[TextSpan::new(Style::Strong, summary)]);
    if options.verbose() {
        for row in &document.rows {
            let text = match row.note.as_str() {
                "" => format!("{}: {}. From: {}", row.array, row.what, row.source),
                note => format!("{}: {} ({note}). From: {}", row.array, row.what, row.source),
            };
            page.put("", "", 2, &[TextSpan::new(Style::Dim, text)]);
        }
    }
    page.finish()
}

/// RAID groups against one pool.
pub fn provisioning(document: &ProvisioningDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let point = |row: &ioalign_core::simulation_document::ProvisionedTenant| {
        (row.array.clone(), row.allocated_ratio.to_bits(), row.tiles)
    };
    for (number, rows) in document
        .rows
        .chunk_by(|a, b| point(a) == point(b))
        .enumerate()
    {
        if number > 0 {
            page.blank();
        }
        let Some(first) = rows.first() else { continue };
        let load = match first.tiles {
            0 => "4 KiB random, 70 % reads, 64 in flight, on 9 disks".to_owned(),
            1 => "1 tile".to_owned(),
            tiles => format!("{tiles} tiles"),
        };
        let title = format!(
            "{} × {}, {} allocated, {load}",
            first.groups,
            first.array,
            percent(first.allocated_ratio)
        );
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        let head = [
            "",
            "group I/Os/s",
            "mean",
            "p99",
            "pool I/Os/s",
            "mean",
            "p99",
            "pool/group",
        ];
        let mut table = TextTable::new(1, &head);
        for row in rows {
            let mut cells = vec![row.tenant.clone()];
            cells.extend(rates(row.in_group));
            cells.extend(rates(row.in_pool));
            let means = row.in_group.zip(row.in_pool);
            cells.push(means.map_or_else(
                || "-".to_owned(),
                |(group, pool)| times(pool.mean_us / group.mean_us),
            ));
            table.row(Style::Plain, cells);
        }
        table.put(&mut page);
    }
    for note in &document.notes {
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, format!("note: {note}"))],
        );
    }
    page.finish()
}

fn rates(of: Option<TenantRate>) -> [String; 3] {
    of.map_or_else(
        || ["-"; 3].map(str::to_owned),
        |rate| [three(rate.iops), time(rate.mean_us), time(rate.p99_us)],
    )
}

/// Where clusters keep data.
pub fn placement(document: &PlacementDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let head = [
        format!("{} nodes", document.nodes),
        "hops/read".to_owned(),
        "hops/write".to_owned(),
        "local".to_owned(),
        "moved".to_owned(),
        "settled".to_owned(),
        "fullest".to_owned(),
        "rebuilt".to_owned(),
        "from".to_owned(),
    ];
    let head: Vec<_> = head.iter().map(String::as_str).collect();
    let mut table = TextTable::new(1, &head);
    for row in &document.rows {
        let share = |share: f64| percent(share);
        table.row(
            Style::Plain,
            vec![
                row.policy.clone(),
                format!("{:.2}", row.hops_per_read),
                format!("{:.2}", row.hops_per_write),
                share(row.local_ratio),
                share(row.local_after_move_ratio),
                share(row.local_settled_ratio),
                times(row.fullest_ratio),
                share(row.rebuilt_ratio),
                row.rebuild_sources.to_string(),
            ],
        );
    }
    table.put(&mut page);
    if options.verbose() {
        for row in &document.rows {
            let text = format!("{}: {}", row.policy, row.about);
            page.put("", "", 2, &[TextSpan::new(Style::Dim, text)]);
        }
    }
    page.finish()
}

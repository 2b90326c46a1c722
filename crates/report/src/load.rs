//! A plain load, shown in the manner of fio: rates, latencies, percentiles.

use ioalign_core::Bytes;
use ioalign_core::load::{Load, LoadLatency, LoadStep};
use ioalign_core::units::ratio;
use ioalign_core::workload::{Pattern, SizeShare, Workload};

use crate::comparison::words;
use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{about, rate, thousands, time};

/// The whole text.
pub fn text(load: &Load, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if options.quiet() {
        for step in &load.steps {
            page.put("", "", 2, &[TextSpan::plain(one_line(step))]);
        }
        return page.finish();
    }
    let dot = page.glyphs().dot;
    let title = format!("{}{dot}{}", load.job, load.targets.join(", "));
    page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
    let machine = words::machine(&load.machine, dot);
    if !machine.is_empty() {
        page.put("", "", 2, &[TextSpan::new(Style::Dim, machine)]);
    }
    if let Some(why) = &load.partial {
        let text = format!("partial: {why}");
        page.put("", "", 2, &[TextSpan::new(Style::Warn, text)]);
    }
    let stated = load.partial.as_ref();
    for step in &load.steps {
        page.blank();
        put(&mut page, step, stated);
    }
    for note in &load.notes {
        page.put(
            "",
            "",
            2,
            &[TextSpan::new(Style::Dim, format!("note: {note}"))],
        );
    }
    page.finish()
}

/// `ioalign.load/1`.
pub fn json(load: &Load) -> String {
    crate::json::pretty(load)
}

fn one_line(step: &LoadStep) -> String {
    let ops = step.by_op.iter().map(|(op, sent)| {
        format!(
            "{op} {} I/Os/s, {}",
            words::rate(sent.iops),
            rate(sent.bytes_per_s)
        )
    });
    format!(
        "{}: {}",
        describe(&step.workload),
        ops.collect::<Vec<_>>().join("; ")
    )
}

fn put(page: &mut TextPage, step: &LoadStep, stated: Option<&String>) {
    let title = describe(&step.workload);
    page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
    rates(page, step);
    latencies(page, step);
    percentiles(page, step);
    facts(page, step, stated);
}

fn rates(page: &mut TextPage, step: &LoadStep) {
    let mut table = TextTable::new(1, &["", "I/Os", "bytes", "I/Os/s", "bytes/s"]);
    for (op, sent) in &step.by_op {
        let row = vec![
            op.clone(),
            thousands(sent.ios),
            about(Bytes::new(sent.bytes)),
            words::rate(sent.iops),
            rate(sent.bytes_per_s),
        ];
        table.row(Style::Plain, row);
    }
    table.put(page);
}

fn of_latency(step: &LoadStep) -> impl Iterator<Item = (&String, &LoadLatency)> {
    step.by_op
        .iter()
        .filter_map(|(op, sent)| Some((op, sent.latency_us.as_ref()?)))
}

fn latencies(page: &mut TextPage, step: &LoadStep) {
    page.blank();
    let mut table = TextTable::new(1, &["latency", "least", "mean", "deviation", "most"]);
    for (op, latency) in of_latency(step) {
        let times = [latency.min, latency.mean, latency.stddev, latency.max];
        let row = std::iter::once(op.clone()).chain(times.map(time));
        table.row(Style::Plain, row.collect());
    }
    table.put(page);
}

fn percentiles(page: &mut TextPage, step: &LoadStep) {
    let first = of_latency(step).next();
    let Some((_, first)) = first else { return };
    let names = first
        .percentiles
        .iter()
        .map(|one| format!("{} %", one.percent));
    let head: Vec<_> = std::iter::once("percentile".to_owned())
        .chain(names)
        .collect();
    let head: Vec<_> = head.iter().map(String::as_str).collect();
    page.blank();
    let mut table = TextTable::new(1, &head);
    for (op, latency) in of_latency(step) {
        let times = latency.percentiles.iter().map(|one| time(one.us));
        table.row(
            Style::Plain,
            std::iter::once(op.clone()).chain(times).collect(),
        );
    }
    table.put(page);
}

/// `stated` is at the top already.
fn facts(page: &mut TextPage, step: &LoadStep, stated: Option<&String>) {
    let percent = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), words::share);
    let mut text = format!(
        "{}; processor: user {}, system {}",
        time(step.duration_s * 1e6),
        percent(step.user_ratio),
        percent(step.system_ratio)
    );
    if step.flushes > 0 {
        text.push_str(&format!("; {} flushes", thousands(step.flushes)));
    }
    if step.errors > 0 {
        text.push_str(&format!("; {} I/Os failed", thousands(step.errors)));
    }
    if let Some(why) = step.partial.as_ref().filter(|why| Some(*why) != stated) {
        text.push_str(&format!("; partial: {why}"));
    }
    page.put("  ", "  ", 2, &[TextSpan::new(Style::Dim, text)]);
}

/// `4 KiB random 70 % read, 64 in flight, at +512`.
pub fn describe(workload: &Workload) -> String {
    let pattern = match workload.pattern {
        Pattern::Zipf { theta } => format!("zipf {theta}"),
        other => other.word().to_owned(),
    };
    let op = match workload.read_ratio {
        r if r >= 1.0 => "read".to_owned(),
        r if r <= 0.0 => "write".to_owned(),
        r => format!("{} read", words::share(r)),
    };
    let load = words::load(workload.queue_depth, workload.workers);
    let parts = [
        Some(format!("{} {pattern} {op}", sizes(&workload.sizes))),
        Some(load),
        place(workload),
        (workload.atomic && workload.writes()).then(|| "marked RWF_ATOMIC".to_owned()),
        flushes(workload),
        workload
            .rate_iops
            .map(|rate| format!("at most {} I/Os/s", words::rate(rate))),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// `4 KiB`, `4 KiB (70 %) and 64 KiB (30 %)`.
fn sizes(sizes: &[SizeShare]) -> String {
    let size = |one: &SizeShare| about(Bytes::new(one.bytes));
    if let [only] = sizes {
        return size(only);
    }
    let total: u64 = sizes.iter().map(|one| u64::from(one.weight)).sum();
    let part = |one: &SizeShare| {
        let share = words::share(ratio(u64::from(one.weight), total.max(1)));
        format!("{} ({share})", size(one))
    };
    let parts: Vec<_> = sizes.iter().map(part).collect();
    parts.join(" and ")
}

fn place(workload: &Workload) -> Option<String> {
    let align = workload
        .align_bytes
        .map(|bytes| format!("at multiples of {}", about(Bytes::new(bytes))));
    let offset = Some(workload.offset_bytes).filter(|bytes| *bytes > 0);
    match (align, offset) {
        (Some(align), Some(bytes)) => Some(format!("{align} +{bytes}")),
        (None, Some(bytes)) => Some(format!("at +{bytes}")),
        (align, None) => align,
    }
}

fn flushes(workload: &Workload) -> Option<String> {
    let every = workload.fsync_every_writes.filter(|_| workload.writes())?;
    Some(match every {
        1 => "a flush after each write".to_owned(),
        many => format!("a flush after {} writes", thousands(many.into())),
    })
}

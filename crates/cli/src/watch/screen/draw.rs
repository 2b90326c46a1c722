//! How the screen looks: pure, from a view to cells.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table};

use ioalign_observe::Op;
use ioalign_observe::live::{DeviceTotals, OpCounters};

use super::view::{Shown, View};
use crate::watch::bursts::bursts;
use crate::watch::numbers::{bar, grouped, percent, printable, share, size, time};

/// Devices on the screen at once.
const DEVICES: usize = 8;
/// Powers of two from 512 bytes to 1 MiB.
const POWERS: std::ops::RangeInclusive<usize> = 9..=20;

/// Everything.
pub fn all(frame: &mut Frame, view: &View) {
    let devices = u16::try_from(view.devices.len().min(DEVICES)).unwrap_or(1);
    let owners = u16::try_from(view.top.min(8)).unwrap_or(0);
    let heights = [
        Constraint::Length(1),
        Constraint::Length(devices + 2),
        Constraint::Min(6),
        Constraint::Length(latency_rows(view) + 2),
        Constraint::Length(if owners > 0 { owners + 2 } else { 0 }),
    ];
    let [head, table, histograms, latency, processes] =
        Layout::vertical(heights).areas(frame.area());
    frame.render_widget(title(view), head);
    device_table(frame, view, table);
    let [left, right] = Layout::horizontal([Constraint::Percentage(50); 2]).areas(histograms);
    if let Some((shown, totals)) = view.looked_at() {
        frame.render_widget(alignment(shown, totals, left.width), left);
        frame.render_widget(sizes(totals, right), right);
        latencies(frame, shown, totals, latency);
    }
    if owners > 0 {
        frame.render_widget(owner_lines(view), processes);
    }
}

/// Rows of the latency table: an operation on a grid each.
fn latency_rows(view: &View) -> u16 {
    let rows = view.looked_at().map_or(0, |(shown, totals)| {
        let busy = totals.ops.iter().filter(|counters| counters.ios() > 0);
        busy.count() * shown.grids.len()
    });
    u16::try_from(rows.min(8)).unwrap_or(0)
}

fn title(view: &View) -> Paragraph<'static> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let span = if view.whole {
        "since the beginning"
    } else {
        "last interval"
    };
    Paragraph::new(Line::from(vec![
        Span::styled("ioalign watch", bold),
        Span::raw(format!(
            "  {span}  dropped {}  arrows: device  a: all time  q: quit",
            grouped(view.dropped)
        )),
    ]))
}

const COLUMNS: [&str; 11] = [
    "device", "r/s", "w/s", "MB/s", "off%", "cross%", "r_lat", "w_lat", "r_await", "w_await",
    "aqu-sz",
];

fn device_table(frame: &mut Frame, view: &View, area: Rect) {
    let first = view.chosen.saturating_sub(DEVICES - 1);
    let shown = view.devices.iter().enumerate().skip(first).take(DEVICES);
    let rows = shown.map(|(place, device)| {
        let style = if place == view.chosen {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            Style::new()
        };
        Row::new(cells(device, view.last.as_secs_f64()).map(Cell::from)).style(style)
    });
    let widths = [8, 6, 6, 7, 5, 6, 6, 6, 7, 7, 6].map(Constraint::Length);
    let head = Row::new(COLUMNS).style(Style::new().add_modifier(Modifier::BOLD));
    let block = Block::new().borders(Borders::BOTTOM);
    frame.render_widget(
        Table::new(rows, widths)
            .header(head)
            .column_spacing(1)
            .block(block),
        area,
    );
}

#[allow(clippy::cast_precision_loss)] // display values
fn cells(device: &Shown, seconds: f64) -> [String; 11] {
    let empty = || "-".to_owned();
    let op = |op: Op| {
        device
            .part
            .as_ref()
            .and_then(|part| part.ops.get(op as usize))
    };
    let rate = |which| op(which).map_or_else(empty, |c| format!("{:.0}", c.ios() as f64 / seconds));
    let latency = |which| {
        let mean = op(which)
            .and_then(OpCounters::latency)
            .map(|latency| latency.mean);
        mean.map_or_else(empty, |mean| time(mean).replace(' ', ""))
    };
    let ops = device.part.iter().flat_map(|part| &part.ops);
    let (mut ios, mut bytes, mut off, mut cross) = (0, 0, 0, 0);
    for counters in ops {
        ios += counters.ios();
        bytes += counters.bytes();
        let unit = device
            .grids
            .first()
            .map(|unit| counters.grid(0, unit))
            .unwrap_or_default();
        off += unit.start_off;
        cross += unit.straddling;
    }
    let (read, write) = (device.iostat.read.await_ms, device.iostat.write.await_ms);
    [
        device.name.clone(),
        rate(Op::Read),
        rate(Op::Write),
        format!("{:.1}", bytes as f64 / seconds / 1e6),
        format!("{:.1}", percent(off, ios)),
        format!("{:.1}", percent(cross, ios)),
        latency(Op::Read),
        latency(Op::Write),
        format!("{read:.2}"),
        format!("{write:.2}"),
        format!("{:.1}", device.iostat.queue),
    ]
}

fn alignment(shown: &Shown, totals: &DeviceTotals, width: u16) -> Paragraph<'static> {
    let mut starts = [0_u64; 64];
    for op in &totals.ops {
        for (sum, more) in starts.iter_mut().zip(op.starts()) {
            *sum += more;
        }
    }
    let ios: u64 = starts.iter().sum();
    let unit = shown.grids.first().map_or(4096, |grid| grid.size.get());
    let room = usize::from(width).saturating_sub(22);
    let lines = POWERS.map(|power| {
        let last = power == *POWERS.end();
        let count: u64 = match last {
            true => starts.iter().skip(power).sum(),
            false => starts.get(power).copied().unwrap_or(0),
        };
        let mark = if 1_u64 << power < unit { '!' } else { ' ' };
        let label = format!(
            "{mark}{:>8}{}",
            size(1 << power),
            if last { '+' } else { ' ' }
        );
        Line::raw(format!(
            "{label}{:>8} {}",
            share(count, ios),
            bar(count, ios, room)
        ))
    });
    let title = format!("{}: starts are multiples of", shown.name);
    Paragraph::new(lines.collect::<Vec<_>>()).block(Block::new().borders(Borders::TOP).title(title))
}

fn sizes(totals: &DeviceTotals, area: Rect) -> Paragraph<'static> {
    let mut all = std::collections::BTreeMap::<u64, u64>::new();
    for one in totals.ops.iter().flat_map(OpCounters::sizes) {
        *all.entry(one.bytes).or_default() += one.ios;
    }
    let ios: u64 = all.values().sum();
    let mut most: Vec<_> = all.into_iter().collect();
    most.sort_by_key(|(_, ios)| std::cmp::Reverse(*ios));
    most.truncate(usize::from(area.height.saturating_sub(1)));
    most.sort_unstable();
    let room = usize::from(area.width).saturating_sub(22);
    let lines = most.iter().map(|(bytes, count)| {
        Line::raw(format!(
            "{:>10} {:>8} {}",
            size(*bytes),
            share(*count, ios),
            bar(*count, ios, room)
        ))
    });
    Paragraph::new(lines.collect::<Vec<_>>())
        .block(Block::new().borders(Borders::TOP).title("sizes"))
}

fn latencies(frame: &mut Frame, shown: &Shown, totals: &DeviceTotals, area: Rect) {
    let head = Row::new([
        "op",
        "boundary",
        "straddle",
        "clean p50",
        "p99",
        "straddling p50",
        "p99",
    ])
    .style(Style::new().add_modifier(Modifier::BOLD));
    let mut rows = Vec::new();
    for (op, counters) in Op::ALL.iter().zip(&totals.ops).filter(|(_, c)| c.ios() > 0) {
        for (n, grid) in shown.grids.iter().enumerate() {
            let [slow, clean] = counters.latency_split(n).map(|latency| {
                latency.map_or(["-".to_owned(), "-".to_owned()], |l| {
                    [time(l.p50), time(l.p99)]
                })
            });
            let [clean50, clean99] = clean;
            let [slow50, slow99] = slow;
            let name = format!("{} {}", size(grid.size.get()), grid.kind);
            let crossed = share(counters.grid(n, grid).straddling, counters.ios());
            rows.push(Row::new([
                op.name().to_owned(),
                name,
                crossed,
                clean50,
                clean99,
                slow50,
                slow99,
            ]));
        }
    }
    let widths = [5, 23, 8, 9, 8, 14, 7].map(Constraint::Length);
    let block = Block::new().borders(Borders::TOP).title(format!(
        "latency, issue to completion; {}",
        bursts(&shown.bursts)
    ));
    frame.render_widget(
        Table::new(rows, widths)
            .header(head)
            .column_spacing(1)
            .block(block),
        area,
    );
}

fn owner_lines(view: &View) -> Paragraph<'static> {
    let mine = view
        .owners
        .iter()
        .filter(|owner| owner.slot == view.chosen)
        .take(view.top);
    let lines = mine.map(|owner| {
        let unit = view
            .devices
            .get(view.chosen)
            .and_then(|d| d.grids.first())
            .map_or(4096, |g| g.size.get());
        let power = usize::try_from(unit.trailing_zeros()).unwrap_or(0);
        let on: u64 = owner.starts.iter().skip(power).sum();
        let off = share(owner.ios.saturating_sub(on), owner.ios);
        let name = printable(&owner.name);
        Line::raw(format!(
            "{:>8} {name:<16} {:<8}{:>12} I/Os {:>12} KiB  off {off}",
            owner.pid,
            owner.op.name(),
            grouped(owner.ios),
            grouped(owner.bytes >> 10),
        ))
    });
    let title = "processes, since the beginning";
    Paragraph::new(lines.collect::<Vec<_>>()).block(Block::new().borders(Borders::TOP).title(title))
}

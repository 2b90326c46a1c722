//! Where on the screen what stands; the figures come from the reports.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table};

use ioalign_core::numbers::thousands;
use ioalign_core::watch_document::DeviceFigures;
use ioalign_report::watch::{files, groups, screen};

use super::view::{ScreenView, ShownDevice};

/// Devices on the screen at once.
const DEVICES: usize = 8;
/// Rows of processes, of control groups and of latencies.
const ROWS: usize = 8;

/// Everything.
pub fn all(frame: &mut Frame, view: &ScreenView) {
    let devices = rows(view.devices.len(), DEVICES);
    let owners = rows(view.mode.top, ROWS);
    let group_rows = rows(view.mode.groups, ROWS);
    let file_rows = rows(view.mode.files, ROWS);
    let latencies = view.figures().map(screen::latencies).unwrap_or_default();
    let heights = [
        Constraint::Length(1),
        Constraint::Length(devices + 2),
        Constraint::Min(6),
        Constraint::Length(rows(latencies.len(), ROWS) + 2),
        Constraint::Length(if owners > 0 { owners + 2 } else { 0 }),
        Constraint::Length(if group_rows > 0 { group_rows + 2 } else { 0 }),
        Constraint::Length(if file_rows > 0 { file_rows + 2 } else { 0 }),
    ];
    let [
        head,
        table,
        histograms,
        latency,
        processes,
        containers,
        named,
    ] = Layout::vertical(heights).areas(frame.area());
    frame.render_widget(title(view), head);
    frame.render_widget(device_table(view), table);
    let [left, right] = Layout::horizontal([Constraint::Percentage(50); 2]).areas(histograms);
    if let (Some(shown), Some(figures)) = (view.looked_at(), view.figures()) {
        let starts = screen::starts(figures, left.width.into());
        let head = format!("{}: starts are multiples of", figures.name);
        frame.render_widget(paragraph(&head, starts), left);
        let most = usize::from(right.height.saturating_sub(1));
        let sizes = screen::sizes(figures, most, right.width.into());
        frame.render_widget(paragraph("sizes", sizes), right);
        frame.render_widget(latency_table(shown, latencies), latency);
    }
    if owners > 0 {
        put_lines(frame, view, ("processes", processes), |device| {
            let all = device.processes.iter();
            all.map(|one| screen::process(one, device.unit_bytes))
                .collect()
        });
    }
    if group_rows > 0 {
        put_lines(frame, view, ("control groups", containers), |device| {
            let all = device.groups.iter();
            all.map(|one| groups::line(one, device.unit_bytes))
                .collect()
        });
    }
    if file_rows > 0 {
        put_lines(frame, view, ("files", named), |device| {
            let all = device.files.iter();
            all.map(|one| files::line(one, device.unit_bytes)).collect()
        });
    }
}

fn rows(count: usize, most: usize) -> u16 {
    u16::try_from(count.min(most)).unwrap_or(1)
}

const fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn paragraph(title: &str, lines: Vec<String>) -> Paragraph<'static> {
    let lines: Vec<_> = lines.into_iter().map(Line::raw).collect();
    let block = Block::new().borders(Borders::TOP).title(title.to_owned());
    Paragraph::new(lines).block(block)
}

fn title(view: &ScreenView) -> Paragraph<'static> {
    let span = if view.whole {
        "since the beginning"
    } else {
        "last interval"
    };
    Paragraph::new(Line::from(vec![
        Span::styled("ioalign watch", bold()),
        Span::raw(format!(
            "  {span}  dropped {}  arrows: device  a: all time  q: quit",
            thousands(view.dropped)
        )),
    ]))
}

fn device_table(view: &ScreenView) -> Table<'static> {
    let first = view.chosen.saturating_sub(DEVICES - 1);
    let shown = view.devices.iter().enumerate().skip(first).take(DEVICES);
    let seconds = view.last.as_secs_f64();
    let rows = shown.map(|(place, device)| {
        let style = if place == view.chosen {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            Style::new()
        };
        Row::new(screen::device(&device.part, seconds).map(Cell::from)).style(style)
    });
    let widths = [8, 6, 6, 7, 5, 6, 6, 6, 7, 7, 6].map(Constraint::Length);
    Table::new(rows, widths)
        .header(Row::new(screen::DEVICE_COLUMNS).style(bold()))
        .column_spacing(1)
        .block(Block::new().borders(Borders::BOTTOM))
}

fn latency_table(shown: &ShownDevice, rows: Vec<[String; 7]>) -> Table<'static> {
    let bursts = shown.all.bursts.as_ref().map(|bursts| bursts.total);
    let above = shown
        .all
        .read_before_overwrite
        .is_some_and(|found| found.seen);
    let title = screen::latency_title(&bursts.unwrap_or_default(), above);
    let widths = [5, 23, 8, 9, 8, 14, 7].map(Constraint::Length);
    Table::new(rows.into_iter().map(Row::new), widths)
        .header(Row::new(screen::LATENCY_COLUMNS).style(bold()))
        .column_spacing(1)
        .block(Block::new().borders(Borders::TOP).title(title))
}

/// Lines about the device that is looked at, since the beginning.
fn put_lines(
    frame: &mut Frame,
    view: &ScreenView,
    (title, area): (&str, Rect),
    lines: impl Fn(&DeviceFigures) -> Vec<String>,
) {
    let lines = view.looked_at().map(|shown| lines(&shown.all));
    let title = format!("{title}, since the beginning");
    frame.render_widget(paragraph(&title, lines.unwrap_or_default()), area);
}

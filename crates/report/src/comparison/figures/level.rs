//! The levels: one line for each series, with a mark for each cell.

use ioalign_core::comparison::Arm;

use super::Figure;
use super::chart::{Chart, look};
use super::data::{FigureColumn, FigureSeries, FigureView, Reached};
use super::scale::PlotScale;
use crate::comparison::words;
use crate::svg::pen::Pen;
use crate::words::numbers::three;

/// One figure a title and arm, all on one scale; without an arm the columns are all arms.
pub fn draw<'a>(
    view: &FigureView<'a>,
    wanted: &[(String, Option<&'a Arm>)],
    prefix: &str,
) -> Vec<Figure> {
    let series = view.series(None);
    let columns: Vec<_> = wanted
        .iter()
        .map(|(_, arm)| view.columns(*arm, true))
        .collect();
    let all: Vec<f64> = columns
        .iter()
        .flat_map(|columns| numbers(view, columns, &series))
        .collect();
    if all.is_empty() {
        return Vec::new();
    }
    let figures = wanted.iter().zip(&columns).enumerate();
    let draw = |(number, ((title, _), columns)): (usize, (&(String, _), &Vec<_>))| {
        let names: Vec<_> = series.iter().map(name).collect();
        let prefix = format!("{prefix}l{number}");
        let chart = Chart::new(title, &prefix, &names, columns.len());
        figure(chart, view, columns, (&series, &names), &all)
    };
    figures.map(draw).collect()
}

fn numbers(
    view: &FigureView<'_>,
    columns: &[FigureColumn<'_>],
    series: &[FigureSeries],
) -> Vec<f64> {
    let places = columns
        .iter()
        .flat_map(|column| series.iter().map(move |one| (column, one)));
    let levels = places.filter_map(|(column, one)| view.level(column, one));
    let numbers = levels.filter_map(|level| match level {
        Reached::Number(number) => Some(number),
        Reached::Invalid => None,
    });
    numbers.collect()
}

fn figure(
    mut chart: Chart,
    view: &FigureView<'_>,
    columns: &[FigureColumn<'_>],
    (series, names): (&[FigureSeries], &[String]),
    all: &[f64],
) -> Figure {
    let scale = PlotScale::of(all.iter().copied(), f64::MIN_POSITIVE, chart.heights());
    chart.marks(&scale, mark);
    for (n, one) in series.iter().enumerate() {
        let levels: Vec<_> = columns
            .iter()
            .map(|column| view.level(column, one))
            .collect();
        line(&mut chart, &scale, &levels, n);
    }
    chart.columns(columns);
    chart.legend(names, |pen, n, x, y| {
        run(pen, &[(x, y), (x + 24.0, y)], n);
    });
    chart.finish()
}

/// `random read`.
fn name(series: &FigureSeries) -> String {
    format!("{} {}", series.pattern, words::op(&series.op))
}

fn mark(value: f64) -> String {
    if value >= 1000.0 {
        words::rate(value)
    } else {
        three(value)
    }
}

/// A series: its runs between cells that are missing or invalid.
fn line(chart: &mut Chart, scale: &PlotScale, levels: &[Option<Reached>], n: usize) {
    let mut points = Vec::new();
    for (i, level) in levels.iter().enumerate() {
        let x = chart.x(i);
        if let Some(Reached::Number(number)) = level {
            points.push((x, scale.y(*number)));
            continue;
        }
        run(&mut chart.pen, &points, n);
        points.clear();
        if level.is_some() {
            let y = scale.y(0.0) - 5.0;
            chart.pen.text(x, y, "pl-sign pl-invalid", "middle", "×");
        }
    }
    run(&mut chart.pen, &points, n);
}

fn run(pen: &mut Pen, points: &[(f64, f64)], n: usize) {
    let class = format!("pl-line pl-{}", look(n));
    for pair in points.windows(2) {
        if let [from, to] = pair {
            pen.line(*from, *to, &class);
        }
    }
    for at in points {
        shape(pen, *at, n);
    }
}

/// Every series has a shape of its own.
fn shape(pen: &mut Pen, (x, y): (f64, f64), n: usize) {
    let class = format!("pl-shape pl-{}", look(n));
    let corners: &[(f64, f64)] = match n % 4 {
        0 => &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
        1 => &[(0.0, -5.5), (5.5, 4.5), (-5.5, 4.5)],
        2 => &[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)],
        _ => &[(0.0, 5.5), (5.5, -4.5), (-5.5, -4.5)],
    };
    let points: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    pen.polygon(&points, &class);
}

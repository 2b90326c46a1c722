//! The gain of alignment: one bar with its interval for each cell.

use ioalign_core::comparison::EstimateVerdict;

use super::Figure;
use super::chart::{Chart, look, number};
use super::data::{FigureView, Gain};
use super::scale::PlotScale;
use crate::svg::pen::Pen;
use crate::words::numbers::three;

/// A scale is not finer than 2 %: noise must not look like a mountain.
const LEAST: f64 = 0.02;
/// Without certain results, wide intervals are cut here.
const MOST_UNCERTAIN: f64 = 1.0;
/// The widest bar.
const WIDEST: f64 = 40.0;

/// One operation, all patterns, by column.
pub fn draw(view: &FigureView<'_>, op: &str, title: &str, prefix: &str) -> Figure {
    let series = view.series(Some(op));
    let columns = view.columns(None, false);
    let names: Vec<_> = series.iter().map(|one| one.pattern.clone()).collect();
    let mut chart = Chart::new(title, prefix, &names, columns.len());
    hatches(&mut chart);
    let gains = |column| series.iter().map(|one| view.gain(column, one)).collect();
    let rows: Vec<Vec<_>> = columns.iter().map(gains).collect();
    let scale = PlotScale::of(extent(&rows).into_iter(), LEAST, chart.heights());
    chart.marks(&scale, |mark| format!("{} %", three(mark * 100.0)));
    for (column, gains) in rows.iter().enumerate() {
        bars(&mut chart, &scale, column, gains);
    }
    chart.columns(&columns);
    let fills: Vec<_> = (0..names.len()).map(|n| fill(&chart, n)).collect();
    chart.legend(&names, |pen, n, x, y| {
        let fill = fills.get(n).map_or("", String::as_str);
        bar(pen, n, fill, [x, y - 7.0, 24.0, 14.0]);
    });
    chart.finish()
}

/// The values that the scale has to include: certain numbers with their intervals; of others their
/// middle.
fn extent(rows: &[Vec<Option<Gain>>]) -> Vec<f64> {
    let gains = rows.iter().flatten().flatten();
    let values = gains.filter_map(|gain| Some((gain.verdict, gain.value?)));
    values
        .flat_map(|(verdict, [low, middle, high])| match verdict {
            EstimateVerdict::Undecided => vec![middle.clamp(-MOST_UNCERTAIN, MOST_UNCERTAIN)],
            _ => vec![low, middle, high],
        })
        .collect()
}

/// The bars of a column, beside each other.
fn bars(chart: &mut Chart, scale: &PlotScale, column: usize, gains: &[Option<Gain>]) {
    let count = number(gains.len().max(1));
    let wide = (chart.width() * 0.8 / count).min(WIDEST);
    let left = chart.x(column) - wide * count / 2.0;
    for (n, gain) in gains.iter().enumerate() {
        if let Some(gain) = gain {
            let fill = fill(chart, n);
            let place = (left + wide * number(n), wide);
            one(&mut chart.pen, scale, *gain, place, (n, &fill));
        }
    }
}

fn one(
    pen: &mut Pen,
    scale: &PlotScale,
    gain: Gain,
    (x, wide): (f64, f64),
    (n, fill): (usize, &str),
) {
    let (middle, zero) = (x + wide / 2.0, scale.y(0.0));
    let Some([low, value, high]) = gain.value else {
        sign(pen, middle, zero, gain.verdict);
        return;
    };
    let certain = gain.verdict != EstimateVerdict::Undecided;
    if certain {
        let y = scale.y(value);
        let height = (zero - y).abs().max(1.0);
        let room = (wide - 2.0).max(1.0);
        bar(pen, n, fill, [x + 1.0, y.min(zero), room, height]);
    }
    whisker(pen, scale, middle, (low, high), certain);
    sign(pen, middle, scale.y(high.max(0.0)), gain.verdict);
}

fn bar(pen: &mut Pen, n: usize, fill: &str, [x, y, wide, high]: [f64; 4]) {
    let class = format!("pl-bar pl-{}", look(n));
    pen.rect(x, y, wide, high, &[("class", &class), ("style", fill)]);
}

/// The interval; an end outside of the plot is an arrow.
fn whisker(pen: &mut Pen, scale: &PlotScale, x: f64, (low, high): (f64, f64), certain: bool) {
    let class = if certain {
        "pl-whisker"
    } else {
        "pl-whisker pl-open"
    };
    pen.line((x, scale.y(low)), (x, scale.y(high)), class);
    for (end, inwards) in [(low, -7.0), (high, 7.0)] {
        let y = scale.y(end);
        if scale.beyond(end) {
            let points = [(x, y), (x - 4.0, y + inwards), (x + 4.0, y + inwards)];
            pen.polygon(&points, "pl-arrow");
        } else {
            pen.line((x - 4.0, y), (x + 4.0, y), "pl-whisker");
        }
    }
}

/// The caveat that a bar cannot show.
fn sign(pen: &mut Pen, x: f64, y: f64, verdict: EstimateVerdict) {
    let (text, class) = match verdict {
        EstimateVerdict::Slower | EstimateVerdict::Faster => return,
        EstimateVerdict::NoDifference => ("=", "pl-sign"),
        EstimateVerdict::Undecided => ("?", "pl-sign"),
        EstimateVerdict::Invalid => ("×", "pl-sign pl-invalid"),
    };
    pen.text(x, y - 5.0, class, "middle", text);
}

/// Ways of hatching: the turn of the lines and the letter of the series.
const HATCHES: [(&str, &str); 3] = [
    ("rotate(45)", "pl-hatch pl-b"),
    ("rotate(-45)", "pl-hatch pl-c"),
    ("rotate(90)", "pl-hatch pl-d"),
];

/// The first series is solid, the others are hatched each in its own way.
fn fill(chart: &Chart, n: usize) -> String {
    match n.checked_sub(1) {
        None => String::new(),
        Some(n) => format!(
            "fill:url(#{})",
            chart.id(&format!("h{}", n % HATCHES.len()))
        ),
    }
}

fn hatches(chart: &mut Chart) {
    chart.pen.open("defs", &[]);
    for (i, (turn, class)) in HATCHES.iter().enumerate() {
        let id = chart.id(&format!("h{i}"));
        let attributes = [
            ("id", id.as_str()),
            ("width", "6"),
            ("height", "6"),
            ("patternUnits", "userSpaceOnUse"),
            ("patternTransform", turn),
        ];
        chart.pen.open("pattern", &attributes);
        chart.pen.line((1.5, 0.0), (1.5, 6.0), class);
        chart.pen.close("pattern");
    }
    chart.pen.close("defs");
}

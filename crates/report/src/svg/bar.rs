//! The request: its label on top, the beam through all rows, the bar on each ruler.

use ioalign_core::Bytes;

use super::pen::Pen;
use super::scale::{RulerScale, X0, X1};
use super::scene::{Scene, SceneRow};
use super::words;

/// The height of a ruler.
pub const RULER: f64 = 34.0;

/// The way of the request down through the rows.
pub fn beam(pen: &mut Pen, scene: &Scene<'_>, scale: &RulerScale, (top, bottom): (f64, f64)) {
    let (a, b) = (scale.start(), scale.start() + scale.wide(scene.io));
    pen.rect(a, top, b - a, bottom - top, &[("class", "ia-beam")]);
    for x in [a, b] {
        pen.line((x, top), (x, bottom), "ia-thread");
    }
}

/// The request above all rows, with its size.
pub fn request(pen: &mut Pen, scene: &Scene<'_>, scale: &RulerScale, y: f64) {
    let (x, width) = (scale.start(), scale.wide(scene.io).max(3.0));
    pen.rect(x, y, width, 26.0, &[("class", "ia-io"), ("rx", "4")]);
    let text = format!("one {} request", Bytes::new(scene.io));
    let needed = words::width(&text, 13.0);
    if needed + 12.0 < width {
        pen.text(x + width / 2.0, y + 17.5, "ia-io-text", "middle", &text);
    } else if x + width + 8.0 + needed < X1 {
        pen.text(x + width + 8.0, y + 17.5, "ia-good", "start", &text);
    } else {
        pen.text(x - 8.0, y + 17.5, "ia-good", "end", &text);
    }
}

/// Hatches the cells that a broken request touches.
pub fn touched(pen: &mut Pen, scale: &RulerScale, row: &SceneRow<'_>, y: f64, prefix: &str) {
    let Some(cells) = row.cells.filter(|_| row.breaks()) else {
        return;
    };
    if !scale.drawable(cells.size) {
        return;
    }
    let fill = format!("url(#{prefix}-hatch)");
    let first = row.at.saturating_sub(cells.offset(row.at));
    let count = cells.touched(row.at, row.part).min(128);
    for k in 0..count {
        let from = first.saturating_add(k.saturating_mul(cells.size));
        let (a, b) = (
            scale.x(row, from),
            scale.x(row, from.saturating_add(cells.size)),
        );
        let attributes = [("fill", fill.as_str()), ("class", "ia-touched")];
        pen.rect(a, y, b - a, RULER, &attributes);
    }
}

/// The request on a ruler, cut where it breaks.
pub fn bar(pen: &mut Pen, scale: &RulerScale, row: &SceneRow<'_>, y: f64) {
    let (a, b) = (
        scale.start(),
        (scale.start() + scale.wide(row.part)).min(X1),
    );
    let broken = row.breaks();
    let class = if broken { "ia-io-bad" } else { "ia-io" };
    let (top, height) = (y + 8.0, RULER - 16.0);
    pen.rect(
        a.max(X0),
        top,
        (b - a).max(2.0),
        height,
        &[("class", class), ("rx", "3")],
    );
    let Some(cells) = row.cells.filter(|_| broken) else {
        return;
    };
    let end = row.at.saturating_add(row.part);
    for at in scale.boundaries(cells, (row.at.saturating_add(1), end.saturating_sub(1))) {
        let x = scale.x(row, at);
        pen.line((x, y - 2.0), (x, y + RULER + 2.0), "ia-cut");
        pen.line((x, y - 7.0), (x, y + RULER + 7.0), "ia-tick");
    }
}

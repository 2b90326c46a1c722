//! Draws the rows: title, ruler, what the request does there.

use ioalign_core::Bytes;

use super::bar::{self, RULER};
use super::pen::Pen;
use super::scale::{RulerScale, X0, X1};
use super::scene::{Scene, SceneRow};
use super::{WIDTH, words};

/// Heights: of the head with the request, of a row, of a ruler, of the foot.
const HEAD: f64 = 70.0;
const ROW: f64 = 116.0;
/// From the top of a row to its ruler.
const TITLES: f64 = 46.0;
const FOOT: f64 = 104.0;

/// The whole picture; gives its height.
pub fn scene(pen: &mut Pen, scene: &Scene<'_>, prefix: &str) -> f64 {
    let scale = RulerScale::of(scene);
    let rows = u32::try_from(scene.rows.len()).unwrap_or(0);
    let bottom = HEAD + f64::from(rows) * ROW;
    bar::beam(pen, scene, &scale, (HEAD - 24.0, bottom - 10.0));
    bar::request(pen, scene, &scale, HEAD - 50.0);
    let mut y = HEAD;
    for (i, row) in scene.rows.iter().enumerate() {
        let above = i.checked_sub(1).and_then(|i| scene.rows.get(i));
        one(pen, scene, &scale, row, above, y, prefix);
        y += ROW;
    }
    foot(pen, scene, bottom, prefix);
    bottom + FOOT
}

fn one(
    pen: &mut Pen,
    scene: &Scene<'_>,
    scale: &RulerScale,
    row: &SceneRow<'_>,
    above: Option<&SceneRow<'_>>,
    y: f64,
    prefix: &str,
) {
    let stack = &scene.target.stack;
    pen.text(
        X0,
        y + 16.0,
        "ia-title",
        "start",
        &words::name(stack, row.layer),
    );
    if let Some(text) = words::outcome(row) {
        let class = if row.breaks() { "ia-bad" } else { "ia-good" };
        pen.text(X1, y + 16.0, class, "end", &text);
    }
    pen.text(
        X0,
        y + 34.0,
        "ia-small",
        "start",
        &words::boundaries(row, scale),
    );
    let top = y + TITLES;
    ruler(pen, scene, scale, row, top);
    bar::touched(pen, scale, row, top, prefix);
    bar::bar(pen, scale, row, top);
    below(pen, scale, row, above, stack, top + RULER);
}

/// The band with its cells and ticks, only where the layer exists.
fn ruler(pen: &mut Pen, scene: &Scene<'_>, scale: &RulerScale, row: &SceneRow<'_>, y: f64) {
    let size = scene.target.stack.layer(row.layer).size.map(Bytes::get);
    let (from, to) = scale.extent(row, size);
    let (x0, x1) = (scale.x(row, from), scale.x(row, to));
    pen.rect(x0, y, x1 - x0, RULER, &[("class", "ia-plain")]);
    let bounds = row
        .cells
        .map_or_else(Vec::new, |cells| scale.boundaries(cells, (from, to)));
    for (i, at) in bounds.iter().enumerate() {
        let end = bounds.get(i + 1).copied().unwrap_or(to);
        let (a, b) = (scale.x(row, *at), scale.x(row, end));
        let number = row.cells.map_or(0, |cells| at / cells.size);
        let class = if number.is_multiple_of(2) {
            "ia-cell-a"
        } else {
            "ia-cell-b"
        };
        pen.rect(a, y, b - a, RULER, &[("class", class)]);
    }
    minor(pen, scale, row, (from, to), y);
    pen.rect(x0, y, x1 - x0, RULER, &[("class", "ia-edge")]);
    for at in bounds {
        let x = scale.x(row, at);
        pen.line((x, y - 7.0), (x, y + RULER + 7.0), "ia-tick");
    }
}

fn minor(pen: &mut Pen, scale: &RulerScale, row: &SceneRow<'_>, range: (u64, u64), y: f64) {
    let Some((size, phase)) = row.finer.filter(|(size, _)| *size > 0) else {
        return;
    };
    let cells = super::scene::Cells {
        size,
        phase,
        grid: None,
    };
    for at in scale.boundaries(cells, range) {
        let x = scale.x(row, at);
        pen.line((x, y + RULER - 7.0), (x, y + RULER), "ia-minor");
    }
}

/// Below a ruler: how far past the boundary the request starts, or where the layer above begins.
fn below(
    pen: &mut Pen,
    scale: &RulerScale,
    row: &SceneRow<'_>,
    above: Option<&SceneRow<'_>>,
    stack: &ioalign_core::Stack,
    y: f64,
) {
    let offset = row
        .cells
        .filter(|c| c.grid.is_some())
        .map_or(0, |c| c.offset(row.at));
    let drawable = row.cells.is_some_and(|cells| scale.drawable(cells.size));
    if offset > 0 && drawable {
        let (a, b) = (scale.x(row, row.at - offset.min(row.at)), scale.start());
        gap(
            pen,
            a,
            b,
            y + 10.0,
            &format!("{} past a boundary", Bytes::new(offset)),
        );
        return;
    }
    if let Some(above) = above.filter(|above| above.at == 0) {
        let x = scale.start();
        flag(pen, x, y + 2.0);
        let text = words::starts_here(stack, above.layer, row.at);
        caption(pen, x + 10.0, y + 18.0, &text);
    }
}

/// A measure line with a word to its right, or to its left where there is more room.
fn gap(pen: &mut Pen, a: f64, b: f64, y: f64, text: &str) {
    pen.line((a, y), (b, y), "ia-gap");
    for x in [a, b] {
        pen.line((x, y - 5.0), (x, y + 5.0), "ia-gap");
    }
    caption_as(pen, a, y + 17.0, "ia-bad", text);
}

fn flag(pen: &mut Pen, x: f64, y: f64) {
    pen.polygon(&[(x, y), (x + 5.0, y + 9.0), (x - 5.0, y + 9.0)], "ia-flag");
}

fn caption(pen: &mut Pen, x: f64, y: f64, text: &str) {
    caption_as(pen, x, y, "ia-small", text);
}

/// Text that starts at `x`, moved left where it would leave the picture.
fn caption_as(pen: &mut Pen, x: f64, y: f64, class: &str, text: &str) {
    let width = words::width(text, 14.0);
    let x = x.min(WIDTH - 16.0 - width).max(X0);
    pen.text(x, y, class, "start", text);
}

/// The outcome in large letters, and what the shapes mean.
fn foot(pen: &mut Pen, scene: &Scene<'_>, y: f64, prefix: &str) {
    let (good, text, more) = words::sum(scene);
    let y = y + 8.0;
    let class = if good {
        "ia-sum ia-sum-good"
    } else {
        "ia-sum ia-sum-bad"
    };
    pen.text(X0, y + 20.0, class, "start", &text);
    pen.text(X0, y + 42.0, "ia-small", "start", &more);
    let line = y + 72.0;
    pen.line((X0 + 4.0, line - 12.0), (X0 + 4.0, line + 4.0), "ia-tick");
    pen.text(X0 + 14.0, line, "ia-small", "start", "boundary");
    pen.rect(
        X0 + 100.0,
        line - 11.0,
        22.0,
        14.0,
        &[("class", "ia-io"), ("rx", "3")],
    );
    pen.text(X0 + 130.0, line, "ia-small", "start", "request, whole");
    pen.rect(
        X0 + 250.0,
        line - 11.0,
        22.0,
        14.0,
        &[("class", "ia-io-bad"), ("rx", "3")],
    );
    pen.line(
        (X0 + 261.0, line - 11.0),
        (X0 + 261.0, line + 3.0),
        "ia-cut",
    );
    pen.text(X0 + 280.0, line, "ia-small", "start", "request, broken");
    if !good {
        let fill = format!("url(#{prefix}-hatch)");
        pen.rect(
            X0 + 410.0,
            line - 11.0,
            22.0,
            14.0,
            &[("fill", &fill), ("class", "ia-touched")],
        );
        pen.text(X0 + 440.0, line, "ia-small", "start", "touched in part");
    }
}

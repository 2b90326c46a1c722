//! The stack as rulers: one request drops through all layers and breaks where it hits a boundary.
//!
//! Made for readers who have never heard of alignment. Deterministic, without fonts or scripts,
//! with a palette that colour-blind readers can tell apart, and hatching beside every colour.

mod bar;
pub(crate) mod pen;
mod pick;
mod row;
mod scale;
mod scene;
mod style;
mod words;

pub use style::STYLE;

use crate::model::{Report, Target};
use crate::options::RenderOptions;
use crate::order;
use crate::words::numbers::count;
use pen::Pen;
pub(crate) use pen::escape;
use scene::Scene;

/// Width of every picture in user units; the height follows from the number of layers.
pub(crate) const WIDTH: f64 = 640.0;

/// Pictures in one file; more targets than this are better served by a table.
const MOST_PICTURES: usize = 12;

/// One picture, to be put into a page or a file.
pub(crate) struct Picture {
    /// Its description in one sentence.
    pub title: String,
    /// The elements inside.
    pub body: String,
    /// Its height in user units.
    pub height: f64,
}

/// The picture of a target's worst defect, or of its sound stack; `None` without any grid.
pub(crate) fn picture(target: &Target, prefix: &str) -> Option<Picture> {
    let scene = Scene::of(target)?;
    let mut pen = Pen::new();
    style::patterns(&mut pen, prefix);
    let height = row::scene(&mut pen, &scene, prefix);
    Some(Picture {
        title: words::title(&scene),
        body: pen.finish(),
        height,
    })
}

/// An `svg` element with its title and description.
pub(crate) fn element(picture: &Picture, prefix: &str) -> String {
    let mut pen = Pen::new();
    let height = pen::number(picture.height);
    let ids = format!("{prefix}-title");
    pen.open(
        "svg",
        &[
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("viewBox", &format!("0 0 {} {height}", pen::number(WIDTH))),
            ("role", "img"),
            ("aria-labelledby", &ids),
            ("class", "ia"),
        ],
    );
    pen.label("title", &ids, &picture.title);
    pen.raw(&picture.body);
    pen.close("svg");
    pen.finish()
}

/// A file: the pictures of all targets below each other, worst first.
pub fn render(report: &Report, _options: &RenderOptions) -> String {
    let targets = order::targets(&report.targets);
    let mut body = Pen::new();
    let mut y = 0.0;
    for (i, target) in targets.iter().take(MOST_PICTURES).enumerate() {
        y += panel(&mut body, target, i, y);
    }
    if let Some(more) = targets.len().checked_sub(MOST_PICTURES).filter(|n| *n > 0) {
        let text = format!("and {} more targets, not drawn", count(more));
        body.text(20.0, y + 20.0, "ia-small", "start", &text);
        y += 36.0;
    }
    file(&body.finish(), y, &describe(report))
}

fn describe(report: &Report) -> String {
    let list: Vec<_> = order::counts(&report.targets)
        .into_iter()
        .map(|(state, n)| format!("{} {state}", count(n)))
        .collect();
    let targets = report.targets.len();
    let noun = if targets == 1 { "target" } else { "targets" };
    format!(
        "{} {noun} checked for storage alignment: {}. Each row is a layer, each tick a boundary.",
        count(targets),
        list.join(", ")
    )
}

/// One target's name, and its picture or why there is none; gives the height used.
fn panel(body: &mut Pen, target: &Target, index: usize, y: f64) -> f64 {
    let prefix = format!("ia{index}");
    let name = words::fit(&crate::words::clean(&target.name), 46);
    body.text(20.0, y + 30.0, "ia-name", "start", &name);
    let state = order::state(target);
    body.text(WIDTH - 20.0, y + 30.0, "ia-state", "end", state);
    let Some(picture) = picture(target, &prefix) else {
        let why = crate::words::headline::headline(target);
        let lines = words::lines(&why, 84);
        for (i, line) in lines.iter().enumerate() {
            let below = f64::from(u32::try_from(i).unwrap_or(0)) * 17.0;
            body.text(20.0, y + 54.0 + below, "ia-small", "start", line);
        }
        return 70.0 + 17.0 * f64::from(u32::try_from(lines.len()).unwrap_or(1));
    };
    let place = format!("translate(0 {})", pen::number(y + 40.0));
    body.open("g", &[("transform", &place)]);
    body.raw(&picture.body);
    body.close("g");
    picture.height + 50.0
}

fn file(body: &str, height: f64, description: &str) -> String {
    let tall = height.max(40.0);
    let (width, height) = (pen::number(WIDTH), pen::number(tall));
    let mut pen = Pen::new();
    pen.open(
        "svg",
        &[
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("viewBox", &format!("0 0 {width} {height}")),
            ("role", "img"),
            ("aria-labelledby", "ia-title ia-desc"),
            ("class", "ia"),
        ],
    );
    pen.label("title", "ia-title", "Storage alignment");
    pen.label("desc", "ia-desc", description);
    pen.raw("<style>");
    pen.raw(STYLE);
    pen.raw("</style>\n");
    pen.rect(
        0.5,
        0.5,
        WIDTH - 1.0,
        (tall - 1.0).max(0.0),
        &[("class", "ia-page"), ("rx", "8")],
    );
    pen.raw(body);
    pen.close("svg");
    pen.finish()
}

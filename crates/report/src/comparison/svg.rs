//! The figures of a comparison as one drawing that stands alone: fixed colours, no script, no fonts.

use ioalign_core::comparison::Comparison;

use super::figures::{self, Figure, LEGEND, STYLE, Set, WIDTH};
use super::words;
use crate::svg::pen::{self, Pen};
use crate::words::clean;
use crate::words::numbers::count;

/// Around everything, and between figures.
const MARGIN: f64 = 24.0;
/// The height of a line of text, and of a figure's title.
const LINE: f64 = 20.0;
/// Letters of the heading, of titles and of notes that fit.
const HEADING: usize = 60;
const TITLE: usize = 62;
const NOTE: usize = 130;
/// The colours of the page on paper, which some viewers of drawings need by value.
const COLOURS: [(&str, &str); 8] = [
    ("text", "#1b1f24"),
    ("quiet", "#57606a"),
    ("line", "#d0d7de"),
    ("odd", "#6b3fa0"),
    ("series-a", "#0072b2"),
    ("series-b", "#c44f00"),
    ("series-c", "#007a5a"),
    ("series-d", "#7b3f9d"),
];
const PAGE: &str =
    "svg { font-family: system-ui, \"Segoe UI\", \"Helvetica Neue\", Arial, sans-serif; }
.pl-page { fill: #fff; stroke: var(--line); }
.pl-heading { font-size: 20px; font-weight: 600; fill: var(--text); }
.pl-title { font-size: 15px; font-weight: 600; fill: var(--text); }
";

/// The whole file.
pub fn render(comparison: &Comparison) -> String {
    let (sets, more) = figures::sets(comparison);
    let mut sheet = Sheet::new();
    sheet.text("pl-heading", &words::title(comparison), HEADING);
    sheet.text("pl-small", &facts(comparison), NOTE);
    if let Some(why) = &comparison.partial {
        sheet.text("pl-title", &format!("Partial: {why}"), TITLE);
    }
    sets.iter().for_each(|set| sheet.set(set));
    match sets.iter().any(|set| !set.figures.is_empty()) {
        true => LEGEND
            .iter()
            .for_each(|line| sheet.text("pl-small", line, NOTE)),
        false => sheet.text("pl-small", "There is nothing to draw.", NOTE),
    }
    if more > 0 {
        let text = format!("{} more combinations are not drawn.", count(more));
        sheet.text("pl-small", &text, NOTE);
    }
    sheet.finish(&words::title(comparison))
}

/// Place, time and program.
fn facts(comparison: &Comparison) -> String {
    let machine = &comparison.machine;
    let load = machine.load_average.map(|load| format!("load {load:.1}"));
    let facts = [
        machine.host.clone(),
        machine.platform.clone(),
        crate::machine::processors(machine),
        machine.time.clone(),
        load.unwrap_or_default(),
        comparison.tool.clone(),
    ];
    let known: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    known.join(" · ")
}

/// The drawing, from the top down.
struct Sheet {
    pen: Pen,
    y: f64,
}

impl Sheet {
    const fn new() -> Self {
        Self {
            pen: Pen::new(),
            y: MARGIN,
        }
    }

    fn text(&mut self, class: &str, text: &str, letters: usize) {
        let text = crate::words::shorten_middle(&clean(text), letters, "…");
        self.y += LINE;
        self.pen.text(MARGIN, self.y, class, "start", &text);
    }

    /// Its heading, its figures in pairs, and what cannot be drawn.
    fn set(&mut self, set: &Set) {
        if set.figures.is_empty() {
            return;
        }
        if let Some(heading) = &set.heading {
            self.y += LINE;
            self.text("pl-heading", heading, HEADING);
        }
        for pair in set.figures.chunks(2) {
            self.row(pair);
        }
        if let Some(missing) = set.missing {
            self.text("pl-small", missing, NOTE);
        }
    }

    fn row(&mut self, figures: &[Figure]) {
        let top = self.y + 2.0 * LINE;
        for (figure, x) in figures.iter().zip([MARGIN, 2.0 * MARGIN + WIDTH]) {
            let title = crate::words::shorten_middle(&clean(&figure.title), TITLE, "…");
            self.pen.text(x, top, "pl-title", "start", &title);
            self.pen.raw(&figure.at((x, top + LINE / 2.0)));
        }
        let heights = figures.iter().map(|figure| figure.height);
        self.y = top + LINE / 2.0 + heights.fold(0.0, f64::max);
    }

    fn finish(self, title: &str) -> String {
        let (width, height) = (2.0 * WIDTH + 3.0 * MARGIN, self.y + MARGIN);
        let [wide, high] = [width, height].map(pen::number);
        let mut out = Pen::new();
        out.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("viewBox", &format!("0 0 {wide} {high}")),
                ("role", "img"),
                ("aria-labelledby", "plots-title"),
            ],
        );
        out.label("title", "plots-title", title);
        out.raw(&format!("<style>\n{}</style>\n", style()));
        let page = [("class", "pl-page"), ("rx", "8")];
        out.rect(0.5, 0.5, width - 1.0, height - 1.0, &page);
        out.raw(&self.pen.finish());
        out.close("svg");
        out.finish()
    }
}

/// The style sheet with its colours by value.
fn style() -> String {
    let mut style = format!("{PAGE}{STYLE}");
    for (name, value) in COLOURS {
        style = style.replace(&format!("var(--{name})"), value);
    }
    style
}

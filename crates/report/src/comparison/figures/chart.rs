//! Common to all figures: the frame with its marks, the columns, the legend.

use super::Figure;
use super::data::FigureColumn;
use super::scale::PlotScale;
use crate::svg::pen::{self, Pen};

/// Width of a figure in user units: two stand beside each other on a wide screen, one on a narrow one.
pub const WIDTH: f64 = 480.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 8.0;
/// Height of the plot itself, and of what stands below it.
const PLOT: f64 = 190.0;
const FOOT: f64 = 44.0;
/// The legend: the middle of its first line, and the height of each.
const HEAD: f64 = 14.0;
const LINE: f64 = 21.0;
/// A sample in the legend, and the widest letter.
const SAMPLE: f64 = 32.0;
const LETTER: f64 = 8.0;

/// How a series looks: a letter of the style sheet, in order.
const LOOKS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The class of the `n`-th series.
pub fn look(n: usize) -> &'static str {
    LOOKS.get(n % LOOKS.len()).copied().unwrap_or("a")
}

/// A figure in the making.
pub struct Chart {
    pub pen: Pen,
    prefix: String,
    title: String,
    top: f64,
    columns: usize,
}

impl Chart {
    /// With room for a legend of these names.
    pub fn new(title: &str, prefix: &str, names: &[String], columns: usize) -> Self {
        let lines = places(names).last().map_or(0.0, |(_, line)| line + 1.0);
        Self {
            pen: Pen::new(),
            prefix: prefix.to_owned(),
            title: title.to_owned(),
            // Signs stand above the highest bar.
            top: HEAD + lines * LINE + 8.0,
            columns,
        }
    }

    /// Top and bottom of the plot.
    pub const fn heights(&self) -> (f64, f64) {
        (self.top, self.top + PLOT)
    }

    /// The middle of a column.
    pub fn x(&self, column: usize) -> f64 {
        LEFT + self.width() * (number(column) + 0.5)
    }

    /// The width of a column.
    pub fn width(&self) -> f64 {
        (RIGHT - LEFT) / number(self.columns.max(1))
    }

    /// An id of its own in the page.
    pub fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    /// Lines and numbers of the marks, the line at nothing stronger.
    pub fn marks(&mut self, scale: &PlotScale, label: impl Fn(f64) -> String) {
        for mark in scale.marks() {
            let y = scale.y(mark);
            let class = if mark == 0.0 { "pl-zero" } else { "pl-mark" };
            self.pen.line((LEFT, y), (RIGHT, y), class);
            let text = label(mark);
            self.pen.text(LEFT - 6.0, y + 4.5, "pl-small", "end", &text);
        }
    }

    /// The names of the columns.
    pub fn columns(&mut self, columns: &[FigureColumn<'_>]) {
        let (_, bottom) = self.heights();
        for (i, column) in columns.iter().enumerate() {
            let x = self.x(i);
            for (line, text) in column.label.iter().enumerate() {
                let y = bottom + 19.0 + number(line) * 15.0;
                self.pen.text(x, y, "pl-small", "middle", text);
            }
        }
    }

    /// The names of the series, each behind what `sample` draws at a place.
    pub fn legend(&mut self, names: &[String], sample: impl Fn(&mut Pen, usize, f64, f64)) {
        for (n, ((x, line), name)) in places(names).into_iter().zip(names).enumerate() {
            let y = HEAD + line * LINE;
            sample(&mut self.pen, n, x, y);
            self.pen.text(x + SAMPLE, y + 4.5, "pl-name", "start", name);
        }
    }

    /// The drawing.
    pub fn finish(self) -> Figure {
        Figure {
            id: self.id("title"),
            height: self.top + PLOT + FOOT,
            title: self.title,
            body: self.pen.finish(),
        }
    }
}

impl Figure {
    /// The `svg` element for a page, as wide as its place there.
    pub fn element(&self) -> String {
        self.svg(&[])
    }

    /// The same at a place in another drawing.
    pub fn at(&self, (x, y): (f64, f64)) -> String {
        let [x, y, width, height] = [x, y, WIDTH, self.height].map(pen::number);
        self.svg(&[("x", &x), ("y", &y), ("width", &width), ("height", &height)])
    }

    fn svg(&self, place: &[(&str, &str)]) -> String {
        let view = format!("0 0 {} {}", pen::number(WIDTH), pen::number(self.height));
        let mut attributes = vec![
            ("viewBox", view.as_str()),
            ("role", "img"),
            ("aria-labelledby", &self.id),
            ("class", "plot"),
        ];
        attributes.extend(place);
        let mut out = Pen::new();
        out.open("svg", &attributes);
        out.label("title", &self.id, &self.title);
        out.raw(&self.body);
        out.close("svg");
        out.finish()
    }
}

/// The line and position of each name of a legend.
fn places(names: &[String]) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (LEFT, 0.0);
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let wide = SAMPLE + number(name.chars().count()) * LETTER;
        if x > LEFT && x + wide > WIDTH {
            (x, line) = (LEFT, line + 1.0);
        }
        places.push((x, line));
        x += wide + 12.0;
    }
    places
}

/// Counts of columns and letters.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
pub const fn number(count: usize) -> f64 {
    count as f64
}

//! Writes SVG: all text and all attributes are escaped, all numbers come out the same everywhere.

use crate::words::clean;

/// An SVG fragment in the making.
pub struct Pen {
    out: String,
}

/// At most two decimals, without trailing zeros: golden files must not depend on float printing.
pub fn number(value: f64) -> String {
    let text = crate::words::numbers::trimmed(value);
    if text == "-0" { "0".to_owned() } else { text }
}

/// Escapes for text and attribute values, of SVG and HTML alike.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in XML 1.0 at all.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

impl Pen {
    pub const fn new() -> Self {
        Self { out: String::new() }
    }

    pub fn finish(self) -> String {
        self.out
    }

    /// Trusted markup of our own.
    pub fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str(">\n");
    }

    pub fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    /// An element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str("/>\n");
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            for part in [" ", key, "=\"", &escape(value), "\""] {
                self.out.push_str(part);
            }
        }
    }

    fn content(&mut self, text: &str, name: &str) {
        for part in [">", &escape(text), "</", name, ">\n"] {
            self.out.push_str(part);
        }
    }

    /// A title or description.
    pub fn label(&mut self, name: &str, id: &str, text: &str) {
        self.tag(name, &[("id", id)]);
        self.content(text, name);
    }

    pub fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        let (x, y) = (number(x), number(y));
        let attributes = [
            ("x", x.as_str()),
            ("y", &y),
            ("class", class),
            ("text-anchor", anchor),
        ];
        self.tag("text", &attributes);
        self.content(text, "text");
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, more: &[(&str, &str)]) {
        let (x, y, width, height) = (number(x), number(y), number(width), number(height));
        let mut attributes = vec![
            ("x", x.as_str()),
            ("y", &y),
            ("width", &width),
            ("height", &height),
        ];
        attributes.extend(more);
        self.empty("rect", &attributes);
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let (x1, y1, x2, y2) = (number(x1), number(y1), number(x2), number(y2));
        let attributes = [
            ("x1", x1.as_str()),
            ("y1", &y1),
            ("x2", &x2),
            ("y2", &y2),
            ("class", class),
        ];
        self.empty("line", &attributes);
    }

    /// A closed shape through points.
    pub fn polygon(&mut self, points: &[(f64, f64)], class: &str) {
        let list: Vec<_> = points
            .iter()
            .map(|(x, y)| format!("{},{}", number(*x), number(*y)))
            .collect();
        self.empty("polygon", &[("points", &list.join(" ")), ("class", class)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_through_unescaped() {
        let text = escape("<script>\"&'\u{1b}[31m\u{ffff}");
        assert_eq!(text, "&lt;script&gt;&quot;&amp;&#39;\u{fffd}[31m\u{fffd}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(12.345), "12.35");
    }
}

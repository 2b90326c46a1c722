//! The page that lines are put on: cleans, transliterates, wraps and colours them.

use std::borrow::Cow;

use super::glyphs::Glyphs;
pub use super::style::Style;
use super::wrap;
use crate::options::RenderOptions;
use crate::words::clean::{char_columns, clean, columns, is_clean, is_plain, to_ascii};

/// A piece of a line.
#[derive(Clone, Debug)]
pub struct TextSpan {
    pub style: Style,
    pub text: String,
}

impl TextSpan {
    pub fn new(style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { style, text }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(Style::Plain, text)
    }
}

/// The texts of all spans as one; nothing is copied where there is only one.
fn joined(body: &[TextSpan]) -> Cow<'_, str> {
    match body {
        [only] => Cow::Borrowed(&only.text),
        _ => Cow::Owned(body.iter().map(|span| span.text.as_str()).collect()),
    }
}

/// Room for the report of one target: a text that grows is copied at each doubling.
const USUAL_BYTES: usize = 4 << 10;

/// Text in the making.
pub struct TextPage<'a> {
    options: &'a RenderOptions,
    width: usize,
    out: String,
}

impl<'a> TextPage<'a> {
    pub fn new(options: &'a RenderOptions) -> Self {
        Self {
            options,
            width: options.width.max(RenderOptions::NARROWEST),
            out: String::with_capacity(USUAL_BYTES),
        }
    }

    pub const fn options(&self) -> &'a RenderOptions {
        self.options
    }

    pub const fn width(&self) -> usize {
        self.width
    }

    pub const fn glyphs(&self) -> &'static Glyphs {
        Glyphs::of(self.options.ascii)
    }

    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// A paragraph: `first` and `rest` are the tree lines before its first and later lines,
    /// `hang` the columns by which the later ones are indented.
    pub fn put(&mut self, first: &str, rest: &str, hang: usize, body: &[TextSpan]) {
        let hang = hang.min(self.width / 2);
        let room = [
            self.width.saturating_sub(columns(first)),
            self.width.saturating_sub(columns(rest) + hang),
        ];
        if !self.options.color {
            let text = joined(body);
            if let Some(lines) = self.uncoloured(&text, room) {
                return self.lines(&lines, first, rest, hang, |page, line| {
                    page.out.push_str(line);
                });
            }
        }
        let letters = self.letters(body);
        let lines = wrap::wrap(&letters, room);
        self.lines(&lines, first, rest, hang, |page, line| {
            page.letters_out(line);
        });
    }

    /// The lines of a text that needs no look at each character: plain, or harmless and of one line.
    fn uncoloured<'t>(&self, text: &'t str, room: [usize; 2]) -> Option<Vec<&'t str>> {
        if is_plain(text) {
            return Some(wrap::plain(text, room));
        }
        let [first, _] = room;
        let one_line = !self.options.ascii && is_clean(text) && columns(text) <= first;
        one_line.then(|| vec![text])
    }

    /// The lines of a paragraph, each behind its tree lines.
    fn lines<T: Copy>(
        &mut self,
        lines: &[T],
        first: &str,
        rest: &str,
        hang: usize,
        put: impl Fn(&mut Self, T),
    ) {
        for (i, line) in lines.iter().enumerate() {
            if i == 0 {
                self.tint(Style::Dim, first);
            } else {
                self.tint(Style::Dim, rest);
                self.out.extend(std::iter::repeat_n(' ', hang));
            }
            put(self, *line);
            self.end_line();
        }
    }

    /// A paragraph of at most `most` lines, with an ellipsis for what is cut. `tail` stands behind its last word, or on
    /// a line of its own where it would be broken.
    pub fn put_most(
        &mut self,
        [first, rest]: [&str; 2],
        most: usize,
        body: &[TextSpan],
        tail: &[TextSpan],
    ) {
        let room = [first, rest].map(|lead| self.width.saturating_sub(columns(lead)));
        let mut letters = self.letters(body);
        self.cut(&mut letters, room, most);
        let lines = wrap::wrap(&letters, room);
        let end = lines
            .last()
            .map_or(0, |line| line.iter().map(|(_, c)| char_columns(*c)).sum());
        let tail = self.letters(tail);
        let beside = end + 2 + tail.len() <= *room.get(usize::from(lines.len() > 1)).unwrap_or(&0);
        if beside && !tail.is_empty() {
            letters.extend([(Style::Plain, ' '); 2]);
            letters.extend(&tail);
        }
        let lines = wrap::wrap(&letters, room);
        self.lines(&lines, first, rest, 0, |page, line| page.letters_out(line));
        if !beside && !tail.is_empty() {
            let [_, room] = room;
            let lines = wrap::wrap(&tail, [room; 2]);
            self.lines(&lines, rest, rest, 0, |page, line| page.letters_out(line));
        }
    }

    /// Takes words off the end until it fits.
    fn cut(&self, letters: &mut Vec<(Style, char)>, room: [usize; 2], most: usize) {
        if wrap::wrap(letters, room).len() <= most {
            return;
        }
        letters.truncate(most * self.width);
        loop {
            let space = letters.iter().rposition(|(_, c)| *c == ' ');
            let word = space.filter(|at| letters.len() - at < self.width / 2);
            letters.truncate(word.unwrap_or_else(|| letters.len().saturating_sub(1)));
            let mut with_end = letters.clone();
            with_end.extend([(Style::Plain, ' ')]);
            with_end.extend(self.glyphs().ellipsis.chars().map(|c| (Style::Plain, c)));
            if letters.is_empty() || wrap::wrap(&with_end, room).len() <= most {
                *letters = with_end;
                return;
            }
        }
    }

    /// A line that is not wrapped.
    pub fn uncut(&mut self, body: &[TextSpan]) {
        let letters = self.letters(body);
        self.letters_out(&letters);
        self.end_line();
    }

    /// A line without tree lines.
    pub fn line(&mut self, body: &[TextSpan]) {
        self.put("", "", 0, body);
    }

    /// The text, without white space at line ends.
    pub fn finish(self) -> String {
        self.out
    }

    /// Cleans and flattens, so that wrapping sees one character at a time.
    fn letters(&self, body: &[TextSpan]) -> Vec<(Style, char)> {
        let mut letters = Vec::with_capacity(body.iter().map(|span| span.text.len()).sum());
        for span in body {
            let text = self.safe(&span.text);
            letters.extend(text.chars().map(|c| (span.style, c)));
        }
        letters
    }

    /// Harmless, and ASCII where asked for.
    pub fn safe(&self, text: &str) -> String {
        let text = clean(text);
        if self.options.ascii {
            to_ascii(&text)
        } else {
            text
        }
    }

    fn letters_out(&mut self, line: &[(Style, char)]) {
        for run in line.chunk_by(|a, b| a.0 == b.0) {
            let style = run.first().map_or(Style::Plain, |(style, _)| *style);
            let dark = run.iter().all(|(_, c)| c.is_whitespace());
            self.tinted(style, dark, |out| out.extend(run.iter().map(|(_, c)| *c)));
        }
    }

    fn tint(&mut self, style: Style, text: &str) {
        self.tinted(style, text.trim().is_empty(), |out| out.push_str(text));
    }

    /// The output of `put`, in colour unless it is `dark`: nothing but white space.
    fn tinted(&mut self, style: Style, dark: bool, put: impl FnOnce(&mut String)) {
        match style.sgr() {
            Some(sgr) if self.options.color && !dark => {
                self.out.extend(["\u{1b}[", sgr, "m"]);
                put(&mut self.out);
                self.out.push_str("\u{1b}[0m");
            }
            _ => put(&mut self.out),
        }
    }

    fn end_line(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        self.out.push('\n');
    }
}

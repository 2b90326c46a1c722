//! A text made fit for reading: no terminal colours, no markup, no carriage returns, bounded lines.

mod markup;

/// Longer lines are cut: no tool prints them, only hostile files have them.
const LONGEST_LINE: usize = 64 << 10;
/// More lines are not read.
const MOST_LINES: usize = 1 << 20;

/// Cleaned lines.
#[derive(Clone, Debug, Default)]
pub struct Text {
    lines: Vec<String>,
    /// Whether something was cut off.
    pub cut: bool,
    /// The device that the text is about, where its origin tells (the file name in a bundle), for
    /// outputs that do not name their device.
    pub subject: Option<String>,
}

impl Text {
    /// Cleans raw bytes: what is not UTF-8 is replaced, escape sequences, carriage returns and other control
    /// characters go, quoting marks of mails (`> `) at the start of lines too.
    pub fn new(raw: &[u8]) -> Self {
        let wide = utf_16(raw);
        let raw = wide.as_deref().map_or(raw, str::as_bytes);
        let raw = &*markup::plain(raw);
        let mut text = Self::default();
        for line in raw.split(|byte| *byte == b'\n') {
            if text.lines.len() >= MOST_LINES {
                text.cut = true;
                break;
            }
            let kept = line.get(..LONGEST_LINE).unwrap_or(line);
            text.cut |= kept.len() < line.len();
            text.lines.push(clean(&String::from_utf8_lossy(kept)));
        }
        text.uncommented('>');
        for line in &mut text.lines {
            while let Some(inner) = line.strip_prefix("> ") {
                *line = inner.to_owned();
            }
            if line == ">" {
                line.clear();
            }
        }
        text.uncommented('#');
        text
    }

    /// Removes a sign that stands before every line: a quotation, a paste into a script.
    fn uncommented(&mut self, sign: char) {
        let rest = |line: &'_ String| line.strip_prefix(sign).map(str::to_owned);
        let filled = self.lines.iter().filter(|line| !line.is_empty());
        let Some(rests) = filled.map(rest).collect::<Option<Vec<_>>>() else {
            return;
        };
        let spaced = rests
            .iter()
            .all(|rest| rest.is_empty() || rest.starts_with(' '));
        for line in self.lines.iter_mut().filter(|_| rests.len() > 1) {
            let rest = line.strip_prefix(sign).unwrap_or(line);
            let space = if spaced { " " } else { "" };
            *line = rest.strip_prefix(space).unwrap_or(rest).to_owned();
        }
    }

    /// Names the device that the text is about.
    #[must_use]
    pub fn about(mut self, device: impl Into<String>) -> Self {
        self.subject = Some(device.into());
        self
    }

    /// The lines, without line ends.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    /// Whether a line satisfies `test`.
    pub fn any(&self, test: impl Fn(&str) -> bool) -> bool {
        self.lines().any(test)
    }

    /// All lines again as one string, for formats that are not made of lines (JSON, XML).
    pub fn joined(&self) -> String {
        self.lines.join("\n")
    }
}

/// The text of a file that Windows wrote in UTF-16 with a byte order mark.
fn utf_16(raw: &[u8]) -> Option<String> {
    let (unit, rest): (fn([u8; 2]) -> u16, _) = match raw {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let pairs = rest.chunks_exact(2);
    let units = pairs.map(|pair| {
        unit([
            pair.first().copied().unwrap_or(0),
            pair.last().copied().unwrap_or(0),
        ])
    });
    Some(
        char::decode_utf16(units)
            .map(|c| c.unwrap_or('\u{fffd}'))
            .collect(),
    )
}

/// One line without escapes and controls; non-breaking spaces become spaces.
fn clean(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\t' => out.push('\t'),
            '\u{a0}' | '\u{202f}' => out.push(' '),
            '\u{feff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.trim_end().to_owned()
}

/// Skips a CSI (`ESC [ … letter`) or OSC (`ESC ] … BEL`) sequence, or a two-character one.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']') => while rest.next().is_some_and(|c| c != '\u{7}') {},
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_returns_and_quotes_go() {
        let raw = b"> \x1b[1;31mDisk\x1b[0m /dev/sda:\xc2\xa01\xc2\xa0GiB\r\n\x1b]0;title\x07next";
        let text = Text::new(raw);
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            ["Disk /dev/sda: 1 GiB", "next"]
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let text = Text::new(&vec![b'a'; 10 << 20]);
        assert!(text.cut);
        assert_eq!(text.lines().next().map(str::len), Some(LONGEST_LINE));
    }
}

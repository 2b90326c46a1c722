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
    /// The device that the text is about, where its origin says so (the file name in a bundle), for
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
        text.dedent();
        for block in text.lines.split_mut(String::is_empty) {
            uncomment(block, &[(">", false)]);
        }
        for line in &mut text.lines {
            unquote(line);
        }
        for block in text.lines.split_mut(String::is_empty) {
            uncomment(block, &[("#", false), ("//", false), ("* ", true)]);
        }
        text.dedent();
        text
    }

    /// Takes away what all lines are indented by: a block of code in a ticket.
    fn dedent(&mut self) {
        let blank = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let filled = self.lines.iter().filter(|line| !line.is_empty());
        let common = filled.map(|line| blank(line)).min().unwrap_or(0);
        for line in self.lines.iter_mut().filter(|line| !line.is_empty()) {
            line.drain(..common);
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

/// Takes the marks of quotation from a line: `> `, `>> ` of a quotation within one.
fn unquote(line: &mut String) {
    let rest = line.trim_start_matches('>');
    let marks = line.len() - rest.len();
    if marks > 0 && (rest.is_empty() || rest.starts_with(' ')) {
        line.drain(..marks + usize::from(!rest.is_empty()));
        unquote(line);
    }
}

/// Takes the sign away that stands before all lines of a block: a quotation without spaces, a comment in a script, a
/// list. Solaris draws lines
/// of asterisks down the head of a table, which are no list.
fn uncomment(block: &mut [String], signs: &[(&str, bool)]) {
    for (sign, list) in signs {
        let rest = |line: &String| {
            let rest = line.strip_prefix(sign)?;
            let item = !*list || rest.starts_with(|c: char| !c.is_whitespace());
            item.then(|| rest.is_empty() || rest.starts_with([' ', '>']))
        };
        let marked: Option<Vec<bool>> = block.iter().map(rest).collect();
        let Some(spaced) = marked.filter(|_| block.len() > 1) else {
            continue;
        };
        let spaced = spaced.iter().all(|spaced| *spaced);
        for line in block.iter_mut() {
            let space = usize::from(
                spaced
                    && line
                        .get(sign.len()..)
                        .is_some_and(|rest| rest.starts_with(' ')),
            );
            line.drain(..sign.len() + space);
        }
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
    fn marks_before_all_lines_go() {
        for (raw, lines) in [
            (">> a\n>>  b\n> c\n", ["a", " b", "c"]),
            (">a\n> b\n>\n>c", ["a", " b", ""]),
            ("    # a\n    #  b\n\n    c", ["a", " b", ""]),
            ("* a\n* b\n\n* c", ["a", "b", ""]),
            ("*\n* a\n*    b", ["*", "* a", "*    b"]),
            ("\ta\n\t b\nc", ["\ta", "\t b", "c"]),
        ] {
            let text = Text::new(raw.as_bytes());
            assert_eq!(text.lines().take(3).collect::<Vec<_>>(), lines, "{raw}");
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let text = Text::new(&vec![b'a'; 10 << 20]);
        assert!(text.cut);
        assert_eq!(text.lines().next().map(str::len), Some(LONGEST_LINE));
    }
}

//! The text form of LVM metadata, read in place.
//!
//! Grammar as in libdm's `libdm-config.c`: `key = value`, `key { … }`, lists in brackets, strings
//! in quotes, comments from `#`. A section is a span of the text: nothing is copied, nesting is
//! counted and not recursed into, so hostile text costs neither memory nor stack.

use std::borrow::Cow;
use std::fmt;

/// Sections within sections. LVM writes three.
const MOST_DEPTH: usize = 16;

/// What is wrong with the text, and at which byte of the section being read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    /// Byte offset in the section.
    pub at: usize,
    /// The defect.
    pub what: &'static str,
}

impl Flaw {
    pub const fn new(at: usize, what: &'static str) -> Self {
        Self { at, what }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {} of its section)", self.what, self.at)
    }
}

/// What is between two braces, or the whole text.
#[derive(Copy, Clone, Debug)]
pub(super) struct LvmTextSection<'a> {
    text: &'a [u8],
}

/// What stands behind a key.
#[derive(Copy, Clone, Debug)]
pub(super) enum Value<'a> {
    /// `key { … }`
    Section(LvmTextSection<'a>),
    /// A number or bare word.
    Word(&'a str),
    /// A string, escapes still in it.
    Quoted(&'a [u8]),
    /// `[ …, … ]`
    List(LvmTextList<'a>),
}

/// The elements of a list.
#[derive(Copy, Clone, Debug)]
pub(super) struct LvmTextList<'a> {
    text: &'a [u8],
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum LvmTextToken<'a> {
    Word(&'a [u8]),
    Quoted(&'a [u8]),
    Equals,
    Comma,
    Open,
    Close,
    ListOpen,
    ListClose,
}

impl<'a> LvmTextSection<'a> {
    /// The whole text; it ends at a NUL.
    pub fn new(text: &'a [u8]) -> Self {
        let end = text.iter().position(|byte| *byte == 0);
        let text = end.and_then(|end| text.get(..end)).unwrap_or(text);
        Self { text }
    }

    /// Its entries in order. After a flaw there are no more.
    pub const fn entries(self) -> LvmTextEntries<'a> {
        LvmTextEntries {
            lexer: Lexer::new(self.text),
        }
    }

    /// The first entry named `key`.
    pub fn get(self, key: &str) -> Result<Option<Value<'a>>, Flaw> {
        for entry in self.entries() {
            let (name, value) = entry?;
            if name == key {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The number named `key`, if it is there.
    pub fn number(self, key: &str) -> Result<Option<u64>, Flaw> {
        match self.get(key)? {
            None => Ok(None),
            Some(value) => value.number().map(Some),
        }
    }

    /// The string named `key`; empty when it is missing.
    pub fn string(self, key: &str) -> Result<String, Flaw> {
        Ok(self
            .get(key)?
            .and_then(Value::text)
            .unwrap_or_default()
            .into_owned())
    }
}

impl<'a> Value<'a> {
    /// It must be an unsigned number of 64 bits.
    pub fn number(self) -> Result<u64, Flaw> {
        match self {
            Self::Word(word) => word
                .parse()
                .map_err(|_| Flaw::new(0, "a number out of range")),
            _ => Err(Flaw::new(0, "something else where a number is due")),
        }
    }

    /// A string without quotes and escapes; `None` for what is not one.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Quoted(raw) if raw.contains(&b'\\') => Some(unescape(raw)),
            Self::Quoted(raw) => Some(String::from_utf8_lossy(raw)),
            _ => None,
        }
    }
}

fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => out.extend(bytes.next()),
            other => out.push(*other),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

impl<'a> LvmTextList<'a> {
    /// Strings and numbers in order.
    pub fn values(self) -> impl Iterator<Item = Result<Value<'a>, Flaw>> {
        let mut lexer = Lexer::new(self.text);
        std::iter::from_fn(move || {
            loop {
                return match lexer.next()? {
                    Ok(LvmTextToken::Comma) => continue,
                    Ok(LvmTextToken::Quoted(raw)) => Some(Ok(Value::Quoted(raw))),
                    Ok(LvmTextToken::Word(raw)) => Some(Ok(Value::Word(word(raw)))),
                    Ok(_) => Some(Err(lexer.stop("a bracket or brace in a list"))),
                    Err(flaw) => Some(Err(flaw)),
                };
            }
        })
    }
}

/// Bare words are ASCII in valid text; others compare unequal to every key.
fn word(raw: &[u8]) -> &str {
    std::str::from_utf8(raw).unwrap_or("\u{fffd}")
}

/// The entries of a section.
pub(super) struct LvmTextEntries<'a> {
    lexer: Lexer<'a>,
}

impl<'a> Iterator for LvmTextEntries<'a> {
    type Item = Result<(&'a str, Value<'a>), Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let key = match self.lexer.next()? {
            Ok(LvmTextToken::Word(raw) | LvmTextToken::Quoted(raw)) => word(raw),
            Ok(_) => return Some(Err(self.lexer.stop("something else where a key is due"))),
            Err(flaw) => return Some(Err(flaw)),
        };
        Some(self.value().map(|value| (key, value)))
    }
}

impl<'a> LvmTextEntries<'a> {
    fn value(&mut self) -> Result<Value<'a>, Flaw> {
        match self.lexer.token()? {
            Some(LvmTextToken::Open) => self.section(),
            Some(LvmTextToken::Equals) => self.assigned(),
            _ => Err(self.lexer.stop("a key without `=` or `{`")),
        }
    }

    fn assigned(&mut self) -> Result<Value<'a>, Flaw> {
        match self.lexer.token()? {
            Some(LvmTextToken::Word(raw)) => Ok(Value::Word(word(raw))),
            Some(LvmTextToken::Quoted(raw)) => Ok(Value::Quoted(raw)),
            Some(LvmTextToken::ListOpen) => self.list(),
            _ => Err(self.lexer.stop("a key without a value")),
        }
    }

    fn list(&mut self) -> Result<Value<'a>, Flaw> {
        let start = self.lexer.at;
        loop {
            match self.lexer.token()? {
                Some(LvmTextToken::ListClose) => {
                    let text = self.lexer.span(start);
                    return Ok(Value::List(LvmTextList { text }));
                }
                Some(LvmTextToken::Comma | LvmTextToken::Word(_) | LvmTextToken::Quoted(_)) => {}
                _ => return Err(self.lexer.stop("a list without end")),
            }
        }
    }

    fn section(&mut self) -> Result<Value<'a>, Flaw> {
        let start = self.lexer.at;
        let mut depth = 1_usize;
        loop {
            match self.lexer.token()? {
                Some(LvmTextToken::Open) if depth >= MOST_DEPTH => {
                    return Err(self.lexer.stop("sections nested too deeply"));
                }
                Some(LvmTextToken::Open) => depth += 1,
                Some(LvmTextToken::Close) if depth > 1 => depth -= 1,
                Some(LvmTextToken::Close) => {
                    let text = self.lexer.span(start);
                    return Ok(Value::Section(LvmTextSection { text }));
                }
                Some(_) => {}
                None => return Err(self.lexer.stop("a section without end")),
            }
        }
    }
}

/// Cuts text into tokens. After a flaw it is at the end.
struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// What was read since `start`, without the bracket just passed.
    fn span(&self, start: usize) -> &'a [u8] {
        self.text
            .get(start..self.at.saturating_sub(1))
            .unwrap_or_default()
    }

    /// A flaw here, and nothing more to read.
    const fn stop(&mut self, what: &'static str) -> Flaw {
        let at = self.at;
        self.at = self.text.len();
        Flaw::new(at, what)
    }

    fn token(&mut self) -> Result<Option<LvmTextToken<'a>>, Flaw> {
        self.next().transpose()
    }

    fn skip_blank(&mut self) {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'#' => self.at = self.find_from(self.at, |byte| *byte == b'\n'),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    /// The first byte at or after `from` that `is` wanted, or the end.
    fn find_from(&self, from: usize, is: impl Fn(&u8) -> bool) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        rest.iter()
            .position(is)
            .map_or(self.text.len(), |found| from + found)
    }

    fn quoted(&mut self, quote: u8) -> Result<LvmTextToken<'a>, Flaw> {
        let start = self.at;
        let mut end = start;
        loop {
            end = self.find_from(end, |byte| *byte == quote || *byte == b'\\');
            match self.text.get(end) {
                Some(b'\\') => end += 2,
                Some(_) => break,
                None => return Err(self.stop("a string without end")),
            }
        }
        self.at = end + 1;
        Ok(LvmTextToken::Quoted(
            self.text.get(start..end).unwrap_or_default(),
        ))
    }

    fn bare(&mut self) -> LvmTextToken<'a> {
        let start = self.at;
        self.at = self.find_from(start, ends_word);
        LvmTextToken::Word(self.text.get(start..self.at).unwrap_or_default())
    }
}

/// Whether a bare word ends before `byte`.
const fn ends_word(byte: &u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'#' | b'=' | b'{' | b'}' | b'[' | b']' | b',' | b'"' | b'\''
        )
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Result<LvmTextToken<'a>, Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blank();
        let byte = *self.text.get(self.at)?;
        let token = match byte {
            b'=' => LvmTextToken::Equals,
            b',' => LvmTextToken::Comma,
            b'{' => LvmTextToken::Open,
            b'}' => LvmTextToken::Close,
            b'[' => LvmTextToken::ListOpen,
            b']' => LvmTextToken::ListClose,
            b'"' | b'\'' => {
                self.at += 1;
                return Some(self.quoted(byte));
            }
            _ => return Some(Ok(self.bare())),
        };
        self.at += 1;
        Some(Ok(token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> LvmTextSection<'_> {
        LvmTextSection::new(text.as_bytes())
    }

    #[test]
    fn values_of_each_kind_are_read() {
        let text = "a = 12 # twelve\nb=\"x\\\"y\"\nc { d = [\"p\", 0,\n\"q\", 1] }\0junk";
        let root = section(text);
        assert_eq!(root.number("a"), Ok(Some(12)));
        assert_eq!(root.string("b").as_deref(), Ok("x\"y"));
        let Ok(Some(Value::Section(inner))) = root.get("c") else {
            panic!("c is a section");
        };
        let Ok(Some(Value::List(list))) = inner.get("d") else {
            panic!("d is a list");
        };
        assert_eq!(list.values().filter(Result::is_ok).count(), 4);
        assert_eq!(root.entries().count(), 3);
    }

    #[test]
    fn flaws_end_the_reading() {
        for text in [
            "a {",
            "a = \"x",
            "a = [1, 2",
            "a = [ [1] ]",
            "a",
            "= 3",
            "a = }",
            "a = \"\\",
        ] {
            let last = section(text).entries().last();
            assert!(matches!(last, Some(Err(_))), "{text}: {last:?}");
            assert!(section(text).entries().count() <= 2, "{text}");
        }
    }

    #[test]
    fn depth_and_numbers_are_limited() {
        let deep = "a {".repeat(1 << 20);
        let flaw = section(&deep).get("a").map(|_| ());
        assert_eq!(
            flaw.map_err(|flaw| flaw.what),
            Err("sections nested too deeply")
        );
        assert!(section("a = 18446744073709551616").number("a").is_err());
        assert!(section("a = -1").number("a").is_err());
    }
}

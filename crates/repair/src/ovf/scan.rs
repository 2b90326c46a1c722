//! Start tags of an XML text and the places of their attributes, so that single values can be replaced and every other
//! byte stays.
//!
//! After XML 1.0 (fifth edition), of which a description needs no document type: that is refused, and with it every
//! entity but the five predefined ones and numbers.

use std::ops::Range;

/// A start tag, with the names of the elements that it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlTag {
    /// Names without prefixes, outermost first, its own last.
    pub path: Vec<String>,
    /// Its attributes.
    pub attributes: Vec<XmlAttribute>,
    /// Behind its last attribute, or its name.
    pub end: usize,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlAttribute {
    /// Its name as written.
    pub name: String,
    /// Its value, with entities resolved.
    pub value: String,
    /// The place of the value between its quotes.
    pub place: Range<usize>,
}

impl XmlTag {
    /// An attribute by its name without a prefix.
    pub fn attribute(&self, name: &str) -> Option<&XmlAttribute> {
        self.attributes.iter().find(|one| local(&one.name) == name)
    }

    /// Its value.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|one| one.value.as_str())
    }
}

/// A name without its prefix.
pub fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Deeper than any description.
const DEEPEST: usize = 64;
const MOST_TAGS: usize = 1 << 16;

/// All start tags, in order; or what is wrong with the text.
pub fn tags(text: &str) -> Result<Vec<XmlTag>, String> {
    let (mut all, mut path, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(open) = find(text, at, "<") {
        let rest = text.get(open..).unwrap_or_default();
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((_, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            at = find(text, open, end).ok_or_else(|| unfinished(open))? + end.len();
            continue;
        }
        if rest.starts_with("<!") {
            return Err(format!("a document type at byte {open} is not read"));
        }
        if rest.starts_with("</") {
            at = find(text, open, ">").ok_or_else(|| unfinished(open))? + 1;
            let name = text.get(open + 2..at - 1).unwrap_or_default().trim_end();
            if path.pop().as_deref() != Some(local(name)) {
                return Err(format!("</{name}> at byte {open} ends nothing"));
            }
            continue;
        }
        let tag = Tag::read(text, open + 1)?;
        at = tag.behind;
        path.push(local(tag.name).to_owned());
        if path.len() > DEEPEST || all.len() >= MOST_TAGS {
            return Err("it has too many elements".to_owned());
        }
        all.push(XmlTag {
            path: path.clone(),
            attributes: tag.attributes,
            end: tag.end,
        });
        if tag.is_empty {
            path.pop();
        }
    }
    match path.last() {
        None => Ok(all),
        Some(name) => Err(format!("<{name}> is not closed")),
    }
}

struct Tag<'a> {
    name: &'a str,
    attributes: Vec<XmlAttribute>,
    end: usize,
    is_empty: bool,
    behind: usize,
}

impl<'a> Tag<'a> {
    /// From its name on.
    fn read(text: &'a str, at: usize) -> Result<Self, String> {
        let name_end = span(text, at, |c| !c.is_ascii_whitespace() && !"/>".contains(c));
        let mut tag = Self {
            name: text.get(at..name_end).unwrap_or_default(),
            attributes: Vec::new(),
            end: name_end,
            is_empty: false,
            behind: 0,
        };
        let mut at = name_end;
        loop {
            at = span(text, at, |c| c.is_ascii_whitespace());
            let rest = text.get(at..).unwrap_or_default();
            if let Some(length) = [("/>", 2), (">", 1)]
                .iter()
                .find_map(|(end, length)| rest.starts_with(end).then_some(*length))
            {
                tag.is_empty = length == 2;
                tag.behind = at + length;
                return Ok(tag);
            }
            let (attribute, behind) = attribute(text, at)?;
            tag.attributes.push(attribute);
            (tag.end, at) = (behind, behind);
        }
    }
}

fn attribute(text: &str, at: usize) -> Result<(XmlAttribute, usize), String> {
    let wrong = || format!("no attribute can be read at byte {at}");
    let name_end = span(text, at, |c| {
        !c.is_ascii_whitespace() && !"=<>/\"'".contains(c)
    });
    let name = text.get(at..name_end).filter(|name| !name.is_empty());
    let equals = span(text, name_end, |c| c.is_ascii_whitespace());
    let quote = span(text, equals + 1, |c| c.is_ascii_whitespace());
    let sign = text
        .get(quote..quote + 1)
        .filter(|sign| *sign == "\"" || *sign == "'");
    let (Some(name), Some("="), Some(sign)) = (name, text.get(equals..equals + 1), sign) else {
        return Err(wrong());
    };
    let end = find(text, quote + 1, sign).ok_or_else(wrong)?;
    let raw = text.get(quote + 1..end).unwrap_or_default();
    let attribute = XmlAttribute {
        name: name.to_owned(),
        value: resolved(raw).ok_or_else(wrong)?,
        place: quote + 1..end,
    };
    Ok((attribute, end + 1))
}

/// A value with its entities resolved; `None` for one that XML does not define by itself.
fn resolved(raw: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = raw;
    while let Some((before, behind)) = rest.split_once('&') {
        text.push_str(before);
        let (entity, behind) = behind.split_once(';')?;
        text.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            number => {
                let number = number.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?)?
            }
        });
        rest = behind;
    }
    text.push_str(rest);
    Some(text)
}

/// A value as it is written between quotes of either kind.
pub fn escaped(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&apos;"),
            other => text.push(other),
        }
    }
    text
}

fn unfinished(at: usize) -> String {
    format!("what begins at byte {at} does not end")
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    text.get(from..)?.find(what).map(|at| from + at)
}

/// The end of a run of characters.
fn span(text: &str, from: usize, is_in: impl Fn(char) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.find(|c| !is_in(c)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_their_way_and_their_values_a_place() {
        let text = "<?xml version='1.0'?><!-- <File/> --><a:E><R  x = 'y' >\
                    <![CDATA[<File>]]><o:File o:href=\"a&amp;b&#x2e;vmdk\"/></R></a:E>";
        let all = tags(text).unwrap();
        let paths: Vec<_> = all.iter().map(|tag| tag.path.join("/")).collect();
        assert_eq!(paths, ["E", "E/R", "E/R/File"]);
        let href = all[2].attribute("href").unwrap();
        assert_eq!(href.value, "a&b.vmdk");
        assert_eq!(&text[href.place.clone()], "a&amp;b&#x2e;vmdk");
        assert_eq!(all[1].value("x"), Some("y"));
        assert_eq!(&text[..all[2].end].chars().last(), &Some('"'));
    }

    #[test]
    fn what_is_no_whole_text_is_an_error() {
        for text in [
            "<a",
            "<a><b></a>",
            "<a x=1/>",
            "<a x/>",
            "<!DOCTYPE a><a/>",
            "</a>",
            "<a x='&evil;'/>",
            "<!-- ",
            "<a></",
            "<a x='",
            "<a>é</b>",
            "<é x='é",
        ] {
            assert!(tags(text).is_err(), "{text}");
        }
        assert!(tags(&"<a>".repeat(100)).is_err());
    }

    #[test]
    fn what_is_escaped_is_resolved() {
        let value = "a<b>\"c\"&'d'";
        assert_eq!(resolved(&escaped(value)).unwrap(), value);
    }
}

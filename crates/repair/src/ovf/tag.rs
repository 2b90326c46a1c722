//! Attributes of an element and the places of their values, so that single values can be replaced and every other byte stays.

use std::ops::Range;

use roxmltree::Node;

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlTag(Vec<XmlAttribute>);

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlAttribute {
    /// Its name without a prefix.
    name: String,
    /// Its value, with entities resolved.
    value: String,
    /// The place of the value between its quotes.
    pub place: Range<usize>,
    /// The place of all of it, with the blanks before it.
    pub whole: Range<usize>,
}

impl XmlTag {
    /// What is needed of an element.
    pub fn of(node: Node<'_, '_>) -> Self {
        let text = node.document().input_text();
        let attributes = node.attributes().map(|one| XmlAttribute {
            name: one.name().to_owned(),
            value: one.value().to_owned(),
            place: one.range_value(),
            whole: with_blanks(text, one.range()),
        });
        Self(attributes.collect())
    }

    /// An attribute by its name without a prefix.
    pub fn attribute(&self, name: &str) -> Option<&XmlAttribute> {
        self.0.iter().find(|one| one.name == name)
    }

    /// Its value.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|one| one.value.as_str())
    }
}

fn with_blanks(text: &str, place: Range<usize>) -> Range<usize> {
    let before = text.get(..place.start).unwrap_or_default();
    before.trim_end().len()..place.end
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_place_and_what_is_escaped_is_resolved() {
        let value = "a<b>\"c\"&'d'";
        let text = format!(
            "<a:E xmlns:a='u'  a:x = '{}' y=\"a&#x2e;b\"/>",
            escaped(value)
        );
        let document = roxmltree::Document::parse(&text).unwrap();
        let tag = XmlTag::of(document.root_element());
        assert_eq!(tag.value("x"), Some(value));
        assert_eq!(
            &text[tag.attribute("x").unwrap().place.clone()],
            escaped(value)
        );
        assert_eq!(tag.value("y"), Some("a.b"));
        assert_eq!(&text[tag.attribute("y").unwrap().place.clone()], "a&#x2e;b");
        assert_eq!(tag.value("z"), None);
    }
}

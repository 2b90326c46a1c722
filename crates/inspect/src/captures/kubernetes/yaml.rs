//! YAML as a tree, bounded: depth, nodes, bytes. Aliases are not followed: a manifest that `kubectl` prints has none, and a
//! few of them make gigabytes.

use saphyr_parser::{Event, Parser};

/// Maps and lists inside each other.
const DEEPEST: usize = 64;
/// Values of all documents together.
const MOST_NODES: usize = 200_000;
/// Bytes of a text that are parsed.
const MOST_BYTES: usize = 8 << 20;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum YamlNode {
    /// A text, whatever type YAML would give it.
    Scalar(String),
    /// A list.
    List(Vec<Self>),
    /// A map, in its order.
    Map(Vec<(String, Self)>),
}

impl YamlNode {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value at the end of a path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// A text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a map that are texts.
    pub(super) fn texts(&self) -> Vec<(String, String)> {
        let Self::Map(entries) = self else {
            return Vec::new();
        };
        let texts = entries
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), value.text()?.to_owned())));
        texts.collect()
    }

    /// The items of a list.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

/// What is open while a document is read.
enum OpenNode {
    List(Vec<YamlNode>),
    /// With the key whose value comes next.
    Map(Vec<(String, YamlNode)>, Option<String>),
}

/// The documents up to the first error or limit; why reading ended early, if it did.
pub(super) fn documents(text: &str) -> (Vec<YamlNode>, Option<String>) {
    let mut found = Vec::new();
    if text.len() > MOST_BYTES {
        return (found, Some("it is larger than 8 MiB".to_owned()));
    }
    let mut open: Vec<OpenNode> = Vec::new();
    let mut nodes = 0;
    for event in Parser::new_from_str(text) {
        let done = match event {
            Err(error) => return (found, Some(error.to_string())),
            Ok((Event::Scalar(text, ..), _)) => Some(YamlNode::Scalar(text.into_owned())),
            Ok((Event::Alias(_), _)) => {
                return (found, Some("it has an alias: none is followed".to_owned()));
            }
            Ok((Event::SequenceStart(..), _)) => {
                open.push(OpenNode::List(Vec::new()));
                None
            }
            Ok((Event::MappingStart(..), _)) => {
                open.push(OpenNode::Map(Vec::new(), None));
                None
            }
            Ok((Event::SequenceEnd | Event::MappingEnd, _)) => match open.pop() {
                Some(OpenNode::List(items)) => Some(YamlNode::List(items)),
                Some(OpenNode::Map(entries, _)) => Some(YamlNode::Map(entries)),
                None => None,
            },
            Ok(_) => None,
        };
        nodes += 1;
        if nodes > MOST_NODES || open.len() > DEEPEST {
            return (
                found,
                Some("it has too many values, or too deep ones".to_owned()),
            );
        }
        if let Some(node) = done {
            put(node, &mut open, &mut found);
        }
    }
    (found, None)
}

/// Puts a value where it belongs: into what is open, or among the documents.
fn put(node: YamlNode, open: &mut [OpenNode], found: &mut Vec<YamlNode>) {
    match open.last_mut() {
        None => found.push(node),
        Some(OpenNode::List(items)) => items.push(node),
        Some(OpenNode::Map(entries, key)) => match key.take() {
            Some(name) => entries.push((name, node)),
            // A key that is no text has no meaning here; its value goes with it.
            None => *key = Some(node.text().unwrap_or_default().to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_become_trees() {
        let (found, why) = documents("kind: A\nlist: [1, {b: \"x y\"}]\n---\n{\"kind\": \"B\"}\n");
        assert_eq!((found.len(), why), (2, None));
        assert_eq!(found[0].at(&["kind"]).and_then(YamlNode::text), Some("A"));
        assert_eq!(
            found[0].get("list").unwrap().items()[1]
                .get("b")
                .and_then(YamlNode::text),
            Some("x y")
        );
        assert_eq!(found[1].at(&["kind"]).and_then(YamlNode::text), Some("B"));
    }

    #[test]
    fn what_would_blow_up_is_refused() {
        let laughs = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
        assert!(documents(laughs).1.is_some_and(|why| why.contains("alias")));
        assert!(documents(&"[".repeat(100_000)).1.is_some());
        assert!(documents(&"- x\n".repeat(MOST_NODES + 1)).1.is_some());
        assert!(documents("a: [b\nc: {").1.is_some());
    }
}

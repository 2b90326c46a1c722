//! JSON inside other text: a prompt before it, prose after it, several documents in one paste.

use serde_json::{Deserializer, Value};

use super::super::Text;

/// A longer text is not searched for JSON: the tree of values would not fit our bounds.
const LONGEST: usize = 16 << 20;
/// Nor one with more commas, which are fewer than values: a value takes a hundred bytes.
const MOST_COMMAS: usize = 300_000;
/// Places where a document may start that are tried.
const MOST_STARTS: usize = 4096;
/// Bytes that may be parsed in vain.
const MOST_WASTE: usize = 1 << 20;

/// All documents of the text in which the word `key` occurs.
pub(super) fn documents(text: &Text, key: &str) -> Vec<Value> {
    let whole = text.joined();
    let mut found = Vec::new();
    let commas = whole.bytes().filter(|byte| *byte == b',').count();
    if whole.len() > LONGEST || commas > MOST_COMMAS {
        return found;
    }
    let (mut at, mut waste) = (0, 0);
    for _ in 0..MOST_STARTS {
        let rest = whole.get(at..).unwrap_or_default();
        let Some(start) = rest.find(['{', '[']).filter(|_| waste < MOST_WASTE) else {
            break;
        };
        let rest = rest.get(start..).unwrap_or_default();
        let mut stream = Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                let own = rest.get(..stream.byte_offset()).unwrap_or(rest);
                at += start + own.len().max(1);
                if own.contains(key) {
                    found.push(value);
                }
            }
            Some(Err(error)) => {
                waste += consumed(rest, &error);
                at += start + 1;
            }
            None => break,
        }
    }
    found
}

/// How far a parse in vain came.
fn consumed(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split('\n').take(error.line().saturating_sub(1));
    lines.map(|line| line.len() + 1).sum::<usize>() + error.column() + 1
}

/// A member that is a number, or a text that is one.
pub(super) fn number(value: &Value, key: &str) -> Option<u64> {
    match value.get(key)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => super::sizes::whole(text.trim()),
        _ => None,
    }
}

/// A member that is a text.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, key: &str) -> usize {
        documents(&Text::new(text.as_bytes()), key).len()
    }

    #[test]
    fn documents_in_prose() {
        assert_eq!(find("# lsblk [x] -J\n{\"a\": [1,\r\n2]}\nbye {", "a"), 1);
        assert_eq!(find("{\"a\":1}\n{\"b\":1}\n[{\"a\":2}]", "\"a\""), 2);
        assert_eq!(find("{\"a\":1", "a"), 0);
        assert_eq!(find(&"[".repeat(1 << 20), "a"), 0);
        assert_eq!(find(&"{\"a\":[".repeat(1 << 17), "a"), 0);
    }
}

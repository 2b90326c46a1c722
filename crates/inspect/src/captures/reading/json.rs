//! JSON documents in a text that may hold prose before and after them.

use serde_json::Value;

use crate::captures::Text;

/// Longer texts are not searched: a parsed document takes up to sixteen times its length.
const MOST_BYTES: usize = 2 << 20;
/// Places where a document may begin that turn out not to be one; each costs a pass over the rest.
const MOST_TRIES: usize = 32;

/// The documents of `text`: objects and arrays that begin a line. serde_json bounds their depth.
pub(crate) fn documents(text: &Text) -> Vec<Value> {
    let joined = text.joined();
    let mut found = Vec::new();
    if joined.len() > MOST_BYTES {
        return found;
    }
    let (mut at, mut tries) = (0, 0);
    while let Some(start) = next(&joined, at).filter(|_| tries < MOST_TRIES) {
        let rest = joined.get(start..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            at = start + stream.byte_offset().max(1);
            found.push(value);
        } else {
            at = start + 1;
            tries += 1;
        }
    }
    found
}

/// Where a line begins with a bracket or brace, from `at` on.
fn next(text: &str, at: usize) -> Option<usize> {
    let mut line = at;
    loop {
        let rest = text.get(line..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let begins = line == 0 || text.as_bytes().get(line - 1) == Some(&b'\n');
        if begins && opens(rest.get(blank..)?) {
            return Some(line + blank);
        }
        line += rest.find('\n')? + 1;
    }
}

/// `{ "`, or `[ {`: kernel logs begin their lines with brackets too.
fn opens(text: &str) -> bool {
    let after = |sign| text.strip_prefix(sign).map(str::trim_start);
    after('{').is_some_and(|rest| rest.starts_with('"'))
        || after('[').is_some_and(|rest| rest.starts_with('{'))
}

/// The value under `key` as text: a string, or a number as it is printed.
pub(crate) fn word(object: &Value, key: &str) -> Option<String> {
    match object.get(key)? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The number under `key`, also where it is printed as a string.
pub(crate) fn number(object: &Value, key: &str) -> Option<u64> {
    let value = object.get(key)?;
    value.as_u64().or_else(|| super::any_radix(value.as_str()?))
}

/// The list under `key`; empty where there is none.
pub(crate) fn list<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_in_prose() {
        let text =
            Text::new(b"# lvs\n  {\"a\": 1}\n[   1.5] not json\n{ \"broken\n[ {},\n3]\nend {\n");
        let found = documents(&text);
        assert_eq!(found.len(), 2);
        assert_eq!(number(&found[0], "a"), Some(1));
    }

    #[test]
    fn depth_and_tries_are_bounded() {
        assert!(documents(&Text::new("[{".repeat(1 << 18).as_bytes())).is_empty());
        assert!(documents(&Text::new("{\"\n".repeat(1 << 18).as_bytes())).is_empty());
    }
}

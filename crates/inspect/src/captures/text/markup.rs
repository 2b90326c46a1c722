//! What mail and web pages leave in a paste: quoted-printable, tags and entities of HTML.

use std::borrow::Cow;

/// Longer texts are no pastes from a page: they are left as they are.
const MOST_BYTES: usize = 2 << 20;
/// Tags that end a line.
const BREAKS: &[&str] = &["br", "p", "div", "tr", "li"];
/// Tags of running text. Those of XML documents that are read elsewhere are not among them.
const INLINE: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "code",
    "em",
    "font",
    "i",
    "kbd",
    "pre",
    "samp",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "tt",
    "u",
    "ul",
];
const ENTITIES: &[(&str, &str)] = &[
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&amp;", "&"),
];

/// The text without both. Texts that have neither are returned as they are.
pub(super) fn plain(raw: &[u8]) -> Cow<'_, [u8]> {
    if raw.len() > MOST_BYTES {
        return Cow::Borrowed(raw);
    }
    let decoded = quoted_printable(raw).map_or(Cow::Borrowed(raw), Cow::Owned);
    match untagged(&decoded) {
        Some(text) => Cow::Owned(text),
        None => decoded,
    }
}

/// Decodes a mail's body. It is one if a `=3D` stands for a sign of equality, no other sign is left, and
/// nothing is coded that need not be: `start=2048` is none.
fn quoted_printable(raw: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(raw.len());
    let (mut rest, mut found) = (raw, false);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'=' {
            out.push(*byte);
            continue;
        }
        rest = match after {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            [high, low, rest @ ..] => {
                let value = (hex(*high)? << 4) | hex(*low)?;
                let ends = matches!(rest.first(), None | Some(b'\r' | b'\n'));
                if matches!(value, b' '..=b'~') && value != b'=' && !(value == b' ' && ends) {
                    return None;
                }
                found |= value == b'=';
                out.push(value);
                rest
            }
            _ => after,
        };
    }
    found.then_some(out)
}

/// Only capitals: encoders write no others.
fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// The text without tags and entities, if there are any.
fn untagged(raw: &[u8]) -> Option<Vec<u8>> {
    let signs = |at: &usize| matches!(raw.get(*at), Some(b'<' | b'&'));
    let mut out = Vec::with_capacity(raw.len());
    let (mut done, mut marked) = (0, false);
    for at in (0..raw.len()).filter(signs) {
        let Some((len, text)) = (at >= done).then(|| mark(raw.get(at..)?)).flatten() else {
            continue;
        };
        out.extend_from_slice(raw.get(done..at)?);
        done = at + len;
        // `<br>` at the end of a line ends no second one.
        let ended =
            text == "\n" && matches!(raw.get(done..), Some([b'\n', ..] | [b'\r', b'\n', ..]));
        out.extend_from_slice(if ended { b"" } else { text.as_bytes() });
        marked |= len > 4;
    }
    out.extend_from_slice(raw.get(done..)?);
    marked.then_some(out)
}

/// The tag or entity at the start of `raw`: its length, and what it stands for.
fn mark(raw: &[u8]) -> Option<(usize, &'static str)> {
    let entity = ENTITIES
        .iter()
        .find(|(name, _)| raw.starts_with(name.as_bytes()));
    if let Some((name, text)) = entity {
        return Some((name.len(), text));
    }
    let head = raw.get(..raw.len().min(128))?;
    let end = head.iter().position(|byte| *byte == b'>')?;
    let inner = std::str::from_utf8(head.get(1..end)?).ok()?;
    let (closing, inner) = inner
        .strip_prefix('/')
        .map_or((false, inner), |inner| (true, inner));
    let name = inner.split([' ', '/', '\n']).next()?.to_ascii_lowercase();
    let is = |list: &[&str]| list.contains(&name.as_str());
    if is(BREAKS) {
        return Some((end + 1, if closing || name == "br" { "\n" } else { "" }));
    }
    let cell = closing && matches!(name.as_str(), "td" | "th");
    is(INLINE).then_some((end + 1, if cell { " " } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        String::from_utf8(plain(raw.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn mails_are_decoded() {
        assert_eq!(
            text("Units =3D sectors of 1 * 512 =3D 512 =\nbytes=20\n"),
            "Units = sectors of 1 * 512 = 512 bytes \n"
        );
        for other in ["start=2048, size=3D\n", "a=b", "=20", "x ="] {
            assert_eq!(text(other), other);
        }
    }

    #[test]
    fn pages_lose_their_tags() {
        assert_eq!(
            text("<pre><code class=\"x\">/dev/sda1&nbsp;&nbsp;63<br>a &lt;b&gt;</code></pre>"),
            "/dev/sda1  63\na <b>"
        );
        assert_eq!(text("<p>a&nbsp;b<br />\nc</p>"), "a b\nc\n");
        for other in ["<disk type='block'>", "1 < 2 > 0", "a & b", "<b", "&nbsp"] {
            assert_eq!(text(other), other);
        }
    }
}

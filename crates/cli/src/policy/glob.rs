//! Patterns for targets: `*` and `?` within a name, `**` across folders.

/// Whether the pattern covers a target. One without a slash is compared with the file's name alone,
/// as in `.gitignore`; a leading `./` of the target says nothing.
pub fn covers(pattern: &str, target: &str) -> bool {
    let target = target.trim_start_matches("./");
    let pattern = pattern.trim_start_matches("./");
    let subject = if pattern.contains('/') {
        target
    } else {
        target.rsplit('/').next().unwrap_or(target)
    };
    matches(pattern.as_bytes(), subject.as_bytes())
}

/// Tries each star at every length, nearest first, with one point to return to a kind of star: the
/// time is bounded by the product of the lengths.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let mut row = vec![false; text.len() + 1];
    if let Some(first) = row.first_mut() {
        *first = true;
    }
    let mut rest = pattern;
    while let Some((token, after)) = next(rest) {
        row = step(token, &row, text);
        rest = after;
    }
    row.last().copied().unwrap_or(false)
}

#[derive(Copy, Clone)]
enum GlobToken {
    Byte(u8),
    /// Any one byte but a slash.
    One,
    /// Any bytes but slashes.
    Star,
    /// Any bytes.
    Stars,
}

fn next(pattern: &[u8]) -> Option<(GlobToken, &[u8])> {
    Some(match pattern {
        // `a/**/b` covers `a/b` too.
        [b'*', b'*', b'/', rest @ ..] | [b'*', b'*', rest @ ..] => (GlobToken::Stars, rest),
        [b'*', rest @ ..] => (GlobToken::Star, rest),
        [b'?', rest @ ..] => (GlobToken::One, rest),
        [byte, rest @ ..] => (GlobToken::Byte(*byte), rest),
        [] => return None,
    })
}

/// `row[i]`: whether what was read of the pattern matches the first `i` bytes of the text.
fn step(token: GlobToken, row: &[bool], text: &[u8]) -> Vec<bool> {
    let mut out = Vec::with_capacity(row.len());
    let stays = matches!(token, GlobToken::Star | GlobToken::Stars);
    let mut last = stays && row.first() == Some(&true);
    out.push(last);
    for (byte, ends) in text.iter().zip(row.windows(2)) {
        let (before, here) = (ends.first() == Some(&true), ends.last() == Some(&true));
        last = match token {
            GlobToken::Byte(wanted) => before && *byte == wanted,
            GlobToken::One => before && *byte != b'/',
            GlobToken::Star => here || (last && *byte != b'/'),
            GlobToken::Stars => here || last,
        };
        out.push(last);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn stars_stop_at_folders_unless_doubled() {
        for (pattern, target, wanted) in [
            ("*.img", "a/b/c.img", true),
            ("*.img", "a.qcow2", false),
            ("a/*.img", "a/b.img", true),
            ("a/*.img", "./a/b.img", true),
            ("a/*.img", "a/b/c.img", false),
            ("a/**/*.img", "a/b/c.img", true),
            ("a/**/c.img", "a/c.img", true),
            ("**", "any/thing", true),
            ("disk?.img", "disk1.img", true),
            ("disk?.img", "disk.img", false),
            ("/srv/*", "/srv/x", true),
            ("", "x", false),
        ] {
            assert_eq!(covers(pattern, target), wanted, "{pattern} {target}");
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let pattern = "*a".repeat(200);
        assert!(!covers(&pattern, &"ab".repeat(100)));
        assert!(covers(&pattern, &"a".repeat(400)));
    }
}

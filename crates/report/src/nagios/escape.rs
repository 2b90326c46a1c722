//! Text that passes through a monitoring server, its web pages and its notification commands.

use crate::words::clean;
use crate::words::clean::shorten_middle;

/// Control characters, `|` (begins performance data), markup and what a shell would expand are
/// shown as `\xNN`; the result takes at most `room` columns.
pub fn plain(text: &str, room: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(&text.replace(['\n', '\r'], " ")).chars() {
        if matches!(c, '|' | '<' | '>' | '`' | '$' | '&') {
            out.push_str(&format!("\\x{:02x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    shorten_middle(&out, room, "...")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_ends_the_text_early() {
        let evil = "a|b=1;2\nc<script>$(reboot)`x`";
        let safe = plain(evil, 200);
        assert!(!safe.contains(['|', '\n', '<', '$', '`']), "{safe}");
        assert!(safe.starts_with("a\\x7cb=1"), "{safe}");
        assert!(plain(&"x".repeat(500), 80).len() <= 80);
    }
}

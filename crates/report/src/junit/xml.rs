//! XML with nothing in it that a name from a disk could break.

/// A document in the making.
pub struct XmlWriter {
    out: String,
    depth: usize,
}

impl XmlWriter {
    pub fn new() -> Self {
        Self {
            out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(),
            depth: 0,
        }
    }

    pub fn finish(self) -> String {
        self.out
    }

    /// An element that others follow in.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.out.push_str(">\n");
        self.depth += 1;
    }

    pub fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.out.push_str(&format!("</{name}>\n"));
    }

    /// An element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.out.push_str("/>\n");
    }

    /// An element that holds text.
    pub fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.begin(name, attributes);
        self.out.push_str(&format!(">{}</{name}>\n", escape(text)));
    }

    fn begin(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.indent();
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.push_str(&format!(" {key}=\"{}\"", escape(value)));
        }
    }

    fn indent(&mut self) {
        self.out.push_str(&"  ".repeat(self.depth));
    }
}

/// Markup is escaped; control characters, which XML 1.0 has no way to write, are dropped, and so
/// are those that reorder text.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_xml_cannot_hold_is_dropped() {
        let evil = "a\u{0}\u{1b}[2J<b>\"&\u{ffff}\u{202e}\n";
        assert_eq!(super::escape(evil), "a[2J&lt;b&gt;&quot;&amp;&#10;");
    }
}

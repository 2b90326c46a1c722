//! The frame of every page: head, styles and body, with nothing that the network would have to bring.

use crate::svg::escape;

/// A whole document. `styles` and `body` are markup of our own; `title` is not.
pub(crate) fn document(title: &str, styles: &[&str], body: &[&str]) -> String {
    let room = styles
        .iter()
        .chain(body)
        .map(|part| part.len())
        .sum::<usize>();
    let mut out = String::with_capacity(room + 512);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    // By this a new report knows an old one that it may replace.
    out.push_str("<meta name=\"generator\" content=\"ioalign\">\n");
    out.push_str(&format!("<title>{}</title>\n<style>\n", escape(title)));
    out.extend(styles.iter().copied());
    out.push_str("</style>\n</head>\n<body>\n");
    out.extend(body.iter().copied());
    out.push_str("</body>\n</html>\n");
    out
}

//! Published figures beside those of the model.

use ioalign_core::simulation_document::PublishedFigures;

use super::dim;
use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};

/// Published figures and those of the model.
pub fn published(document: &PublishedFigures, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let head = format!(
        "{:4} {:>9} {:>8} {:>6}  figure",
        "", "published", "model", "within"
    );
    dim(&mut page, head);
    for row in &document.rows {
        let number = |value: f64| match row.unit.as_str() {
            "%" => format!("{value:+.1} %"),
            unit => format!("{value:.1}{unit}"),
        };
        let (style, word) = match row.hit {
            true => (Style::Plain, "hit"),
            false => (Style::Warn, "MISS"),
        };
        let within = match row.tolerance > 0.0 {
            true => format!("±{:.1}", row.tolerance),
            false => "-".to_owned(),
        };
        let numbers = format!(
            "{word:4} {:>9} {:>8} {within:>6}  ",
            number(row.published),
            number(row.simulated)
        );
        let text = format!("{}: {}", row.array, row.what);
        let indent = " ".repeat(32);
        page.put(&numbers, &indent, 0, &[TextSpan::new(style, text)]);
    }
    let misses = document.rows.iter().filter(|row| !row.hit).count();
    let summary = format!(
        "{} of {} hit; rows with a mechanical model and a gain are off by {:.1} points on average",
        document.rows.len() - misses,
        document.rows.len(),
        document.mean_error_points
    );
    page.blank();
    page.put("", "", 2, &[TextSpan::new(Style::Strong, summary)]);
    if options.verbose() {
        for row in &document.rows {
            let text = match row.note.as_str() {
                "" => format!("{}: {}. From: {}", row.array, row.what, row.source),
                note => format!("{}: {} ({note}). From: {}", row.array, row.what, row.source),
            };
            dim(&mut page, text);
        }
    }
    page.finish()
}

//! What the drive's own counters say of the writes of each arm.

use ioalign_core::comparison::Comparison;

use super::super::amplification;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};

pub fn put(page: &mut TextPage, comparison: &Comparison) {
    for one in &comparison.write_amplification {
        page.blank();
        let title = TextSpan::new(Style::Strong, amplification::title(one));
        page.put("", "", 2, &[title]);
        let mut table = TextTable::new(1, &amplification::HEAD);
        for row in amplification::rows(one) {
            table.row(Style::Plain, row.to_vec());
        }
        if !table.is_empty() {
            table.put(page);
        }
        for note in amplification::notes(one) {
            page.put("  ", "  ", 2, &[TextSpan::new(Style::Dim, note)]);
        }
    }
    if let Some(caveat) = amplification::caveat(&comparison.write_amplification) {
        page.put("  ", "  ", 2, &[TextSpan::new(Style::Dim, caveat)]);
    }
}

//! Placement policies beside each other.

use ioalign_core::numbers::{percent, times};
use ioalign_core::simulation_document::PlacementDocument;

use super::dim;
use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage};

/// Where clusters keep data.
pub fn placement(document: &PlacementDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    let head = [
        format!("{} nodes", document.nodes),
        "hops/read".to_owned(),
        "hops/write".to_owned(),
        "local".to_owned(),
        "moved".to_owned(),
        "settled".to_owned(),
        "fullest".to_owned(),
        "rebuilt".to_owned(),
        "from".to_owned(),
    ];
    let head: Vec<_> = head.iter().map(String::as_str).collect();
    let mut table = TextTable::new(1, &head);
    for row in &document.rows {
        let share = |share: f64| percent(share);
        table.row(
            Style::Plain,
            vec![
                row.policy.clone(),
                format!("{:.2}", row.hops_per_read),
                format!("{:.2}", row.hops_per_write),
                share(row.local_ratio),
                share(row.local_after_move_ratio),
                share(row.local_settled_ratio),
                times(row.fullest_ratio),
                share(row.rebuilt_ratio),
                row.rebuild_sources.to_string(),
            ],
        );
    }
    table.put(&mut page);
    if options.verbose() {
        for row in &document.rows {
            let text = format!("{}: {}", row.policy, row.about);
            dim(&mut page, text);
        }
    }
    page.finish()
}

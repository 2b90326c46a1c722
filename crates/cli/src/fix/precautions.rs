//! Warnings before a plan is applied.

use ioalign_core::shell;
use ioalign_repair::fix::RepairPlan;

use super::room::FixRoom;
use super::{FixPage, place};
use crate::args::FixArgs;

/// Sentences without a full stop, the weightiest first.
pub fn of(page: &FixPage<'_>, plan: &RepairPlan) -> Vec<String> {
    if plan.is_empty() || page.arguments.output.is_some() {
        return Vec::new();
    }
    let mut all = vec![
        "back it up first: no crash loses a byte, a failing disk does".to_owned(),
        "until it has ended, do not mount it, repair it or boot from it: nothing in it is whole"
            .to_owned(),
        unfinished(page.arguments),
    ];
    all.extend(page.room.and_then(FixRoom::growth));
    all
}

/// The whole commands are printed when it has happened.
fn unfinished(arguments: &FixArgs) -> String {
    let place = place::journal(arguments);
    let place = place.map_or_else(|_| String::new(), |path| format!(" {}", shell::path(&path)));
    format!(
        "after a kill or a power cut a marker takes the place of the table, and the journal{place} \
         has the state: --resume continues, --rollback undoes the move"
    )
}

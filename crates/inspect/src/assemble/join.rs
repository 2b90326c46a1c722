//! Joins members that belong together into arrays and groups.

use std::collections::BTreeMap;

use super::{Assembly, MOST_DEPTH, Part};
use crate::volumes::Detail;

impl Assembly<'_> {
    /// Joins all sets that are waiting; false when there was none.
    pub(super) fn join_sets(&mut self) -> bool {
        let parts = std::mem::take(&mut self.parts);
        let mut sets: BTreeMap<(bool, String), Vec<Part>> = BTreeMap::new();
        for part in parts {
            let md = matches!(part.member.detail, Detail::Md(_));
            sets.entry((md, part.member.set.clone()))
                .or_default()
                .push(part);
        }
        let found = !sets.is_empty();
        for ((md, _), parts) in sets {
            let depth = parts.iter().map(|part| part.depth).max().unwrap_or(0) + 1;
            if depth >= MOST_DEPTH {
                continue;
            }
            if md {
                self.add_array(&parts, depth);
            } else {
                self.add_group(&parts, depth);
            }
        }
        found
    }
}

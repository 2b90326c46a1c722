//! Joins members that belong together into arrays and groups.

use std::collections::BTreeMap;

use super::{Assembly, MOST_DEPTH, SetMember};
use crate::volumes::Detail;

impl Assembly<'_> {
    /// Joins all sets that are waiting; false when there was none.
    pub(super) fn join_sets(&mut self) -> bool {
        let mut parts = std::mem::take(&mut self.parts);
        name_sets(&mut parts);
        let mut sets: BTreeMap<(bool, String), Vec<SetMember>> = BTreeMap::new();
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

/// A PV without a copy of the metadata does not know its group; the copies on others name it.
fn name_sets(parts: &mut [SetMember]) {
    let mut known = BTreeMap::new();
    for part in parts.iter() {
        if let Detail::Lvm(lvm) = &part.member.detail
            && let Some(group) = &lvm.group
        {
            known.extend(
                group
                    .pvs
                    .iter()
                    .map(|pv| (pv.id.clone(), part.member.set.clone())),
            );
        }
    }
    for part in parts.iter_mut().filter(|part| part.member.set.is_empty()) {
        if let Detail::Lvm(lvm) = &part.member.detail
            && let Some(set) = known.get(&lvm.pv)
        {
            part.member.set.clone_from(set);
        }
    }
}

//! Volume groups whose physical volumes disagree about the logical sector.
//!
//! Arrays, and volumes that span such members, show it in sysfs; a group whose volumes each keep to
//! one sort does not, until the first one is extended or moved.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::{Bytes, LayerId};
use ioalign_core::{layer::Kind, rules};

use super::Assembly;
use crate::host::{dm, mixed};

impl Assembly<'_> {
    /// Remarks at the odd member of each mixed group, unless one of its volumes says so already.
    pub(super) fn mark_mixed_groups(&mut self) {
        for (group, members) in self.groups() {
            let sized: Vec<(LayerId, &str, Bytes)> = members
                .devices
                .iter()
                .filter_map(|id| {
                    let layer = self.stack.layer(*id);
                    Some((*id, layer.name.as_str(), layer.logical_sector?))
                })
                .collect();
            let named: Vec<_> = sized.iter().map(|(_, name, size)| (*name, *size)).collect();
            let odd = sized.iter().max_by_key(|(_, _, size)| *size).map(|m| m.0);
            let remark = mixed::judge_group(&group, &named).filter(|_| !members.said);
            if let (Some(odd), Some(remark)) = (odd, remark) {
                self.stack.layer_mut(odd).remarks.push(remark);
            }
        }
    }

    /// The devices of each group: where its labels lie, and where its volumes do.
    fn groups(&self) -> BTreeMap<String, Members> {
        let mut groups: BTreeMap<String, Members> = BTreeMap::new();
        for (_, layer) in self.stack.layers() {
            let of_group = match layer.kind {
                Kind::LvmPv => layer
                    .detail
                    .physical_volume()
                    .and_then(|volume| volume.group.clone()),
                _ => mapped_group(layer),
            };
            let Some(group) = of_group else {
                continue;
            };
            let members = groups.entry(group).or_default();
            members.said |= layer
                .remarks
                .iter()
                .any(|remark| remark.rule == rules::MIXED_LOGICAL_SECTORS);
            let below = layer.below.iter().map(|edge| edge.below);
            members
                .devices
                .extend(below.filter(|id| !self.is_of_lvm(*id)));
        }
        groups
    }

    fn is_of_lvm(&self, id: LayerId) -> bool {
        let layer = self.stack.layer(id);
        layer.kind == Kind::LvmPv || mapped_group(layer).is_some()
    }
}

#[derive(Default)]
struct Members {
    devices: BTreeSet<LayerId>,
    /// A volume that spans them has the remark.
    said: bool,
}

/// The group of a volume that device-mapper shows.
fn mapped_group(layer: &ioalign_core::Layer) -> Option<String> {
    let full = dm::lvm_name(layer.mapped.as_ref()?.lvm_name()?)?;
    full.split_once('/').map(|(group, _)| group.to_owned())
}

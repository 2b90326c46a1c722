//! Layers that have a start of their own, and where it is: what monitoring counts and code scanning
//! points at.

use std::collections::BTreeSet;

use ioalign_core::{Finding, LayerId, Map, Severity, Stack};

use crate::model::Target;

/// Deeper stacks than this are not followed; real ones have a dozen layers.
const DEEPEST: usize = 64;

/// Layers that carry data and start somewhere of their own.
///
/// A file system at byte 0 of its partition is not another start: it would be counted twice.
pub fn placed(stack: &Stack) -> impl Iterator<Item = LayerId> {
    stack
        .layers()
        .filter(|(id, layer)| layer.role.carries_data() && is_placed(stack, *id))
        .map(|(id, _)| id)
}

fn is_placed(stack: &Stack, id: LayerId) -> bool {
    stack.layer(id).below.iter().any(|edge| {
        let on_bottom = stack.layer(edge.below).below.is_empty();
        on_bottom || !matches!(edge.map, Map::Shift { start } if start.is_zero())
    })
}

/// The layer that a finding is about: the guilty one, else the one that suffers.
pub fn blamed(finding: &Finding) -> Option<LayerId> {
    finding.guilty.or(finding.layer)
}

/// The layers of a target to blame for counted findings of these severities.
pub fn faulty(target: &Target, severities: &[Severity]) -> BTreeSet<LayerId> {
    target
        .findings
        .iter()
        .filter(|finding| finding.counts() && severities.contains(&finding.severity))
        .filter_map(blamed)
        .collect()
}

/// A run of bytes in the device or file at the bottom of a stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The disk or file.
    pub bottom: LayerId,
    /// The address of the layer's first byte in it.
    pub offset: u64,
    /// How many bytes follow it there.
    pub len: Option<u64>,
}

/// The address of the first byte of `layer` at the bottom, if one map after another has it.
pub fn extent(stack: &Stack, layer: LayerId) -> Option<Extent> {
    let (mut at, mut offset) = (layer, 0_u64);
    let mut len = stack.layer(layer).size.map(ioalign_core::Bytes::get);
    for _ in 0..DEEPEST {
        let [edge] = stack.layer(at).below.as_slice() else {
            let bottom = stack.layer(at).below.is_empty().then_some(at)?;
            return Some(Extent {
                bottom,
                offset,
                len,
            });
        };
        match &edge.map {
            Map::Shift { start } => offset = offset.checked_add(start.get())?,
            Map::Linear(runs) => {
                let (to, room) = runs.resolve(offset)?;
                (offset, len) = (to, Some(len.map_or(room, |len| len.min(room))));
            }
            _ => return None,
        }
        at = edge.below;
    }
    None
}

#[cfg(test)]
mod tests {
    use ioalign_core::{Bytes, Kind, Layer, Runs};

    use super::*;

    #[test]
    fn a_start_is_followed_through_a_container() {
        let mut stack = Stack::new();
        let file = stack.push(Layer::new(Kind::Image, "a.qcow2"));
        let mut runs = Runs::new();
        runs.push(0, 5 << 16, 1 << 16);
        let disk = Layer::new(Kind::Disk, "virtual disk").on(file, Map::Linear(runs));
        let disk = stack.push(disk);
        let shift = |start| Map::Shift {
            start: Bytes::new(start),
        };
        let part = Layer::new(Kind::Partition, "p1").sized(Bytes::new(1 << 20));
        let part = stack.push(part.on(disk, shift(32256)));
        let fs = stack.push(Layer::new(Kind::Filesystem, "ext4").on(part, shift(0)));
        let found = extent(&stack, part).map(|extent| (extent.bottom, extent.offset, extent.len));
        assert_eq!(
            found,
            Some((file, (5 << 16) + 32256, Some((1 << 16) - 32256)))
        );
        assert_eq!(placed(&stack).collect::<Vec<_>>(), [disk, part]);
        assert!(!is_placed(&stack, fs));
    }
}

//! Disks and partitions whose contents are being moved.
//!
//! The readers leave a remark of [`RULE`] and the fact of the same name, and stop. Partitions that the kernel
//! or a text lists on such a disk belong to a layout that is being replaced, so nothing on it is judged.

use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::rules;
use crate::stack::Stack;

/// The rule, and the fact that a layer has: the id of the run, or nothing where that is not known.
pub const RULE: &str = rules::MOVE_IN_FLIGHT;

/// Whether a layer carries the marker, or a superblock on it is set aside.
pub fn is_in_flight(layer: &Layer) -> bool {
    layer.facts.contains_key(RULE)
}

/// All such layers.
pub fn in_flight(stack: &Stack) -> impl Iterator<Item = LayerId> {
    let marked = stack.layers().filter(|(_, layer)| is_in_flight(layer));
    marked.map(|(id, _)| id)
}

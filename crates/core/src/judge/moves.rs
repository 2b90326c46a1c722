//! Disks and partitions whose contents are being moved.
//!
//! The readers leave a remark and the run of the move, and stop. Partitions that the kernel
//! or a text lists on such a disk belong to a layout that is being replaced, so nothing on it is judged.

use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::stack::Stack;

/// Whether a layer carries the marker, or a superblock on it is set aside.
pub fn is_in_flight(layer: &Layer) -> bool {
    layer.moving.is_some()
}

/// All such layers.
pub fn in_flight(stack: &Stack) -> impl Iterator<Item = LayerId> {
    let marked = stack.layers().filter(|(_, layer)| is_in_flight(layer));
    marked.map(|(id, _)| id)
}

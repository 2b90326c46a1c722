//! The space before a place on a device: how far a partition could be moved back.

use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::stack::Stack;
use crate::units::Bytes;

/// The partitions of all devices in order, each with the end of all up to it.
pub(super) struct PartitionRoom(Vec<Taken>);

struct Taken {
    device: LayerId,
    start: Bytes,
    end: Bytes,
}

impl PartitionRoom {
    /// The space for all layers of a stack.
    pub(super) fn of(stack: &Stack) -> Self {
        let places = stack.layers().filter_map(|(_, layer)| {
            let solid = layer.kind == Kind::Partition && layer.role != Role::Extended;
            let edge = layer.below.first().filter(|_| solid)?;
            let start = edge.map.start()?;
            Some(Taken {
                device: edge.below,
                start,
                end: start.checked_add(layer.size?)?,
            })
        });
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|place| (place.device, place.start));
        let mut last = None;
        for place in &mut places {
            if let Some((device, end)) = last
                && device == place.device
            {
                place.end = place.end.max(end);
            }
            last = Some((place.device, place.end));
        }
        Self(places)
    }

    /// The end of what begins before this place on a device; 0 where nothing does.
    pub(super) fn free_from(&self, device: LayerId, place: Bytes) -> Bytes {
        let later = self
            .0
            .partition_point(|taken| (taken.device, taken.start) < (device, place));
        let before = later.checked_sub(1).and_then(|index| self.0.get(index));
        before
            .filter(|taken| taken.device == device)
            .map_or(Bytes::ZERO, |taken| taken.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Layer;
    use crate::map::Map;

    /// Every partition before a place, one by one.
    fn one_by_one(stack: &Stack, device: LayerId, place: Bytes) -> Bytes {
        let ends = stack.above(device).filter_map(|id| {
            let layer = stack.layer(id);
            let start = layer.below.first()?.map.start()?;
            let solid = layer.kind == Kind::Partition && layer.role != Role::Extended;
            (solid && start < place).then(|| start.checked_add(layer.size?))?
        });
        ends.max().unwrap_or_default()
    }

    #[test]
    fn partitions_in_any_order_are_looked_through() {
        let mut stack = Stack::new();
        let disks = ["a", "b", "empty"].map(|name| stack.push(Layer::new(Kind::Disk, name)));
        for n in 0..60_u64 {
            let start = Bytes::new(n * 7919 % 97 * 10);
            let disk = disks[usize::from(n % 3 == 0)];
            let mut layer = Layer::new(Kind::Partition, "p").on(disk, Map::Shift { start });
            layer.size = (n % 11 != 0).then(|| Bytes::new(n * 31 % 250));
            if n % 7 == 0 {
                layer.role = Role::Extended;
            }
            stack.push(layer);
        }
        let room = PartitionRoom::of(&stack);
        for disk in disks {
            for place in (0..1200).map(Bytes::new) {
                let expected = one_by_one(&stack, disk, place);
                assert_eq!(room.free_from(disk, place), expected, "{disk:?} {place}");
            }
        }
    }
}

//! The layer to blame, and what is asked of a start: against brute force.

use ioalign_core::judge::{StartDemands, missed as missed_of};
use ioalign_core::{Bytes, GridKind, Kind, Layer, LayerId, Map, Role, Stack, Tier, rules};
use proptest::prelude::*;

use super::starts::disk;
use super::{SECTOR, block, bottom, by_rule, claim, judged, shift};

#[test]
fn the_missed_are_all_data_layers_off_trusted_grids() {
    let (mut stack, partition) = disk(&[block(), block()], 63, Role::Data);
    stack.grids[1].distrust = Some("odd".into());
    let mut reserved = Layer::new(Kind::Partition, "r").on(LayerId(0), shift(9));
    reserved.role = Role::Reserved;
    stack.push(reserved);
    let missed: Vec<_> = missed_of(&stack)
        .iter()
        .map(|one| (one.layer, one.grid))
        .collect();
    assert_eq!(missed, [(partition, 0)]);
    assert_eq!(missed_of(&stack), judged(&stack).missed);
}

#[test]
fn a_grid_that_is_not_believed_asks_for_nothing() {
    let (mut stack, partition) = disk(&[block()], 63, Role::Data);
    let asked = |stack: &Stack| StartDemands::of(stack).on(LayerId(0), Some(partition));
    assert!(!asked(&stack).holds(SECTOR));
    stack.grids[0].distrust = Some("odd".into());
    assert!(asked(&stack).holds(SECTOR));
}

/// Two disks in an array, each with blocks of its own: what lies nearer is kept.
#[test]
fn of_two_claims_that_contradict_each_other_the_nearer_is_kept() {
    let (mut stack, _) = column(&[0, 1]);
    let array = LayerId(2);
    stack.grids.push(block().on(array));
    let solution = StartDemands::of(&stack).solution(array, None);
    assert_eq!((solution.kept.len(), solution.given_up.len()), (1, 1));
    assert!(solution.starts.holds(0) && !solution.starts.holds(7 * SECTOR));
}

#[test]
fn phases_are_in_the_order_of_the_grids() {
    let (mut stack, top) = column(&[0, 1]);
    stack.grids.insert(0, block().on(LayerId(1)));
    let phases = judged(&stack).phases;
    let of_top = phases.iter().filter(|one| one.layer == top);
    assert_eq!(of_top.map(|one| one.grid).collect::<Vec<_>>(), [0, 1]);
}

/// A stack of a few layers, each at a start in the one below.
fn column(starts: &[u64]) -> (Stack, LayerId) {
    let mut stack = Stack::new();
    let mut below = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    let kinds = [Kind::Partition, Kind::Md, Kind::LvmPv, Kind::LvmLv];
    for (kind, start) in kinds.into_iter().zip(starts) {
        below = stack.push(Layer::new(kind, kind.name()).on(below, shift(*start)));
    }
    (stack, below)
}

proptest! {
    #[test]
    fn the_guilty_layer_is_the_lowest_of_all_that_are_off(starts in proptest::collection::vec(0_u64..16, 1..5)) {
        let (stack, top) = column(&starts);
        let offsets: Vec<u64> = starts
            .iter()
            .scan(0, |sum, start| { *sum += start; Some(*sum % 8) })
            .collect();
        let missed = judged(&stack).missed;
        let of_top = missed.iter().find(|one| one.layer == top);
        let off = offsets.iter().rev().take_while(|offset| **offset != 0).count();
        prop_assert_eq!(of_top.map(|one| one.guilty.0), (off > 0).then(|| starts.len() + 1 - off));
    }

    #[test]
    fn a_demand_holds_where_the_data_are_on_the_grid(
        array in 0_u64..16, ahead in 0_u64..16, period in 1_u64..20, phase in 0_u64..20,
    ) {
        let size = period * SECTOR;
        let grid = claim(size, Tier::Rmw, GridKind::PhysicalBlock).at_phase(phase * SECTOR);
        let mut stack = Stack::new();
        let disk = bottom(&mut stack, Kind::Disk, "sda", &[grid]);
        let md = stack.push(Layer::new(Kind::Md, "md0").sized(Bytes::new(1 << 29)).on(disk, shift(array)));
        let partition = Layer::new(Kind::Partition, "md0p1").sized(Bytes::new(1 << 28));
        let partition = stack.push(partition.on(md, shift(100)));
        stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(ahead)));
        let demands = StartDemands::of(&stack);
        let is_on = |start: u64| (array + start) % period == phase % period;
        let (with, without) = (demands.on(md, Some(partition)), demands.on(md, None));
        let solution = demands.solution(md, Some(partition));
        prop_assert_eq!(solution.starts, with);
        prop_assert_eq!((solution.kept.len(), solution.given_up.len()), (1, 0));
        for start in 0..40 {
            prop_assert_eq!(without.holds(start * SECTOR), is_on(start));
            prop_assert_eq!(with.holds(start * SECTOR), is_on(start + ahead));
        }
    }
}

#[test]
fn an_array_of_several_has_no_start_of_its_own() {
    let mut stack = Stack::new();
    let sda = bottom(&mut stack, Kind::Disk, "sda", &[block()]);
    let sdb = bottom(&mut stack, Kind::Disk, "sdb", &[block()]);
    let partitions = [sda, sdb].map(|disk| {
        stack.push(
            Layer::new(Kind::Partition, "p")
                .sized(Bytes::new(1 << 28))
                .on(disk, shift(2048)),
        )
    });
    let [a, b] = partitions;
    let start = Bytes::new(512);
    let mirror = || Map::Mirror { start };
    stack.push(Layer::new(Kind::Md, "md0").on(a, mirror()).on(b, mirror()));
    // Its data are off by a sector on both, and no start of one partition is asked to make up for it.
    let demands = StartDemands::of(&stack);
    assert!(demands.on(sda, Some(a)).holds(0));
    // A volume that lies on it alone is asked for.
    let pv = stack.push(Layer::new(Kind::LvmPv, "pv").on(a, shift(1)));
    let demands = StartDemands::of(&stack);
    assert!(demands.on(sda, Some(a)).holds(7 * SECTOR));
    // What lies in no partition has nothing ahead of it.
    assert!(demands.on(sda, Some(pv)).holds(0));
}

#[test]
fn what_cannot_be_followed_to_a_partition_leaves_it_to_be_judged() {
    let above = |kind, role, map| {
        let (mut stack, partition) = disk(&[block()], 63, Role::Data);
        let mut layer = Layer::new(kind, "above").on(partition, map);
        layer.role = role;
        stack.push(layer);
        let found = by_rule(&stack, rules::START_MISALIGNED);
        found[0].layer == Some(partition)
    };
    let lost = || Map::Opaque("dedup".into());
    assert!(above(Kind::Volume, Role::Data, lost()));
    assert!(above(Kind::Database, Role::Data, shift(0)));
    assert!(above(Kind::Partition, Role::Reserved, shift(0)));
    assert!(!above(Kind::Volume, Role::Data, shift(0)));
}

//! Composition of layer maps: against brute force, and the cases that other tools get wrong.
#![allow(clippy::cast_possible_truncation)]

use ioalign_core::layer::Kind;
use ioalign_core::phase::phases;
use ioalign_core::units::gcd;
use ioalign_core::{Boundaries, Bytes, Grid, Layer, LayerId, Map, PhaseSet, Runs, Stack, Tier};
use proptest::prelude::*;

const KIB: u64 = 1 << 10;

fn grid(layer: LayerId, size: u64, phase: u64) -> Grid {
    Grid::new(
        layer,
        Bytes::new(size),
        Bytes::new(phase),
        Tier::Rmw,
        "test",
    )
    .unwrap()
}

fn shift(start: u64) -> Map {
    Map::Shift {
        start: Bytes::new(start),
    }
}

fn disk(stack: &mut Stack, size: u64) -> LayerId {
    stack.push(Layer::new(Kind::Disk, "sda").sized(Bytes::new(size)))
}

fn offsets(stack: &Stack, layer: LayerId, grid: &Grid) -> Vec<(u64, f64)> {
    phases(stack, layer, grid)
        .phases
        .iter()
        .map(|p| (p.offset, p.weight))
        .collect()
}

#[test]
fn lvm_repairs_a_partition_at_sector_63() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 1 << 30);
    let partition = stack.push(Layer::new(Kind::Partition, "sda1").on(disk, shift(63 * 512)));
    let pv = stack.push(Layer::new(Kind::LvmPv, "pv").on(partition, shift(2113 * 512)));
    let chunk = grid(disk, 64 * KIB, 0);
    assert_eq!(offsets(&stack, partition, &chunk), [(32256, 1.0)]);
    assert_eq!(offsets(&stack, pv, &chunk), [(0, 1.0)]);
}

#[test]
fn one_mebibyte_is_off_a_three_disk_stripe() {
    let mut stack = Stack::new();
    let array = disk(&mut stack, 1 << 30);
    let stripe = grid(array, 192 * KIB, 0);
    let at = |stack: &mut Stack, start| {
        stack.push(Layer::new(Kind::Partition, "p").on(array, shift(start)))
    };
    let mib = at(&mut stack, 1 << 20);
    let good = at(&mut stack, 3072 * 512);
    assert_eq!(offsets(&stack, mib, &stripe), [(64 * KIB, 1.0)]);
    assert_eq!(offsets(&stack, good, &stripe), [(0, 1.0)]);
}

#[test]
fn four_mebibyte_extents_meet_every_column_of_three() {
    // Scattered 4 MiB extents on a 192 KiB stripe: 4 MiB mod 192 KiB is 64 KiB.
    let mut stack = Stack::new();
    let array = disk(&mut stack, 1 << 40);
    let mut runs = Runs::new();
    for extent in 0..30_u64 {
        runs.push(extent << 22, (extent * 11 % 30) << 22, 1 << 22);
    }
    let lv = stack.push(
        Layer::new(Kind::LvmLv, "lv")
            .sized(Bytes::new(30 << 22))
            .on(array, Map::Linear(runs)),
    );
    let found = offsets(&stack, lv, &grid(array, 192 * KIB, 0));
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_dynamic_vhd_has_eight_phases() {
    let mut stack = Stack::new();
    let file = stack.push(Layer::new(Kind::Image, "a.vhd").sized(Bytes::new(1 << 30)));
    let mut runs = Runs::new();
    for block in 0..64_u64 {
        runs.push(block << 21, 2048 + 512 + block * ((2 << 20) + 512), 2 << 20);
    }
    assert_eq!(runs.iter().count(), 1);
    let guest = stack.push(
        Layer::new(Kind::Disk, "guest")
            .sized(Bytes::new(64 << 21))
            .on(file, Map::Linear(runs)),
    );
    let found = offsets(&stack, guest, &grid(file, 4096, 0));
    assert_eq!(found.len(), 8);
    assert!(
        found
            .iter()
            .all(|(offset, weight)| offset % 512 == 0 && (weight - 0.125).abs() < 1e-9)
    );
}

#[test]
fn a_jumpered_drive_wants_sector_63() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 1 << 30);
    let old = stack.push(Layer::new(Kind::Partition, "p1").on(disk, shift(63 * 512)));
    let new = stack.push(Layer::new(Kind::Partition, "p2").on(disk, shift(2048 * 512)));
    let physical = grid(disk, 4096, 3584);
    assert_eq!(offsets(&stack, old, &physical), [(0, 1.0)]);
    assert_eq!(offsets(&stack, new, &physical), [(512, 1.0)]);
}

#[test]
fn thin_volumes_know_only_their_chunk() {
    let mut stack = Stack::new();
    let array = disk(&mut stack, 1 << 40);
    let map = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(64 * KIB),
    };
    let thin = stack.push(
        Layer::new(Kind::LvmLv, "thin")
            .sized(Bytes::new(1 << 30))
            .on(array, map),
    );
    assert_eq!(offsets(&stack, thin, &grid(array, 4096, 0)), [(0, 1.0)]);
    assert_eq!(offsets(&stack, thin, &grid(array, 192 * KIB, 0)).len(), 3);
}

#[test]
fn a_rounded_start_says_only_what_all_candidates_say() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 1 << 30);
    let mut at = |low: u64, high: u64| {
        let map = Map::Within {
            low: Bytes::new(low),
            high: Bytes::new(high),
            step: Bytes::new(512),
        };
        stack.push(Layer::new(Kind::Partition, "p").on(disk, map))
    };
    // 1049 kB: 1048576 and 1049088 are both possible.
    let mixed = at(1_048_576, 1_049_088);
    let surely_off = at(1_049_088, 1_049_600);
    let one = at(1 << 20, 1 << 20);
    let physical = grid(disk, 4096, 0);
    assert!(!phases(&stack, mixed, &physical).is_known());
    assert_eq!(phases(&stack, surely_off, &physical).off_grid(), 1.0);
    assert_eq!(offsets(&stack, one, &physical), [(0, 1.0)]);
    // Candidates at distances of whole sectors agree on 512 bytes, however far apart they are.
    assert_eq!(offsets(&stack, mixed, &grid(disk, 512, 0)), [(0, 1.0)]);
}

#[test]
fn an_opaque_layer_ends_the_walk() {
    let mut stack = Stack::new();
    let disk = disk(&mut stack, 1 << 30);
    let vdo = stack.push(Layer::new(Kind::Volume, "vdo").on(disk, Map::Opaque("dedup".into())));
    assert!(!phases(&stack, vdo, &grid(disk, 4096, 0)).is_known());
}

#[test]
fn a_raid_0_of_small_chunks_on_a_coarse_grid() {
    // 4 KiB chunks over two members on a 16 KiB indirection unit: brute force over the chunks.
    let mut stack = Stack::new();
    let member = disk(&mut stack, 1 << 30);
    let map = Map::Striped {
        start: Bytes::new(1 << 20),
        chunk: Bytes::new(4096),
        data: 2,
        column: Some(1),
    };
    let array = stack.push(
        Layer::new(Kind::Md, "md0")
            .sized(Bytes::new(1 << 24))
            .on(member, map),
    );
    let found = offsets(&stack, array, &grid(member, 16384, 0));
    let mut expected = std::collections::BTreeMap::new();
    for k in (1..4096_u64).step_by(2) {
        let there = (1 << 20) + k / 2 * 4096;
        *expected
            .entry((there + (1 << 30) - k * 4096) % 16384)
            .or_insert(0_u64) += 1;
    }
    assert_eq!(found.len(), expected.len());
    assert!(
        found
            .iter()
            .all(|(offset, _)| expected.contains_key(offset)),
        "{found:?} {expected:?}"
    );
}

/// A few pieces in order of `from`, as (gap before, target, length).
fn pieces() -> impl Strategy<Value = Runs> {
    proptest::collection::vec((0_u64..5, 0_u64..200, 1_u64..20), 1..12).prop_map(|parts| {
        let mut runs = Runs::new();
        let mut from = 0;
        for (gap, to, len) in parts {
            runs.push(from + gap, to, len);
            from += gap + len;
        }
        runs
    })
}

/// Equal pieces at equal distances, which below go up or down: (piece, count, gap, first below, step below).
fn regular_pieces() -> impl Strategy<Value = Runs> {
    (1_u64..9, 3_u64..20, 0_u64..7, 1000_u64..1100, -40_i64..40).prop_map(
        |(len, count, gap, to, step)| {
            let mut runs = Runs::new();
            for i in 0..count {
                let below = to.saturating_add_signed(step * i64::try_from(i).unwrap());
                runs.push(i * (len + gap), below, len);
            }
            runs
        },
    )
}

#[test]
fn what_is_off_the_grid_is_summed_and_the_largest_part_named() {
    let set = |counts: &[(u64, u64)]| PhaseSet::from_counts(&counts.iter().copied().collect());
    let mixed = set(&[(0, 4), (512, 1), (1024, 3), (2048, 0)]);
    assert_eq!(mixed.phases.len(), 3, "no bytes, no phase");
    assert!((mixed.off_grid() - 0.5).abs() < 1e-12);
    assert_eq!(mixed.dominant_offset(), Some(1024));
    assert!(!mixed.is_aligned());
    let aligned = set(&[(0, 4)]);
    assert_eq!((aligned.off_grid(), aligned.dominant_offset()), (0.0, None));
}

#[test]
fn a_layer_without_a_size_has_all_its_pieces() {
    let mut stack = Stack::new();
    let bottom = disk(&mut stack, 4000);
    let mut runs = Runs::new();
    runs.push(0, 0, 8);
    runs.push(8, 1001, 8);
    let top = stack.push(Layer::new(Kind::LvmLv, "u").on(bottom, Map::Linear(runs)));
    let found = offsets(&stack, top, &grid(bottom, 4, 0));
    assert_eq!(found, [(0, 0.5), (1, 0.5)]);
}

#[test]
fn starts_near_the_end_of_64_bits_keep_their_remainder() {
    for (size, low, high) in [
        (4096, 5, u64::MAX - 4096),
        ((1 << 63) + 1, 1 << 63, 1 << 62),
        (u64::MAX, u64::MAX - 7, 6),
    ] {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, u64::MAX);
        let middle = stack.push(Layer::new(Kind::LvmPv, "m").on(bottom, shift(low)));
        let top = stack.push(Layer::new(Kind::Partition, "t").on(middle, shift(high)));
        let expected = (u128::from(low) + u128::from(high)) % u128::from(size);
        let expected = u64::try_from(expected).unwrap();
        assert_eq!(
            offsets(&stack, top, &grid(bottom, size, 0)),
            [(expected, 1.0)]
        );
    }
}

#[test]
fn a_start_anywhere_in_a_whole_cell_is_not_known() {
    let at = |last: u64, step: u64| {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 1 << 20);
        let map = Map::Within {
            low: Bytes::new(256),
            high: Bytes::new(256 + last),
            step: Bytes::new(step),
        };
        let top = stack.push(Layer::new(Kind::Partition, "t").on(bottom, map));
        offsets(&stack, top, &grid(bottom, 4096, 0)).len()
    };
    assert_eq!(at(3584, 512), 8, "none of them is on the grid");
    assert_eq!(at(4096, 512), 0);
    // Candidates a whole cell apart are one offset.
    assert_eq!(at(40960, 4096), 1);
    assert_eq!(at(40960, 2048), 0);
}

#[test]
fn stripes_of_nothing_lead_nowhere() {
    for (chunk, data) in [(0, 2), (4096, 0), (u64::MAX, 2)] {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 1 << 20);
        let map = Map::Striped {
            start: Bytes::ZERO,
            chunk: Bytes::new(chunk),
            data,
            column: None,
        };
        let top = stack.push(Layer::new(Kind::Md, "m").on(bottom, map));
        assert!(!phases(&stack, top, &grid(bottom, 4096, 0)).is_known());
    }
    let mut stack = Stack::new();
    let bottom = disk(&mut stack, 1 << 20);
    let map = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::ZERO,
    };
    let top = stack.push(Layer::new(Kind::LvmLv, "m").on(bottom, map));
    assert!(!phases(&stack, top, &grid(bottom, 4096, 0)).is_known());
}

#[test]
fn ways_down_count_by_their_bytes() {
    let mut stack = Stack::new();
    let bottom = disk(&mut stack, 60_000);
    let anywhere = Map::Scattered {
        start: Bytes::ZERO,
        granule: Bytes::new(1),
    };
    let both = Layer::new(Kind::LvmLv, "v")
        .sized(Bytes::new(6000))
        .on(bottom, anywhere)
        .on(bottom, shift(1));
    let top = stack.push(both);
    let found = offsets(&stack, top, &grid(bottom, 4, 0));
    assert_eq!(found, [(1, 0.625), (0, 0.125), (2, 0.125), (3, 0.125)]);
}

#[test]
fn boundaries_far_apart_share_those_of_64_bits() {
    let boundaries = |period, phase| Boundaries { period, phase };
    for (m, p, n, q) in [
        ((1 << 32) - 1, 5, 1 << 32, (1 << 32) - 1),
        ((1 << 32) + 1, 1 << 32, (1 << 32) - 1, 7),
        (1, 0, u64::MAX, u64::MAX - 1),
        (2, 1, u64::MAX, u64::MAX - 1),
        (u64::MAX, u64::MAX - 1, 1, 0),
    ] {
        let both = boundaries(m, p).shared(boundaries(n, q));
        let period = u128::from(m) * u128::from(n);
        let Some(both) = both.filter(|_| period <= u128::from(u64::MAX)) else {
            assert!(both.is_none());
            continue;
        };
        assert_eq!(u128::from(both.period), period);
        assert!(both.phase < both.period);
        assert_eq!((both.phase % m, both.phase % n), (p % m, q % n));
    }
}

/// Maps within maps, of which each byte may lie at each of 4096 offsets in the next.
fn hostile() -> (Stack, LayerId, LayerId) {
    let mut stack = Stack::new();
    let bottom = disk(&mut stack, 1 << 40);
    let mut top = bottom;
    for _ in 0..6 {
        let map = Map::Scattered {
            start: Bytes::ZERO,
            granule: Bytes::new(1),
        };
        top = stack.push(Layer::new(Kind::LvmLv, "v").on(top, map));
    }
    (stack, bottom, top)
}

#[test]
fn maps_without_an_end_are_followed_for_a_while_only() {
    let (stack, bottom, top) = hostile();
    assert!(phases(&stack, top, &grid(bottom, 4096, 0)).is_known());
}

#[test]
fn candidates_that_were_not_all_followed_claim_nothing() {
    let (mut stack, bottom, top) = hostile();
    let map = Map::Within {
        low: Bytes::ZERO,
        high: Bytes::ZERO,
        step: Bytes::new(512),
    };
    let start = stack.push(Layer::new(Kind::Partition, "t").on(top, map));
    assert!(!phases(&stack, start, &grid(bottom, 4096, 0)).is_known());
}

/// Of a stripe over members, and of a start within the array: every chunk of two whole periods.
fn by_chunk(
    (chunk, data, start): (u64, u64, u64),
    column: Option<u64>,
    first: u64,
    size: u64,
) -> PhaseSet {
    let mut counts = std::collections::BTreeMap::new();
    let from = first / chunk;
    for k in from..from + 2 * data * size {
        if column.is_none_or(|column| k % data == column) {
            // Bytes of the layer above lie `first` earlier than in the array.
            let there = start + k / data * chunk + first + chunk * size * (k + 1);
            *counts.entry((there - k * chunk) % size).or_insert(0) += chunk;
        }
    }
    PhaseSet::from_counts(&counts)
}

proptest! {
    #[test]
    fn composition_is_associative(a in pieces(), b in pieces(), c in pieces()) {
        let left = a.then(&b).then(&c);
        let right = a.then(&b.then(&c));
        for address in 0..300 {
            prop_assert_eq!(left.resolve(address).map(|r| r.0), right.resolve(address).map(|r| r.0));
        }
    }

    #[test]
    fn composition_is_application(a in pieces(), b in pieces()) {
        let both = a.then(&b);
        for address in 0..300 {
            let one_by_one = a.resolve(address).and_then(|(there, _)| b.resolve(there)).map(|r| r.0);
            prop_assert_eq!(both.resolve(address).map(|r| r.0), one_by_one);
        }
    }

    #[test]
    fn phases_are_what_every_byte_says(
        a in pieces(), b in pieces(), size in 1_u64..40, phase in 0_u64..40, start in 0_u64..30,
    ) {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 1000);
        let middle = stack.push(Layer::new(Kind::LvmPv, "m").sized(Bytes::new(1000)).on(bottom, Map::Linear(b.clone())));
        let upper = stack.push(Layer::new(Kind::LvmLv, "u").sized(Bytes::new(1000)).on(middle, Map::Linear(a.clone())));
        let top = stack.push(Layer::new(Kind::Partition, "t").sized(Bytes::new(120)).on(upper, shift(start)));
        let grid = grid(bottom, size, phase);
        let mut counts = std::collections::BTreeMap::new();
        for address in 0..120_u64 {
            let lower = a.resolve(address + start).and_then(|(there, _)| b.resolve(there));
            if let Some((there, _)) = lower {
                let offset = (there + 40 * size - address % size - phase % size) % size;
                *counts.entry(offset).or_insert(0) += 1;
            }
        }
        prop_assert_eq!(phases(&stack, top, &grid), ioalign_core::PhaseSet::from_counts(&counts));
    }

    #[test]
    fn regular_pieces_are_what_every_byte_says(
        runs in regular_pieces(), size in 1_u64..40, phase in 0_u64..40, start in 0_u64..120, len in 1_u64..250,
    ) {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 4000);
        let upper = stack.push(Layer::new(Kind::LvmLv, "u").sized(Bytes::new(400)).on(bottom, Map::Linear(runs.clone())));
        let top = stack.push(Layer::new(Kind::Partition, "t").sized(Bytes::new(len)).on(upper, shift(start)));
        let mut counts = std::collections::BTreeMap::new();
        for address in 0..len {
            if let Some((there, _)) = runs.resolve(address + start) {
                let offset = (there + 40 * size - address % size - phase % size) % size;
                *counts.entry(offset).or_insert(0) += 1;
            }
        }
        prop_assert_eq!(phases(&stack, top, &grid(bottom, size, phase)), PhaseSet::from_counts(&counts));
    }

    #[test]
    fn regular_pieces_on_other_pieces_are_what_every_byte_says(
        upper in regular_pieces(), lower in regular_pieces(), size in 1_u64..40, start in 0_u64..120, len in 1_u64..250,
    ) {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 4000);
        let on = |below, runs: &Runs| Layer::new(Kind::LvmLv, "v").sized(Bytes::new(400)).on(below, Map::Linear(runs.clone()));
        let middle = stack.push(on(bottom, &lower));
        let above = stack.push(on(middle, &upper));
        let top = stack.push(Layer::new(Kind::Partition, "t").sized(Bytes::new(len)).on(above, shift(start)));
        let mut counts = std::collections::BTreeMap::new();
        for address in 0..len {
            let there = upper.resolve(address + start).and_then(|(there, _)| lower.resolve(there));
            if let Some((there, _)) = there {
                *counts.entry((there + 40 * size - address % size) % size).or_insert(0) += 1;
            }
        }
        prop_assert_eq!(phases(&stack, top, &grid(bottom, size, 0)), PhaseSet::from_counts(&counts));
    }

    #[test]
    fn stripes_on_pieces_are_what_every_byte_says(
        lower in pieces(), chunk in 1_u64..12, data in 1_u64..5, member in 0_u64..5, begins in 0_u64..20,
        first in 0_u64..6, stripes in 1_u64..6, size in 1_u64..12,
    ) {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 4000);
        let part = stack.push(Layer::new(Kind::LvmLv, "l").sized(Bytes::new(400)).on(bottom, Map::Linear(lower.clone())));
        let column = member % data;
        let map = Map::Striped { start: Bytes::new(begins), chunk: Bytes::new(chunk), data, column: Some(column) };
        let array = stack.push(Layer::new(Kind::Md, "md0").sized(Bytes::new(400)).on(part, map));
        // Whole stripes, and no more of them than it takes to repeat.
        let width = chunk * data;
        let stripes = if chunk % size == 0 { stripes } else { stripes.min(size / gcd(chunk, size)) };
        let (from, len) = (first * width, stripes * width);
        let top = stack.push(Layer::new(Kind::Partition, "t").sized(Bytes::new(len)).on(array, shift(from)));
        let mut counts = std::collections::BTreeMap::new();
        for address in from..from + len {
            let there = begins + address / width * chunk + address % chunk;
            if let Some((there, _)) = lower.resolve(there).filter(|_| address / chunk % data == column) {
                *counts.entry((there + from + 4000 * size - address) % size).or_insert(0) += 1;
            }
        }
        prop_assert_eq!(phases(&stack, top, &grid(bottom, size, 0)), PhaseSet::from_counts(&counts));
    }

    #[test]
    fn stripes_are_what_every_chunk_says(
        chunk in 1_u64..40, data in 1_u64..6, begins in 0_u64..100, rotates in any::<bool>(), member in 0_u64..6,
        first in 0_u64..300, size in 1_u64..60,
    ) {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 1 << 20);
        let column = (!rotates).then_some(member % data);
        let map = Map::Striped { start: Bytes::new(begins), chunk: Bytes::new(chunk), data, column };
        let array = stack.push(Layer::new(Kind::Md, "md0").sized(Bytes::new(1 << 20)).on(bottom, map));
        let len = Bytes::new(2 * chunk * data * size);
        let top = stack.push(Layer::new(Kind::Partition, "t").sized(len).on(array, shift(first)));
        let found = phases(&stack, top, &grid(bottom, size, 0));
        prop_assert_eq!(found, by_chunk((chunk, data, begins), column, first, size));
    }

    #[test]
    fn what_lies_anywhere_has_every_remainder_of_its_granule(
        granule in 1_u64..60, begins in 0_u64..100, size in 1_u64..60, phase in 0_u64..60,
    ) {
        let mut stack = Stack::new();
        let bottom = disk(&mut stack, 1 << 20);
        let map = Map::Scattered { start: Bytes::new(begins), granule: Bytes::new(granule) };
        let top = stack.push(Layer::new(Kind::LvmLv, "t").sized(Bytes::new(1 << 20)).on(bottom, map));
        let mut counts = std::collections::BTreeMap::new();
        for place in 0..size {
            let offset = (begins + place * granule + size - phase % size) % size;
            counts.insert(offset, 1);
        }
        prop_assert_eq!(phases(&stack, top, &grid(bottom, size, phase)), PhaseSet::from_counts(&counts));
    }

    #[test]
    fn the_meet_of_two_grids_is_on_both(m in 1_u64..5000, p in 0_u64..5000, n in 1_u64..5000, q in 0_u64..5000) {
        let (p, q) = (p % m, q % n);
        let boundaries = |period, phase| Boundaries { period, phase };
        match boundaries(m, p).shared(boundaries(n, q)) {
            Some(Boundaries { period, phase }) => {
                prop_assert_eq!(period, ioalign_core::units::lcm(m, n).unwrap());
                prop_assert!(phase < period);
                prop_assert_eq!(phase % m, p);
                prop_assert_eq!(phase % n, q);
            }
            None => prop_assert!((0..m * n).step_by(m as usize).all(|k| (k + p) % n != q)),
        }
    }

    #[test]
    fn boundaries_may_be_given_by_a_later_one(m in 1_u64..500, p in 0_u64..2000, n in 1_u64..500, q in 0_u64..2000) {
        let boundaries = |period, phase| Boundaries { period, phase };
        let reduced = boundaries(m, p % m).shared(boundaries(n, q % n));
        prop_assert_eq!(boundaries(m, p).shared(boundaries(n, q)), reduced);
    }

    #[test]
    fn grids_hold_to_the_end_of_64_bits(size in 1_u64.., phase in any::<u64>(), address in any::<u64>()) {
        let grid = grid(LayerId(0), size, phase);
        let offset = grid.offset_of(Bytes::new(address)).get();
        prop_assert!(offset < size);
        let exact = (i128::from(address) - i128::from(phase % size)).rem_euclid(i128::from(size));
        prop_assert_eq!(i128::from(offset), exact);
    }
}

//! Layouts against every layout there is.

use ioalign_core::Boundaries;
use ioalign_repair::layout::{BlockShift, LayoutAim, MovableBlock, least, least_of};
use proptest::prelude::*;

const END: u64 = 40;

fn block(number: u32, start: u64, size: u64, grid: Option<(u64, u64)>) -> MovableBlock {
    MovableBlock {
        number,
        start,
        size,
        ahead: 0,
        within: (1, END),
        grid: grid.map(|(period, phase)| Boundaries { period, phase }),
        fixed: false,
    }
}

#[test]
fn the_disk_of_the_realign_scenario_moves_left_by_two_sectors() {
    // p3 of util-linux 848: 772305026 → 772305024, two free sectors before it.
    let sector = 512;
    let p3 = MovableBlock {
        within: (34 * sector, 976_773_134 * sector),
        ..block(
            3,
            772_305_026 * sector,
            200_000_000 * sector,
            Some((4096, 0)),
        )
    };
    let p2 = MovableBlock {
        within: p3.within,
        ..block(2, 2048 * sector, 772_302_976 * sector, Some((4096, 0)))
    };
    let shifts = least(&[p2, p3]).unwrap();
    let [only] = shifts.as_slice() else {
        panic!("{shifts:?}")
    };
    assert_eq!((only.number, only.to), (3, 772_305_024 * sector));
}

#[test]
fn neighbours_make_way_from_the_far_end_on() {
    // To the right by three each: there is no room to lay them side by side elsewhere.
    let short = |number, start| MovableBlock {
        within: (1, 30),
        ..block(number, start, 8, Some((4, 0)))
    };
    let shifts = least(&[short(1, 1), short(2, 9), short(3, 17)]).unwrap();
    let moves: Vec<_> = shifts
        .iter()
        .map(|shift| (shift.number, shift.to))
        .collect();
    assert_eq!(moves, [(3, 20), (2, 12), (1, 4)]);
}

#[test]
fn no_room_is_an_answer() {
    assert_eq!(least(&[block(1, 1, 39, Some((4, 0)))]), None);
    let stays = MovableBlock {
        fixed: true,
        ..block(2, 9, 31, None)
    };
    assert_eq!(least(&[block(1, 1, 8, Some((4, 0))), stays]), None);
}

/// What a layout costs: bytes, and the sum of the ways.
type Cost = (u64, u64);

fn cost(block: &MovableBlock, at: u64, aim: LayoutAim) -> Cost {
    let apart = at.abs_diff(block.start);
    let times = match aim {
        _ if apart == 0 => 0,
        LayoutAim::Written if apart < block.size => 2,
        _ => 1,
    };
    (block.size * times, apart)
}

fn sum(one: Cost, other: Cost) -> Cost {
    (one.0 + other.0, one.1 + other.1)
}

/// The cost of the best of all layouts that keep the order.
fn best(blocks: &[MovableBlock], from: u64, aim: LayoutAim) -> Option<Cost> {
    let Some((block, rest)) = blocks.split_first() else {
        return Some((0, 0));
    };
    let good = |at: &u64| {
        let on = block.grid.is_none_or(|grid| at % grid.period == grid.phase);
        if block.fixed { *at == block.start } else { on }
    };
    (from + block.ahead..=END.saturating_sub(block.size))
        .filter(good)
        .filter_map(|at| {
            let own = cost(block, at, aim);
            best(rest, at + block.size, aim).map(|cost| sum(cost, own))
        })
        .min()
}

fn total(blocks: &[MovableBlock], shifts: &[BlockShift], aim: LayoutAim) -> Cost {
    let one = |shift: &BlockShift| {
        let mut blocks = blocks.iter();
        let block = blocks.find(|block| block.number == shift.number);
        cost(block.unwrap(), shift.to, aim)
    };
    shifts.iter().map(one).fold((0, 0), sum)
}

fn blocks() -> impl Strategy<Value = Vec<MovableBlock>> {
    let one = (
        0_u64..4,
        1_u64..9,
        0_u64..3,
        prop_oneof![Just(1_u64), Just(3), Just(4)],
        0_u8..8,
    );
    proptest::collection::vec(one, 1..5).prop_map(|all| {
        let mut at = 1;
        let mut blocks = Vec::new();
        for (number, (gap, size, ahead, period, fixed)) in (1..).zip(all) {
            at += gap + ahead;
            if at + size > END {
                break;
            }
            let grid = (period > 1).then_some((period, 0));
            blocks.push(MovableBlock {
                ahead,
                fixed: fixed == 0,
                ..block(number, at, size, grid)
            });
            at += size;
        }
        blocks
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn no_layout_is_cheaper(blocks in blocks()) {
        let found = |aim| {
            let ours = least_of(&blocks, aim);
            ours.map(|shifts| total(&blocks, &shifts, aim))
        };
        prop_assert_eq!(found(LayoutAim::Moved), best(&blocks, 1, LayoutAim::Moved));
        // Of those that write equally little a near one is taken, if not always the nearest.
        let bytes = |cost: Option<Cost>| cost.map(|(bytes, _)| bytes);
        let written = LayoutAim::Written;
        prop_assert_eq!(bytes(found(written)), bytes(best(&blocks, 1, written)));
    }

    #[test]
    fn the_order_overwrites_nothing(blocks in blocks()) {
        let mut disk = [0; 64];
        for block in &blocks {
            disk[place(block.start, block.size)].fill(block.number);
        }
        for shift in least(&blocks).unwrap_or_default() {
            prop_assert!(disk[place(shift.from, shift.size)].iter().all(|cell| *cell == shift.number));
            disk[place(shift.from, shift.size)].fill(0);
            disk[place(shift.to, shift.size)].fill(shift.number);
        }
        for block in &blocks {
            let count = disk.iter().filter(|cell| **cell == block.number).count() as u64;
            prop_assert_eq!(count, block.size);
        }
    }
}

fn place(start: u64, size: u64) -> std::ops::Range<usize> {
    let index = |at: u64| usize::try_from(at).unwrap();
    index(start)..index(start + size)
}

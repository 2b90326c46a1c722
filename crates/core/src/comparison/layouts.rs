//! Layouts as arms: where a target lay, or would lie, becomes an offset in it with the same phase.

use super::{Arm, Comparison};

/// What the phase of a layout is kept to, where its start itself lies before that of the target. A power of two.
pub const LAYOUT_PHASE: u64 = 1 << 20;

/// The names of the layouts of two times.
const THEN: &str = "before";
const NOW: &str = "now";

/// The offset in a target that begins at `begins`, at which I/O has the phase of `start` on the disk.
pub const fn offset_of(start: u64, begins: u64) -> u64 {
    match start.checked_sub(begins) {
        Some(offset) => offset,
        None => start.wrapping_sub(begins) % LAYOUT_PHASE,
    }
}

impl Comparison {
    /// Where its baseline began on the disk at the bottom.
    pub fn began(&self) -> Option<u64> {
        let arm = self.arms.first()?;
        arm.start_bytes?.checked_sub(arm.offset_bytes)
    }

    /// The layouts of then, which this comparison measured, and of now, as arms on a target that begins at `now`;
    /// `None` where one of the two is not known, or both have one phase. What was measured without an offset is
    /// called by the name of the arm of now from then on: it is the target as it lay.
    pub fn arms_then_and_now(&mut self, now: Option<u64>) -> Option<Vec<Arm>> {
        let (then, now) = (self.began()?, now?);
        if then % LAYOUT_PHASE == now % LAYOUT_PHASE {
            return None;
        }
        let plain = self.arms.iter().find(|arm| arm.offset_bytes == 0);
        for level in self.cells.iter_mut().flat_map(|cell| &mut cell.levels) {
            if plain.is_some_and(|arm| arm.name == level.arm) {
                NOW.clone_into(&mut level.arm);
            }
        }
        let arm = |name: &str, offset| Arm {
            name: name.to_owned(),
            offset_bytes: offset,
            start_bytes: Some(now + offset),
            ..Arm::default()
        };
        let offset = offset_of(then, now) % LAYOUT_PHASE;
        Some(vec![arm(THEN, offset), arm(NOW, 0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{ArmLevel, Cell};

    fn saved(start: Option<u64>) -> Comparison {
        let arm = Arm {
            name: "+0".to_owned(),
            start_bytes: start,
            ..Arm::default()
        };
        let level = ArmLevel {
            arm: "+0".to_owned(),
            ..ArmLevel::default()
        };
        let cell = Cell {
            levels: vec![level],
            ..Cell::default()
        };
        Comparison {
            arms: vec![arm],
            cells: vec![cell],
            ..Comparison::default()
        }
    }

    #[test]
    fn the_layout_of_then_is_an_arm() {
        let mut then = saved(Some(32256));
        let arms = then.arms_then_and_now(Some(1 << 20)).unwrap();
        assert_eq!(arms[0].name, "before");
        assert_eq!(arms[0].start_bytes.unwrap() % LAYOUT_PHASE, 32256);
        assert_eq!(
            (arms[1].offset_bytes, arms[1].start_bytes),
            (0, Some(1 << 20))
        );
        assert_eq!(then.cells[0].levels[0].arm, "now");
    }

    #[test]
    fn what_did_not_move_has_numbers_of_two_times_only() {
        let none = |start, now| saved(start).arms_then_and_now(now).is_none();
        assert!(none(Some(32256), Some(32256)));
        assert!(none(Some(1 << 20), Some(3 << 20)));
        assert!(none(None, Some(0)));
        assert!(none(Some(0), None));
    }

    #[test]
    fn a_layout_keeps_its_phase() {
        assert_eq!(offset_of(32256, 0), 32256);
        assert_eq!(offset_of(2 << 20, 1 << 20), 1 << 20);
        // Sector 63 behind a partition that starts at 1 MiB, and the other way round.
        assert_eq!(
            (offset_of(32256, 1 << 20) + (1 << 20)) % LAYOUT_PHASE,
            32256
        );
        assert_eq!((offset_of(1 << 20, 32256) + 32256) % LAYOUT_PHASE, 0);
    }
}

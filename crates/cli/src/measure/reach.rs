//! Usual offsets that a target does not take: 512 bytes, past the page cache, on sectors of 4 KiB.

use std::sync::Arc;

use ioalign_core::Bytes;
use ioalign_core::comparison::Arm;
use ioalign_device::Target;

use super::arms::{self, Arms};

/// The sector by which the usual offsets count: 1, 3 and 63 of them.
const SECTOR: u64 = 512;

/// The arms as the targets accept them, and notes about the change. Typed arms stay unchanged.
pub fn reachable(arms: &Arms, targets: &[Arc<Target>]) -> (Vec<Arm>, Option<String>) {
    let direct = targets.iter().filter_map(|target| target.direct());
    let unit = direct.map(|direct| direct.offset_bytes).max();
    match unit {
        Some(unit) if arms.are_usual => in_units(&arms.list, unit),
        _ => (arms.list.clone(), None),
    }
}

/// The same numbers of sectors, counted in `unit` where one of 512 bytes cannot be reached.
fn in_units(usual: &[Arm], unit: u64) -> (Vec<Arm>, Option<String>) {
    let (within, beyond): (Vec<_>, Vec<_>) = usual
        .iter()
        .partition(|arm| arm.offset_bytes.is_multiple_of(unit));
    if beyond.is_empty() {
        return (usual.to_vec(), None);
    }
    let mut list: Vec<Arm> = within.into_iter().cloned().collect();
    let mut instead = Vec::new();
    for arm in &beyond {
        let begins = arm.start_bytes.map(|start| start - arm.offset_bytes);
        let offset = (arm.offset_bytes / SECTOR).saturating_mul(unit);
        if list.iter().all(|known| known.offset_bytes != offset) {
            list.push(arms::at(offset, begins));
            instead.push(format!("+{offset}"));
        }
    }
    let left_out = beyond.iter().map(|arm| format!("+{}", arm.offset_bytes));
    let note = format!(
        "{} cannot be reached past the page cache, which takes multiples of {} here, and is left out; in its place: {}. \
         Only blocks larger than that can be misaligned on this target: --sizes 16k,64k",
        left_out.collect::<Vec<_>>().join(", "),
        Bytes::new(unit),
        instead.join(", "),
    );
    (list, Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual(offsets: &[u64]) -> Vec<Arm> {
        offsets.iter().map(|one| arms::at(*one, Some(0))).collect()
    }

    #[test]
    fn sectors_of_4_kib_have_offsets_of_their_own() {
        let usual = usual(&[0, 512, 1536, 32256]);
        let (list, note) = in_units(&usual, 4096);
        let offsets: Vec<_> = list.iter().map(|arm| arm.offset_bytes).collect();
        assert_eq!(offsets, [0, 4096, 12288, 258_048]);
        assert_eq!(list[3].start_bytes, Some(258_048));
        let note = note.unwrap();
        assert!(
            note.contains("+512, +1536, +32256 cannot") && note.contains("4 KiB"),
            "{note}"
        );
        assert_eq!(in_units(&usual, 512), (usual, None));
    }
}

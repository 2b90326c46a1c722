//! Swap with a hibernated system in it. Swap itself is indifferent to its place, and so are `resume=` by
//! number, UUID or PARTUUID and `resume_offset=`, which counts from the start of the partition. A system
//! that sleeps is not: it wakes with the old table in memory and writes by it.

use super::Consequence;
use super::survey::Survey;

/// Pages of the machines that run Linux; the signature ends the first one.
const PAGES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
const SIGNATURE: u64 = 10;
/// What a suspended system writes over the signature.
const SUSPENDED: [&[u8]; 5] = [
    b"S1SUSPEND",
    b"S2SUSPEND",
    b"ULSUSPEND",
    b"LINHIB0001",
    b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c",
];

/// Looks at all partitions: which of them moves does not matter.
pub fn read(survey: &mut Survey<'_>) {
    for slot in survey.data() {
        for page in PAGES.into_iter().filter(|page| *page <= slot.size) {
            let at = slot.start.saturating_add(page - SIGNATURE);
            let words = survey.read(at, 10).unwrap_or_default();
            if SUSPENDED.iter().any(|word| words.starts_with(word)) {
                let what = "the swap space holds a hibernated system, which wakes with the old table in memory \
                            and writes where partitions were";
                let advice = "start that system and shut it down, or give up its image (mkswap)";
                let number = Some(slot.number);
                survey.add(Consequence::refused(number, what).advised(advice));
            }
        }
    }
}

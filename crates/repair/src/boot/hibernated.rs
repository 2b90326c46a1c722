//! Systems that are hibernated: they wake with the old table in memory and write by it.
//!
//! Swap itself is indifferent to its place, and so are `resume=` by number, UUID or PARTUUID and `resume_offset=`,
//! which counts from the start of the partition. Windows keeps its image in a file, which it also writes when it is
//! shut down for a fast startup.

use super::Consequence;
use super::survey::BootSurvey;
use crate::content::ntfs::NtfsVolume;

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
/// The image of Windows, in the root directory.
const IMAGE: &str = "hiberfil.sys";

/// Looks at all partitions: which of them moves does not matter.
pub fn read(survey: &mut BootSurvey<'_>) {
    for slot in survey.data() {
        for page in PAGES.into_iter().filter(|page| *page <= slot.size) {
            let at = slot.start.saturating_add(page - SIGNATURE);
            let words = survey.read(at, 10).unwrap_or_default();
            if SUSPENDED.iter().any(|word| words.starts_with(word)) {
                let what = "the swap space holds a hibernated system, which wakes with the old table in memory \
                            and writes where partitions were";
                let advice = "start that system and shut it down, or give up its image (mkswap)";
                survey.add(Consequence::refused(Some(slot.number), what).advised(advice));
            }
        }
        let mut part = survey.part(&slot);
        let volume = NtfsVolume::open(&mut part);
        let head = volume.and_then(|volume| volume.head_of(&mut part, IMAGE));
        if head.is_some_and(|head| matches!(&head, b"hibr" | b"HIBR")) {
            let what = "Windows is hibernated, or was shut down for a fast startup: it wakes with the old table and \
                        its volumes in memory";
            let advice =
                "start it and shut it down for good: `shutdown /s /t 0`, or restart and switch off";
            survey.add(Consequence::refused(Some(slot.number), what).advised(advice));
        }
    }
}

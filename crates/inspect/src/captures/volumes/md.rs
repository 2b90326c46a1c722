//! What the readers of md's outputs share: levels, layouts and chunks in mdadm's words.

use ioalign_core::Bytes;

use crate::captures::reading::leading;
use crate::volumes::md::geometry::level_number;
use crate::volumes::md::layout::layout_number;

/// md's number for `raid5`, `linear`; also `5` and `RAID5`.
pub(super) fn level(word: &str) -> Option<i32> {
    let word = word.split_whitespace().next()?.to_ascii_lowercase();
    let known = level_number(&word);
    known.or_else(|| level_number(&format!("raid{word}")))
}

/// The layout word of `left-symmetric`, `near=2`; mdadm before 3.0 prints `near=2, far=1`.
pub(super) fn layout(level: i32, name: Option<&str>) -> Option<u32> {
    layout_number(level, name?.trim())
}

/// `64K`: mdadm and the kernel print whole KiB.
pub(super) fn chunk(text: &str) -> Option<Bytes> {
    let count = leading(text)?;
    let unit = text.trim().trim_start_matches(|c: char| c.is_ascii_digit());
    let unit = match unit.trim().chars().next() {
        Some('k' | 'K') => 1 << 10,
        Some('m' | 'M') => 1 << 20,
        Some('g' | 'G') => 1 << 30,
        // `Chunk Size : 128 sectors` of DDF.
        Some('s') => 512,
        _ => return None,
    };
    Bytes::new(count).checked_mul(unit)
}

/// `2048 sectors`, or of older mdadm `2048 (1.00 MiB 1.05 MB)`: 512-byte sectors either way.
pub(super) fn sectors(text: &str) -> Option<Bytes> {
    Bytes::new(512).checked_mul(leading(text)?)
}

/// A size in KiB: `1048448 (1023.88 MiB 1073.61 MB)`.
pub(super) fn kib(text: &str) -> Option<Bytes> {
    Bytes::KIB.checked_mul(leading(text)?)
}

/// The UUID before anything in parentheses.
pub(super) fn uuid(text: &str) -> String {
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

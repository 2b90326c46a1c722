//! `optimal_io_size`: a stripe width when it is true, and the hint that is wrong most often.

use ioalign_core::numbers::about;
use ioalign_core::{Bytes, Confidence, GridKind, Remark, Tier, rules};

use super::{HintJudge, Transport, Voice, known};

/// Legal optimal sizes above this make small partitions impossible (blivet#228: 64 and 256 MiB).
const HUGE: u64 = 16 << 20;
/// Counts of 2^k − 1 sectors from k = 10 up are transfer limits, not stripes.
const LEAST_LIMIT_BITS: u32 = 10;
/// Nothing optimal is off the page.
const PAGE: u64 = 4096;

/// From here on a page fault that reads ahead takes longer than any saving.
const LARGE_READ_AHEAD: u64 = 4 << 20;

const OPTIMAL: &str = "optimal_io_size";

pub(super) fn judge(bench: &mut HintJudge<'_>) {
    let Some(optimal) = known(bench.claims.optimal) else {
        return;
    };
    read_ahead(bench, optimal);
    let physical = bench.claims.physical_or_logical();
    let minimum = known(bench.claims.minimum).unwrap_or(physical);
    if let Some(why) = bogus(optimal, bench.claims.logical_or_512(), physical, minimum) {
        let source = bench.claims.attribute(OPTIMAL);
        return bench.distrust(optimal, Tier::Preference, GridKind::OptimalIo, &source, why);
    }
    if optimal <= minimum.max(physical) {
        return;
    }
    let voice = voice(bench, optimal);
    bench.grid(optimal, Tier::Preference, GridKind::OptimalIo, voice);
}

fn voice(bench: &mut HintJudge<'_>, optimal: u64) -> Voice {
    let source = bench.claims.attribute(OPTIMAL);
    if optimal > HUGE {
        bench.remark(huge(optimal));
        return Voice::reported(&source, Confidence::Low);
    }
    match bench.claims.transport {
        // Linux takes it from NOWS; TLC drives report large ones that mean throughput only.
        Transport::Nvme => Voice::reported(
            &format!("NOWS ({source}): a preference, no claim about the indirection unit"),
            Confidence::Low,
        ),
        Transport::Usb | Transport::Loop => Voice::reported(&source, Confidence::Low),
        _ => Voice::reported(&source, Confidence::Medium),
    }
}

/// Why the value cannot be a stripe width, with the arithmetic; `None` where it can.
pub fn bogus(optimal: u64, logical: u64, physical: u64, minimum: u64) -> Option<String> {
    if let Some((count, unit)) = transfer_limit(optimal, logical) {
        return Some(format!(
            "{optimal} = {count:#X} × {unit}: a largest transfer ({} less {unit} bytes), not a \
             stripe",
            Bytes::new((count + 1).saturating_mul(unit))
        ));
    }
    for (name, unit) in [("physical block", physical), ("minimum I/O size", minimum)] {
        if optimal < unit {
            return Some(format!("{optimal} is less than the {name} ({unit})"));
        }
        if unit != 0 && !optimal.is_multiple_of(unit) {
            return Some(remainder(optimal, unit, name));
        }
    }
    let page = PAGE.max(logical);
    (optimal > PAGE && !optimal.is_multiple_of(page)).then(|| remainder(optimal, page, "page"))
}

fn remainder(optimal: u64, unit: u64, name: &str) -> String {
    let (times, rest) = (optimal / unit, optimal % unit);
    format!("{optimal} = {times} × {unit} + {rest}: not a multiple of the {name}")
}

/// `(2^k − 1) × sector`: 33553920 = 0xFFFF × 512 of USB bridges, 268431360 = 0xFFFF × 4096,
/// 16776704 = 0x7FFF × 512, 16773120 = 0xFFF × 4096.
fn transfer_limit(optimal: u64, logical: u64) -> Option<(u64, u64)> {
    [4096, 512, logical].into_iter().find_map(|unit| {
        if unit == 0 || !optimal.is_multiple_of(unit) {
            return None;
        }
        let count = optimal / unit;
        let limit = count.checked_add(1)?.is_power_of_two();
        (limit && count >> (LEAST_LIMIT_BITS - 1) != 0).then_some((count, unit))
    })
}

/// What the kernel made of the claim, believed here or not (block/blk-settings.c: twice the claim, in pages).
fn read_ahead(bench: &mut HintJudge<'_>, optimal: u64) {
    let made = optimal.saturating_mul(2) / PAGE * PAGE;
    let Some(ahead) =
        known(bench.claims.read_ahead).filter(|ahead| *ahead == made && *ahead >= LARGE_READ_AHEAD)
    else {
        return;
    };
    let words = format!(
        "The kernel reads {} ahead, because the disk claims an optimal I/O size of {}: a page fault in a mapped file \
         may read that much",
        about(Bytes::new(ahead)),
        about(Bytes::new(optimal))
    );
    let advice = "Set queue/read_ahead_kb to 128 by a udev rule, and measure";
    bench.remark(Remark::note(rules::READ_AHEAD_FROM_HINT, words).advise(advice));
}

fn huge(optimal: u64) -> Remark {
    let size = Bytes::new(optimal);
    Remark::note(
        rules::HUGE_OPTIMAL_IO,
        format!(
            "The optimal I/O size is {size}: legal, but as a partition grain it wastes up to \
             {size} a partition; the minimum I/O size is enough for small ones"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_limits_are_seen_through() {
        for value in [33_553_920, 268_431_360, 16_776_704, 16_773_120] {
            let why = bogus(value, 512, 512, 512);
            assert!(
                why.is_some_and(|why| why.contains("largest transfer")),
                "{value}"
            );
        }
        let why = bogus(33_553_920, 512, 512, 512).unwrap_or_default();
        assert!(
            why.contains("0xFFFF × 512") && why.contains("32 MiB"),
            "{why}"
        );
    }

    #[test]
    fn real_stripes_pass() {
        for value in [
            65536,
            192 << 10,
            768 << 10,
            1 << 20,
            64 << 20,
            256 << 20,
            7 * 65536,
        ] {
            assert_eq!(bogus(value, 512, 4096, 65536.min(value)), None, "{value}");
        }
    }

    #[test]
    fn contradictions_show_the_arithmetic() {
        let less = bogus(4096, 512, 512, 65536).unwrap_or_default();
        assert!(
            less.contains("less than the minimum I/O size (65536)"),
            "{less}"
        );
        let off = bogus(100_000, 512, 4096, 4096).unwrap_or_default();
        assert!(off.contains("100000 = 24 × 4096 + 1696"), "{off}");
        let odd = bogus(65024 * 3, 512, 512, 512).unwrap_or_default();
        assert!(odd.contains("not a multiple of the page"), "{odd}");
        assert_eq!(bogus(512, 512, 512, 512), None);
    }
}

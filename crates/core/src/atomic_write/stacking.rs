//! What a device that is made of others passes on.
//!
//! `blk_stack_atomic_writes_limits` in block/blk-settings.c, as of Linux 6.18. The kernel composes the limits that drivers
//! set; sysfs shows them cut to what one request holds, so a composed limit here is never above the kernel's.

use super::AtomicLimits;

/// One device below: its limits, and the byte of the *disk* from which on it is used (a partition's start counts).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AtomicLeg {
    /// Its limits.
    pub limits: AtomicLimits,
    /// Where its data start.
    pub start: u64,
}

/// The limits of a device over `legs`, which are striped in chunks of `chunk` bytes; `None`: not striped. Zero where it has none.
pub fn stacked(legs: &[AtomicLeg], chunk: Option<u64>) -> AtomicLimits {
    composed(legs, chunk).unwrap_or_default()
}

fn composed(legs: &[AtomicLeg], chunk: Option<u64>) -> Option<AtomicLimits> {
    let mut top: Option<AtomicLimits> = None;
    for leg in legs {
        if leg.limits.unit_min == 0 || !leg.limits.allow_start(leg.start) {
            return None;
        }
        let next = match top {
            None => head(leg.limits, chunk)?,
            Some(top) => tail(top, leg.limits)?,
        };
        top = Some(cut(next, chunk));
    }
    top
}

/// The first device: its boundary and the chunk must divide one another (`blk_stack_atomic_writes_head`).
fn head(first: AtomicLimits, chunk: Option<u64>) -> Option<AtomicLimits> {
    let chunk = chunk.filter(|chunk| *chunk != 0 && first.boundary != 0);
    let fits = chunk.is_none_or(|chunk| {
        first.boundary.is_multiple_of(chunk) || chunk.is_multiple_of(first.boundary)
    });
    fits.then_some(first)
}

/// Each further one: the same boundary, and units that overlap (`blk_stack_atomic_writes_tail`).
fn tail(top: AtomicLimits, next: AtomicLimits) -> Option<AtomicLimits> {
    let apart = top.unit_min > next.unit_max || top.unit_max < next.unit_min;
    (top.boundary == next.boundary && !apart).then(|| AtomicLimits {
        unit_min: top.unit_min.max(next.unit_min),
        unit_max: top.unit_max.min(next.unit_max),
        max: top.max.min(next.max),
        boundary: top.boundary,
    })
}

/// Nothing is larger than the largest power of two that divides the chunk (`blk_stack_atomic_writes_chunk_sectors`).
fn cut(limits: AtomicLimits, chunk: Option<u64>) -> AtomicLimits {
    let Some(chunk) = chunk.filter(|chunk| *chunk != 0) else {
        return limits;
    };
    let unit_max = limits.unit_max.min(1 << chunk.trailing_zeros());
    AtomicLimits {
        unit_min: limits.unit_min.min(unit_max),
        unit_max,
        max: limits.max.min(chunk),
        boundary: limits.boundary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    const fn limits(unit_min: u64, unit_max: u64, boundary: u64) -> AtomicLimits {
        AtomicLimits {
            unit_min,
            unit_max,
            max: unit_max,
            boundary,
        }
    }

    /// Legs, chunk, and the units and boundary that the kernel's functions give for them.
    type Row = (&'static [(AtomicLimits, u64)], Option<u64>, (u64, u64, u64));

    const A: AtomicLimits = limits(512, 16 * KIB, 0);
    const B: AtomicLimits = limits(4096, 64 * KIB, 0);
    const BOUND: AtomicLimits = limits(512, 16 * KIB, 32 * KIB);
    const NONE: (u64, u64, u64) = (0, 0, 0);

    const TABLE: &[Row] = &[
        // One device: its own.
        (&[(A, 0)], None, (512, 16 * KIB, 0)),
        (&[(A, 63 * 512)], None, (512, 16 * KIB, 0)),
        // A start off the smallest unit, or off the boundary.
        (&[(B, 512)], None, NONE),
        (&[(B, 4096)], None, (4096, 64 * KIB, 0)),
        (&[(BOUND, 16 * KIB)], None, NONE),
        (&[(BOUND, 32 * KIB)], None, (512, 16 * KIB, 32 * KIB)),
        // The largest minimum, the smallest maximum; one without spoils all.
        (&[(A, 0), (B, 0)], None, (4096, 16 * KIB, 0)),
        (&[(B, 0), (A, 0)], None, (4096, 16 * KIB, 0)),
        (&[(A, 0), (limits(0, 0, 0), 0)], None, NONE),
        (&[(limits(0, 0, 0), 0), (A, 0)], None, NONE),
        (&[(A, 0), (limits(32 * KIB, 64 * KIB, 0), 0)], None, NONE),
        // Two boundaries.
        (&[(A, 0), (BOUND, 0)], None, NONE),
        (&[(BOUND, 0), (BOUND, 0)], None, (512, 16 * KIB, 32 * KIB)),
        // Chunks: the kernel's own example is 24 KiB, which leaves 8.
        (&[(A, 0)], Some(24 * KIB), (512, 8 * KIB, 0)),
        (&[(A, 0), (A, 0)], Some(64 * KIB), (512, 16 * KIB, 0)),
        (&[(B, 0), (B, 0)], Some(8 * KIB), (4096, 8 * KIB, 0)),
        (&[(B, 0)], Some(2 * KIB), (2 * KIB, 2 * KIB, 0)),
        // A boundary that the chunk does not divide, nor is divided by.
        (&[(BOUND, 0)], Some(24 * KIB), NONE),
        (&[(BOUND, 0)], Some(64 * KIB), (512, 16 * KIB, 32 * KIB)),
        (&[(BOUND, 0)], Some(8 * KIB), (512, 8 * KIB, 32 * KIB)),
        (&[], None, NONE),
    ];

    #[test]
    fn limits_compose_as_in_the_kernel() {
        for (row, (legs, chunk, expected)) in TABLE.iter().enumerate() {
            let legs: Vec<_> = legs
                .iter()
                .map(|(limits, start)| AtomicLeg {
                    limits: *limits,
                    start: *start,
                })
                .collect();
            let found = stacked(&legs, *chunk);
            let units = (found.unit_min, found.unit_max, found.boundary);
            assert_eq!(units, *expected, "row {row}: {legs:?} {chunk:?}");
        }
    }

    #[test]
    fn nothing_composed_is_larger_than_its_parts() {
        let sizes = [0, 512, 4096, 16 * KIB, 64 * KIB];
        let chunks = [None, Some(4096), Some(24 * KIB), Some(64 * KIB)];
        for max in sizes {
            for other in sizes {
                for chunk in chunks {
                    let leg = |unit_max: u64| AtomicLeg {
                        limits: limits(unit_max.min(512), unit_max, 0),
                        start: 0,
                    };
                    let found = stacked(&[leg(max), leg(other)], chunk);
                    assert!(found.unit_max <= max.min(other));
                    assert!(found.unit_min <= found.unit_max);
                    let divides =
                        |chunk: u64| found.unit_max == 0 || chunk.is_multiple_of(found.unit_max);
                    assert!(chunk.is_none_or(divides), "{found:?}");
                }
            }
        }
    }
}

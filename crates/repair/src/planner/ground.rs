//! The grids of the ground: what the address space that is partitioned is divided into.

use ioalign_core::{Bytes, Confidence, Tier};

use super::array::{Level, Maker};
use super::solve::Constraint;
use super::want::Want;

/// Kind of the grid that is kept for no better reason than that everybody keeps it.
pub const HABIT: &str = "habit";

/// All grids, also those that cannot be had together.
pub fn grids(want: &Want) -> Vec<Constraint> {
    use Confidence::{High, Low, Medium};
    use Tier::{Preference, Rmw, Validity};
    let mut all = vec![
        grid(
            want.logical,
            Validity,
            High,
            "logical-sector",
            "the disk's logical block",
        ),
        Constraint {
            phase: Bytes::new(want.physical_phase.get() % want.physical.get().max(1)),
            ..grid(
                want.physical,
                Rmw,
                High,
                "physical-block",
                "the disk's physical block",
            )
        },
    ];
    let named = [
        (
            want.indirection_unit,
            "indirection-unit",
            "what flash maps as one piece",
        ),
        (
            want.volume_block,
            "volume-block",
            "the block of the exported volume",
        ),
    ];
    for (size, kind, source) in named {
        all.extend(size.map(|size| grid(size, Rmw, High, kind, source)));
    }
    all.extend(array(want));
    all.extend(want.grids.iter().map(|spec| Constraint {
        size: spec.size,
        phase: Bytes::new(spec.phase.get() % spec.size.get().max(1)),
        tier: spec.tier,
        confidence: Medium,
        kind: spec.kind.clone(),
        source: spec.source.clone(),
    }));
    let habit = |size| {
        grid(
            size,
            Preference,
            Low,
            HABIT,
            "what every partitioner does since 2009",
        )
    };
    all.extend(want.habit.map(habit));
    all
}

fn array(want: &Want) -> Vec<Constraint> {
    use Confidence::High;
    let Some(array) = want.array.filter(|array| array.level != Level::Raid1) else {
        return Vec::new();
    };
    let parity = array.level.has_parity();
    let mut all = Vec::new();
    // Linux md reads and writes pages of its stripe cache; a controller, elements.
    let element = match array.maker {
        Maker::Controller if parity => Tier::Rmw,
        _ => Tier::Preference,
    };
    if parity && array.maker == Maker::Md {
        let page = Bytes::new(4096);
        all.push(grid(
            page,
            Tier::Rmw,
            High,
            "stripe-cache-page",
            "md works in pages of 4 KiB",
        ));
    }
    all.push(grid(
        array.element,
        element,
        High,
        "element",
        "the array's element (chunk)",
    ));
    if let Some(stripe) = array.stripe() {
        let source = if parity {
            "a full stripe is written without reading"
        } else {
            "a full stripe keeps every disk busy"
        };
        all.push(grid(stripe, Tier::Preference, High, "full-stripe", source));
    }
    all
}

fn grid(size: Bytes, tier: Tier, confidence: Confidence, kind: &str, source: &str) -> Constraint {
    Constraint {
        size,
        phase: Bytes::ZERO,
        tier,
        confidence,
        kind: kind.to_owned(),
        source: source.to_owned(),
    }
}

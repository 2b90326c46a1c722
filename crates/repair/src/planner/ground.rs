//! The grids of the ground: what the address space that is partitioned is divided into.

use ioalign_core::{Bytes, Confidence, Tier};

use super::array::{Level, Maker};
use super::solve::Constraint;
use super::want::{Claim, Want};

/// Kind of the grid that is kept for no better reason than that everybody keeps it.
pub const HABIT: &str = "habit";
/// Kind of the grid of an array's elements.
pub const ELEMENT: &str = "element";

/// All grids, also those that cannot be had together.
pub fn grids(want: &Want) -> Vec<Constraint> {
    use Confidence::{High, Low};
    use Tier::{Preference, Rmw};
    let mut all = disk_blocks(want).to_vec();
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
    all.extend(want.grids.iter().map(|grid| Constraint {
        phase: Bytes::new(grid.phase.get() % grid.size.get().max(1)),
        ..grid.clone()
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

/// The logical and the physical block of the disks.
fn disk_blocks(want: &Want) -> [Constraint; 2] {
    let block =
        |size, tier, claim: &Claim, kind| grid(size, tier, claim.confidence, kind, &claim.source);
    let physical_phase = Bytes::new(want.physical_phase.get() % want.physical.get().max(1));
    [
        block(
            want.logical,
            Tier::Validity,
            &want.logical_claim,
            "logical-sector",
        ),
        Constraint {
            phase: physical_phase,
            ..block(
                want.physical,
                Tier::Rmw,
                &want.physical_claim,
                "physical-block",
            )
        },
    ]
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
        ELEMENT,
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

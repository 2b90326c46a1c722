//! The grids of the ground: what the address space that is partitioned is divided into.

use ioalign_core::{Bytes, Confidence, GridClaim, GridKind, Origin, Tier};

use super::want::PlanRequest;
use ioalign_core::array::{Maker, RaidLevel};

/// All grids, also those that cannot be had together.
pub fn grids(want: &PlanRequest) -> Vec<GridClaim> {
    use Tier::{Preference, Rmw};
    let mut all = vec![want.logical.clone(), want.physical.clone()];
    let named = [
        (
            want.indirection_unit,
            GridKind::IndirectionUnit,
            "what flash maps as one piece",
        ),
        (
            want.volume_block,
            GridKind::VolumeBlock,
            "the block of the exported volume",
        ),
    ];
    for (size, kind, source) in named {
        all.extend(size.map(|size| GridClaim::declared(size, Rmw, kind, source)));
    }
    all.extend(array(want));
    all.extend(want.grids.iter().cloned());
    let habit = |size| GridClaim {
        origin: Origin::Assumed,
        confidence: Confidence::Low,
        ..GridClaim::declared(
            size,
            Preference,
            GridKind::Habit,
            "what every partitioner does since 2009",
        )
    };
    all.extend(want.habit.map(habit));
    all
}

fn array(want: &PlanRequest) -> Vec<GridClaim> {
    let Some(array) = want.array.filter(|array| array.level != RaidLevel::Raid1) else {
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
        all.push(GridClaim::declared(
            page,
            Tier::Rmw,
            GridKind::Other("stripe-cache-page".into()),
            "md works in pages of 4 KiB",
        ));
    }
    all.push(GridClaim::declared(
        array.element,
        element,
        GridKind::Element,
        "the array's element (chunk)",
    ));
    if let Some(stripe) = array.stripe() {
        let source = if parity {
            "a full stripe is written without reading"
        } else {
            "a full stripe keeps every disk busy"
        };
        all.push(GridClaim::declared(
            stripe,
            Tier::Preference,
            GridKind::FullStripe,
            source,
        ));
    }
    all
}

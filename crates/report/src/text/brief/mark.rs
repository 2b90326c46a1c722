//! The mark of a line: how its layers stand on the grids below, and by how much they miss the worst.

use ioalign_core::{Bytes, Grid, LayerId, Origin, PhaseSet, Severity};

use crate::model::Target;
use crate::starts;
use crate::view::{self, Standing};
use crate::words::kinds;
use crate::words::numbers::{about, percent};

/// A sign, and the distance where this line is the cause.
pub struct LayerMark {
    pub standing: Standing,
    pub distance: String,
}

/// A layer on one grid.
struct Met<'a> {
    standing: Standing,
    grid: &'a Grid,
    phases: &'a PhaseSet,
    /// Whether another line is to blame.
    inherited: bool,
}

/// The mark of the layers of one line; `None` where nothing is judged.
pub fn of_layers(target: &Target, joined: &[LayerId]) -> Option<LayerMark> {
    let met: Vec<_> = joined
        .iter()
        .flat_map(|id| met(target, *id, joined))
        .collect();
    let standing = met
        .iter()
        .map(|one| one.standing)
        .max_by_key(|one| badness(*one))?;
    if standing == Standing::Moot {
        return None;
    }
    if standing == Standing::On && has_open_finding(target, joined) {
        return Some(LayerMark {
            standing: Standing::Unknown,
            distance: "not known".to_owned(),
        });
    }
    let own: Vec<_> = met
        .iter()
        .filter(|one| one.standing == standing && !one.inherited)
        .collect();
    let distance = match standing {
        Standing::Off | Standing::Crosses => {
            own.first().map(|one| distance(one)).unwrap_or_default()
        }
        Standing::Slight => slight(&own),
        Standing::Unknown => match own.iter().find(|one| one.grid.is_open()) {
            Some(one) => format!("{}, if it has such blocks", distance(one)),
            None => "not known".to_owned(),
        },
        Standing::On | Standing::Moot => String::new(),
    };
    // What costs little is said once.
    let is_said = standing != Standing::Slight || !distance.is_empty();
    is_said.then_some(LayerMark { standing, distance })
}

/// Whether a finding leaves open how these layers lie: they are on the boundaries that are known, and no more is.
fn has_open_finding(target: &Target, joined: &[LayerId]) -> bool {
    let open = starts::faulty(target, &[Severity::Unknown]);
    joined.iter().any(|layer| open.contains(layer))
}

fn met<'a>(target: &'a Target, id: LayerId, joined: &[LayerId]) -> Vec<Met<'a>> {
    let all = view::meetings(target, id).into_iter();
    all.map(|(one, grid, standing)| {
        let missed = target.missed_on(id, one.grid);
        let guilty = missed
            .map(|missed| missed.guilty)
            .filter(|guilty| !joined.contains(guilty));
        Met {
            standing,
            grid,
            phases: &one.phases,
            inherited: guilty.is_some_and(|guilty| target.missed_on(guilty, one.grid).is_some()),
        }
    })
    .collect()
}

const fn badness(standing: Standing) -> u8 {
    match standing {
        Standing::Moot => 0,
        Standing::On => 1,
        Standing::Slight => 2,
        Standing::Unknown => 3,
        Standing::Crosses => 4,
        Standing::Off => 5,
    }
}

/// `3584 B past a 4 KiB block (assumed)`.
fn distance(met: &Met<'_>) -> String {
    let place = format!(
        "a {} {}{}",
        met.grid.size,
        kinds::short_cell(met.grid.kind.name()),
        assumed(met.grid)
    );
    match met.phases.phases.as_slice() {
        [one] => format!("{} past {place}", Bytes::new(one.offset)),
        _ => format!("{} off {place}", percent(met.phases.off_grid())),
    }
}

fn assumed(grid: &Grid) -> &'static str {
    match grid.origin {
        Origin::Assumed => " (assumed)",
        _ => "",
    }
}

/// `off 64 KiB, 1 MiB (assumed): costs little`.
fn slight(met: &[&Met<'_>]) -> String {
    let Some(first) = met.first() else {
        return String::new();
    };
    let mut sizes: Vec<_> = met.iter().map(|one| about(one.grid.size)).collect();
    sizes.dedup();
    format!(
        "off {}{}: costs little",
        sizes.join(", "),
        assumed(first.grid)
    )
}

//! Discards that the layer below drops, in part or in whole, because they are no whole units of it.
//!
//! What a layer frees in pieces at least as large as the unit below would all be freed if it started on a unit: off it,
//! each piece loses one unit for good. What it frees in smaller pieces loses ends of each extent anyway, wherever it
//! starts: that is so on every host with file systems on thin volumes, and says nothing unless the start keeps every
//! extent off the units.

mod units;

use super::{StackCase, starts, suggest};
use crate::discard::DiscardLoss;
use crate::finding::Finding;
use crate::grid::{Confidence, Grid};
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::rules;
use crate::severity::Severity;
use crate::units::{Bytes, gcd};
use units::Met;

/// Blocks and pages of nearly everything: what is not known to free in other pieces.
const USUAL: Bytes = Bytes::new(4096);

/// Starts are usually multiples of this: a larger unit would have asked for a start that no tool makes.
const HABIT: Bytes = Bytes::MIB;

pub(super) fn judge(case: &StackCase<'_>, findings: &mut Vec<Finding>) {
    let mut found = Vec::new();
    let leaves = case.data_leaves();
    let allocators = case.stack.layers().map(|(id, _)| id);
    for id in leaves.chain(allocators.filter(|id| allocates(case, *id))) {
        let Some(met) = Met::below(case, id) else {
            continue;
        };
        for unit in &met.units {
            let upper = Upper::of(case, id, &met, unit);
            found.extend(upper.and_then(|upper| upper.finding(case, findings)));
        }
    }
    starts::same_cause(case, &mut found);
    findings.append(&mut found);
}

/// Frees pieces of its own whenever one is not used any more: the chunks of a pool, the clusters of an image.
fn allocates(case: &StackCase<'_>, id: LayerId) -> bool {
    let layer = case.stack.layer(id);
    let has_unit = matches!(layer.kind, Kind::ThinPool | Kind::Disk);
    let is_made_of_others = !layer.below.is_empty();
    has_unit && is_made_of_others && !case.is_in_flight(id) && units::unit_of(case, id).is_some()
}

/// What keeps discards from being whole units.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Fault {
    /// Where the layer begins.
    Start,
    /// What it frees at a time.
    Size,
}

/// A layer that sends discards, and the unit below.
struct Upper<'a> {
    id: LayerId,
    guilty: LayerId,
    /// What it frees at least.
    own: Bytes,
    own_is_known: bool,
    unit: &'a Grid,
    /// Bytes past a boundary: the worst of its places.
    offset: u64,
}

impl<'a> Upper<'a> {
    fn of(case: &StackCase<'_>, id: LayerId, met: &Met, unit: &'a Grid) -> Option<Self> {
        let phases = met.phases(case, id, unit);
        if !phases.is_known() {
            return None;
        }
        let layer = case.stack.layer(id);
        let own = units::unit_of(case, id).map(|grid| grid.size);
        let own = own.or_else(|| layer.block.max(layer.cluster));
        let own = own.filter(|own| !own.is_zero());
        Some(Self {
            id,
            guilty: met.guilty(case, id, unit),
            own: own.unwrap_or(USUAL),
            own_is_known: own.is_some(),
            unit,
            offset: phases.dominant_offset().unwrap_or(0),
        })
    }

    fn finding(&self, case: &StackCase<'_>, others: &[Finding]) -> Option<Finding> {
        let fault = self.fault(case)?;
        let severity = self.severity(case, fault)?;
        let is_minor_start = fault == Fault::Start && severity == Severity::Note;
        if is_minor_start && units::start_is_said(others, self.guilty) {
            return None;
        }
        let rule = match fault {
            Fault::Start => rules::DISCARD_OFF_UNIT,
            Fault::Size => rules::DISCARD_NOT_WHOLE_UNITS,
        };
        let loss = DiscardLoss::of(self.own, self.unit.size, self.offset);
        let mut finding = Finding::new(rule, severity, self.why(case, fault, &loss)).at(self.id);
        finding.guilty = Some(self.guilty);
        finding.unit = Some(self.unit.size);
        finding.offset = Some(Bytes::new(self.offset));
        finding.confidence = self.unit.confidence;
        finding.discard = Some(loss);
        if fault == Fault::Start {
            finding.suggest = suggest::start(case, self.guilty, self.unit);
        }
        if severity > Severity::Note {
            (finding.fixable_in_place, finding.steps) =
                suggest::remedy(case, self.guilty, self.unit, &finding.suggest);
        }
        Some(finding)
    }

    /// What is wrong, if anything.
    fn fault(&self, case: &StackCase<'_>) -> Option<Fault> {
        let (own, unit) = (self.own, self.unit.size);
        let loses_alone = allocates(case, self.id) && !own.is_multiple_of(unit);
        match (self.offset, self.is_never_on()) {
            (_, false) if loses_alone => Some(Fault::Size),
            (0, _) => None,
            _ => Some(Fault::Start),
        }
    }

    /// Whether no piece of it begins on a boundary.
    fn is_never_on(&self) -> bool {
        let step = gcd(self.own.get(), self.unit.size.get()).max(1);
        !self.offset.is_multiple_of(step)
    }

    fn severity(&self, case: &StackCase<'_>, fault: Fault) -> Option<Severity> {
        let (own, unit) = (self.own, self.unit.size);
        let layer = case.stack.layer(self.id);
        let swap = layer.role == Role::Swap || layer.kind == Kind::Swap;
        let minor = unit <= USUAL || swap || self.unit.confidence == Confidence::Low;
        if fault == Fault::Size || minor {
            return Some(Severity::Note);
        }
        if own < unit && !self.is_never_on() {
            return (unit <= HABIT).then_some(Severity::Note);
        }
        // A sixteenth and more of each piece.
        let much = own.get() / 16 <= unit.get();
        Some(if much {
            Severity::Suboptimal
        } else {
            Severity::Note
        })
    }

    fn why(&self, case: &StackCase<'_>, fault: Fault, loss: &DiscardLoss) -> String {
        let below = match case.stack.layer(self.unit.layer).name.as_str() {
            "virtual disk" => "the virtual disk",
            name => name,
        };
        let units = format!(
            "units of {} in which {below} frees what is discarded ({})",
            self.unit.size, self.unit.source
        );
        let start = match fault {
            Fault::Size => format!(
                "{} frees pieces of {}, no whole {units}",
                case.subject(self.id),
                self.own
            ),
            Fault::Start => {
                let offset = Bytes::new(self.offset);
                format!(
                    "{} starts {offset} past a boundary of the {units}",
                    case.subject(self.guilty)
                )
            }
        };
        let own = if self.own_is_known {
            format!("one of {}, the unit of {},", self.own, case.name(self.id))
        } else {
            format!("one of {}", self.own)
        };
        let lost = match loss.own_lost_ratio {
            all if all >= 1.0 => "frees nothing".to_owned(),
            part => format!("loses {:.1} % of it", 100.0 * part),
        };
        format!(
            "{start}: of each discard up to {} at its ends stay allocated, and {own} {lost}",
            loss.most
        )
    }
}

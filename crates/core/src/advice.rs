//! Advice: what is off its grid, what the workload does and what crossing costs there, weighed into
//! «fix now», «at the next outage» or «leave», with the reasons.
//!
//! Moving data is dear and interrupts work, so a wrong start alone is no reason to move it. What decides
//! is the share of the I/O that crosses a boundary because of it, and what a crossing was measured to
//! cost; where either is not known, that is said, with the command that would settle it. A cost is a
//! range and never «twice as much, always». What can lose data is fixed whatever it costs.
//!
//! The JSON is `ioalign.advice/1`.

mod decide;
mod defect;
mod load;
mod loss;
mod price;
mod range;
mod say;
mod settle;

use serde::Serialize;

use crate::comparison::Comparison;
use crate::profile::Profile;

pub use defect::{Checked, Defect};
pub use load::Load;
pub use loss::{Basis, Loss};

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.advice/1";

/// What the advice is made of.
#[derive(Copy, Clone, Debug)]
pub struct Evidence<'a> {
    /// What was checked, with its findings.
    pub targets: &'a [Checked],
    /// What the I/O does, where it was recorded.
    pub profile: Option<&'a Profile>,
    /// What crossing costs, where it was measured.
    pub cost: Option<&'a Comparison>,
}

/// What to do. Ordered: a later variant is more urgent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It costs less than putting it right.
    #[default]
    Leave,
    /// Put it right when the data have to be moved or the machine stands still anyway.
    NextOutage,
    /// It costs more than the interruption, or data are at risk.
    FixNow,
}

impl Decision {
    /// The word for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Leave => "leave it",
            Self::NextOutage => "fix at the next outage",
            Self::FixNow => "fix now",
        }
    }
}

/// All that is to be said.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The program that wrote it.
    pub tool: String,
    /// The most urgent of all items.
    pub decision: Decision,
    /// One entry a finding that is a defect, most urgent first.
    pub items: Vec<Item>,
    /// What the I/O does; `None`: no profile.
    pub load: Option<Load>,
    /// What the cost rests on; `None`: nothing was measured.
    pub cost: Option<Measured>,
    /// What had to be assumed, and how to know instead.
    pub assumed: Vec<Assumption>,
}

/// The advice on one defect.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// The device, image or capture.
    pub target: String,
    /// The defect itself.
    #[serde(flatten)]
    pub defect: Defect,
    /// What to do.
    pub decision: Decision,
    /// How much longer the I/O takes because of it; `None`: not a matter of time.
    pub loss: Option<Loss>,
    /// Why, the one that decided first.
    pub reasons: Vec<Reason>,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// A stable kebab-case word.
    pub kind: &'static str,
    /// A sentence.
    pub text: String,
}

impl Reason {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}

/// The measurement that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// What was measured.
    pub target: String,
    /// Where: the name of the machine.
    pub machine: String,
    /// Cells of which at least one result counts.
    pub cells: usize,
    /// Cells that do not count: undecided, or their placebo moved.
    pub cells_left_out: usize,
}

/// Something that is not known and was assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// What was assumed.
    pub what: String,
    /// What would settle it; `None`: nothing that this program does.
    pub settle: Option<String>,
}

/// Weighs the evidence.
pub fn advise(evidence: &Evidence<'_>, tool: &str) -> Advice {
    let load = evidence.profile.map(|profile| load::of(profile, evidence));
    let prices = evidence.cost.map(price::list);
    let defects = evidence.targets.iter().flat_map(|target| {
        let defects = target.defects.iter().filter(|defect| defect.counts());
        defects.map(|defect| (&target.name, defect))
    });
    let mut items: Vec<Item> = defects
        .map(|(target, defect)| decide::item(target, defect, load.as_ref(), prices.as_ref()))
        .collect();
    items.sort_by_key(|item| (std::cmp::Reverse(item.decision), item.defect.layer.clone()));
    Advice {
        schema: SCHEMA,
        tool: tool.to_owned(),
        decision: items
            .iter()
            .map(|item| item.decision)
            .max()
            .unwrap_or_default(),
        assumed: settle::all(evidence, load.as_ref(), prices.as_ref(), &items),
        items,
        load,
        cost: evidence
            .cost
            .zip(prices.as_ref())
            .map(|(cost, prices)| prices.measured(cost)),
    }
}

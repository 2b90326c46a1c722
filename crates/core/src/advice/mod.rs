//! Advice: what is off its grid, what the workload does and what crossing costs there, weighed into
//! «fix now», «at the next outage» or «leave», with the reasons.
//!
//! Moving data is expensive and interrupts work, so a wrong start alone is no reason to move it. The
//! decision depends on the share of the I/O that crosses a boundary because of it, and on the measured
//! cost of a crossing. If one of them is not known, the advice says so, with the command that would
//! measure it. A cost is a range and never "twice as much, always". A defect that can lose data is fixed
//! at any cost.
//!
//! The JSON is `ioalign.advice/1`.

mod about;
mod decide;
mod defect;
mod load;
mod loss;
mod matching;
mod price;
mod range;
mod same;
mod say;
mod settle;
mod uncovered;
mod weigh;

use serde::Serialize;

use crate::comparison::Comparison;
use crate::machine::Machine;
use crate::profile::{DeviceProfile, Profile};

pub use defect::{CheckedTarget, Defect};
pub use load::LoadSummary;
pub use loss::{Basis, Loss};
pub use matching::Unmatched;
pub use same::{Stranger, strangers};
pub use say::in_flight;
pub use uncovered::Uncovered;

/// The name and version of the document.
pub const SCHEMA: &str = "ioalign.advice/1";

/// The inputs of the advice.
#[derive(Copy, Clone, Debug)]
pub struct AdviceInput<'a> {
    /// The checked stack, with its findings.
    pub targets: &'a [CheckedTarget],
    /// The recorded I/O, if there is a profile.
    pub profile: Option<&'a Profile>,
    /// The measured cost of crossing, if there is a comparison.
    pub cost: Option<&'a Comparison>,
    /// The operator says that documents of devices that the stack does not name speak for it.
    pub assume_same: bool,
}

/// The decision. Ordered: a later variant is more urgent.
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
    /// The machine whose stack was checked, where the document of `check` names one.
    pub machine: Option<Machine>,
    /// The most urgent of all items.
    pub decision: Decision,
    /// One entry a finding that is a defect, most urgent first.
    pub items: Vec<Item>,
    /// The workload; `None`: no profile.
    pub load: Option<LoadSummary>,
    /// The basis of the cost; `None`: nothing was measured.
    pub cost: Option<UsedMeasurement>,
    /// Assumptions, and how to replace them.
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
    /// Actions to take.
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
pub struct UsedMeasurement {
    /// The measured target, or the simulated array.
    pub target: String,
    /// By a model: nothing was measured.
    pub simulated: bool,
    /// The name of the machine.
    pub machine: String,
    /// The stack does not name the target: that it speaks for the stack was said by the operator.
    pub assumed_same: bool,
    /// Cells with an interval that counts.
    pub cells: usize,
    /// How many of these cells have no verdict.
    pub cells_undecided: usize,
    /// Cells that do not count: their placebo moved, or they have no interval.
    pub cells_left_out: usize,
}

/// Something that is not known and was assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// The assumption.
    pub what: String,
    /// The command that replaces it; `None`: this program has none.
    pub settle: Option<String>,
}

/// Weighs the evidence. Documents of other devices than the stack's ([`strangers`]) say nothing of it.
pub fn advise(evidence: &AdviceInput<'_>, tool: &str) -> Advice {
    let sources = Sources::new(evidence);
    let mut items = Vec::new();
    for target in evidence.targets {
        let defects = target.defects.iter().filter(|defect| defect.counts());
        items.extend(defects.map(|defect| sources.item(target, defect)));
    }
    if evidence.cost.is_some_and(|cost| cost.simulated) {
        let reasons = items.iter_mut().flat_map(|item| &mut item.reasons);
        for reason in reasons {
            reason.text = reason.text.replace("as measured", "as simulated");
        }
    }
    items.sort_by_key(|item: &Item| (std::cmp::Reverse(item.decision), item.defect.layer.clone()));
    let load = sources.whole();
    let prices = sources.prices.as_ref();
    Advice {
        schema: SCHEMA,
        tool: tool.to_owned(),
        machine: None,
        decision: items
            .iter()
            .map(|item| item.decision)
            .max()
            .unwrap_or_default(),
        assumed: settle::all(evidence, load.as_ref(), prices, &items),
        items,
        cost: prices.map(|prices| prices.measured(sources.cost_assumed)),
        load,
    }
}

/// The profile and the measurement, and whose they are.
struct Sources<'a> {
    evidence: &'a AdviceInput<'a>,
    prices: Option<price::Prices<'a>>,
    /// The stack names no device of the profile.
    load_assumed: bool,
    /// The stack does not name what was measured.
    cost_assumed: bool,
}

impl<'a> Sources<'a> {
    fn new(evidence: &'a AdviceInput<'a>) -> Self {
        let known: Vec<_> = evidence
            .targets
            .iter()
            .flat_map(CheckedTarget::names)
            .collect();
        let foreign = |profile: &Profile| {
            let mut devices = profile.devices.iter();
            !devices.any(|device| same::is_device(device, &known))
        };
        let unmeasured = |cost: &Comparison| !same::is_measured_on(cost, &known);
        Self {
            evidence,
            prices: evidence.cost.map(price::list),
            load_assumed: evidence.profile.is_some_and(foreign),
            cost_assumed: evidence.cost.is_some_and(unmeasured),
        }
    }

    fn item(&self, target: &CheckedTarget, defect: &Defect) -> Item {
        let names = defect.devices.iter().chain(&defect.layer);
        let names: Vec<&str> = names.chain([&target.name]).map(String::as_str).collect();
        let load = self.load(&names);
        let priced = if self.cost_assumed {
            self.evidence.assume_same
        } else {
            let cost = self.evidence.cost;
            cost.is_some_and(|cost| same::is_measured_on(cost, &names))
        };
        let loss = loss::of(
            defect,
            load.as_ref(),
            self.prices.as_ref().filter(|_| priced),
        );
        let known = decide::Known {
            defect,
            loss: loss.as_ref(),
            load: load.as_ref(),
        };
        let (decision, first) = decide::decide(known);
        let mut reasons = vec![first];
        if !defect.risks_data() && loss.is_some() {
            reasons.extend(about::loss(known));
            reasons.extend(self.of_others(load.is_none(), !priced));
        }
        reasons.extend(about::repair(defect, decision));
        Item {
            target: target.name.clone(),
            defect: defect.clone(),
            decision,
            loss,
            reasons,
        }
    }

    /// Documents that are of the stack, and not of this device.
    fn of_others(&self, unloaded: bool, unpriced: bool) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if unloaded && self.evidence.profile.is_some() {
            let text = "The profile holds no I/O of this device.";
            reasons.push(Reason::new("no-profile", text));
        }
        if unpriced && self.evidence.cost.is_some() {
            let text = "The measurement is of another device than this one.";
            reasons.push(Reason::new("no-measurement", text));
        }
        reasons
    }

    /// The I/O of these devices, where the profile has any.
    fn load(&self, names: &[&str]) -> Option<LoadSummary> {
        let profile = self.evidence.profile?;
        let is_part = !profile.only.is_empty();
        if self.load_assumed {
            let all = profile.devices.iter();
            let sum = || load::sum(all, false, is_part);
            return self.evidence.assume_same.then(sum);
        }
        let is_own = |device: &&DeviceProfile| same::is_device(device, names);
        let own: Vec<_> = profile.devices.iter().filter(is_own).collect();
        (!own.is_empty()).then(|| load::sum(own.into_iter(), true, is_part))
    }

    /// The I/O of all devices of the stack.
    fn whole(&self) -> Option<LoadSummary> {
        let targets = self.evidence.targets.iter();
        self.load(&targets.flat_map(CheckedTarget::names).collect::<Vec<_>>())
    }
}

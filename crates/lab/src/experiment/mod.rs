//! Experiments: what is built in the guest, what runs there, and what is compared.
//!
//! A file names calls of `guest/lab.sh`, so it reads as a list of what happens. `docs/lab.md` has all keys.

mod embedded;
mod load;
pub(crate) mod script;

use std::path::{Path, PathBuf};

use ioalign_core::GridClaim;
use ioalign_core::lab_document::LabSpread;
use serde::Deserialize;

use crate::error::{LabError, Result, Tried};
pub use embedded::{embedded, named};
pub use load::LabLoad;
use load::LoadTemplate;

/// An experiment as its file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabExperiment {
    /// The stem of its file.
    #[serde(skip)]
    pub name: String,
    /// One sentence.
    pub about: String,
    /// The publication that it repeats.
    #[serde(default)]
    pub paper: String,
    /// What the guest is made of.
    pub guest: LabGuest,
    /// Boundaries that `watch` counts: `SIZE[@PHASE][:KIND][:TIER]`.
    #[serde(default)]
    pub grid: Option<String>,
    /// The same array for `simulate`.
    #[serde(default)]
    pub model: Option<String>,
    /// Of the places; several give an interval.
    pub seeds: Vec<u64>,
    /// How long a load takes, in the time of the guest.
    pub seconds: u64,
    /// Rows of a table, for `{rows}`.
    #[serde(default)]
    pub rows: u64,
    /// The small size.
    pub quick: QuickSize,
    /// What is compared.
    #[serde(rename = "arm")]
    pub arms: Vec<LabArm>,
    /// What runs on each.
    #[serde(skip)]
    pub loads: Vec<LabLoad>,
    #[serde(rename = "load", default)]
    templates: Vec<LoadTemplate>,
    /// Ratios of two arms.
    #[serde(rename = "compare", default)]
    pub compares: Vec<LabCompare>,
    /// Least, mean and most gain over all loads in the publication.
    #[serde(default)]
    pub published: Option<LabSpread>,
    /// For the reader of results.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What the guest is made of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabGuest {
    /// `KIND ARGUMENT…` of `disks`.
    pub disks: String,
    /// Programs of this machine.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Files and folders of this machine, at the same place in the guest.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// Kernel modules.
    #[serde(default)]
    pub modules: Vec<String>,
    /// MiB of memory, disks included.
    pub memory_mib: u64,
}

/// The small size: what differs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuickSize {
    /// About how long it takes on two processors.
    pub takes_seconds: u64,
    /// How long a load takes.
    #[serde(default)]
    pub seconds: Option<u64>,
    /// Rows of a table.
    #[serde(default)]
    pub rows: Option<u64>,
    /// Arms by name; none: all.
    #[serde(default)]
    pub arms: Vec<String>,
    /// Loads by name; none: all.
    #[serde(default)]
    pub loads: Vec<String>,
    /// Seeds; none: the first.
    #[serde(default)]
    pub seeds: Vec<u64>,
}

/// One stack.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabArm {
    /// For people, and for `compare`.
    pub name: String,
    /// Calls of `layer`, from below.
    pub layers: Vec<String>,
    /// Calls of `layer` between the check and the loads.
    #[serde(default)]
    pub then: Vec<String>,
    /// What is checked, instead of the whole array, with options.
    #[serde(default)]
    pub check: String,
    /// A part of the name of the layer that the loads run on; without it the one on top.
    #[serde(default)]
    pub layer: String,
    /// The verdict that `check` has to give.
    pub verdict: String,
    /// A rule that has to be among its findings.
    #[serde(default)]
    pub rule: Option<String>,
    /// Disks of its own.
    #[serde(default)]
    pub disks: Option<String>,
    /// An array for `simulate` of its own; empty: none.
    #[serde(default)]
    pub model: Option<String>,
}

/// A ratio.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabCompare {
    /// The load; none: each of them.
    #[serde(default)]
    pub load: Option<String>,
    /// The arm that is compared with.
    pub misaligned: String,
    /// The other one.
    pub aligned: String,
    /// The ratio in the publication.
    #[serde(default)]
    pub published: Option<f64>,
    /// Where that stands.
    #[serde(default)]
    pub source: String,
}

impl LabExperiment {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// It is no experiment, or names arms or loads that are not there.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let read: Result<Self> =
            toml::from_str(text).tried(|| format!("{name}: it is no experiment"));
        let mut experiment = read?;
        experiment.name = name.to_owned();
        let loads = experiment.templates.iter().map(LoadTemplate::loads);
        let loads: Result<Vec<_>> = loads.collect();
        experiment.loads = loads.tried(|| name.to_owned())?.concat();
        experiment.consistent()?;
        Ok(experiment)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or as [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .tried(|| format!("{}: cannot read it", path.display()))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&stem, &text)
    }

    /// The bytes between boundaries that `watch` counts, and the first boundary.
    ///
    /// # Errors
    ///
    /// The grid is none.
    pub fn boundaries(&self) -> Result<Option<(u64, u64)>> {
        let claim = self.grid.as_deref().map(str::parse::<GridClaim>);
        let claim = claim.transpose().tried(|| format!("{}: grid", self.name))?;
        Ok(claim.map(|claim| (claim.size.get(), claim.phase.get())))
    }

    /// The small size as an experiment of its own.
    #[must_use]
    pub fn quick(mut self) -> Self {
        let quick = &self.quick;
        self.seconds = quick.seconds.unwrap_or(self.seconds);
        self.rows = quick.rows.unwrap_or(self.rows);
        if !quick.arms.is_empty() {
            self.arms.retain(|arm| quick.arms.contains(&arm.name));
        }
        if !quick.loads.is_empty() {
            self.loads.retain(|load| quick.loads.contains(&load.name));
        }
        match quick.seeds.as_slice() {
            [] => self.seeds.truncate(1),
            seeds => self.seeds = seeds.to_vec(),
        }
        let (arms, loads) = (&self.arms, &self.loads);
        self.compares.retain(|one| {
            let has_arm = |name: &String| arms.iter().any(|arm| arm.name == *name);
            let has_load = |name: &String| loads.iter().any(|load| load.name == *name);
            has_arm(&one.misaligned)
                && has_arm(&one.aligned)
                && one.load.as_ref().is_none_or(has_load)
        });
        self
    }

    fn consistent(&self) -> Result<()> {
        let wrong = |what: String| Err(LabError::new(format!("{}: {what}", self.name)));
        let arms: Vec<_> = self.arms.iter().map(|arm| &arm.name).collect();
        let loads: Vec<_> = self.loads.iter().map(|load| &load.name).collect();
        let compared = self.compares.iter();
        let named = compared.flat_map(|one| [&one.misaligned, &one.aligned]);
        if let Some(name) = named
            .chain(&self.quick.arms)
            .find(|name| !arms.contains(name))
        {
            return wrong(format!("there is no arm `{name}`"));
        }
        let named = self.compares.iter().filter_map(|one| one.load.as_ref());
        if let Some(name) = named
            .chain(&self.quick.loads)
            .find(|name| !loads.contains(name))
        {
            return wrong(format!("there is no load `{name}`"));
        }
        let idle = |load: &&LabLoad| !arms.iter().any(|arm| load.runs_on(arm));
        if let Some(load) = self.loads.iter().find(idle) {
            return wrong(format!("load `{}` runs on no arm", load.name));
        }
        if arms.is_empty() || self.seeds.is_empty() {
            return wrong("it needs an arm and a seed".to_owned());
        }
        self.boundaries().map(|_| ())
    }
}

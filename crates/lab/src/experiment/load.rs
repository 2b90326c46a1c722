//! Loads, and lists of loads: one text with every combination of a few words.

use std::collections::BTreeMap;

use ioalign_core::SectorSize;
use ioalign_core::units::parse_size;
use serde::Deserialize;

use crate::error::{Result, Tried};

/// One load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabLoad {
    /// For people, and for `compare`.
    pub name: String,
    /// `KIND ARGUMENT…` of `cell`; `{seconds}` and `{seed}` are replaced.
    pub run: String,
    /// `read`, `write` or `discard`: what is counted.
    pub op: String,
    /// `random` or `sequential`, for figures.
    pub pattern: Option<String>,
    /// Bytes of an I/O, where `check` can predict it.
    pub io_bytes: Option<u64>,
    /// Parts of names of the arms that it runs on; none: all.
    pub on: Vec<String>,
}

/// Loads as a file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTemplate {
    name: String,
    run: String,
    op: String,
    #[serde(default)]
    pattern: Option<String>,
    /// The size of an I/O.
    #[serde(default)]
    io: Option<String>,
    /// Parts of names of the arms that it runs on.
    #[serde(default)]
    on: Vec<String>,
    /// Words for `{KEY}` in all of these: a load for every combination.
    #[serde(default)]
    each: BTreeMap<String, Vec<String>>,
}

impl LabLoad {
    /// Whether it runs on the arm of this name.
    pub fn runs_on(&self, arm: &str) -> bool {
        self.on.is_empty() || self.on.iter().any(|part| arm.contains(part))
    }
}

impl LoadTemplate {
    /// All loads.
    pub fn loads(&self) -> Result<Vec<LabLoad>> {
        let mut all = vec![self.clone()];
        for (key, words) in &self.each {
            let with = |one: &Self, word: &str| one.with(&format!("{{{key}}}"), word);
            let combined = all
                .iter()
                .flat_map(|one| words.iter().map(move |word| with(one, word)));
            all = combined.collect();
        }
        all.into_iter().map(Self::load).collect()
    }

    fn with(&self, key: &str, word: &str) -> Self {
        Self {
            name: self.name.replace(key, word),
            run: self.run.replace(key, word),
            op: self.op.replace(key, word),
            pattern: self.pattern.as_ref().map(|one| one.replace(key, word)),
            io: self.io.as_ref().map(|io| io.replace(key, word)),
            on: self.on.clone(),
            each: BTreeMap::new(),
        }
    }

    fn load(self) -> Result<LabLoad> {
        let bytes = self
            .io
            .as_deref()
            .map(|io| parse_size(io, SectorSize::S512));
        let bytes = bytes
            .transpose()
            .tried(|| format!("load `{}`: io", self.name))?;
        Ok(LabLoad {
            name: self.name,
            run: self.run,
            op: self.op,
            pattern: self.pattern,
            io_bytes: bytes.map(|bytes| bytes.get()),
            on: self.on,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_a_load_for_every_combination() {
        let text = "name = \"{op} {size}\"\nrun = \"measure {op} random {size} 16 {seconds} {seed}\"\nop = \"{op}\"\nio = \"{size}\"\neach = { op = [\"read\", \"write\"], size = [\"1k\", \"72k\"] }";
        let template: LoadTemplate = toml::from_str(text).unwrap();
        let loads = template.loads().unwrap();
        let names: Vec<_> = loads.iter().map(|load| load.name.as_str()).collect();
        assert_eq!(names, ["read 1k", "read 72k", "write 1k", "write 72k"]);
        assert_eq!(loads[3].io_bytes, Some(73728));
        assert_eq!(loads[3].run, "measure write random 72k 16 {seconds} {seed}");
        assert!(loads[3].runs_on("raw"));
        let only = format!("{text}\non = [\"XFS\"]");
        let template: LoadTemplate = toml::from_str(&only).unwrap();
        let load = &template.loads().unwrap()[0];
        assert!(load.runs_on("1: XFS") && !load.runs_on("raw"));
        let text = text.replace("io = \"{size}\"", "io = \"{seize}\"");
        let template: LoadTemplate = toml::from_str(&text).unwrap();
        assert!(template.loads().is_err());
    }
}

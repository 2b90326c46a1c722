//! What `ioalign check` said in the guest.

use std::collections::BTreeSet;

use ioalign_core::cost::{Count, count};
use ioalign_core::units::ratio;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::GuestParts;
use crate::error::{LabError, Result};

/// The verdict, and where the layers that loads run on lie on the grids below.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// Of the last target.
    pub verdict: String,
    /// The rules of all findings.
    pub rules: Vec<String>,
    /// Of layers on which no other one lies.
    pub phases: Vec<TopPhase>,
}

/// Where a layer starts on a grid, or a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TopPhase {
    /// The layer.
    pub layer: String,
    /// Its grid.
    pub grid: String,
    /// Bytes between boundaries.
    pub size: u64,
    /// The first boundary.
    pub phase: u64,
    /// Bytes behind a boundary.
    pub offset: u64,
    /// The share of the layer that lies so.
    pub weight: f64,
}

impl CheckRecord {
    /// From what a guest sent.
    ///
    /// # Errors
    ///
    /// There is no such document in it.
    pub fn new(parts: &GuestParts) -> Result<Self> {
        let document = parts.document("check");
        let document = document.ok_or_else(|| LabError::new("the guest sent no check"))?;
        let mut found = Self::default();
        let mut rules = BTreeSet::new();
        for target in list(&document["targets"]) {
            found.verdict = text(&target["verdict"]);
            for finding in list(&target["findings"]) {
                rules.insert(text(&finding["rule"]));
            }
            found.phases.extend(top_phases(target));
        }
        found.rules = rules.into_iter().collect();
        Ok(found)
    }

    /// The share of I/Os of `io` bytes that touch a cell more than they must, on the layer whose name has `layer` in
    /// it. `grid`: bytes between boundaries, and the first one. `None`: nothing is known of such a layer or grid.
    pub fn straddle_ratio(&self, grid: (u64, u64), io: u64, layer: &str) -> Option<f64> {
        self.share(grid, io, layer, |one| ratio(one.extra_cell, one.ios.max(1)))
    }

    /// The share of the bytes of I/Os that are cells in whole.
    pub fn whole_ratio(&self, grid: (u64, u64), io: u64, layer: &str) -> Option<f64> {
        self.share(grid, io, layer, |one| {
            ratio(one.whole() * grid.0, one.ios.max(1) * io.max(1))
        })
    }

    /// The mean of what I/Os meet, over the parts of a layer.
    fn share(
        &self,
        grid: (u64, u64),
        io: u64,
        layer: &str,
        of: impl Fn(&Count) -> f64,
    ) -> Option<f64> {
        let on_grid = |one: &&TopPhase| one.layer.contains(layer) && (one.size, one.phase) == grid;
        // Equal disks have equal grids: one of them speaks for all.
        let first = self.phases.iter().find(on_grid)?;
        let of_first = |one: &&TopPhase| (&one.layer, &one.grid) == (&first.layer, &first.grid);
        let parts = self.phases.iter().filter(of_first);
        let shares = parts.map(|part| part.weight * of(&count(io, part.size, part.offset)));
        Some(shares.sum())
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("unknown").to_owned()
}

/// The phases of layers that are below nothing.
fn top_phases(target: &Value) -> Vec<TopPhase> {
    let below = list(&target["layers"]).flat_map(|layer| list(&layer["below"]));
    let below: BTreeSet<_> = below.filter_map(|edge| edge["id"].as_str()).collect();
    let layers = list(&target["layers"]);
    let tops = layers.filter(|layer| layer["id"].as_str().is_some_and(|id| !below.contains(id)));
    let phases = tops.flat_map(|layer| list(&layer["phases"]).map(move |phase| (layer, phase)));
    let found = phases.filter_map(|(layer, phase)| {
        let mut grids = list(&target["grids"]);
        let grid = grids.find(|grid| grid["id"] == phase["grid"])?;
        Some(TopPhase {
            layer: text(&layer["id"]),
            grid: text(&grid["id"]),
            size: grid["size_bytes"].as_u64()?,
            phase: grid["phase_bytes"].as_u64()?,
            offset: phase["offset_bytes"].as_u64()?,
            weight: phase["weight_ratio"].as_f64()?,
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::GuestReader;

    const CHUNK: (u64, u64) = (65536, 0);

    #[test]
    fn the_layer_on_top_predicts_what_crosses() {
        let text = r#"{"targets":[{"verdict":"suboptimal","findings":[{"rule":"start-suboptimal"}],
            "grids":[{"id":"chunk","size_bytes":65536,"phase_bytes":0},{"id":"sector","size_bytes":512,"phase_bytes":0}],
            "layers":[{"id":"md:md0","below":[],"phases":[]},
            {"id":"partition:md0p1","below":[{"id":"md:md0"}],"phases":[{"grid":"chunk","offset_bytes":32256,"weight_ratio":1.0},{"grid":"sector","offset_bytes":0,"weight_ratio":1.0}]}]}]}"#;
        let text: String = text.lines().map(str::trim).collect();
        let mut reader = GuestReader::default();
        reader.line(&format!("@@json check check {text}")).unwrap();
        let (_, parts) = reader.line("@@done check").unwrap().unwrap();
        let found = CheckRecord::new(&parts).unwrap();
        assert_eq!(found.verdict, "suboptimal");
        assert_eq!(found.rules, ["start-suboptimal"]);
        assert_eq!(found.straddle_ratio(CHUNK, 16384, ""), Some(0.25));
        // 72 KiB touch three chunks where they must touch two: one of eight does.
        assert_eq!(found.straddle_ratio(CHUNK, 73728, "md0p1"), Some(0.125));
        assert_eq!(found.straddle_ratio((512, 0), 16384, ""), Some(0.0));
        assert_eq!(found.straddle_ratio((4096, 0), 16384, ""), None);
        assert_eq!(found.straddle_ratio(CHUNK, 16384, "md0p2"), None);
        // Of 64 KiB nothing is a chunk in whole, of 1 MiB fifteen of sixteen are.
        assert_eq!(found.whole_ratio(CHUNK, 65536, ""), Some(0.0));
        assert_eq!(found.whole_ratio(CHUNK, 1 << 20, ""), Some(0.9375));
        assert_eq!(found.whole_ratio((512, 0), 65536, ""), Some(1.0));
    }

    #[test]
    fn parts_count_by_their_weight() {
        let part = |offset: u64| TopPhase {
            layer: "volume".to_owned(),
            grid: "stripe".to_owned(),
            size: 196_608,
            phase: 0,
            offset,
            weight: 0.5,
        };
        let found = CheckRecord {
            phases: vec![part(0), part(65536)],
            ..CheckRecord::default()
        };
        assert_eq!(found.straddle_ratio((196_608, 0), 196_608, ""), Some(0.5));
    }
}

//! Hosts made for tests: documents of `check` with few layers, profiles, pushes.

use std::sync::Arc;

use ioalign_core::profile::{self, DeviceProfile, OpProfile, Profile};
use ioalign_fleet::collector::CaptureJudge;
use ioalign_fleet::store::NewReport;
use ioalign_fleet::{FleetStore, PushEnvelope, envelope, hash, judged, rates::IoRates};
use serde_json::{Value, json};

/// A day on which waivers are judged.
pub const TODAY: &str = "2026-11-25";
/// Its noon.
pub const NOON: i64 = 1_795_608_000;

/// A host in the making.
#[derive(Clone)]
pub struct MadeHost {
    pub name: String,
    pub model: String,
    pub verdict: &'static str,
    pub findings: Vec<Value>,
    pub start: u64,
    pub profile: Option<Vec<u8>>,
}

pub fn finding(rule: &str, severity: &str, unit: u64) -> Value {
    json!({"rule": rule, "severity": severity, "layer": "partition:sda1", "unit_bytes": unit, "offset_bytes": 512,
        "cost": [{"io_bytes": 4096, "straddle_ratio": 1.0}], "fixable_in_place": true, "why": "31.5 KiB is off 4 KiB"})
}

impl MadeHost {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            model: "DISK 9".to_owned(),
            verdict: "ok",
            findings: Vec::new(),
            start: 1 << 20,
            profile: None,
        }
    }

    /// Begins at sector 63.
    pub fn misaligned(name: &str) -> Self {
        Self {
            verdict: "misaligned",
            findings: vec![finding("start-misaligned", "misaligned", 4096)],
            start: 32_256,
            ..Self::new(name)
        }
    }

    /// `per_hour` I/Os an hour, all of which cross 4 KiB.
    pub fn busy(mut self, per_hour: u64) -> Self {
        let mut op = OpProfile {
            ios: per_hour,
            straddling_pow2: vec![0; 64],
            ..OpProfile::default()
        };
        op.straddling_pow2[12] = per_hour;
        let device = DeviceProfile {
            device: "sda".to_owned(),
            by_op: [("write".to_owned(), op)].into(),
            ..DeviceProfile::default()
        };
        let made = Profile {
            schema: profile::SCHEMA.to_owned(),
            duration_us: 3_600_000_000,
            devices: vec![device],
            ..Profile::default()
        };
        self.profile = Some(serde_json::to_vec(&made).unwrap());
        self
    }

    pub fn document(&self) -> Vec<u8> {
        let layers = json!([
            {"id": "disk:sda", "kind": "disk", "name": "sda", "below": [], "size_bytes": 1u64 << 40,
             "facts": {"model": self.model, "firmware": "A1", "transport": "sata"}},
            {"id": "partition:sda1", "kind": "partition", "name": "sda1", "size_bytes": 1u64 << 39,
             "below": [{"id": "disk:sda", "map": "shift", "start_bytes": self.start}], "facts": {}},
        ]);
        let grids = json!([
            {"id": "grid:disk:sda:optimal-io:33553920", "layer": "disk:sda", "size_bytes": 33_553_920u64, "kind": "optimal-io",
             "source": "sysfs optimal_io_size", "origin": "reported", "trusted": false, "why": "65535 sectors: a bridge"},
            {"id": "grid:disk:sda:physical-block:4096", "layer": "disk:sda", "size_bytes": 4096, "kind": "physical-block",
             "source": "sysfs physical_block_size", "origin": "reported", "trusted": true, "why": null},
        ]);
        let document = json!({"schema": "ioalign.check/1", "tool": "ioalign 0.1.0", "targets": [{"target": "x",
            "source": "capture", "verdict": self.verdict, "error": null, "layers": layers, "grids": grids,
            "findings": self.findings, "elapsed_us": 1}], "summary": {}});
        serde_json::to_vec(&document).unwrap()
    }

    /// Judged, received at `at`.
    pub fn report(&self, at: i64) -> NewReport {
        let rates = self
            .profile
            .as_deref()
            .map(|profile| IoRates::read(profile).unwrap());
        let document = self.document();
        NewReport {
            content_hash: hash::of_parts(&[self.name.as_bytes(), &document, &at.to_le_bytes()]),
            capture_hash: hash::of(&document),
            host_id: envelope::host_id(&self.name),
            host: self.name.clone(),
            taken_at: at,
            received_at: at,
            pushed_by: "test".to_owned(),
            judged: judged::read(document, rates.as_ref()).unwrap(),
        }
    }

    /// Put into a store.
    pub fn push(&self, store: &mut FleetStore, at: i64) -> bool {
        let added = store.add(&[&self.report(at)], TODAY).unwrap();
        !added[0].is_duplicate
    }

    /// As a host sends it. The capture is the document itself: see [`judge`].
    pub fn envelope(&self, at: i64) -> Vec<u8> {
        let envelope = PushEnvelope {
            host_id: envelope::host_id(&self.name),
            host: self.name.clone(),
            taken_at_seconds: at,
            capture: self.document(),
            profile: self.profile.clone(),
        };
        envelope.encode().unwrap()
    }
}

/// Takes a document for its own capture.
pub fn judge() -> Arc<CaptureJudge> {
    Arc::new(|capture| match capture {
        b"panic" => panic!("a reader has failed"),
        other => Ok(other.to_vec()),
    })
}

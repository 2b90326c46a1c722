//! A store of made hosts: 20 models of disks, one in ten hosts misaligned, one in four with a profile.

use std::time::Instant;

use ioalign_core::Random;
use ioalign_fleet::rates::IoRates;
use ioalign_fleet::store::NewReport;
use ioalign_fleet::{FleetStore, StorePlace, envelope, hash, judged};
use serde_json::{Value, json};

/// Reports a transaction.
const TOGETHER: usize = 256;
/// When the first report was made.
const BEGIN: i64 = 1_790_000_000;

/// Fills the store, a report a host.
pub fn fill(place: &StorePlace, hosts: usize) {
    let mut store = FleetStore::open(place).unwrap();
    let mut random = Random::new(19);
    let began = Instant::now();
    let mut making = std::time::Duration::ZERO;
    let mut done = 0;
    while done < hosts {
        let made = Instant::now();
        let until = (done + TOGETHER).min(hosts);
        let reports: Vec<_> = (done..until)
            .map(|host| report(host, &mut random))
            .collect();
        making += made.elapsed();
        store
            .add(&reports.iter().collect::<Vec<_>>(), "2026-11-25")
            .unwrap();
        done = until;
    }
    let stored = began.elapsed().saturating_sub(making).as_secs_f64();
    println!(
        "{hosts} reports stored in {stored:.1} s: {:.0} a second",
        f64::from(u32::try_from(hosts).unwrap()) / stored
    );
}

fn report(host: usize, random: &mut Random) -> NewReport {
    let name = format!("host-{host:06}.example");
    let at = BEGIN + i64::try_from(random.below(5_000_000)).unwrap();
    let document = serde_json::to_vec(&document(host, random)).unwrap();
    let rates = host.is_multiple_of(4).then(|| rates(random));
    NewReport {
        content_hash: hash::of(name.as_bytes()),
        capture_hash: hash::of(&document),
        host_id: envelope::host_id(&name),
        host: name,
        taken_at: at,
        received_at: at,
        pushed_by: "rack".to_owned(),
        judged: judged::read(document, rates.as_ref()).unwrap(),
    }
}

fn rates(random: &mut Random) -> IoRates {
    let straddling: Vec<u64> = (0..64)
        .map(|power| {
            if power == 12 {
                random.below(100_000)
            } else {
                0
            }
        })
        .collect();
    let profile = json!({"schema": "ioalign.profile/1", "source": "live", "duration_us": 600_000_000u64, "events": 1, "dropped": 0,
        "devices": [{"device": "nvme0n1", "offset_applied_bytes": 0, "grids": [], "by_op": {"write": {
            "ios": 100_000 + random.below(1_000_000), "bytes": 1, "size_histogram": [], "start_pow2_histogram": [],
            "length_pow2_histogram": [], "straddling_pow2": straddling, "start_mod_4096": [0, 0, 0, 0, 0, 0, 0, 0],
            "sequential_ratio": null, "latency_us": null}}}]});
    IoRates::read(&serde_json::to_vec(&profile).unwrap()).unwrap()
}

/// Two disks, three partitions each, four claims a disk; one or two findings and a note.
fn document(host: usize, random: &mut Random) -> Value {
    let model = random.below(20);
    let bad = random.below(10) == 0;
    let mut layers = Vec::new();
    let mut grids = Vec::new();
    for disk in ["nvme0n1", "nvme1n1"] {
        layers.push(json!({"id": format!("disk:{disk}"), "kind": "disk", "name": disk, "below": [], "size_bytes": 1u64 << 40,
            "facts": {"model": format!("MODEL {model}"), "firmware": format!("F{}", model % 3), "transport": "nvme",
                "number": host.to_string()}}));
        for (kind, size) in [
            ("logical-sector", 512),
            ("physical-block", 4096),
            ("optimal-io", 131_072),
            ("atomic", 16384),
        ] {
            let trusted = kind != "optimal-io" || model > 2;
            grids.push(json!({"id": format!("grid:disk:{disk}:{kind}"), "layer": format!("disk:{disk}"), "size_bytes": size, "kind": kind,
                "source": "sysfs", "origin": "reported", "trusted": trusted, "why": (!trusted).then_some("not what it writes")}));
        }
        for number in 1..4 {
            layers.push(json!({"id": format!("partition:{disk}p{number}"), "kind": "partition", "name": format!("{disk}p{number}"),
                "below": [{"id": format!("disk:{disk}"), "map": "shift", "start_bytes": number << 20}], "size_bytes": 1u64 << 38}));
        }
    }
    let finding = |rule: &str, severity: &str| {
        json!({"rule": rule, "severity": severity, "layer": "partition:nvme0n1p1",
        "unit_bytes": 4096, "offset_bytes": 512, "cost": [{"io_bytes": 4096, "straddle_ratio": 1.0}], "fixable_in_place": true,
        "why": "32256 bytes are 7 blocks of 4096 bytes and 3584 bytes"})
    };
    let mut findings = vec![
        finding("hint-bogus", "note"),
        finding(&format!("note-{}", host % 30), "note"),
    ];
    if bad {
        let severity = ["suboptimal", "misaligned", "data-risk"][host % 3];
        findings.push(finding(&format!("rule-{}", host % 12), severity));
    }
    let verdict = if bad { "misaligned" } else { "ok" };
    json!({"schema": "ioalign.check/1", "tool": "ioalign 0.1.0", "targets": [{"target": "x", "verdict": verdict,
        "layers": layers, "grids": grids, "findings": findings}]})
}

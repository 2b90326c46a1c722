//! `check --write-unit` and `capture --diff`: drives as they are described, not as they are here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use ioalign_testkit::check;
use serde_json::{Value, json};

use super::PROGRAM;
use super::schema::valid;

/// `nvme id-ns` of a drive with sectors of 4 KiB; numbers count from 0.
fn id_ns(features: &str, npwg: u32, nows: u32) -> String {
    format!(
        "# nvme id-ns /dev/nvme0n1\nNVME Identify Namespace 1:\nnsze    : 0x1000000\nncap    : 0x1000000\nnuse    : 0x0\nnsfeat  : \
         {features}\nnlbaf   : 0\nflbas   : 0\nnpwg    : {npwg}\nnpwa    : {npwg}\nnows    : {nows}\nlbaf  0 : ms:0   lbads:12 rp:0 (in use)\n"
    )
}

fn unit(text: &str, more: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("id-ns.txt");
    fs::write(&file, text).unwrap();
    let mut arguments = vec![file.to_str().unwrap(), "--write-unit"];
    arguments.extend(more);
    let document = check(PROGRAM, arguments).json;
    valid(&document, "check-1.schema.json");
    document["targets"][0]["write_units"][0].clone()
}

#[test]
fn what_a_drive_states_is_weighed() {
    for (text, bytes, confidence) in [
        (id_ns("0x10", 3, 3), json!(16384), "high"),
        (id_ns("0x10", 15, 15), json!(65536), "high"),
        // Units of 4 KiB, fast writes of 64 KiB: a TLC drive.
        (id_ns("0x10", 0, 15), json!(4096), "high"),
        // Granularities of 128 KiB have been stated by drives with units of 4 KiB.
        (id_ns("0x10", 31, 31), json!(131_072), "low"),
        // Without the feature bit the fields mean nothing.
        (id_ns("0x0", 3, 3), Value::Null, "low"),
    ] {
        let said = unit(&text, &[]);
        assert_eq!(
            (&said["unit_bytes"], &said["confidence"]),
            (&bytes, &json!(confidence)),
            "{text}{said:#}"
        );
    }
    let tlc = unit(&id_ns("0x10", 0, 15), &[]).to_string();
    assert!(!tlc.contains("min_alloc_size_ssd 65536"), "{tlc}");
}

#[test]
fn a_probe_is_weighed_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let probe = folder.path().join("probe.json");
    let grid = json!({"kind": "rmw-unit", "unit_bytes": 16384, "phase_bytes": 0, "columns": 1, "confidence_ratio": 0.999,
        "effect_ratio": 1.2, "grid": "16384@0:indirection-unit:rmw"});
    let mut document = json!({"schema": "ioalign.geometry/1", "tool": "ioalign 0", "machine": {}, "target": "/dev/nvme0n1",
        "size_bytes": 0, "sector_bytes": 512, "found": true, "unit_bytes": null, "phase_bytes": null, "start_offset_bytes": null,
        "columns": null, "kind": "rmw-unit", "confidence_ratio": 0.999, "detection_limit": 0.3, "write_detection_limit": 0.5,
        "reads": 1, "writes": 1, "duration_us": 1, "grids": [grid], "redundancy": null, "claims": [], "partial": null,
        "notes": []});
    let machine = Command::new(PROGRAM)
        .args(["check", "--json"])
        .output()
        .unwrap();
    let host: Value = serde_json::from_slice(&machine.stdout).unwrap();
    if host["machine"].is_object() {
        document["machine"] = host["machine"].clone();
    }
    fs::write(&probe, document.to_string()).unwrap();
    let more = ["--measured", probe.to_str().unwrap()];
    let said = unit(&id_ns("0x0", 0, 0), &more);
    assert_eq!(said["unit_bytes"], 16384, "{said:#}");
    assert_eq!(said["confidence"], "high");
    let said = unit(&id_ns("0x10", 31, 31), &more);
    assert_eq!(
        (&said["unit_bytes"], &said["confidence"]),
        (&json!(16384), &json!("medium"))
    );

    document["grids"] = json!([]);
    document["write_detection_limit"] = Value::Null;
    fs::write(&probe, document.to_string()).unwrap();
    let refused = Command::new(PROGRAM)
        .args(["check", "--write-unit", more[0], more[1]])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("did not look at writes"), "{message}");
    assert_eq!(refused.status.code(), Some(65));
}

/// A captured host with one NVMe drive.
fn host(folder: &Path, drive: &str, optimal: u64, read_ahead_kib: u64) {
    let device = folder.join("sys/devices/pci0").join(drive);
    fs::create_dir_all(device.join("queue")).unwrap();
    fs::create_dir_all(folder.join("sys/block")).unwrap();
    fs::create_dir_all(folder.join("proc")).unwrap();
    symlink(
        format!("../devices/pci0/{drive}"),
        folder.join("sys/block").join(drive),
    )
    .unwrap();
    fs::write(device.join("size"), "2097152\n").unwrap();
    fs::write(device.join("dev"), "259:0\n").unwrap();
    for (attribute, value) in [
        ("logical_block_size", 512),
        ("physical_block_size", 4096),
        ("minimum_io_size", 4096),
        ("optimal_io_size", optimal),
        ("read_ahead_kb", read_ahead_kib),
    ] {
        fs::write(device.join("queue").join(attribute), format!("{value}\n")).unwrap();
    }
}

fn difference(a: &Path, b: &Path) -> (Option<i32>, Value) {
    let run = Command::new(PROGRAM)
        .args(["capture", "--json", "--diff"])
        .args([a, b])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&run.stdout).unwrap();
    valid(&document, "capture-difference-1.schema.json");
    (run.status.code(), document)
}

#[test]
fn a_claim_that_made_read_ahead_is_seen_between_two_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, other] = ["old", "new", "other"].map(|name| folder.path().join(name));
    host(&old, "nvme0n1", 4096, 128);
    // Twice the claim, as Linux makes it.
    host(&new, "nvme0n1", 32 << 20, 64 << 10);
    // A setting of the operator's own.
    host(&other, "nvme1n1", 4096, 64 << 10);

    let (code, said) = difference(&old, &new);
    assert_eq!(code, Some(1), "{said:#}");
    let facts: Vec<_> = said["facts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["fact"])
        .collect();
    assert!(
        facts.contains(&&json!("read-ahead-kb")) && facts.contains(&&json!("optimal-io")),
        "{said:#}"
    );
    let rules = |said: &Value| -> Vec<String> {
        let all = said["findings"].as_array().unwrap().iter();
        all.map(|one| format!("{} {}", one["only_in"], one["rule"]))
            .collect()
    };
    assert!(
        rules(&said).contains(&"\"b\" \"read-ahead-from-hint\"".to_owned()),
        "{said:#}"
    );

    let (code, said) = difference(&old, &other);
    assert_eq!(code, Some(1));
    assert_eq!(said["facts"].as_array().unwrap().len(), 1, "{said:#}");
    assert_eq!(said["facts"][0]["layer"], "disk:nvme0n1 / disk:nvme1n1");
    assert_eq!(rules(&said), [""; 0]);

    let (code, said) = difference(&old, &old);
    assert_eq!((code, &said["same"]), (Some(0), &json!(true)), "{said:#}");
}

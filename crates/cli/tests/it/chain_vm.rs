//! A guest in a qcow2 file on XFS on md RAID 10, on a live kernel: what `check --chain` predicts for its I/O is what
//! arrives.

use std::path::Path;

use ioalign_core::units::ratio;
use ioalign_testkit::CheckRun;
use serde_json::Value;

use super::guest;

const PAGE: u64 = 4096;
const CHUNK: u64 = 64 << 10;

/// Name, operation, bytes an I/O, and how many were sent.
const SENT: [(&str, &str, u64, u64); 4] = [
    ("read-4k", "read", 4096, 256),
    ("read-64k", "read", 64 << 10, 32),
    ("write-4k", "write", 4096, 256),
    ("write-16k", "write", 16 << 10, 64),
];

/// The prediction for the guest's partition on the grid of this size, for I/O of this size.
fn predicted(checked: &CheckRun, unit: u64, bytes: u64) -> Value {
    let findings = checked.target()["findings"].as_array().unwrap().iter();
    let mut found =
        findings.filter(|one| one["layer"] == "partition:p1" && one["unit_bytes"] == unit);
    let finding = found
        .next()
        .unwrap_or_else(|| panic!("{:?}", checked.rules()));
    if unit == PAGE {
        assert_eq!(finding["guilty_layer"], "partition:p1");
    }
    let rows = finding["cost"].as_array().unwrap();
    let row = rows.iter().find(|row| row["io_bytes"] == bytes).unwrap();
    row.clone()
}

fn near(value: &Value, part: u64, whole: u64) {
    let (value, ratio) = (value.as_f64().unwrap(), ratio(part, whole));
    assert!(
        (value - ratio).abs() < 1e-9,
        "{value}, not {part} of {whole}"
    );
}

#[test]
fn what_is_predicted_for_a_guest_is_what_arrives() {
    needs!(Packages, Guest);
    let folder = tempfile::tempdir().unwrap();
    let said = guest::run("lab/live/chain.sh", folder.path());
    assert!(!said.contains("@@failed"), "{said}");
    let folder = folder.path().join("chain");
    let checked = CheckRun {
        json: read(&folder, "check.json"),
        code: 1,
    };
    assert_eq!(checked.verdict(), "misaligned");
    for (name, op, bytes, sent) in SENT {
        let profile = read(&folder, &format!("{name}.json"));
        let device = &profile["devices"][0];
        assert_eq!(device["by_op"][op]["ios"], sent, "{name}: {profile}");
        let mut pieces = 0;
        for unit in [PAGE, CHUNK] {
            let grids = device["grids"].as_array().unwrap().iter();
            let mut grids = grids.filter(|grid| grid["op"] == op && grid["size_bytes"] == unit);
            let grid = grids.next().unwrap();
            let count = |key: &str| grid[key].as_u64().unwrap();
            let row = predicted(&checked, unit, bytes);
            near(
                &row["cells_ratio"],
                count("cells_touched"),
                count("cells_minimum"),
            );
            near(&row["straddle_ratio"], count("straddling"), sent);
            pieces = count("cells_touched");
        }
        // A request that crosses a chunk is two requests; what is written goes to two disks.
        let members = std::fs::read_to_string(folder.join(format!("{name}.members"))).unwrap();
        let mut members = members.split_whitespace();
        let (reads, writes) = (members.next(), members.next());
        let (done, expected) = match op {
            "read" => (reads, pieces),
            _ => (writes, 2 * pieces),
        };
        assert_eq!(done, Some(&*expected.to_string()), "{name}");
    }
}

fn read(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

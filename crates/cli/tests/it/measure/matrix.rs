//! `measure matrix`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::PROGRAM;
use super::{SIZE, arms, compared, valid};

/// Block sizes of the VMFS paper, in KiB.
const KIB: [u64; 8] = [1, 4, 8, 16, 32, 64, 72, 128];

fn points(value: &Value) -> Vec<(String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let cells = value["cells"].as_array().unwrap().iter();
    cells
        .map(|cell| {
            assert_eq!(
                (&cell["queue_depth"], &cell["workers"]),
                (&16.into(), &1.into())
            );
            (
                text(&cell["pattern"]),
                text(&cell["op"]),
                cell["block_bytes"].as_u64().unwrap() >> 10,
            )
        })
        .collect()
}

#[test]
fn the_defaults_are_those_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("matrix t.dat --size {SIZE} --write --ramp 0 --time 60ms");
    let value = compared(folder.path(), &line);
    let mut expected = Vec::new();
    for pattern in ["random", "sequential"] {
        for op in ["read", "write"] {
            expected.extend(KIB.map(|kib| (pattern.to_owned(), op.to_owned(), kib)));
        }
    }
    assert_eq!(points(&value), expected);
    assert_eq!(arms(&value), [("aligned", 0), ("+32256", 32256)]);
    assert_eq!(value["partial"], Value::Null);
}

#[test]
fn writes_are_left_out_without_leave() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("matrix t.dat --size {SIZE} --ramp 0 --time 60ms --patterns random");
    let value = compared(folder.path(), &line);
    assert!(points(&value).iter().all(|(_, op, _)| op == "read"));
    assert_eq!(value["cells"].as_array().unwrap().len(), 8);
    let notes = value["notes"].as_array().unwrap();
    let said = notes
        .iter()
        .any(|note| note.as_str().unwrap().starts_with("8 cells that write"));
    assert!(said, "{notes:?}");
}

#[test]
fn a_cell_that_cannot_be_does_not_end_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        format!("matrix t.dat --size {SIZE} --ramp 0 --time 60ms --patterns random --sizes 4k,16M");
    let value = compared(folder.path(), &line);
    assert_eq!(value["cells"].as_array().unwrap().len(), 1);
    let notes = value["notes"].to_string();
    assert!(notes.contains("16 MiB random read is left out"), "{notes}");
}

#[test]
fn what_was_measured_before_ctrl_c_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        format!("measure matrix t.dat --size {SIZE} --ramp 0 --time 500ms --full -o m.json --json");
    let mut child = Command::new(PROGRAM)
        .current_dir(folder.path())
        .args(words.split_whitespace())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let file = folder.path().join("m.json");
    let begun = Instant::now();
    while !file.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no cell is kept");
        std::thread::sleep(Duration::from_millis(20));
    }
    let read = || -> Value { serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap() };
    assert!(
        read()["partial"]
            .as_str()
            .unwrap()
            .ends_with("of 16 cells are measured")
    );
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let value = read();
    valid(&value, "comparison-1.schema.json");
    assert_eq!(value["partial"], "interrupted");
    let cells = value["cells"].as_array().unwrap().len();
    assert!((1..16).contains(&cells), "{cells}");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "nothing else is left"
    );
}

//! `measure gate`, where the answer is certain on any machine: against sessions a million times as fast or as slow.

use std::path::Path;

use serde_json::{Value, json};

use super::{SIZE, document, measure, stated, valid};

const LOAD: &str = "run t.dat --time 1s --depth 1";

/// A baseline of one real session, and the same file with as many sessions of these times.
fn baseline(folder: &Path, sessions: usize, us: f64) -> Value {
    let line = format!("{LOAD} --size {SIZE} --record baseline.json");
    let output = measure(folder, &line);
    assert_eq!(output.status.code(), Some(0), "{}", stated(&output));
    let mut whole = read(folder, "baseline.json");
    valid(&whole, "baseline-1.schema.json");
    let first = whole["sessions"][0].clone();
    assert!(first["latency_us"][0][0].as_f64().unwrap() > 0.0);
    let session = |index: usize| {
        let mut one = first.clone();
        // They differ by one part in a thousand.
        let own = us * (1.0 + 0.001 * f64::from(u32::try_from(index).unwrap()));
        one["latency_us"] = json!([[own, own, own]]);
        one
    };
    whole["sessions"] = (0..sessions).map(session).collect();
    std::fs::write(folder.join("made.json"), whole.to_string()).unwrap();
    whole
}

fn read(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn a_session_is_added_and_another_load_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = baseline(folder.path(), 1, 1.0);
    let again = measure(
        folder.path(),
        &format!("{LOAD} --size {SIZE} --record baseline.json"),
    );
    assert_eq!(again.status.code(), Some(0), "{}", stated(&again));
    let second = read(folder.path(), "baseline.json");
    assert_eq!(second["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(second["steps"], first["steps"]);
    let other = measure(
        folder.path(),
        &format!("{LOAD} --sizes 8k --record baseline.json"),
    );
    assert_eq!(other.status.code(), Some(64), "{}", stated(&other));
    assert!(
        stated(&other).contains("of another run: --size, the load"),
        "{}",
        stated(&other)
    );
    let few = measure(folder.path(), "gate baseline.json");
    assert_eq!(few.status.code(), Some(65));
    assert!(
        stated(&few).contains("2 whole sessions; 5 are the fewest"),
        "{}",
        stated(&few)
    );
}

#[test]
fn a_device_that_was_faster_fails() {
    let folder = tempfile::tempdir().unwrap();
    baseline(folder.path(), 6, 1e-6);
    let line = "gate made.json --time 20s --junit gate.xml --json";
    let value = document(&measure(folder.path(), line), "gate-1.schema.json", &[1]);
    assert_eq!(
        (&value["verdict"], &value["sessions"]),
        (&json!("fail"), &json!(6))
    );
    let step = &value["steps"][0];
    assert!(step["ratio_low"].as_f64().unwrap() > 1000.0 && step["slowest"] == true);
    // It ends when it is certain.
    assert!(
        (10..15).contains(&step["rounds"].as_u64().unwrap()),
        "{step}"
    );
    let xml = std::fs::read_to_string(folder.path().join("gate.xml")).unwrap();
    assert!(
        xml.contains(r#"failures="1""#) && xml.contains(r#"type="slower""#),
        "{xml}"
    );
}

#[test]
fn a_device_that_was_slower_passes_and_too_little_time_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    baseline(folder.path(), 6, 1e9);
    let short = measure(folder.path(), "gate made.json --time 2s");
    assert_eq!(short.status.code(), Some(3), "{}", stated(&short));
    let said = String::from_utf8_lossy(&short.stdout);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("s are too few: 10 whole seconds"), "{said}");
    // The number that is named does.
    let (_, enough) = said.split_once("(--time ").unwrap();
    let enough = enough.split_once(')').unwrap().0;
    let longer = measure(folder.path(), &format!("gate made.json --time {enough}"));
    assert_eq!(longer.status.code(), Some(0), "{}", stated(&longer));
    let passed = measure(folder.path(), "gate made.json --time 20s");
    assert_eq!(passed.status.code(), Some(0), "{}", stated(&passed));
    let text = String::from_utf8_lossy(&passed.stdout);
    assert!(
        text.starts_with("  ") && text.contains("pass  t.dat  slower than made.json by 2 %"),
        "{text}"
    );
}

//! The node-problem-detector plugin: what that program checks when it reads the file, and its run.

use serde_json::Value;

use ioalign_testkit::run::text;

use super::{bad, good, out, read, run};

fn config() -> Value {
    serde_json::from_str(&read("contrib/node-problem-detector/ioalign.json")).unwrap()
}

/// `60s`, `6h`: the durations that we use of Go's.
fn seconds(value: &Value) -> u64 {
    let text = value.as_str().unwrap();
    let (number, unit) = text.split_at(text.len() - 1);
    let number: u64 = number.parse().unwrap();
    match unit {
        "s" => number,
        "m" => 60 * number,
        "h" => 3600 * number,
        other => panic!("unit {other}"),
    }
}

#[test]
fn the_file_passes_the_checks_of_its_reader() {
    let config = config();
    assert_eq!(config["plugin"], "custom");
    let whole = &config["pluginConfig"];
    assert!(seconds(&whole["invoke_interval"]) >= seconds(&whole["timeout"]));
    let conditions = config["conditions"].as_array().unwrap();
    for rule in config["rules"].as_array().unwrap() {
        assert!(seconds(&rule["timeout"]) <= seconds(&whole["timeout"]));
        assert_eq!(rule["type"], "permanent");
        let preset = conditions
            .iter()
            .any(|one| one["type"] == rule["condition"]);
        assert!(preset, "a permanent rule needs its condition");
    }
}

#[test]
fn its_command_has_its_codes() {
    let config = config();
    let rule = &config["rules"][0];
    let mut words = vec![rule["path"].as_str().unwrap()];
    words.extend(
        rule["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap()),
    );
    let most = config["pluginConfig"]["max_output_length"]
        .as_u64()
        .unwrap();
    let (bad, good) = (bad(), good());
    for (target, code) in [
        (text(good.path()), 0),
        (text(bad.path()), 1),
        ("/nonexistent", 2),
    ] {
        let output = run(&words, &[target]);
        assert_eq!(output.status.code(), Some(code), "{target}");
        let said = out(&output);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.len() as u64 <= most,
            "the condition's message is whole: {said}"
        );
    }
    // The machine itself, as the node does it.
    assert!(matches!(run(&words, &[]).status.code(), Some(0..=2)));
}

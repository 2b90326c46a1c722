//! The JSON output against the committed schema, and what a schema cannot say.

use std::collections::HashSet;
use std::path::Path;

use ioalign_report::{RenderOptions, Report, ReportFormat};
use serde_json::Value;

use super::cases;

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/check-1.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn json(report: &Report) -> Value {
    serde_json::from_str(&ReportFormat::Json.render(report, &RenderOptions::default())).unwrap()
}

#[test]
fn every_report_is_valid() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let mut reports = cases::all();
    reports.push(("empty", Report::default()));
    for (name, report) in reports {
        let value = json(&report);
        let errors: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn the_schema_is_strict() {
    jsonschema::meta::validate(&schema()).unwrap();
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let good = json(&cases::report(vec![cases::sector63()]));
    assert!(validator.is_valid(&good));
    for (pointer, wrong) in [
        ("/schema", Value::from("ioalign.check/2")),
        ("/targets/0/verdict", Value::from("bad")),
        ("/targets/0/layers/0/size_bytes", Value::from("20 GiB")),
        ("/targets/0/layers/0/size_bytes", Value::from(0.5)),
        ("/targets/0/grids/0/size_bytes", Value::from(0)),
        ("/targets/0/findings/0/rule", Value::from("Not A Rule")),
        (
            "/targets/0/findings/0/cost/0/straddle_ratio",
            Value::from(1.5),
        ),
        ("/summary/by_verdict", Value::from(7)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = wrong;
        assert!(!validator.is_valid(&bad), "{pointer}");
    }
}

#[test]
fn ids_are_unique_and_references_resolve() {
    for (name, report) in cases::all() {
        for target in json(&report)["targets"].as_array().unwrap() {
            let ids = |list: &str| -> Vec<String> {
                let items = target[list].as_array().unwrap().iter();
                items
                    .map(|item| item["id"].as_str().unwrap().to_owned())
                    .collect()
            };
            let (layers, grids) = (ids("layers"), ids("grids"));
            for list in [&layers, &grids] {
                assert_eq!(
                    list.iter().collect::<HashSet<_>>().len(),
                    list.len(),
                    "{name}"
                );
            }
            for grid in target["grids"].as_array().unwrap() {
                assert!(
                    layers.iter().any(|id| grid["layer"] == id.as_str()),
                    "{name}"
                );
            }
            for layer in target["layers"].as_array().unwrap() {
                for phase in layer["phases"].as_array().unwrap() {
                    assert!(
                        grids.iter().any(|id| phase["grid"] == id.as_str()),
                        "{name}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_summary_adds_up() {
    for (name, report) in cases::all() {
        let summary = &json(&report)["summary"];
        let by = summary["by_verdict"].as_object().unwrap();
        let sum: u64 = by.values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(Some(sum), summary["targets"].as_u64(), "{name}");
    }
}

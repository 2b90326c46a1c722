//! `ioalign measure` on files of its own: what is measured is not asked here, only that it is reported well.
//!
//! Verdicts depend on the machine; no test does.

mod atomic;
mod before;
mod compare;
mod fio;
mod gate;
mod interrupted;
mod layouts;
mod matrix;
mod refusals;
mod run;
mod trouble;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::PROGRAM;
use super::schema::valid;

/// Of the file that loads go to: places for 128 KiB at sector 63, and quickly filled.
const SIZE: &str = "8M";

fn measure(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    let words = arguments.split_whitespace();
    command
        .current_dir(folder)
        .arg("measure")
        .args(words)
        .output()
        .unwrap()
}

fn stated(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON on standard output, valid by its schema; `codes` are those that may be.
fn document(output: &Output, schema: &str, codes: &[i32]) -> Value {
    let code = output.status.code().unwrap();
    assert!(codes.contains(&code), "{code}: {}", stated(output));
    let value = serde_json::from_slice(&output.stdout).unwrap();
    valid(&value, schema);
    value
}

/// A comparison, whatever came out.
fn compared(folder: &Path, arguments: &str) -> Value {
    let output = measure(folder, &format!("{arguments} --json"));
    let value = document(&output, "comparison-1.schema.json", &[0, 1]);
    let cells = value["cells"].as_array().unwrap();
    let verdicts = cells
        .iter()
        .flat_map(|cell| cell["estimates"].as_array().unwrap());
    let certain = |one: &Value| one["verdict"] == "slower" || one["verdict"] == "faster";
    let is_compare = arguments.starts_with("compare");
    let differs = is_compare && answers(&value) && verdicts.into_iter().any(certain);
    assert_eq!(output.status.code(), Some(i32::from(differs)), "{value:#}");
    value
}

/// Against an earlier run the estimates answer only where the layout of then is an arm.
fn answers(value: &Value) -> bool {
    value["before"].is_null() || value["before"]["interleaved"] == true
}

/// All notes of a report in one text.
fn notes(value: &Value) -> String {
    let notes = value["notes"].as_array().unwrap().iter();
    notes
        .map(|note| note.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

fn arms(comparison: &Value) -> Vec<(&str, u64)> {
    let arms = comparison["arms"].as_array().unwrap().iter();
    arms.map(|arm| {
        (
            arm["name"].as_str().unwrap(),
            arm["offset_bytes"].as_u64().unwrap(),
        )
    })
    .collect()
}

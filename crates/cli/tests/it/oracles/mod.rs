//! Agreement with the real tools on the same bytes, and where a tool is wrong, a test that says why.

mod images;
pub mod kernel;
mod partitions;
mod scan;
mod volumes;

use std::process::{Command, Output};

use ioalign_testkit::{CheckRun, Random};
use serde_json::Value;

/// Runs a tool whatever its exit code; says which package is missing when it is.
fn run(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C");
    let output = command.output();
    output.unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"))
}

/// Its exit code.
fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// Its standard output.
fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// All layers of the target.
fn layers(checked: &CheckRun) -> &[Value] {
    checked.target()["layers"].as_array().unwrap()
}

/// The layers of one kind.
fn of_kind<'a>(checked: &'a CheckRun, kind: &str) -> Vec<&'a Value> {
    let all = layers(checked).iter();
    all.filter(|layer| layer["kind"] == kind).collect()
}

/// The value behind `name` in a text of lines such as `Block size:   4096`, up to the next blank.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(name)?;
        rest.strip_prefix([':', ' ', '='])
            .map(|rest| rest.trim_start_matches([':', ' ', '=']))
    })?;
    line.split_whitespace().next()
}

/// The same as a number.
fn number(text: &str, name: &str) -> u64 {
    let value = field(text, name).unwrap_or_else(|| panic!("no {name} in {text}"));
    value
        .parse()
        .unwrap_or_else(|_| panic!("{name} is {value}"))
}

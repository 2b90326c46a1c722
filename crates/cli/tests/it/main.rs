//! Tests of the program as its users run it: one binary.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

mod advise;
mod advise_truth;
mod atomic;
mod atomic_tear;
mod bundles;
mod capture;
mod chain;
mod chain_vm;
mod cli;
mod composition;
mod contrib;
mod counters_vm;
mod created;
mod direct_io;
mod discards;
mod documents;
mod explain;
mod fix;
mod fix_real;
mod fleet;
mod folder;
mod formats;
mod guest;
mod hostile;
mod image_set;
mod lab;
mod lab_tear;
mod lint;
mod live_vm;
mod measure;
mod opening;
mod oracles;
mod plan;
mod policy;
mod probe;
mod scenarios_arrays;
mod scenarios_host;
mod scenarios_image;
mod scenarios_texts;
mod scenarios_units;
mod scenarios_unread;
mod schema;
mod serve;
mod silence;
mod simulate;
mod terminal;
mod texts;
mod texts_mapped;
mod texts_mission;
mod texts_round;
mod texts_truth;
mod trace_hints;
mod trace_make;
mod trace_profile;
mod trace_scale;
mod trace_stop;
mod unprivileged;
mod watch;
mod watch_vm;
mod web;
mod write_unit;

use std::ffi::OsStr;
use std::path::Path;

use ioalign_testkit::{CheckRun, Sysroot, check};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ioalign");

/// `ioalign check --json IMAGE ARGUMENT…`
fn check_image(image: &Path, arguments: &[&str]) -> CheckRun {
    let arguments = arguments.iter().map(OsStr::new);
    check(PROGRAM, std::iter::once(image.as_os_str()).chain(arguments))
}

/// `ioalign check --json --sysroot TREE ARGUMENT…`
fn check_host(tree: &Sysroot, arguments: &[&str]) -> CheckRun {
    let arguments = arguments.iter().map(OsStr::new);
    let root = [OsStr::new("--sysroot"), tree.path().as_os_str()];
    check(PROGRAM, root.into_iter().chain(arguments))
}

/// The straddle and cells ratios of a finding for one I/O size.
fn cost(finding: &serde_json::Value, io: u64) -> (f64, f64) {
    let rows = finding["cost"].as_array().unwrap();
    let row = rows.iter().find(|row| row["io_bytes"] == io).unwrap();
    (
        row["straddle_ratio"].as_f64().unwrap(),
        row["cells_ratio"].as_f64().unwrap(),
    )
}

/// The sentence of a finding.
fn why(finding: &serde_json::Value) -> &str {
    finding["why"].as_str().unwrap()
}

//! `cargo xtask fuzz`: seeds from the real tools and the real kernel, then the mutation loop of
//! `tools/src/fuzz_loop` in an optimised build that checks arithmetic.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow};

use crate::{fixtures, packages, paths, run};
use ioalign_lab::hash::ContentHash;

/// Damaged traces of each format, journals and boot sectors, where nothing else is said.
const TRACE_RUNS: &str = "100000";

/// Damaged images that are opened for writing: each is some MiB.
const CONTAINER_RUNS: &str = "20000";

/// Every byte of the first MiB: how far `--truncate` cuts seeds.
const TRUNCATE_BYTES: u64 = 1 << 20;

/// What every whole run does: each reader for a moment.
pub fn brief() -> Result<bool> {
    run(&[
        "--runs".into(),
        "2000".into(),
        "--text-runs".into(),
        "500".into(),
    ])
}

/// The long loops of a night.
pub fn all() -> Result<bool> {
    let mutated = run(&[
        "--runs".into(),
        "50000".into(),
        "--text-runs".into(),
        "15000".into(),
    ])?;
    let cut_off = run(&["--truncate".into(), "--format".into(), "captures".into()])?;
    Ok(mutated && cut_off)
}

/// Each subject under libFuzzer.
pub fn guided() -> Result<bool> {
    Err(anyhow!("not built"))
}

/// Passes its arguments on to the loop. `--truncate` alone means the first MiB, every byte of it.
pub fn command(args: &[String]) -> Result<ExitCode> {
    packages::ensure("test")?;
    fixtures::build(&[])?;
    Ok(ExitCode::from(u8::from(!run(args)?)))
}

/// Whether every reader held, of images and of traces; `--traces` is for the latter only.
pub fn run(args: &[String]) -> Result<bool> {
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1).map(String::as_str)
    };
    let has = |name: &str| args.iter().any(|arg| arg == name);
    if has("--traces") {
        return traces(value("--runs"), value("--format"));
    }
    if has("--trees") {
        return trees(value("--runs"));
    }
    if has("--journals") {
        return repair("journal_fuzz", value("--runs"));
    }
    if has("--boot") {
        return repair("boot_fuzz", value("--runs"));
    }
    if has("--convert") {
        return repair("convert_fuzz", value("--runs"));
    }
    if has("--ovf") {
        return repair("ovf_fuzz", value("--runs"));
    }
    if has("--containers") {
        return repair("container_fuzz", value("--runs").or(Some(CONTAINER_RUNS)));
    }
    let good = images(args)?;
    if has("--format") || has("--truncate") {
        return Ok(good);
    }
    let runs = value("--runs");
    // Each of these keeps one processor busy.
    std::thread::scope(|scope| {
        let written = scope.spawn(|| repairs(runs));
        let read = traces(runs, None)? & trees(runs)?;
        let written = written.join();
        Ok(written.map_err(|_| anyhow!("a loop of repairs panicked"))?? & read & good)
    })
}

/// What writes: journals, boot sectors, conversions, packages, containers.
fn repairs(runs: Option<&str>) -> Result<bool> {
    let mut held = true;
    for example in ["journal_fuzz", "boot_fuzz", "convert_fuzz", "ovf_fuzz"] {
        held &= repair(example, runs)?;
    }
    Ok(repair("container_fuzz", Some(CONTAINER_RUNS))? & held)
}

/// The loop of `tools/src/formats.rs`, with samples of its own as seeds.
fn traces(runs: Option<&str>, format: Option<&str>) -> Result<bool> {
    let package = ["--package", "ioalign-tools"];
    let mut command = run::cargo(&["run", "--profile", "fuzz", "--quiet"]);
    command.args(package).args(["--", "traces", "fuzz"]);
    command.arg(runs.unwrap_or(TRACE_RUNS)).args(format);
    run::succeeds(&mut command)
}

/// The loop of `tools/src/tree_fuzz.rs`, with the captured hosts of the fixtures as further seeds.
fn trees(runs: Option<&str>) -> Result<bool> {
    let package = ["--package", "ioalign-tools"];
    let mut command = run::cargo(&["run", "--profile", "fuzz", "--quiet"]);
    command.args(package).args(["--", "tree_fuzz"]);
    command.args([runs.unwrap_or(TRACE_RUNS), "1"]);
    let mut hosts: Vec<_> = std::fs::read_dir(fixtures::current())?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    hosts.sort();
    run::succeeds(command.args(hosts))
}

/// A loop of `tools/` that makes its own seeds.
fn repair(example: &str, runs: Option<&str>) -> Result<bool> {
    let package = ["--package", "ioalign-tools"];
    let mut command = run::cargo(&["run", "--profile", "fuzz", "--quiet"]);
    command
        .args(package)
        .args(["--", example])
        .arg(runs.unwrap_or(TRACE_RUNS));
    run::succeeds(&mut command)
}

fn images(args: &[String]) -> Result<bool> {
    let mut command = run::cargo(&[
        "run",
        "--profile",
        "fuzz",
        "--quiet",
        "--package",
        "ioalign-tools",
    ]);
    command.args(["--", "fuzz_loop", "--seeds"]);
    command
        .arg(seeds()?)
        .arg("--seeds")
        .arg(fixtures::current())
        .arg("--texts")
        .arg(paths::root().join("fuzz/texts"));
    let most = TRUNCATE_BYTES.to_string();
    for arg in args {
        command.arg(arg);
        if arg == "--truncate" {
            command.arg(&most);
        }
    }
    run::succeeds(&mut command)
}

/// The folder of images that packaged tools wrote, filled once per version of the script.
fn seeds() -> Result<PathBuf> {
    let script = paths::root().join("fuzz/seeds.sh");
    let mut hash = ContentHash::new();
    hash.add_file(&script)?;
    let folder = paths::target().join("fuzz-seeds").join(hash.text());
    if folder.is_dir() {
        return Ok(folder);
    }
    let part = folder.with_extension(format!("{}.part", std::process::id()));
    run::must(run::command(&script).arg(&part))?;
    paths::settle(&part, &folder)?;
    Ok(folder)
}

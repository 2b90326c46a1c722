//! `cargo xtask fuzz`: seeds from the real tools and the real kernel, then the loop of `tools/` over every reader of
//! untrusted bytes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{fixtures, packages, paths, run, tools};
use ioalign_lab::hash::ContentHash;

/// Every byte of the first MiB: how far `--truncate` cuts seeds.
const TRUNCATE_BYTES: u64 = 1 << 20;

/// The profile in which `cargo xtask test` builds its tests.
const BRIEF_PROFILE: &str = "ci";

/// How long libFuzzer has for each room.
const GUIDED_TIME: &str = "-max_total_time=120";

/// Runs of each subject at night, and of each format of text, which are slower to read and more.
const NIGHTLY_RUNS: [&str; 4] = ["--runs", "50000", "--text-runs", "15000"];

/// Passes its arguments on to the loop. `--truncate` alone means the first MiB, every byte of it.
pub fn command(args: &[String]) -> Result<ExitCode> {
    packages::ensure("test")?;
    if args == ["--brief"] {
        return exit(brief());
    }
    fixtures::build(&[])?;
    exit(run(args))
}

fn exit(held: Result<bool>) -> Result<ExitCode> {
    Ok(ExitCode::from(u8::from(!held?)))
}

/// For CI: every subject on its seeds, on some hundred damaged ones, and on some cut short: less than a minute of a processor.
///
/// The program is one more link in the build that `cargo test --workspace` has made: the same packages and kinds of
/// targets give its dependencies the same features.
pub fn brief() -> Result<bool> {
    let mut build = run::cargo(&["build", "--profile", BRIEF_PROFILE]);
    run::must(build.args(["--workspace", "--tests", "--bin", "ioalign-tools"]))?;
    let program = paths::target().join(BRIEF_PROFILE).join("ioalign-tools");
    let mut command = run::command(program);
    run::succeeds(with_seeds(command.args(["fuzz", "--brief"]))?)
}

/// For the night: many runs of every subject, and seeds cut at every byte, in an optimised build that checks arithmetic.
pub fn all() -> Result<bool> {
    fixtures::build(&[])?;
    let mutated = run(&NIGHTLY_RUNS.map(str::to_owned))?;
    let cut_short = run(&["--truncate".to_owned()])?;
    Ok(mutated && cut_short)
}

/// For the night: every room of subjects for some minutes under libFuzzer.
pub fn guided() -> Result<bool> {
    let list = run::output(tool().args(["fuzz", "--list"]))?;
    let rooms: BTreeSet<_> = list.lines().map(room_of).collect();
    let mut held = true;
    for room in rooms {
        held &= guided_by_coverage(room)?;
    }
    Ok(held)
}

/// The part of a subject's name before the format: `tables` of `tables/gpt`.
fn room_of(subject: &str) -> &str {
    subject.split('/').next().unwrap_or_default()
}

fn guided_by_coverage(room: &str) -> Result<bool> {
    let corpus = paths::root().join("fuzz/corpus").join(room);
    let mut write = tool();
    write.args(["fuzz", "--format", room, "--write-seeds"]);
    run::must(write.arg(&corpus))?;
    let mut fuzz = run::command(tools::FUZZ.find()?);
    fuzz.args(["fuzz", "run", "subject"]).arg(&corpus);
    let images = seeds()?.join(room);
    if room == "captures" {
        fuzz.arg(paths::root().join("fuzz/texts"));
    } else if images.is_dir() {
        fuzz.arg(images);
    }
    fuzz.args(["--", "-max_len=1048576", GUIDED_TIME]);
    // The instrumentation is an unstable option of the compiler.
    fuzz.env("RUSTC_BOOTSTRAP", "1");
    run::succeeds(fuzz.env("IOALIGN_SUBJECT", room))
}

fn tool() -> Command {
    let build = ["run", "--profile", "fuzz", "--quiet"];
    let mut command = run::cargo(&build);
    command.args(["--package", "ioalign-tools", "--"]);
    command
}

/// Whether every reader held.
fn run(args: &[String]) -> Result<bool> {
    let mut command = tool();
    command.arg("fuzz");
    for arg in args {
        command.arg(arg);
        if arg == "--truncate" {
            command.arg(TRUNCATE_BYTES.to_string());
        }
    }
    run::succeeds(with_seeds(&mut command)?)
}

/// Images that packaged tools wrote, fixtures where they are built, and texts.
fn with_seeds(command: &mut Command) -> Result<&mut Command> {
    command.arg("--seeds").arg(seeds()?);
    if fixtures::current().is_dir() {
        command.arg("--seeds").arg(fixtures::current());
    }
    Ok(command.arg("--texts").arg(paths::root().join("fuzz/texts")))
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

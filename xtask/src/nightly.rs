//! `cargo xtask nightly`: what is too long for every run. Each part writes its row of `docs/nightly.md`, from which `test` says how
//! old it is.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{fuzz, paths, run, tools};

const RECORD: &str = "docs/nightly.md";
/// A release is built for `static` this often.
const DAYS_OF_STATIC: i64 = 7;
/// Rooms of `mutants`, one a night.
const ROOMS: [&str; 8] = [
    "core", "inspect", "repair", "observe", "measure", "simulate", "fleet", "serve",
];
/// A room has too many mutants for one night.
const SHARDS: usize = 20;
const DAY: i64 = 86_400;

/// A part of the night's work.
struct Part {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<bool>,
}

const PARTS: [Part; 6] = [
    Part {
        name: "fuzz",
        about: "every reader on 50,000 damaged inputs a format (15,000 of texts), and on seeds cut at every byte",
        run: fuzz::all,
    },
    Part {
        name: "libfuzzer",
        about: "every fuzz subject, guided by coverage, two minutes a room",
        run: fuzz::guided,
    },
    Part {
        name: "crashes",
        about: "loss of power at every write and flush of 4,000 layouts and of 800 images of each format; 300 sequences of commands, kills and visits of others",
        run: crashes,
    },
    Part {
        name: "mutants",
        about: "a twentieth of one room's mutants, by cargo-mutants",
        run: mutants,
    },
    Part {
        name: "processors",
        about: "tests of the libraries on s390x and i686",
        run: processors,
    },
    Part {
        name: "static",
        about: "the static programs of a release, once a week",
        run: build_static,
    },
];

/// Runs the parts that are named, or all, and records each.
pub fn command(args: &[String]) -> Result<ExitCode> {
    for name in args {
        if !PARTS.iter().any(|part| part.name == name) {
            let names = PARTS.map(|part| part.name).join(", ");
            bail!("{name} is no part of a night; parts are {names}");
        }
    }
    let mut all_passed = true;
    for part in &PARTS {
        if !args.is_empty() && !args.iter().any(|name| name == part.name) {
            continue;
        }
        if args.is_empty() && part.name == "static" && days_since(part.name)? < DAYS_OF_STATIC {
            continue;
        }
        let started = std::time::Instant::now();
        let passed = (part.run)().unwrap_or_else(|error| {
            eprintln!("xtask: {}: {error:#}", part.name);
            false
        });
        all_passed &= passed;
        record(part, passed, started.elapsed().as_secs())?;
    }
    Ok(ExitCode::from(u8::from(!all_passed)))
}

/// One line: how many commits ago each part ran.
pub fn age() -> Result<String> {
    let mut ages = Vec::new();
    for part in &PARTS {
        let age = match row(part.name)? {
            Some(row) => match commits_since(&row.commit) {
                Some(commits) => format!("{commits} commits ago"),
                None => format!("at {}, which is not in this history", row.commit),
            },
            None => "never".to_owned(),
        };
        ages.push(format!("{} {age}", part.name));
    }
    Ok(format!("nightly runs: {} ({RECORD})", ages.join(", ")))
}

fn commits_since(commit: &str) -> Option<u64> {
    let range = format!("{commit}..HEAD");
    let count = git(&["rev-list", "--count", &range]).ok()?;
    count.trim().parse().ok()
}

/// A row of the record.
struct Row {
    date: String,
    commit: String,
}

fn row(part: &str) -> Result<Option<Row>> {
    let text = read()?;
    let rows = text.lines().map(|line| line.split('|').map(str::trim));
    let mut rows = rows.filter(|row| row.clone().nth(1) == Some(part));
    Ok(rows.next().and_then(|mut row| {
        Some(Row {
            date: row.nth(2)?.to_owned(),
            commit: row.next()?.to_owned(),
        })
    }))
}

fn read() -> Result<String> {
    let path = path();
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn path() -> PathBuf {
    paths::root().join(RECORD)
}

/// Replaces the row of the part, or adds it.
fn record(part: &Part, passed: bool, seconds: u64) -> Result<()> {
    let date = git(&["log", "-1", "--format=%cs"])?;
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let result = if passed { "passed" } else { "FAILED" };
    let line = format!(
        "| {} | {} | {} | {result} | {} min | {} |",
        part.name,
        date.trim(),
        commit.trim(),
        seconds.div_ceil(60),
        part.about
    );
    let start = format!("| {} |", part.name);
    let mut lines: Vec<String> = read()?.lines().map(str::to_owned).collect();
    match lines.iter_mut().find(|line| line.starts_with(&start)) {
        Some(old) => *old = line.clone(),
        None => lines.push(line.clone()),
    }
    fs::write(path(), lines.join("\n") + "\n").context("cannot write the record")?;
    println!("{line}");
    Ok(())
}

fn days_since(part: &str) -> Result<i64> {
    let Some(row) = row(part)? else {
        return Ok(i64::MAX);
    };
    let now = git(&["log", "-1", "--format=%ct"])?.trim().parse::<i64>()?;
    let then = run::output(run::command("date").args(["-u", "-d", &row.date, "+%s"]))?;
    Ok((now - then.trim().parse::<i64>()?) / DAY)
}

fn git(args: &[&str]) -> Result<String> {
    run::output(run::command("git").args(args))
}

fn crashes() -> Result<bool> {
    let nextest = tools::NEXTEST.find()?;
    let mut command = run::command(nextest);
    command.args([
        "nextest",
        "run",
        "--cargo-profile",
        "ci",
        "--package",
        "ioalign-repair",
    ]);
    command.args(["crash::", "power::"]);
    command.env("IOALIGN_TESTS", "all");
    command.env("IOALIGN_CRASH_LAYOUTS", "4000");
    command.env("IOALIGN_CRASH_POINTS", "all");
    command.env("IOALIGN_CRASH_IMAGES", "200");
    let crashes = run::succeeds(&mut command)?;
    let mut command = run::command(tools::NEXTEST.find()?);
    command.args([
        "nextest",
        "run",
        "--cargo-profile",
        "ci",
        "--package",
        "ioalign",
    ]);
    command.arg("fix::sequences");
    command.env("IOALIGN_TESTS", "all");
    command.env("IOALIGN_SEQUENCES", "300");
    Ok(run::succeeds(&mut command)? && crashes)
}

fn mutants() -> Result<bool> {
    let day = git(&["log", "-1", "--format=%ct"])?.trim().parse::<i64>()? / DAY;
    let room = usize::try_from(day)? % ROOMS.len();
    let mut command = run::command(tools::MUTANTS.find()?);
    command.args(["mutants", "--no-shuffle", "--jobs", "2"]);
    command.args([
        "--shard",
        &format!("{}/{SHARDS}", usize::try_from(day)? / ROOMS.len() % SHARDS),
    ]);
    command.args(["--package", &format!("ioalign-{}", ROOMS[room])]);
    run::succeeds(&mut command)
}

fn processors() -> Result<bool> {
    let script = paths::root().join("xtask/nightly-targets.sh");
    run::succeeds(&mut run::command(script))
}

fn build_static() -> Result<bool> {
    run::succeeds(&mut run::cargo(&["xtask", "dist", "--only", "static"]))
}

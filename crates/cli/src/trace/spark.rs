//! `--engine spark`: the job of `engines/spark`, submitted by `spark-submit` with this program as its kernel.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use ioalign_core::profile::Profile;
use ioalign_lab::host::which;

use super::merge::read;
use crate::args::SummarizeArgs;
use crate::exit::UsageError;
use crate::say;

/// The job, as Python reads it.
const JOB: &str = include_str!("summarize.py");
const SUBMIT: &str = "spark-submit";
/// Options with a value that the kernel gets as they are.
const FORWARDED: [&str; 12] = [
    "--as",
    "--columns",
    "--time-unit",
    "--offset-unit",
    "--length-unit",
    "--latency-unit",
    "--stage",
    "--grid",
    "--profile-grid",
    "--shift",
    "--burst-gap",
    "--sampler",
];

/// The profile of all files, counted on the cluster. Files that could not be read say so in it.
pub fn summarize(arguments: &SummarizeArgs) -> Result<Profile> {
    refuse(arguments)?;
    let submit = which(SUBMIT).with_context(|| {
        format!("{SUBMIT} is not on the PATH: --engine spark needs Apache Spark (or `pip install pyspark`)")
    })?;
    let master = arguments.master.as_deref().unwrap_or_default();
    let folder = tempfile::tempdir()?;
    let (job, out) = (
        folder.path().join("summarize.py"),
        folder.path().join("profile.json"),
    );
    fs::write(&job, JOB)?;
    let kernel = shipped(folder.path())?;
    let forwarded = serde_json::to_string(&forwarded(env::args().skip(1)))?;
    let mut command = Command::new(submit);
    command.args(["--master", master, "--conf", "spark.log.level=ERROR"]);
    for option in &arguments.spark_conf {
        command.args(["--conf", option]);
    }
    command.arg("--files").arg(&kernel).arg(&job);
    command.arg("--kernel").arg(&kernel).arg("--out").arg(&out);
    command.args(["--split-bytes", &arguments.split_bytes.to_string()]);
    if arguments.mergeable {
        command.arg("--mergeable");
    }
    command
        .arg(format!("--args={forwarded}"))
        .arg("--")
        .args(&arguments.files);
    // Standard output is for the answer alone; Spark writes errors of Python there.
    command.stdin(Stdio::null()).stdout(say::for_child()?);
    let status = command
        .status()
        .with_context(|| format!("cannot start {SUBMIT}"))?;
    if !status.success() {
        bail!("the Spark job failed: {SUBMIT} ended with {status}");
    }
    read(&out)
}

/// This program under the name that the job knows.
fn shipped(folder: &Path) -> Result<PathBuf> {
    let own = env::current_exe().context("cannot find this program's own file")?;
    let kernel = folder.join("ioalign");
    // No symbolic link: Spark ships files under the name that a link leads to.
    fs::hard_link(&own, &kernel).or_else(|_| fs::copy(&own, &kernel).map(|_| ()))?;
    Ok(kernel)
}

fn refuse(arguments: &SummarizeArgs) -> Result<()> {
    let piped = arguments.files.iter().any(|file| file.as_os_str() == "-");
    let refused = [
        (
            arguments.master.is_none(),
            "--engine spark needs --master: spark://HOST:7077, yarn, k8s://…, local[2]",
        ),
        (
            arguments.stack.is_some(),
            "--stack is not known to --engine spark",
        ),
        (
            arguments.interval.is_some(),
            "--interval cannot be merged: not with --engine spark",
        ),
        (piped, "--engine spark reads files, not standard input"),
    ];
    match refused.iter().find(|(refused, _)| *refused) {
        Some((_, why)) => Err(UsageError((*why).to_owned()).into()),
        None => Ok(()),
    }
}

/// The options of the kernel in a command line.
fn forwarded(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut arguments = arguments.take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        let name = argument
            .split_once('=')
            .map_or(argument.as_str(), |(name, _)| name);
        if !FORWARDED.contains(&name) {
            continue;
        }
        let has_value = name.len() < argument.len();
        out.push(argument);
        if !has_value {
            out.extend(arguments.next());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_gets_its_options() {
        let line = "trace summarize --engine spark --grid 64k --as=msr -v --burst-gap 2s a.csv --json -- --grid";
        let found = forwarded(line.split(' ').map(str::to_owned));
        assert_eq!(found, ["--grid", "64k", "--as=msr", "--burst-gap", "2s"]);
    }
}

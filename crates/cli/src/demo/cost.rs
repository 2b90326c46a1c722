//! The cost of misalignment on this machine: 4 KiB of a scratch file, at two starts of a partition.
//!
//! The I/O goes through a page cache that is emptied before each round, as that of a host with many
//! virtual disks is: a write of a part of a page has to read the rest of it. No root is needed.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Parser;
use ioalign_core::comparison::Comparison;
use ioalign_core::shell;

use crate::args::{Cli, MeasureVerb, Verb};
use crate::measure;

/// The arguments after the file.
const TARGET: &str = "--size 64M --write --buffered --cold";
const CELLS: &str = "--sizes 4k --ops read,write --depth 1 --time 3s --no-saturate --quiet";

/// Two starts on the scratch disk: the first is what the second is compared with.
pub type Starts = [u64; 2];
/// The starts of p4 and p1 as made.
pub const MADE: Starts = [0, 32256];

fn cells([baseline, other]: Starts) -> String {
    format!("--offsets {baseline},{other} {CELLS}")
}

/// The call that does the same, for a reader to repeat.
pub fn call(file: &Path, starts: Starts) -> String {
    format!(
        "ioalign measure compare {} {TARGET} \\\n    {}",
        shell::path(file),
        cells(starts)
    )
}

/// Measures on a file that it makes, and removes.
pub fn measured(file: &Path, starts: Starts) -> Result<Comparison> {
    let words = ["ioalign", "measure", "compare"].map(OsString::from);
    let words = words.into_iter().chain([file.as_os_str().to_owned()]);
    let cells = cells(starts);
    let more = [TARGET, &cells].into_iter().flat_map(str::split_whitespace);
    let words = words.chain(more.map(OsString::from));
    let verb = Cli::try_parse_from(words)?.verb;
    let Verb::Measure(arguments) = verb else {
        bail!("not a measurement");
    };
    let MeasureVerb::Compare(arguments) = &arguments.verb else {
        bail!("not a comparison");
    };
    let measured = measure::measured(arguments);
    // It is as large as all that is left behind together; the folder can be removed without it as well.
    let _ = std::fs::remove_file(file);
    let (comparison, _) = measured.context("it cannot be measured here")?;
    Ok(comparison)
}

//! A second scratch image, put right: moved with a journal, judged and measured again.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use ioalign_core::{Kind, shell};
use ioalign_report::{RenderOptions, Report, ReportFormat, Target, Verbosity};

use super::{measure, scratch};
use crate::args::{Cli, DemoArgs, Verb};
use crate::check::{self, CheckJob};
use crate::fix;

/// Fixes it, and shows what it was before and what it is after.
pub fn show(
    out: &mut impl Write,
    folder: &Path,
    demo: &DemoArgs,
    options: &RenderOptions,
) -> Result<()> {
    let image = folder.join("fixed.img");
    scratch::write(&image)?;
    let before = check::one(&image, &CheckJob::default());
    writeln!(
        out,
        "\nThe same disk once more, and this time it is put right, with a journal:\n\n  \
         ioalign fix {} --apply\n",
        shell::path(&image)
    )?;
    out.flush()?;
    apply(&image, demo)?;
    let after = check::one(&image, &CheckJob::default());
    let (old, new) = (first(&before), first(&after));
    writeln!(out, "\nBefore and after, as `ioalign check` says it:\n")?;
    for target in [before, after] {
        out.write_all(verdict(target, options).as_bytes())?;
    }
    let (Some(old), Some(new)) = (old, new) else {
        return Ok(());
    };
    writeln!(
        out,
        "\nAnd measured: p1 started at byte {old}, which is compared with byte {new}, where it starts now:"
    )?;
    measure(out, folder, [new, old], options).map(drop)
}

fn apply(image: &Path, demo: &DemoArgs) -> Result<()> {
    let mut words: Vec<_> = ["ioalign", "fix", "--apply"].map(PathBuf::from).into();
    words.push(image.to_owned());
    if demo.no_color {
        words.push("--no-color".into());
    }
    match Cli::try_parse_from(words)?.verb {
        Verb::Fix(arguments) => fix::run(&arguments).map(drop),
        _ => bail!("not a fix"),
    }
}

/// The start of p1.
fn first(target: &Target) -> Option<u64> {
    let mut layers = target.stack.layers();
    let (_, part) = layers.find(|(_, layer)| layer.kind == Kind::Partition)?;
    Some(part.below.first()?.map.start()?.get())
}

/// The line of a target.
fn verdict(target: Target, options: &RenderOptions) -> String {
    let report = Report {
        targets: vec![target],
        tool: check::tool(),
        ..Report::default()
    };
    let quiet = RenderOptions {
        verbosity: Verbosity::Quiet,
        ..*options
    };
    ReportFormat::Text.render(&report, &quiet)
}

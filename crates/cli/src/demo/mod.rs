//! `ioalign demo`: the whole loop on a scratch image, without root.

mod scratch;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_report::{Format, Options, Report};

use crate::args::DemoArgs;
use crate::check::{self, Job};
use crate::exit::Exit;

/// Runs the verb.
pub fn run(arguments: &DemoArgs) -> Result<Exit> {
    let folder = folder(arguments)?;
    let image = folder.join("scratch.img");
    scratch::write(&image).with_context(|| format!("{}: cannot write it", image.display()))?;
    let mut out = std::io::stdout().lock();
    introduce(&mut out, &image)?;
    let report = Report {
        targets: vec![check::one(&image, &Job::plain())],
        tool: check::tool(),
        machine: check::machine(),
        ..Report::default()
    };
    let color = !arguments.no_color
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let options = Options {
        color,
        ..Options::default()
    };
    out.write_all(Format::Text.render(&report, &options).as_bytes())?;
    let page = folder.join("report.html");
    std::fs::write(&page, Format::Html.render(&report, &options))
        .with_context(|| format!("{}: cannot write it", page.display()))?;
    conclude(&mut out, &folder, &page)?;
    Ok(Exit::Done)
}

fn folder(arguments: &DemoArgs) -> Result<PathBuf> {
    let folder = arguments.keep.clone().unwrap_or_else(|| {
        std::env::temp_dir().join(format!("ioalign-demo-{}", std::process::id()))
    });
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    Ok(folder)
}

fn introduce(out: &mut impl Write, image: &Path) -> std::io::Result<()> {
    writeln!(
        out,
        "A scratch disk with the classic mistakes was made:\n  {}\n\n\
         \x20 p1  starts at sector 63, where every partitioner before 2009 put it\n\
         \x20 p2  swap, one sector off: an installer's rounding error\n\
         \x20 p3  starts right, its FAT puts the files off 4 KiB all the same\n\
         \x20 p4  right in every layer\n\n\
         This is what `ioalign check` says of it:\n",
        image.display()
    )
}

fn conclude(out: &mut impl Write, folder: &Path, page: &Path) -> std::io::Result<()> {
    writeln!(
        out,
        "\nThe same as a page with a picture:\n  {}\n\nNext:\n\
         \x20 ioalign check                  judge this machine (root sees more)\n\
         \x20 ioalign check IMAGE|FOLDER     judge virtual disks of any format\n\
         \x20 rm -r {}",
        page.display(),
        folder.display()
    )
}

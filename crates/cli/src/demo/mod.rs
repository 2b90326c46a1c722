//! `ioalign demo`: the whole loop on a scratch image, without root: find, measure, advise, fix, measure.

mod cost;
mod fixed;
mod scratch;

use std::fs::DirBuilder;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use ioalign_core::advice::{self, AdviceInput};
use ioalign_core::comparison::Comparison;
use ioalign_device::create::new_folder;
use ioalign_report::json::defects;
use ioalign_report::{RenderOptions, Report, ReportFormat};

use crate::args::{DemoArgs, ReplaceArgs};
use crate::check::{self, CheckJob};
use crate::exit::Exit;
use crate::output_file::Destination;

/// Runs the verb.
pub fn run(arguments: &DemoArgs) -> Result<Exit> {
    let folder = folder(arguments)?;
    let image = folder.join("scratch.img");
    scratch::write(&image)?;
    let mut out = std::io::stdout().lock();
    introduce(&mut out, &image)?;
    let report = Report {
        targets: vec![check::one(&image, &CheckJob::default())],
        tool: check::tool(),
        ..Report::default()
    };
    let options = options(arguments);
    out.write_all(ReportFormat::Text.render(&report, &options).as_bytes())?;
    introduce_cost(&mut out)?;
    let cost = measure(&mut out, &folder, cost::MADE, &options)?;
    advise(&mut out, &report, cost.as_ref(), &options)?;
    fixed::show(&mut out, &folder, arguments, &options)?;
    let mut pages = vec![("report.html", ReportFormat::Html.render(&report, &options))];
    pages.extend(cost.map(|cost| ("cost.html", ioalign_report::comparison::html(&cost))));
    for (name, page) in &pages {
        let path = folder.join(name);
        let report = Destination::report(Some(&path), ReplaceArgs::default(), &[]);
        report.write(|out| out.write_all(page.as_bytes()))?;
    }
    let names: Vec<_> = pages.iter().map(|(name, _)| folder.join(name)).collect();
    conclude(&mut out, &folder, &names)?;
    Ok(Exit::Done)
}

fn options(arguments: &DemoArgs) -> RenderOptions {
    let color = !arguments.no_color
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    RenderOptions {
        color,
        ..RenderOptions::default()
    }
}

fn introduce_cost(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "\nWhat a start at sector 63 costs here: 4 KiB reads and writes of a scratch file, at byte 0 and\n\
         at byte 32256, through a page cache that is emptied before each round (a few seconds):"
    )
}

/// Measures and shows it; where that cannot be, the rest goes on without it.
fn measure(
    out: &mut impl Write,
    folder: &Path,
    starts: cost::Starts,
    options: &RenderOptions,
) -> Result<Option<Comparison>> {
    let file = folder.join("measure.dat");
    writeln!(out, "\n  {}\n", cost::call(&file, starts))?;
    out.flush()?;
    match cost::measured(&file, starts) {
        Ok(cost) => {
            out.write_all(ioalign_report::comparison::text(&cost, options).as_bytes())?;
            Ok(Some(cost))
        }
        Err(error) => {
            writeln!(out, "It was not measured: {error:#}.")?;
            Ok(None)
        }
    }
}

/// The advice, from the findings and the cost; the workload of a scratch disk is not known.
fn advise(
    out: &mut impl Write,
    report: &Report,
    cost: Option<&Comparison>,
    options: &RenderOptions,
) -> Result<()> {
    let targets =
        defects::read(&ReportFormat::Json.render(report, options)).map_err(|why| anyhow!(why))?;
    let evidence = AdviceInput {
        targets: &targets,
        profile: None,
        cost,
        // The scratch file that was measured lies on the same disk as the image.
        assume_same: true,
    };
    let advice = advice::advise(&evidence, &check::tool());
    writeln!(out, "\nWhat `ioalign advise` makes of it:\n")?;
    out.write_all(ioalign_report::advice::render(&advice, options).as_bytes())?;
    Ok(())
}

fn folder(arguments: &DemoArgs) -> Result<PathBuf> {
    let Some(folder) = &arguments.keep else {
        // A new folder that no other user can write to.
        return Ok(new_folder(&std::env::temp_dir(), "ioalign-demo-")?);
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    Ok(folder.clone())
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

fn conclude(out: &mut impl Write, folder: &Path, pages: &[PathBuf]) -> std::io::Result<()> {
    writeln!(out, "\nThe same as pages with pictures:")?;
    for page in pages {
        writeln!(out, "  {}", page.display())?;
    }
    writeln!(
        out,
        "\nNext:\n\
         \x20 ioalign check                  judge this machine (root sees more)\n\
         \x20 ioalign check IMAGE|FOLDER     judge virtual disks of any format\n\
         \x20 ioalign measure compare FILE   what misalignment costs (reads only, unless --write)\n\
         \x20 rm -r {}",
        folder.display()
    )
}

//! `cargo xtask book`: the documents as pages to read and to search, in `book` of the target folder.
//!
//! `docs/SUMMARY.md` is the table of contents. Its pages, and the files that they link to, are laid out as in this tree; the
//! rules get a page each from the same data as `ioalign explain`. mdBook makes the pages, and every link in them is followed.

mod check;
mod layout;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::{paths, run, tools};

/// Builds the book and says where it is.
pub fn command(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("cargo xtask book takes no arguments");
    }
    let first = build()?.join("index.html");
    println!("{}", first.display());
    Ok(ExitCode::SUCCESS)
}

/// Builds the book; the folder of its pages.
pub fn build() -> Result<PathBuf> {
    let folder = paths::target().join("book");
    let _ = fs::remove_dir_all(&folder);
    layout::lay_out(&folder)?;
    let pages = folder.join("html");
    let mut mdbook = run::command(tools::MDBOOK.find()?);
    run::must(
        mdbook
            .arg("build")
            .arg(&folder)
            .arg("--dest-dir")
            .arg(&pages),
    )?;
    let wrong = check::links(&pages)?;
    if !wrong.is_empty() {
        bail!(
            "links of the book that lead nowhere:\n  {}",
            wrong.join("\n  ")
        );
    }
    Ok(pages)
}

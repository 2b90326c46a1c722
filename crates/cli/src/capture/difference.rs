//! `capture --diff A B`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ioalign_check::{CheckJob, target};
use ioalign_core::capture_difference::{CapturedHost, compare};
use ioalign_report::{Target, capture_difference};

use crate::exit::Exit;
use crate::look;

/// Compares two bundles, trees or texts. Exit code 1: they differ.
pub fn run(files: &[PathBuf], json: bool, quiet: bool) -> Result<Exit> {
    let [a, b] = files else {
        bail!("--diff takes two captures");
    };
    let (a, b) = (read(a)?, read(b)?);
    let difference = compare(&host(&a), &host(&b));
    if json {
        look::json(&difference)?;
    } else if !quiet {
        look::write(&capture_difference::text(&difference, &look::uncoloured()))?;
    }
    Ok(match difference.same {
        true => Exit::Done,
        false => Exit::Code(1),
    })
}

fn host(target: &Target) -> CapturedHost<'_> {
    CapturedHost {
        name: &target.name,
        stack: &target.stack,
        findings: &target.findings,
    }
}

fn read(path: &Path) -> Result<Target> {
    let found = match target::captured(path, &CheckJob::default()) {
        Some(found) => found,
        None if path.exists() => ioalign_check::any(path),
        None => bail!("{}: there is no such file", path.display()),
    };
    if let Some(error) = &found.error {
        bail!("{}: {}", path.display(), error.message);
    }
    if found.stack.is_empty() {
        bail!("{}: no disk is described in it", path.display());
    }
    Ok(found)
}

//! The messages at the end of a capture: for people on standard error or output, as JSON for
//! programs.

use anyhow::Result;
use ioalign_core::capture_document::CaptureDocument;
use ioalign_inspect::recording::CaptureBundle;
use ioalign_report::{RenderOptions, capture};

use super::file::BundlePlace;
use crate::args::CaptureArgs;
use crate::look;
use crate::say::note;

/// Prints it. What is missing is said whatever the output is.
pub(super) fn print(
    bundle: CaptureBundle,
    place: &BundlePlace,
    arguments: &CaptureArgs,
) -> Result<()> {
    let file = place.path().map(|path| path.display().to_string());
    let is_shown = file.is_some() && !arguments.quiet;
    let document = CaptureDocument {
        manifest: bundle.manifest,
        file: file.unwrap_or_default(),
        size_bytes: bundle.bytes.len(),
        paths: bundle.paths,
    };
    if arguments.json {
        look::json(&document)?;
    } else if is_shown {
        let options = RenderOptions {
            verbosity: look::verbosity(false, u8::from(arguments.verbose)),
            ..RenderOptions::default()
        };
        look::write(&capture::render(&document, &options))?;
    }
    for missing in capture::missing(&document.manifest) {
        note(missing);
    }
    Ok(())
}

/// Ctrl-C came.
pub(super) fn interrupted() {
    note("interrupted; no bundle was written");
}

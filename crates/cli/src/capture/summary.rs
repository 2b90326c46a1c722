//! The messages at the end of a capture: for people on standard error or output, as JSON for
//! programs.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use ioalign_core::shell;
use ioalign_inspect::recording::Bundle;
use ioalign_inspect::recording::manifest::Manifest;
use ioalign_report::words::clean::clean;
use serde::Serialize;

use super::file::Place;
use crate::args::CaptureArgs;
use crate::say::note;

/// Unread items that are printed one by one.
const MOST: usize = 20;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
    file: String,
    size_bytes: usize,
}

/// Prints it.
pub(super) fn print(bundle: &Bundle, place: &Place, arguments: &CaptureArgs) -> Result<()> {
    let file = place.path().map(|path| path.display().to_string());
    if arguments.json {
        let document = Document {
            manifest: &bundle.manifest,
            file: file.unwrap_or_default(),
            size_bytes: bundle.bytes.len(),
        };
        let text = serde_json::to_string_pretty(&document)? + "\n";
        std::io::stdout().write_all(text.as_bytes())?;
    } else if let Some(file) = file
        && !arguments.quiet
    {
        let mut text = text(bundle, &file);
        if arguments.verbose {
            let paths = bundle.paths.iter().map(|path| clean(path));
            text.extend(paths.map(|path| format!("  {path}\n")));
        }
        std::io::stdout().write_all(text.as_bytes())?;
    }
    warn(&bundle.manifest);
    Ok(())
}

fn text(bundle: &Bundle, file: &str) -> String {
    let (manifest, bytes) = (&bundle.manifest, bundle.bytes.len());
    let mut text = format!(
        "{}: {} KiB, {} items\n",
        clean(file),
        bytes.div_ceil(1024),
        manifest.items
    );
    let blanked: Vec<_> = manifest
        .blanked
        .iter()
        .map(|(what, count)| format!("  {count:>5}  {what}\n"))
        .collect();
    if !blanked.is_empty() {
        text.push_str("blanked or left out:\n");
        text.extend(blanked);
    }
    let file = shell::path(Path::new(file));
    text.push_str(&format!("read it with: ioalign check {file}\n"));
    text
}

/// Missing items are reported with every output: a bundle without them may still be enough.
fn warn(manifest: &Manifest) {
    for item in manifest.unread.iter().take(MOST) {
        // An open that failed names the path itself.
        let why = item.why.strip_prefix(&item.path).unwrap_or(&item.why);
        let why = why.trim_start_matches(": ");
        note(format_args!("not read: {}: {why}", item.path));
    }
    if let Some(more) = manifest
        .unread
        .len()
        .checked_sub(MOST)
        .filter(|more| *more > 0)
    {
        note(format_args!("not read: {more} more, listed in the bundle"));
    }
    if let Some(difference) = &manifest.replay.difference {
        note(format_args!(
            "the bundle does not give the same result as the host, which may have changed in the meantime: {difference}"
        ));
    }
}

/// Ctrl-C came.
pub(super) fn interrupted() {
    note("interrupted; no bundle was written");
}

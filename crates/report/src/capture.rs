//! A capture as text, and what is missing from it as notes.

use std::path::Path;

use ioalign_core::capture_document::{CaptureDocument, CaptureManifest};
use ioalign_core::shell;

use crate::options::RenderOptions;
use crate::words::clean;

/// Unread items that are named one by one.
const MOST_UNREAD: usize = 20;

/// The file, what was blanked in it, and how it is read; every path with `--verbose`.
pub fn render(document: &CaptureDocument, options: &RenderOptions) -> String {
    let manifest = &document.manifest;
    let mut text = format!(
        "{}: {} KiB, {} items\n",
        clean(&document.file),
        document.size_bytes.div_ceil(1024),
        manifest.items
    );
    if !manifest.blanked.is_empty() {
        text.push_str("blanked or left out:\n");
        let blanked = manifest.blanked.iter();
        text.extend(blanked.map(|(what, count)| format!("  {count:>5}  {what}\n")));
    }
    let file = shell::path(Path::new(&document.file));
    text.push_str(&format!("read it with: ioalign check {file}\n"));
    if options.verbose() {
        let paths = document.paths.iter().map(|path| clean(path));
        text.extend(paths.map(|path| format!("  {path}\n")));
    }
    text
}

/// What is missing: a bundle without it may still be enough.
pub fn missing(manifest: &CaptureManifest) -> Vec<String> {
    let unread = manifest.unread.iter().take(MOST_UNREAD).map(|item| {
        // An open that failed names the path itself.
        let why = item.why.strip_prefix(&item.path).unwrap_or(&item.why);
        let why = why.trim_start_matches(": ");
        format!("not read: {}: {why}", item.path)
    });
    let mut notes: Vec<_> = unread.collect();
    let more = manifest.unread.len().saturating_sub(MOST_UNREAD);
    if more > 0 {
        notes.push(format!("not read: {more} more, listed in the bundle"));
    }
    if let Some(difference) = &manifest.replay.difference {
        notes.push(format!(
            "the bundle does not give the same result as the host, which may have changed in the meantime: {difference}"
        ));
    }
    notes
}

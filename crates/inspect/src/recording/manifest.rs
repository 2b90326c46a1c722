//! The manifest of a bundle: how it is filled in and written.

use ioalign_core::capture_document::{CaptureManifest, UnreadItem};

use super::Unreadable;
use super::blank::serials::in_words;

/// The file in a bundle.
pub(super) const MANIFEST: &str = "ioalign/manifest.json";

impl From<&Unreadable> for UnreadItem {
    fn from(item: &Unreadable) -> Self {
        Self {
            path: shown(&item.path),
            why: item.why.clone(),
            start_bytes: item.part.map(|(at, ..)| at),
            size_bytes: item.part.map(|(_, len, _)| len),
        }
    }
}

/// The host's name for it: an answer of a drive has no path there.
fn shown(path: &str) -> String {
    let answer = path.strip_prefix("ioalign/nvme/");
    match answer.and_then(|name| name.strip_suffix(".id-ns")) {
        Some(name) => format!("/dev/{name} (Identify Namespace)"),
        None => format!("/{path}"),
    }
}

/// Takes out the serial numbers that names and messages hold.
pub(super) fn blank(manifest: &mut CaptureManifest, serials: &[String]) {
    let unread = manifest.unread.iter_mut();
    let texts = unread.flat_map(|item| [&mut item.path, &mut item.why]);
    let texts = texts
        .chain(&mut manifest.devices)
        .chain(&mut manifest.replay.difference);
    for text in texts {
        in_words(text, serials);
    }
}

/// The text in the bundle.
pub(super) fn text(manifest: &CaptureManifest) -> String {
    serde_json::to_string_pretty(manifest).unwrap_or_default() + "\n"
}

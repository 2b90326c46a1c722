//! What a bundle says about itself: who made it, what was blanked, what could not be read.

use serde::Serialize;

use super::Unreadable;
use super::blank::Blanked;
use super::blank::serials::in_words;

/// The file in a bundle.
pub const MANIFEST: &str = "ioalign/manifest.json";
/// Names the verb and the version of this document.
pub const SCHEMA: &str = "ioalign.capture/1";

/// The document. It holds no time: the same host gives the same bundle.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Name and version of the program.
    pub tool: String,
    /// The host's name; `null`: not known.
    pub host: Option<String>,
    /// The devices that were asked for; empty: all of them.
    pub devices: Vec<String>,
    /// Whether serial numbers were kept.
    pub with_serials: bool,
    /// Folders, links and files in the bundle, without this one.
    pub items: usize,
    /// What was blanked, and how often.
    pub blanked: Blanked,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// How the bundle was proved.
    pub replay: Replay,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The path on the host.
    pub path: String,
    /// Why.
    pub why: String,
    /// The part of a device; `null`: all of it.
    pub start_bytes: Option<u64>,
    /// Its length.
    pub size_bytes: Option<u64>,
}

/// The bundle was read once more before it was written, and compared with the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// Whether layers, grids and remarks are the same.
    pub same: bool,
    /// The first difference; `null`: none.
    pub difference: Option<String>,
}

impl From<&Unreadable> for Unread {
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

impl Manifest {
    /// Takes out the serial numbers that names and messages hold.
    pub(super) fn blank(&mut self, serials: &[String]) {
        let unread = self.unread.iter_mut();
        let texts = unread.flat_map(|item| [&mut item.path, &mut item.why]);
        let texts = texts
            .chain(&mut self.devices)
            .chain(&mut self.replay.difference);
        for text in texts {
            in_words(text, serials);
        }
    }

    /// The text in the bundle.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

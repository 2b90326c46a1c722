//! What a bundle says about itself: who made it, what was blanked, what could not be read; and what `capture`
//! says of the file that it wrote.
//!
//! The JSON of both is `ioalign.capture/1`.

use std::collections::BTreeMap;

use serde::Serialize;

/// Names the verb and the version of this document.
pub const SCHEMA: &str = "ioalign.capture/1";

/// The document in a bundle. It holds no time: the same host gives the same bundle.
#[derive(Clone, Debug, Serialize)]
pub struct CaptureManifest {
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
    pub blanked: BTreeMap<&'static str, u64>,
    /// What could not be read.
    pub unread: Vec<UnreadItem>,
    /// How the bundle was proved.
    pub replay: CaptureReplay,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadItem {
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
pub struct CaptureReplay {
    /// Whether layers, grids and remarks are the same.
    pub same: bool,
    /// The first difference; `null`: none.
    pub difference: Option<String>,
}

/// A bundle that was written.
#[derive(Clone, Debug, Serialize)]
pub struct CaptureDocument {
    /// What it says about itself.
    #[serde(flatten)]
    pub manifest: CaptureManifest,
    /// The file; empty for standard output.
    pub file: String,
    /// Its length.
    pub size_bytes: usize,
    /// The paths in it.
    #[serde(skip)]
    pub paths: Vec<String>,
}

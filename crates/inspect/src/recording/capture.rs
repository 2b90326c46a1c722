//! The whole way: read with a recorder, blank, prove, pack.

use std::path::PathBuf;

use ioalign_core::SectorSize;
use ioalign_core::capture_document::{CaptureManifest, CaptureReplay, SCHEMA};

use super::manifest::{self, MANIFEST};
use super::{Frozen, FrozenEntry, UNREAD, Unreadable, blank, replay, tar, unread};
use crate::assemble::{self, AssembleOptions, HostOptions, Inspection};
use crate::error::{Error, Result};
use crate::host::{DEVICES, Root, node_inside};

/// What is to be captured.
#[derive(Clone, Debug, Default)]
pub struct CaptureRequest {
    /// A captured tree to make a bundle of; `None`: the running machine.
    pub sysroot: Option<PathBuf>,
    /// Devices; empty: all.
    pub devices: Vec<PathBuf>,
    /// Keep serial numbers.
    pub with_serials: bool,
    /// Name and version of the program.
    pub tool: String,
}

/// A bundle, ready to be written.
#[derive(Clone, Debug)]
pub struct CaptureBundle {
    /// The compressed tarball.
    pub bytes: Vec<u8>,
    /// What it says about itself.
    pub manifest: CaptureManifest,
    /// The paths in it.
    pub paths: Vec<String>,
}

/// The place of a machine's name.
const HOSTNAME: &str = "proc/sys/kernel/hostname";

/// What the kernel calls a machine that was given no name.
const NAMELESS: &str = "(none)";

/// Reads the host and packs what was read.
///
/// # Errors
/// When the host cannot be read at all, or a named device is not there.
pub fn capture(request: &CaptureRequest) -> Result<CaptureBundle> {
    let root = match &request.sysroot {
        Some(path) => Root::captured(path)?,
        None => Root::live()?,
    }
    .recording();
    let live = read(&root, request)?;
    let (mut tree, unread) = root.recorded();
    let (blanked, serials, replay) = finish(&root, &mut tree, &unread, request, &live)?;
    let mut manifest = CaptureManifest {
        schema: SCHEMA,
        tool: request.tool.clone(),
        host: root.peek(HOSTNAME).filter(|name| name != NAMELESS),
        devices: devices(&tree, request),
        with_serials: request.with_serials,
        items: tree.len(),
        blanked,
        unread: unread.iter().map(Into::into).collect(),
        replay,
    };
    manifest::blank(&mut manifest, &serials);
    tree.put_text(MANIFEST, manifest::text(&manifest));
    let bytes = tar::gzip(&tree, &top(manifest.host.as_deref()))
        .map_err(|error| Error::io("Cannot pack it", error))?;
    let paths = tree.iter().map(|(path, _)| path.clone()).collect();
    Ok(CaptureBundle {
        bytes,
        manifest,
        paths,
    })
}

/// What was asked for: devices by the kernel's names, because those of `/dev/disk/by-id` are serial numbers.
fn devices(tree: &Frozen, request: &CaptureRequest) -> Vec<String> {
    let named = match tree.get(DEVICES) {
        Some(FrozenEntry::File(names)) => String::from_utf8_lossy(names).into_owned(),
        _ => String::new(),
    };
    let devices = named.lines().map(|name| format!("/{}", node_inside(name)));
    let folders = request.devices.iter().filter(|path| path.is_dir());
    devices
        .chain(folders.map(|path| path.display().to_string()))
        .collect()
}

/// Reads the host as `check` does, and once for each sector size that an operator may name, so that
/// a bundle answers to these as well.
fn read(root: &Root, request: &CaptureRequest) -> Result<Inspection> {
    let what = HostOptions {
        only: request.devices.clone(),
        ..HostOptions::default()
    };
    let live = assemble::host_in(root, &what, &AssembleOptions::default())?;
    for sector in [SectorSize::S512, SectorSize::S4096] {
        let options = AssembleOptions {
            sector: Some(sector),
            ..AssembleOptions::default()
        };
        // What only this size finds; the reading that counts has succeeded.
        let _ = assemble::host_in(root, &what, &options);
    }
    let _ = assemble::mysql_configuration(root);
    Ok(live)
}

/// Blanks a recorded tree and compares it with the live reading.
fn finish(
    root: &Root,
    tree: &mut Frozen,
    unread: &[Unreadable],
    request: &CaptureRequest,
    live: &Inspection,
) -> Result<(blank::Blanked, Vec<String>, CaptureReplay)> {
    if !unread.is_empty() {
        tree.put_text(UNREAD, unread::text(unread));
    }
    let options = blank::BlankOptions {
        with_serials: request.with_serials,
        serials: match request.with_serials {
            true => Vec::new(),
            false => blank::serials::of(root, tree),
        },
    };
    let blanked = blank::blank(tree, &options);
    let copy = replay::read(tree, &root.path_of(""), &AssembleOptions::default())?;
    let difference = replay::difference(live, &copy);
    let same = difference.is_none();
    Ok((blanked, options.serials, CaptureReplay { same, difference }))
}

/// The folder that contains everything, so that `dev/sda` is never unpacked over the real one.
fn top(host: Option<&str>) -> String {
    match host.map(plain).filter(|name| !name.is_empty()) {
        Some(name) => format!("ioalign-{name}"),
        None => "ioalign-host".to_owned(),
    }
}

/// A host's name as part of a file name.
pub fn plain(name: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let name: String = name.chars().filter(fits).take(64).collect();
    name.trim_matches('.').to_owned()
}

//! Whether the target is a disk and nothing else: what claims all of it would be torn by a move.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use ioalign_core::layer::detail::ImageFormat;
use ioalign_core::{SectorSize, rules, shell};
use ioalign_inspect::View;
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::owners::{self, Owner, OwnerKind, Removal};
use ioalign_inspect::source::{FileSource, Source};

use super::refuse::{NextStep, Refusal};
use super::target;

/// Where an image of another format is seen as a disk.
const NETWORK_DISK: &str = "/dev/nbd0";

/// Refuses a disk or image that belongs to something else besides its partitions.
pub fn refuse_others(path: &Path, sector: Option<SectorSize>) -> Result<()> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    // A device is its own bytes, whatever they look like.
    if target::is_block(path)? {
        return none(&View::new(source), sector, path, false);
    }
    refuse_others_of(&source, path, sector)
}

/// The same for a file that is open.
pub fn refuse_others_of(
    source: &Arc<dyn Source>,
    path: &Path,
    sector: Option<SectorSize>,
) -> Result<()> {
    let policy = ImagePolicy {
        allow_backing: false,
        chain: vec![source.path().to_owned()],
    };
    let image = images::open(source, &policy)?;
    let format = image.as_ref().map(|image| image.detail.format);
    let bytes = image.map_or_else(|| Arc::clone(source), |image| image.guest);
    let is_container = !matches!(format, None | Some(ImageFormat::Raw));
    none(&View::new(bytes), sector, path, is_container)
}

fn none(view: &View, sector: Option<SectorSize>, path: &Path, is_container: bool) -> Result<()> {
    // Without partitions it is all that lies on the disk, and nothing can move.
    let parts = owners::partitions(view, sector);
    let found = match parts.is_empty() {
        true => Vec::new(),
        false => owners::of_view(view, &parts)?,
    };
    let Some(first) = found.first() else {
        return Ok(());
    };
    let names: Vec<_> = found.iter().map(|one| one.what.as_str()).collect();
    let what = format!(
        "{}: besides its partitions the whole disk is {}: {}; nothing was written",
        path.display(),
        names.join(", and "),
        harm(first.kind)
    );
    let mut next = vec![instead(first.kind, path)];
    next.extend(removal(first, path, is_container).map(|command| NextStep {
        command,
        when: "if that is left from an older life of the disk",
    }));
    let rule = rules::FIX_MEMBER_OF;
    let refusal = Refusal {
        what,
        rule,
        next,
        is_usage: false,
    };
    Err(refusal.into())
}

const fn harm(kind: OwnerKind) -> &'static str {
    match kind {
        OwnerKind::Array | OwnerKind::FirmwareRaid => {
            "moved on one member alone, it differs from the others"
        }
        OwnerKind::Volume => "what moves may be data or metadata of that",
        OwnerKind::Filesystem | OwnerKind::Swap => "a move would destroy one of the two",
        OwnerKind::Disc => "that has places of its own for what is in it",
    }
}

/// What is put right instead.
fn instead(kind: OwnerKind, path: &Path) -> NextStep {
    match kind {
        OwnerKind::Array | OwnerKind::FirmwareRaid => NextStep {
            command: "ioalign fix /dev/mdX".to_owned(),
            when: "for the array, when it is assembled",
        },
        _ => NextStep {
            command: format!("ioalign check {} -v", shell::path(path)),
            when: "",
        },
    }
}

/// The command that takes a stale signature away and nothing else; `wipefs` and `mdadm` see disks, so an image of
/// another format has to be one first.
fn removal(owner: &Owner, path: &Path, is_container: bool) -> Option<String> {
    let named = shell::path(path);
    let (target, first) = match is_container {
        false => (named.as_ref(), String::new()),
        true => (
            NETWORK_DISK,
            format!("qemu-nbd --connect {NETWORK_DISK} {named} && "),
        ),
    };
    let command = match owner.removal? {
        Removal::At(byte) => format!("wipefs -b -o {byte:#x} {target}"),
        Removal::Every(name) => format!("wipefs -b -a -t {name} {target}"),
        Removal::Superblock(version) => {
            format!("mdadm --zero-superblock --metadata={version} {target}")
        }
    };
    Some(first + &command)
}

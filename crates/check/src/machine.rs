//! The machine opens a report on its own devices, and no other: a pasted text or an image says nothing of it.

use std::fs::FileType;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

use ioalign_core::machine::Machine;
use ioalign_inspect::host::{Root, machine};
use ioalign_report::SourceKind;

use super::CheckJob;
use super::find::FoundTargets;
use super::folder::NamedTarget;

/// The facts about this machine, now, with the disks below these devices, files and folders; all disks without any.
/// `None`: nothing of it can be read.
pub fn read(targets: &[PathBuf]) -> Option<Machine> {
    let root = Root::live().ok()?;
    Some(machine::summary(&root, targets))
}

/// The machine, with the disks below its devices among the targets.
pub fn of_targets(found: &FoundTargets, job: &CheckJob) -> Option<Machine> {
    if job.sysroot.is_some() {
        return None;
    }
    let judged = found.judged.iter();
    let judged = judged.filter(|target| target.source == SourceKind::Host || job.chain);
    // `this host` is no path: then all disks are shown.
    let judged = judged.map(|target| PathBuf::from(&target.name));
    let files = found.files.iter().filter(|file| is_of_host(file, job));
    let named: Vec<_> = judged.chain(files.map(|file| file.path.clone())).collect();
    (!named.is_empty()).then(|| read(&named))?
}

/// Whether a target is judged as a device, or by where it lies: see [`super::target::judge`].
fn is_of_host(file: &NamedTarget, job: &CheckJob) -> bool {
    let kind = file.path.metadata().map(|data| data.file_type());
    let of_host =
        |kind: FileType| kind.is_block_device() || kind.is_dir() || job.extents || job.chain;
    !file.bundle && kind.is_ok_and(of_host)
}

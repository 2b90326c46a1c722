//! The guarantee of a file system: what `statx` says of a file in it, or the rule of its driver.

mod ext4;
mod xfs;

use ext4::ext4;
use xfs::xfs;

use super::{AtomicFileLimits, AtomicLimits, KernelRelease};
use crate::layer::Layer;
use crate::layer::detail::FileSystemFormat;
use crate::units::Bytes;

/// ext4 and XFS write single blocks in one piece where the device does.
const BLOCKS: KernelRelease = KernelRelease(6, 13);
/// ext4 writes clusters; XFS writes elsewhere.
const LARGER: KernelRelease = KernelRelease(6, 16);

/// What one file system passes on.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSystemAtomics {
    /// `None`: not known.
    pub(super) limits: Option<AtomicFileLimits>,
    /// Whether it needs nothing of the device: it writes elsewhere.
    pub(super) out_of_place: bool,
    /// Whose word that is.
    pub(super) source: String,
    /// What makes it small, or keeps it from being known.
    pub(super) breaks: Option<String>,
}

/// What is below a file system, and above the question.
pub(super) struct FileSystemCase<'a> {
    pub(super) layer: &'a Layer,
    /// Of the device; `None`: not known.
    pub(super) below: Option<AtomicLimits>,
    pub(super) kernel: Option<KernelRelease>,
    pub(super) page: u64,
}

/// The kernel's word for a file counts, where it was asked; the rule explains it.
pub(super) fn filesystem(
    case: &FileSystemCase<'_>,
    file: Option<AtomicFileLimits>,
) -> FileSystemAtomics {
    let rule = by_rule(case);
    let Some(said) = file else {
        return rule;
    };
    let source = match said.unit_max {
        0 => "statx of a file in it (STATX_WRITE_ATOMIC) names none".to_owned(),
        max => format!(
            "statx of a file in it (STATX_WRITE_ATOMIC): {} to {}",
            Bytes::new(said.unit_min),
            Bytes::new(max)
        ),
    };
    let breaks = (!said.hold(case.page)).then(|| {
        let differs = rule.limits.is_some_and(|rule| rule.hold(case.page));
        match (differs, rule.breaks) {
            (false, Some(why)) => why,
            _ => format!(
                "it says so of this file: by the rule ({}) it could",
                rule.source
            ),
        }
    });
    FileSystemAtomics {
        limits: Some(said),
        out_of_place: out_of_place(case, said),
        source,
        breaks,
    }
}

/// XFS takes the device where that can (`unit_max_opt`), and writes elsewhere else: always possible, so that nothing
/// below it matters.
fn out_of_place(case: &FileSystemCase<'_>, said: AtomicFileLimits) -> bool {
    let block = case.layer.block.map_or(0, Bytes::get);
    let by_device = case.below.is_some_and(|below| below.of_file().hold(block));
    is_xfs(case.layer)
        && said.hold(case.page)
        && (case.page > block || !by_device)
        && case.page > said.unit_max_opt
}

fn is_xfs(layer: &Layer) -> bool {
    layer.filesystem_format() == Some(FileSystemFormat::Xfs)
}

fn by_rule(case: &FileSystemCase<'_>) -> FileSystemAtomics {
    match case.layer.filesystem_format() {
        Some(FileSystemFormat::Xfs) => xfs(case),
        Some(FileSystemFormat::Ext) if case.layer.name == "ext4" => ext4(case),
        Some(FileSystemFormat::Zfs) => unknown(
            "OpenZFS (Workload Tuning) holds a write of a whole record for whole, and has no RWF_ATOMIC",
            "the recordsize of the dataset was not asked: it must be the page (zfs get recordsize)",
        ),
        _ => none(
            "its driver in Linux",
            format!(
                "{} has no atomic writes: Linux has them in ext4 and XFS",
                case.layer.name
            ),
        ),
    }
}

fn too_old(kernel: Option<KernelRelease>, what: &str, since: KernelRelease) -> String {
    match kernel {
        Some(kernel) => format!(
            "{what} since Linux {since}; whether {kernel} of this distribution has them from there is not known"
        ),
        None => "the kernel's release is not known".to_owned(),
    }
}

fn unknown(source: &str, why: &str) -> FileSystemAtomics {
    FileSystemAtomics {
        source: source.to_owned(),
        breaks: Some(why.to_owned()),
        ..FileSystemAtomics::default()
    }
}

fn none(source: &str, why: String) -> FileSystemAtomics {
    FileSystemAtomics {
        limits: Some(AtomicFileLimits::default()),
        out_of_place: false,
        source: source.to_owned(),
        breaks: Some(why),
    }
}

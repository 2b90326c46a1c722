//! How targets are read and judged.

use std::path::PathBuf;

use ioalign_core::judge;
use ioalign_core::write_unit::MeasuredUnit;
use ioalign_inspect::assemble::AssembleOptions;

use crate::atomic::AtomicRequest;

/// What the operator asks about units of writes.
#[derive(Clone, Debug, Default)]
pub struct WriteUnitRequest {
    /// What a probe found.
    pub measured: Option<MeasuredUnit>,
}

/// Everything the targets have in common. The default is what `check PATH` does.
#[derive(Clone, Default)]
pub struct CheckJob {
    /// How targets are read.
    pub inspect: AssembleOptions,
    /// How they are judged.
    pub judge: judge::JudgeOptions,
    /// The captured host, where one is named.
    pub sysroot: Option<PathBuf>,
    /// Follow images below their files.
    pub chain: bool,
    /// Judge the extents of files.
    pub extents: bool,
    /// Ask what direct I/O to each target demands.
    pub direct_io: bool,
    /// Ask whether pages are written whole.
    pub atomic: Option<AtomicRequest>,
    /// Ask in which unit disks are really written.
    pub write_unit: Option<WriteUnitRequest>,
    /// The format of the texts, where the operator names it.
    pub text_format: Option<String>,
}

impl CheckJob {
    /// Whether a file is judged by what is in it: not as a device of a captured host, nor by where it
    /// lies, nor as a text that is named to be one.
    pub const fn reads_contents(&self) -> bool {
        self.sysroot.is_none()
            && !self.extents
            && !self.chain
            && self.atomic.is_none()
            && self.text_format.is_none()
    }
}

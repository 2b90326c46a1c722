//! What `ioalign check` does with a path: finds out what it is, reads it, judges it. A report comes out, which
//! [`ioalign_report`] shows.
//!
//! No command line, policy, terminal or signal is here: the program, its server and the Python package add their own, and
//! their documents are the same.
#![deny(missing_docs)]

mod atomic;
pub mod captures;
mod direct_io;
mod find;
mod folder;
pub mod image_name;
mod job;
pub mod machine;
mod next;
mod nothing;
mod package;
pub mod report;
pub mod target;

pub use atomic::AtomicRequest;
pub use find::{FoundTargets, find};
pub use folder::{NamedTarget, judge_one};
pub use job::{CheckJob, WriteUnitRequest};
pub use nothing::NamedFolders;
pub use package::PackedPlace;

use std::path::Path;

use ioalign_report::Target;

/// Judges a text, image or device.
pub fn any(path: &Path) -> Target {
    let job = CheckJob::default();
    let (texts, _) = captures::split(&[path.to_owned()], None);
    if texts.is_empty() {
        target::judge(path, &job)
    } else {
        target::texts(&job, &texts)
    }
}

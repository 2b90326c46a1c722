//! Whole reports, without a policy, a terminal or a command line.

use std::path::Path;

use ioalign_inspect::archive;
use ioalign_report::words::reason;
use ioalign_report::{RenderOptions, Report, SourceKind, Target};

use super::find::FoundTargets;
use super::folder::judge_one;
use super::{CheckJob, find, machine, target};

/// The name of what has none.
const CAPTURE: &str = "capture";

/// Name and version, as reports open with it.
pub fn tool() -> String {
    format!("ioalign {}", env!("CARGO_PKG_VERSION"))
}

/// The report on one path: an image, a device, a folder of any of them, a capture or a text.
pub fn path(path: &Path, job: &CheckJob) -> Report {
    let found = find(&[path.to_owned()], false, job);
    Report {
        machine: machine::of_targets(&found, job),
        targets: judged(found, job),
        tool: tool(),
        ..Report::default()
    }
}

/// Judges what was found, one after the other.
fn judged(found: FoundTargets, job: &CheckJob) -> Vec<Target> {
    let (mut targets, mut folders) = (found.judged, found.folders);
    targets.extend(found.files.iter().filter_map(|file| judge_one(file, job)));
    targets.iter().for_each(|target| folders.judged(target));
    targets.extend(folders.silent());
    targets
}

/// Why nothing can be said of the one target of a report, in one line: an error, not a report.
pub fn unreadable(report: &Report) -> Option<String> {
    match report.targets.as_slice() {
        [only] if only.stack.is_empty() => {
            let error = only.error.as_ref()?;
            Some(reason::with_remedy(&only.name, error))
        }
        _ => None,
    }
}

/// The report of this machine.
pub fn this_host() -> Report {
    Report {
        targets: vec![target::host(&CheckJob::default(), &[])],
        machine: machine::read(&[]),
        tool: tool(),
        ..Report::default()
    }
}

/// The report of bytes that came without a file.
pub fn given(name: &str, bytes: &[u8]) -> Report {
    Report {
        targets: vec![target::given(name, bytes)],
        tool: tool(),
        ..Report::default()
    }
}

/// Judges a capture in memory, as `check FILE` does, for the server of a fleet: its document, or why it is none.
///
/// # Errors
///
/// The bytes are no capture, or nothing in them can be read: a sentence.
pub fn captured(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let report = given(CAPTURE, bytes);
    let [target] = report.targets.as_slice() else {
        return Err("it has no targets".to_owned());
    };
    let head = bytes.get(..archive::HEAD).unwrap_or(bytes);
    if target.source != SourceKind::Capture || !archive::may_be(head) {
        return Err("it is no tarball of a host".to_owned());
    }
    let is_empty = target.stack.layers().next().is_none();
    if let Some(error) = target.error.as_ref().filter(|_| is_empty) {
        return Err(error.message.clone());
    }
    Ok(ioalign_report::json::render(&report, &RenderOptions::default()).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_one_line() {
        let report = path(Path::new("/no/such/image"), &CheckJob::default());
        let why = unreadable(&report).unwrap();
        assert!(why.starts_with("/no/such/image: "), "{why}");
        assert!(!why.contains('\n'), "{why}");
    }

    #[test]
    fn a_folder_is_judged_file_by_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.img"), vec![0; 1 << 20]).unwrap();
        std::fs::write(folder.path().join("b.qcow2"), b"QFI\xfb\0\0\0\x03").unwrap();
        std::fs::write(folder.path().join("notes"), "left out").unwrap();
        let report = path(folder.path(), &CheckJob::default());
        assert_eq!(report.targets.len(), 2);
        assert_eq!(report.errors(), 1);
        assert_eq!(unreadable(&report), None);
    }
}

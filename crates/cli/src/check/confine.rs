//! `check` of images gives up every file but theirs before it reads them: bytes of others are judged by a process that
//! can open nothing else.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ioalign_check::{CheckJob, FoundTargets};

use crate::allowed_files::{AllowedFiles, folder_of};
use crate::args::CheckArgs;
use crate::output_file::is_stdout;

/// What the program reads of the kernel: its own descriptors, and what lies below the folder of a report.
const KERNEL: [&str; 2] = ["/proc/self", "/sys"];
/// With more folders than that the rules would cost more than the checks of images take.
const FOLDERS: usize = 64;

/// Gives up what the targets do not need, where the kernel has Landlock and permits it.
pub fn confine(found: &FoundTargets, job: &CheckJob, arguments: &CheckArgs) {
    if let Some(allowed) = allowed(found, job, arguments) {
        // A sandbox around the program may refuse it; the check is as right without.
        let _ = allowed.enforce();
    }
}

/// The files of the targets: the folder of each image, because its backing files may lie there. `None`: a target is
/// no image or bundle, or may lead elsewhere.
fn allowed(found: &FoundTargets, job: &CheckJob, arguments: &CheckArgs) -> Option<AllowedFiles> {
    if !found.judged.is_empty() || !job.reads_contents() || job.inspect.allow_backing {
        return None;
    }
    let mut read: BTreeSet<PathBuf> = KERNEL.iter().map(PathBuf::from).collect();
    for named in &found.files {
        if named.bundle || named.packed.is_some() {
            read.insert(named.file().to_owned());
        } else if named.found {
            // A regular file beneath the folder that was searched, or a link to one of them.
            read.insert(folder_of(&named.path));
        } else if named.path.metadata().ok()?.is_file() {
            read.insert(folder_of(&named.path));
            read.insert(folder_of(&named.path.canonicalize().ok()?));
        } else {
            return None;
        }
        if read.len() > FOLDERS {
            return None;
        }
    }
    let output = arguments.output.output.as_deref();
    let output = output.filter(|path| !is_stdout(path)).map(folder_of);
    Some(AllowedFiles {
        read: read.into_iter().collect(),
        folders: output.into_iter().collect(),
        ..AllowedFiles::default()
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::allowed_files::has_landlock;
    use crate::args::{Cli, Verb};
    use crate::check::{find, job};

    fn allowed_of(arguments: &[&Path]) -> Option<AllowedFiles> {
        let words = ["ioalign", "check"].map(std::ffi::OsStr::new);
        let words = words
            .into_iter()
            .chain(arguments.iter().map(|path| path.as_os_str()));
        let Verb::Check(arguments) = Cli::try_parse_from(words).unwrap().verb else {
            unreachable!("it is this verb");
        };
        let job = job(&arguments, &Default::default()).unwrap();
        allowed(&find(&arguments.targets, false, &job), &job, &arguments)
    }

    #[test]
    fn only_the_folders_of_images_and_of_the_report_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let (image, reports) = (
            folder.path().join("in/a.img"),
            folder.path().join("reports"),
        );
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::create_dir(&reports).unwrap();
        std::fs::write(&image, vec![0; 1 << 20]).unwrap();
        std::fs::write(folder.path().join("secret"), "secret").unwrap();
        let report = reports.join("r.json");
        let allowed = allowed_of(&[&image, Path::new("-o"), &report]).unwrap();
        assert_eq!(allowed.folders, [reports]);
        // A thread of its own: what it gives up is its own.
        let secret = folder.path().join("secret");
        let work = move || {
            allowed.enforce().unwrap();
            std::fs::write(&report, "a report").unwrap();
            assert!(std::fs::read(&image).is_ok());
            assert_eq!(std::fs::write(&image, "changed").is_ok(), !has_landlock());
            std::fs::read(secret).is_ok()
        };
        let is_open = std::thread::spawn(work).join().unwrap();
        assert_eq!(is_open, !has_landlock());
    }

    #[test]
    fn what_may_lead_elsewhere_is_not_confined() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("a.img");
        std::fs::write(&image, vec![0; 1 << 20]).unwrap();
        assert!(allowed_of(&[&image]).is_some());
        assert_eq!(allowed_of(&[&image, Path::new("--allow-backing")]), None);
        assert_eq!(allowed_of(&[&image, Path::new("--extents")]), None);
        assert_eq!(allowed_of(&[&image, Path::new("/dev/null")]), None);
    }
}

//! Folders: 64 files, as sysbench makes them.

use std::fs;

use ioalign_device::{ErrorKind, Target, TargetKind};
use ioalign_testkit::MountGuard;

use super::{MIB, destroying, reading, refused, sized, writing};

#[test]
fn a_folder_has_64_files_of_equal_size() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target::open(folder.path(), &sized(reading(), 8 * MIB)).unwrap();
    assert_eq!(
        (target.kind(), target.members().len()),
        (TargetKind::Folder, 64)
    );
    assert!(
        target
            .members()
            .iter()
            .all(|member| member.size_bytes == MIB / 8)
    );
    assert_eq!(target.size_bytes(), 8 * MIB);
    assert_eq!(target.notes(), ["64 files made and filled with 128 KiB"]);
    // Without a size: what is there.
    let again = Target::open(folder.path(), &writing()).unwrap();
    assert_eq!(again.size_bytes(), 8 * MIB);
}

#[test]
fn files_of_others_in_it_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("ioalign.scratch.07");
    fs::write(&name, vec![9; 1 << 20]).unwrap();
    let want = sized(writing(), 64 * MIB);
    refused(&name, &writing(), ErrorKind::Refused, &["holds data"]);
    let error = Target::open(folder.path(), &want).unwrap_err().to_string();
    let again = format!("--destroy-data {}", folder.path().display());
    assert!(
        error.contains("ioalign.scratch.07: holds data") && error.ends_with(&again),
        "{error}"
    );
    let want = sized(destroying(folder.path()), 64 * MIB);
    Target::open(folder.path(), &want).unwrap();
}

#[test]
fn a_folder_without_files_wants_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let error = Target::open(folder.path(), &reading())
        .unwrap_err()
        .to_string();
    assert!(error.contains("give a size to make it"), "{error}");
    let error = Target::open(folder.path(), &sized(reading(), 4096)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn a_folder_that_cannot_be_filled_is_left_as_it_was() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let options = ["-t", "tmpfs", "-o", "size=4m", "none"];
    let small = MountGuard::new(&options, &folder.path().join("small"));
    fs::write(small.path().join("ioalign.scratch.01"), "kept").unwrap();
    let error = Target::open(small.path(), &sized(reading(), 64 * MIB)).unwrap_err();
    assert!(error.to_string().contains("scratch.0"), "{error}");
    let left: Vec<_> = fs::read_dir(small.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

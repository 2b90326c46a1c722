//! The journal is found where the disk is now: run and identity decide, not a path of before.

use std::fs;

use super::trouble::half_moved;
use super::*;

fn renamed(image: &Image) -> (PathBuf, PathBuf) {
    let folder = image.disk.folder().join("elsewhere");
    fs::create_dir(&folder).unwrap();
    let target = folder.join("disk.img");
    fs::rename(image.path(), &target).unwrap();
    (folder, target)
}

/// The folder has another name, or is mounted elsewhere: image and journal lie in it as before.
#[test]
fn image_and_journal_that_moved_together_are_one() {
    needs!(Packages);
    for way in ["--resume", "--rollback"] {
        let image = half_moved();
        let (folder, target) = renamed(&image);
        let journal = folder.join("disk.img.ioalign-journal");
        fs::rename(image.journal(), &journal).unwrap();
        refused(&[text(&target)], 65, &["--resume"]);
        done(&[text(&target), way]);
        assert!(!journal.exists());
        fs::rename(&target, image.path()).unwrap();
        image.holds();
    }
}

/// Under another name in the same folder, and only there.
#[test]
fn a_journal_under_another_name_is_known_by_its_run() {
    needs!(Packages);
    let image = half_moved();
    let other = image.disk.folder().join("kept by me");
    fs::copy(image.journal(), &other).unwrap();
    fs::remove_file(image.journal()).unwrap();
    // A strange journal under the usual name does not count.
    let strange = half_moved();
    fs::copy(strange.journal(), image.journal()).unwrap();
    done(&[text(image.path()), "--resume"]);
    image.holds();
    assert!(!other.exists() && image.journal().exists());
}

/// Of two journals of one run the one that has come furthest is true.
#[test]
fn an_old_copy_of_the_journal_is_not_taken() {
    needs!(Packages);
    let image = half_moved();
    let (folder, target) = renamed(&image);
    let old = folder.join("disk.img.ioalign-journal");
    fs::copy(image.journal(), &old).unwrap();
    fs::rename(&target, image.path()).unwrap();
    let mut more = started(&[text(image.path()), "--resume", "--limit", "16M"]);
    let records = |journal: &Path| fs::read(journal).map(|bytes| bytes[4096..20_480].to_vec());
    let before = records(&old).unwrap();
    until("it has come further", || {
        records(&image.journal()).is_ok_and(|now| now != before)
    });
    more.kill().unwrap();
    more.wait().unwrap();
    fs::rename(image.path(), &target).unwrap();
    done(&[text(&target), "--resume"]);
    assert!(old.exists() && !image.journal().exists());
    fs::rename(&target, image.path()).unwrap();
    image.holds();
}

//! Journals are obeyed from their owner alone, and kept where no other user can put something in their place.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

use super::*;

/// The user that nobody trusts.
const NOBODY: u32 = 65534;

/// An image of root in a folder that everybody may write to, and a journal beside it.
fn planted(plant: impl FnOnce(&Path)) -> Image {
    let image = Image::old();
    let folder = image.disk.folder();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o1777)).unwrap();
    plant(&image.journal());
    image
}

/// Refused, and without a word of how to go on by it.
fn not_obeyed(image: &Image, why: &str) {
    let before = image.whole();
    for way in [&[][..], &["--apply"], &["--resume"], &["--rollback"]] {
        let output = fix(&[&[text(image.path())], way].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(65), "{way:?} {errors}");
        assert!(
            errors.contains("not obeyed") && errors.contains(why),
            "{way:?} {errors}"
        );
        assert!(!errors.contains("ioalign fix"), "{way:?} {errors}");
    }
    assert!(image.whole() == before);
}

/// A real journal, as a move leaves it that was killed at its beginning.
fn real_journal(to: &Path) {
    let image = Image::old();
    let slow = ["--limit", "1M", "--chunk", "1M"];
    let mut child = started(&[&[text(image.path()), "--apply"], &slow[..]].concat());
    until("the journal is whole", || {
        fs::read(image.journal()).is_ok_and(|bytes| bytes.starts_with(b"IOALNJRN"))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    fs::copy(image.journal(), to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_journal_of_another_user_is_not_obeyed() {
    needs!(Packages, Root);
    let image = planted(|journal| {
        real_journal(journal);
        chown(journal, Some(NOBODY), Some(NOBODY)).unwrap();
    });
    not_obeyed(&image, "belongs to user 65534");
}

#[test]
fn a_journal_that_others_can_write_to_is_not_obeyed() {
    needs!(Packages);
    let image = planted(|journal| {
        real_journal(journal);
        fs::set_permissions(journal, fs::Permissions::from_mode(0o666)).unwrap();
    });
    not_obeyed(&image, "mode is 0666");
}

#[test]
fn a_link_in_place_of_a_journal_is_not_followed() {
    needs!(Packages);
    let target = tempfile::tempdir().unwrap();
    let victim = target.path().join("nologin");
    let image = planted(|journal| symlink(&victim, journal).unwrap());
    not_obeyed(&image, "symbolic link");
    assert!(!victim.exists());
    // Nor where it leads to a whole journal.
    real_journal(&victim);
    not_obeyed(&image, "symbolic link");
    fs::remove_file(image.journal()).unwrap();
    fs::hard_link(&victim, image.journal()).unwrap();
    not_obeyed(&image, "another name");
}

#[test]
fn where_others_can_replace_files_the_journal_is_kept_elsewhere() {
    needs!(Packages, Root);
    let image = Image::old();
    fs::set_permissions(image.disk.folder(), fs::Permissions::from_mode(0o777)).unwrap();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("journals");
    let named = ["--journal-dir", text(&folder)];
    let plan = document(&[&[text(image.path())], &named[..]].concat());
    let path = PathBuf::from(plan["plan"]["journal"]["path"].as_str().unwrap());
    assert_eq!(path.parent(), Some(folder.as_path()));
    let usual = document(&[text(image.path())]);
    let usual = usual["plan"]["journal"]["path"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(usual.starts_with("/var/lib/ioalign/file-"), "{usual}");
    let journal = image.journal();
    let beside = ["--apply", "--journal", text(&journal)];
    let words = ["no journal is kept here", "--journal"];
    refused(&[&[text(image.path())], &beside[..]].concat(), 65, &words);
    assert!(!image.journal().exists());
    done(&[&[text(image.path()), "--apply"], &named[..]].concat());
    assert_eq!(folder.metadata().unwrap().mode() & 0o7777, 0o700);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    image.is_fixed(MIB);
}

#[test]
fn the_journal_of_a_device_is_named_by_what_it_is() {
    needs!(Packages, Root);
    let image = Image::old();
    let place = tempfile::tempdir().unwrap();
    let named = ["--journal-dir", text(place.path())];
    let path = |target: &str| {
        let plan = document(&[&[target], &named[..]].concat());
        plan["plan"]["journal"]["path"].as_str().unwrap().to_owned()
    };
    let (one, other) = {
        let device = ioalign_testkit::Loop::new(image.path(), &[]);
        let over = ioalign_testkit::Loop::new(device.path(), &[]);
        (path(device.text()), path(over.text()))
    };
    assert_eq!(one, other);
    assert!(one.starts_with(text(place.path())), "{one}");
    let second = ioalign_testkit::Loop::new(image.path(), &[]);
    assert_eq!(path(second.text()), one);
}

//! Bad luck: two at once, tables and data that change, journals that are lost, of others, or on a full
//! disk, targets that shrink.

use super::*;

const SLOW: [&str; 4] = ["--limit", "16M", "--chunk", "1M"];

/// An image whose move was killed in the middle.
pub(super) fn half_moved() -> Image {
    let image = Image::old();
    let before = image.first_sector();
    let mut child = started(&[&[text(image.path()), "--apply"], &SLOW[..]].concat());
    until("the move begins", || image.first_sector() != before);
    let written = device_bytes(child.id());
    until("data move", || {
        device_bytes(child.id()) > written + (4 << 20)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(image.journal().exists(), "it was done too soon");
    image
}

#[test]
fn two_at_once_are_one_too_many() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    let mut first = started(&[&[path, "--apply"], &SLOW[..]].concat());
    until("the journal is made", || image.journal().exists());
    let elsewhere = image.disk.folder().join("elsewhere");
    let named = ["--journal", text(&elsewhere)];
    refused(&[&[path, "--apply"], &named[..]].concat(), 65, &[]);
    let other = image.disk.folder().join("other");
    std::os::unix::fs::symlink(image.path(), &other).unwrap();
    refused(&[text(&other), "--apply"], 65, &[]);
    refused(&[path, "--resume"], 65, &["using it"]);
    refused(&[path, "--rollback"], 65, &["using it"]);
    assert!(first.wait().unwrap().success());
    image.is_fixed(MIB);
}

#[test]
fn a_plan_of_yesterday_is_not_done_today() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    let plan = document(&[path]);
    let name = plan["plan"]["name"].as_str().unwrap();
    assert_eq!(
        document(&[path])["plan"]["name"],
        name,
        "the same plan has the same name"
    );
    // A file system that was mounted meanwhile, and wrote its superblock.
    image.disk.write(63 * 512 + 1024, b"changed");
    let before = image.whole();
    refused(
        &[path, "--apply", "--expect", name],
        65,
        &["changed since", "nothing was written"],
    );
    assert!(image.whole() == before);
    assert!(!image.journal().exists());
}

#[test]
fn a_disk_that_somebody_wrote_on_is_not_gone_on_with() {
    needs!(Packages);
    let image = half_moved();
    let path = text(image.path());
    let table = image.disk.read(0, 512);
    image.disk.write(440, b"XXXX");
    refused(&[path, "--resume"], 65, &["marker"]);
    refused(&[path, "--rollback"], 65, &["marker"]);
    image.disk.write(0, &table);
    done(&[path, "--resume"]);
    image.is_fixed(MIB);
}

#[test]
fn the_journal_of_another_disk_is_not_taken() {
    needs!(Packages);
    let (one, two) = (half_moved(), Image::old());
    let before = two.whole();
    let larger = Image::new(48, "label: dos\n63,20000,7\n");
    refused(&[text(two.path()), "--resume"], 65, &["no journal"]);
    // Partitions of the same size in the same places, other data.
    let line = &two.table()[2];
    two.disk.write(line.start, &noise(99, 4096));
    let changed = two.whole();
    let journal = text(&one.journal()).to_owned();
    for way in ["--resume", "--rollback"] {
        let call = |image: &Image, adopt: &[&str], word: &str| {
            let call = [&[text(image.path()), way, "--journal", &journal], adopt].concat();
            refused(&call, 65, &[word]);
        };
        for image in [&two, &larger] {
            call(image, &[], "it is not the disk or file");
        }
        call(&two, &["--adopt"], "first sector");
        call(&larger, &["--adopt"], "planned for a disk of");
    }
    assert!(two.whole() == changed && before != changed);
    done(&[text(one.path()), "--rollback"]);
    one.holds();
}

#[test]
fn what_is_no_journal_is_not_taken_for_one() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    std::fs::write(image.journal(), b"my own notes").unwrap();
    for way in ["--apply", "--resume", "--rollback"] {
        refused(&[path, way], 65, &["journal", "not obeyed"]);
    }
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(image.journal(), private).unwrap();
    for way in ["--apply", "--resume", "--rollback"] {
        refused(&[path, way], 65, &["journal"]);
    }
    assert_eq!(std::fs::read(image.journal()).unwrap(), b"my own notes");
    image.holds();
    // The target itself is none either.
    std::fs::remove_file(image.journal()).unwrap();
    refused(&[path, "--apply", "--journal", path], 65, &["not obeyed"]);
    image.holds();
}

#[test]
fn a_target_that_has_shrunk_is_not_gone_on_with() {
    needs!(Packages);
    let image = half_moved();
    let path = text(image.path());
    let file = std::fs::File::options()
        .write(true)
        .open(image.path())
        .unwrap();
    file.set_len(39 * MIB).unwrap();
    drop(file);
    refused(&[path, "--resume"], 65, &["planned for a disk of"]);
    let file = std::fs::File::options()
        .write(true)
        .open(image.path())
        .unwrap();
    file.set_len(40 * MIB).unwrap();
    drop(file);
    done(&[path, "--resume"]);
    image.is_fixed(MIB);
}

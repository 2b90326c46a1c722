//! A target that changes under a move: cut off, renamed over, read-only; a report that nobody can be given; a source that
//! is written to while it is copied.

use std::fs;
use std::os::unix::fs::FileExt;

use ioalign_testkit::Loop;

use super::*;

const SLOW: [&str; 4] = ["--limit", "16M", "--chunk", "1M"];

/// A sparse image: its partitions begin with noise, and are holes behind it.
fn sparse() -> Image {
    let disk = Disk::new("disk.img", 160 * MIB);
    sfdisk(disk.path(), "label: dos\n63,100000,83\n100063,200000,83\n");
    let mut image = Image {
        disk,
        parts: Vec::new(),
    };
    for line in image.table() {
        image.disk.write(line.start, &noise(line.number, 20 * MIB));
        let bytes = image
            .disk
            .read(line.start, usize::try_from(line.size).unwrap());
        let number = line.number;
        image.parts.push(Part { number, bytes });
    }
    image
}

fn applying(image: &Image) -> Child {
    let child = started(&[&[text(image.path()), "--apply"], &SLOW[..]].concat());
    until("data move", || {
        let first = image.disk.read(144, 12);
        first == b"IOALIGN-MOVE"
    });
    child
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_sparse_image_that_is_cut_off_stops_the_move() {
    needs!(Packages);
    let image = sparse();
    let child = applying(&image);
    let file = fs::File::options().write(true).open(image.path()).unwrap();
    file.set_len(30 * MIB).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    assert!(errors(&output).contains("cut it off to"), "{output:?}");
    assert!(image.journal().exists());
    // Nothing has made it longer again.
    assert_eq!(file.metadata().unwrap().len(), 30 * MIB);
}

#[test]
fn a_read_only_device_is_refused_before_anything_is_made() {
    needs!(Packages, Root);
    let image = Image::old();
    let device = Loop::new(image.path(), &["--read-only"]);
    let place = tempfile::tempdir().unwrap();
    let journals = ["--journal-dir", text(place.path())];
    for call in [&[device.text()][..], &[device.text(), "--apply"]] {
        refused(
            &[call, &journals[..]].concat(),
            65,
            &["read-only", "Nothing was written"],
        );
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    let new = place.path().join("new.img");
    done(&[device.text(), "--output", text(&new)]);
}

#[test]
fn a_file_renamed_over_the_image_is_not_called_moved() {
    needs!(Packages);
    let image = Image::old();
    let other = image.disk.folder().join("other.img");
    fs::copy(image.path(), &other).unwrap();
    let held = fs::File::open(image.path()).unwrap();
    let before = image.whole();
    let child = applying(&image);
    fs::rename(&other, image.path()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    let said = errors(&output);
    assert!(
        said.contains("the move is done") && said.contains("ioalign check"),
        "{said}"
    );
    assert!(image.whole() == before && output.stdout.is_empty());
    let mut moved = vec![0; before.len()];
    held.read_exact_at(&mut moved, 0).unwrap();
    fs::write(image.path(), moved).unwrap();
    image.is_fixed(MIB);
}

#[test]
fn a_report_that_cannot_be_written_is_no_failed_move() {
    needs!(Packages);
    let image = Image::old();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = command(PROGRAM);
    child
        .args(["fix", text(image.path()), "--apply"])
        .stdout(full)
        .stderr(Stdio::piped());
    let output = child.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(errors(&output).contains("the move is done"), "{output:?}");
    image.is_fixed(MIB);
}

#[test]
fn a_source_that_is_written_to_while_it_is_copied_gives_no_copy() {
    needs!(Packages);
    let image = Image::old();
    let new = image.disk.folder().join("new.img");
    let slow = ["--output", text(&new), "--limit", "16M"].map(str::to_owned);
    let slow: Vec<_> = slow.iter().map(String::as_str).collect();
    let child = started(&[&[text(image.path())], &slow[..]].concat());
    let count = || fs::read_dir(image.disk.folder()).unwrap().count();
    until("the copy is begun", || count() > 1);
    std::thread::sleep(Duration::from_millis(50));
    image.disk.write(20 * MIB, b"written meanwhile");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    assert!(errors(&output).contains("a mixture"), "{output:?}");
    assert!(!new.exists() && count() == 1);
}

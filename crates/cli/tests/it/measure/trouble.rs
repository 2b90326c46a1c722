//! Devices that fail on the way, and reports that cannot be written. These tests need root.

use std::fs::File;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;

use super::{SIZE, document, measure, stated};

const MIB: u64 = 1 << 20;

/// A device whose second half cannot be read.
fn half_gone(folder: &Path) -> Loop {
    let path = folder.join("disk.img");
    let file = File::create(&path).unwrap();
    file.set_len(64 * MIB).unwrap();
    let disk = Loop::new(&path, &[]);
    file.set_len(32 * MIB).unwrap();
    disk
}

#[test]
fn what_was_measured_before_the_failure_is_kept_and_marked() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let disk = half_gone(folder.path());
    let name = disk.path().display();
    // One worker after the other walks into the hole; the first step stays before it.
    let job = "name = \"j\"\n[all]\nramp = \"0\"\nrun = \"100ms\"\n\
               [[step]]\nsizes = \"32m\"\nalign = \"64m\"\n[[step]]\nsizes = \"4k\"\ndepth = 16\nrun = \"60s\"\n";
    std::fs::write(folder.path().join("job.toml"), job).unwrap();
    let output = measure(folder.path(), &format!("run job.toml {name} --json"));
    let value = document(&output, "load-1.schema.json", &[65]);
    let why = value["partial"].as_str().unwrap();
    assert!(
        why.contains("Input/output error") && why.contains("a read of 4 KiB at byte"),
        "{why}"
    );
    assert!(!value["steps"].as_array().unwrap().is_empty());

    let line =
        format!("matrix {name} --offsets 0,512 --sizes 4k --patterns random --ramp 0 --time 5s");
    let output = measure(folder.path(), &line);
    assert_eq!(output.status.code(), Some(65), "{output:?}");
    let all = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        stated(&output)
    );
    assert!(all.contains("Input/output error"), "{all}");
}

#[test]
fn steps_that_a_device_cannot_do_are_left_out() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    File::create(&path).unwrap().set_len(16 * MIB).unwrap();
    let disk = Loop::new(&path, &["--sector-size=4096"]);
    let name = disk.path().display();
    let line = format!("run iometer-vmfs {name} --write --ramp 0 --time 10ms --json");
    let value = document(&measure(folder.path(), &line), "load-1.schema.json", &[0]);
    assert_eq!(value["steps"].as_array().unwrap().len(), 28);
    let notes = value["notes"].as_array().unwrap();
    let left_out = notes
        .iter()
        .filter(|note| note.as_str().unwrap().contains("1 KiB"));
    assert_eq!(left_out.count(), 4, "{notes:?}");
    let only = measure(folder.path(), &format!("run {name} --sizes 1k"));
    assert_eq!(only.status.code(), Some(64), "{}", stated(&only));
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_the_load() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let made = measure(at, &format!("run t.dat --size {SIZE} --ramp 0 --time 10ms"));
    assert!(made.status.success(), "{made:?}");
    for line in [
        "run t.dat --time 10m --profile-out none/p.json",
        "run t.dat --time 10m --profile-out .",
        "compare t.dat --time 10m -o none/c.json",
        "matrix t.dat --time 10m -o none/m.html --format html",
    ] {
        let output = measure(at, line);
        assert_eq!(
            output.status.code(),
            Some(65),
            "{line}: {}",
            stated(&output)
        );
        assert!(
            stated(&output).contains(": its folder cannot be opened")
                || stated(&output).contains(".: is no name of a file"),
            "{}",
            stated(&output)
        );
    }
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 1);
}

/// What is no file is written to; a file in the place of `/dev/null` would be harm.
#[test]
fn a_report_does_not_replace_what_is_no_file() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("null");
    tool("mknod", &[device.to_str().unwrap(), "c", "1", "3"]);
    let line = format!("compare t.dat --size {SIZE} --time 50ms --depth 1 --no-saturate -o null");
    let output = measure(folder.path(), &line);
    assert!(output.status.code().unwrap() < 2, "{}", stated(&output));
    assert!(device.metadata().unwrap().file_type().is_char_device());
    // And a disk is neither replaced nor written to.
    let disk = folder.path().join("disk");
    tool("mknod", &[disk.to_str().unwrap(), "b", "7", "250"]);
    let output = measure(folder.path(), "compare t.dat --time 10m -o disk");
    assert_eq!(output.status.code(), Some(65), "{}", stated(&output));
    assert!(disk.metadata().unwrap().file_type().is_block_device());
}

#[test]
fn no_file_is_made_among_the_devices() {
    let folder = tempfile::tempdir().unwrap();
    let output = measure(folder.path(), "compare /dev/ioalign-none --size 8M");
    assert_eq!(output.status.code(), Some(65));
    assert!(
        stated(&output).contains("there is no such device"),
        "{}",
        stated(&output)
    );
    assert!(!Path::new("/dev/ioalign-none").exists());
}

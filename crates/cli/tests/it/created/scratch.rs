//! `measure --write` on files that others write to, and records of `watch`.

use std::fs;
use std::os::unix::fs::{FileExt, chown, symlink};
use std::process::{Child, Stdio};

use ioalign_testkit::Loop;
use ioalign_testkit::run::wait_until;

use super::*;

const WRITE: &str = "--write --op write --ramp 0 --quiet";

fn started(folder: &Path, words: &str) -> Child {
    let mut command = Command::new(PROGRAM);
    let command = command.current_dir(folder).args(words.split_whitespace());
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The mark outlived the contents; now the file is asked about.
#[test]
fn a_scratch_file_is_asked_about_when_others_have_written_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = |more: &str| ioalign(at, &format!("measure run s.dat {WRITE} --time 50ms {more}"));
    ends(&run("--size 8M"), 0, &[]);
    ends(&run(""), 0, &[]);
    let file = fs::File::options()
        .write(true)
        .open(at.join("s.dat"))
        .unwrap();
    file.write_all_at(b"my only copy", 3 << 20).unwrap();
    drop(file);
    ends(&run(""), 64, &["written to since", "--destroy-data s.dat"]);
    let mut bytes = [0; 12];
    fs::File::open(at.join("s.dat"))
        .unwrap()
        .read_exact_at(&mut bytes, 3 << 20)
        .unwrap();
    assert_eq!(&bytes, b"my only copy");
    ends(&run("--destroy-data s.dat"), 0, &[]);
}

/// The time of a change can be set back; what was written cannot.
#[test]
fn a_scratch_file_with_a_time_that_was_set_back_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let path = at.join("s.dat");
    let run = |more: &str| ioalign(at, &format!("measure run s.dat {WRITE} --time 50ms {more}"));
    for (size, place, length) in [
        ("8M", 3 << 20, 12),
        ("40M", 0, 600),
        ("40M", 5 << 20, 12 << 20),
        ("40M", (40 << 20) - 4096, 1),
    ] {
        ends(&run(&format!("--size {size}")), 0, &[]);
        // Runs of this program seal it again.
        ends(&run(""), 0, &[]);
        let file = fs::File::options().write(true).open(&path).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        let theirs = vec![b'x'; length];
        file.write_all_at(&theirs, place).unwrap();
        file.set_modified(time).unwrap();
        drop(file);
        ends(&run(""), 64, &["written to since", "--destroy-data s.dat"]);
        let mut bytes = vec![0; length];
        let file = fs::File::open(&path).unwrap();
        file.read_exact_at(&mut bytes, place).unwrap();
        assert!(bytes == theirs, "{size} {place}");
        ends(&run("--destroy-data s.dat"), 0, &[]);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_run_that_is_killed_leaves_a_file_that_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = format!("measure run s.dat {WRITE}");
    ends(
        &ioalign(at, &format!("{line} --size 8M --time 50ms")),
        0,
        &[],
    );
    let sealed = at.join("s.dat").metadata().unwrap().mtime();
    let mut child = started(at, &format!("{line} --time 60s"));
    let changed = || at.join("s.dat").metadata().unwrap().mtime() != sealed;
    wait_until("nothing is written", changed);
    // A second one is refused meanwhile.
    let second = ioalign(at, &format!("{line} --time 50ms"));
    ends(&second, 65, &["is in use"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let again = ioalign(at, &format!("{line} --time 50ms"));
    ends(&again, 64, &["a run on it was killed", "--destroy-data"]);
}

/// While root fills a file, the owner of the folder gives its name to a link.
#[test]
fn a_name_that_nobody_exchanges_leads_to_no_file_of_root() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    set_bits(at, 0o711);
    // As large as the file that is filled: nothing else would stop a program that opens the name again.
    let victim = vec![3_u8; 64 << 20];
    fs::write(at.join("victim"), &victim).unwrap();
    set_bits(&at.join("victim"), 0o600);
    let theirs = at.join("theirs");
    fs::create_dir(&theirs).unwrap();
    chown(&theirs, Some(NOBODY), Some(NOBODY)).unwrap();
    let line = format!("measure run theirs/x.dat --size 64M {WRITE} --time 200ms --buffered");
    let mut child = started(at, &line);
    let script = "cd theirs; until test -e x.dat; do :; done; mv x.dat gone; ln -s ../victim x.dat";
    let mut nobody = Command::new("setpriv");
    let nobody = nobody.current_dir(at).args([
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "sh",
        "-c",
        script,
    ]);
    assert!(nobody.status().unwrap().success());
    let ended = child.wait().unwrap();
    assert!(fs::read(at.join("victim")).unwrap() == victim);
    assert!(ended.success());
    assert!(
        theirs
            .join("x.dat")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn no_link_in_a_folder_is_followed_whatever_was_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("load")).unwrap();
    fs::write(at.join("outside"), vec![3; 2 << 20]).unwrap();
    symlink("../outside", at.join("load/ioalign.scratch.03")).unwrap();
    let line = format!("measure run load --size 64M {WRITE} --time 50ms --destroy-data load");
    ends(
        &ioalign(at, &line),
        64,
        &["ioalign.scratch.03", "symbolic link"],
    );
    assert!(fs::read(at.join("outside")).unwrap() == vec![3; 2 << 20]);
    assert_eq!(names(&at.join("load")), ["ioalign.scratch.03"]);
}

/// A record names processes: it is for its owner, whoever has made a file of the name.
#[test]
fn a_record_is_for_its_owner() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("disk"), vec![0; 4 << 20]).unwrap();
    let device = Loop::new(&at.join("disk"), &[]);
    let record = |name: &str, more: &str| {
        let device = text(device.path());
        ioalign(
            at,
            &format!("watch {device} --json --duration 200ms --record {name} {more}"),
        )
    };
    fs::write(at.join("rec"), "theirs").unwrap();
    chown(at.join("rec"), Some(NOBODY), Some(NOBODY)).unwrap();
    set_bits(&at.join("rec"), 0o666);
    ends(&record("rec", ""), 64, &["--force"]);
    assert_eq!(fs::read(at.join("rec")).unwrap(), b"theirs");
    ends(&record("rec", "--force"), 0, &[]);
    assert_eq!((bits(&at.join("rec")), owner(&at.join("rec"))), (0o600, 0));
    assert!(fs::read(at.join("rec")).unwrap() != b"theirs");
    symlink("victim", at.join("link")).unwrap();
    for name in ["link", "link.parquet"] {
        if name != "link" {
            symlink("victim", at.join(name)).unwrap();
        }
        ends(&record(name, "--force"), 65, &["symbolic link"]);
    }
    assert!(!at.join("victim").exists());
    ends(&record("rec.parquet", ""), 0, &[]);
    assert_eq!(bits(&at.join("rec.parquet")), 0o600);
    assert_eq!(
        names(at),
        ["disk", "link", "link.parquet", "rec", "rec.parquet"]
    );
}

//! However a server ends, nothing of it stays for long.

use std::time::{Duration, Instant};

use ioalign_testkit::MountGuard;
use ioalign_testkit::files::names;
use ioalign_testkit::run::{text, tool};

use super::{ServedArray, soon, traces};

#[test]
fn signals_take_everything_down() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    for signal in ["INT", "TERM"] {
        let served = ServedArray::start(folder.path(), &["raid0:4x64k"]);
        assert_eq!(traces(folder.path()).len(), 2);
        assert_eq!(served.end(signal), (Some(0), String::new()));
        assert_eq!(traces(folder.path()), Vec::<String>::new());
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn what_a_killed_server_leaves_is_cleared_by_the_next() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let first = ServedArray::start(folder.path(), &["raid0:4x64k"]);
    let living = ServedArray::start(folder.path(), &["raid1:2x64k"]);
    let device = first.device();
    first.end("KILL");
    assert_eq!(traces(folder.path()).len(), 4);
    let next = ServedArray::start(folder.path(), &["single"]);
    // That of the one that lives stays.
    assert_eq!(traces(folder.path()).len(), 4);
    std::fs::read(living.path("file").parent().unwrap()).unwrap_err();
    assert!(living.path("file").exists());
    let (_, said) = next.end("INT");
    assert!(
        said.contains("a killed server left") && said.contains(text(&device)),
        "{said}"
    );
    assert_eq!(living.end("INT").0, Some(0));
    assert_eq!(traces(folder.path()), Vec::<String>::new());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_mounted_device_does_not_keep_the_server() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let place = tempfile::tempdir().unwrap();
    let served = ServedArray::start(folder.path(), &["raid0:4x64k", "--service", "0ms"]);
    let device = served.device();
    tool("mkfs.ext4", &["-q", text(&device)]);
    let mount = MountGuard::new(&[text(&device)], &place.path().join("mount"));
    let begun = Instant::now();
    let (code, said) = served.end("TERM");
    assert_eq!(code, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(said.contains("was still open"), "{said}");
    drop(mount);
    assert!(soon(|| traces(folder.path()).is_empty()));
}

//! What cannot be served, and how that is said.

use std::os::unix::net::UnixListener;

use ioalign_testkit::files::names;
use ioalign_testkit::run::text;

use super::{ServedArray, serve, stated};

#[test]
fn what_cannot_be_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.img");
    std::fs::write(&file, [1; 4096]).unwrap();
    let socket = folder.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let ended = folder.path().join("ended");
    drop(UnixListener::bind(&ended).unwrap());
    let before = names(folder.path()).len();
    let (file, socket, ended) = (text(&file), text(&socket), text(&ended));
    let cases: &[(&[&str], i32, &str)] = &[
        (&["raid5:2x64k"], 64, "RAID 5"),
        (&["raid0:0x64k"], 64, "RAID 0"),
        (&["raid0:4x1000"], 64, "element"),
        (&["single", "--size", "0"], 64, "--size"),
        (&["single", "--size", "1000"], 64, "--size"),
        (&["single", "--size", "2000000T"], 64, "exbibyte"),
        (&["single", "--start", "100"], 64, "--start"),
        (&["single", "--start", "2G"], 64, "past the end"),
        (&["single", "--tear", "100"], 64, "--tear"),
        (&["single", "--lose-unflushed=none"], 64, "none"),
        (&["none.toml"], 65, "none.toml"),
        (&["single", "--data", "/dev/null"], 65, "no regular file"),
        (&["single", "--data", "/nowhere/x"], 65, "/nowhere/x"),
        (
            &["single", "--data", file, "--size", "1M"],
            65,
            "4096 bytes",
        ),
        (
            &["single", "--socket", socket],
            65,
            "another program listens",
        ),
        (&["single", "--socket", ended], 65, "has ended"),
        (&["single", "--socket", file], 65, "exists already"),
        (
            &["single", "--no-fuse", "--socket", "/nowhere/x"],
            65,
            "/nowhere/x",
        ),
    ];
    for (arguments, code, words) in cases {
        let output = serve(folder.path(), arguments).output().unwrap();
        let said = stated(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(output.stdout.is_empty());
        assert_eq!(names(folder.path()).len(), before, "{arguments:?}");
    }
    assert_eq!(std::fs::read(file).unwrap(), [1; 4096]);
}

#[test]
fn a_data_file_is_served_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("array.img");
    let arguments = ["single", "--size", "1M", "--no-fuse", "--data", text(&data)];
    let served = ServedArray::start(folder.path(), &arguments);
    assert!(served.ready["device"].is_null() && served.ready["file"].is_null());
    let second = serve(folder.path(), &arguments).output().unwrap();
    assert_eq!(second.status.code(), Some(65));
    assert!(
        stated(&second).contains("another program has it locked"),
        "{}",
        stated(&second)
    );
    assert_eq!(served.end("INT"), (Some(0), String::new()));
}

//! Scratch files: written again without asking only as long as nobody else has.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use ioalign_device::{ErrorKind, Target, TargetRequest};
use ioalign_testkit::Loop;
use ioalign_testkit::run::{text, tool};

use super::{MIB, destroying, reading, refused, sized, writing};

/// Made, and written through the page cache in two runs.
fn made(path: &Path) {
    let buffered = TargetRequest {
        direct: false,
        ..writing()
    };
    Target::open(path, &sized(writing(), 8 * MIB)).unwrap();
    // As often as wanted.
    for _ in 0..2 {
        let target = Target::open(path, &buffered).unwrap();
        assert_eq!(target.size_bytes(), 8 * MIB);
        let member = target.members().first().unwrap();
        member.file.write_all_at(&[7; 8192], 7 * MIB).unwrap();
    }
}

/// Each way to make it somebody's.
#[test]
fn a_scratch_file_that_others_wrote_to_is_theirs() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    fs::write(&other, vec![3; 3 << 20]).unwrap();
    let ways: [(&str, &str); 7] = [
        ("copied over", "cp \"$1\" \"$0\""),
        ("mkfs", "mkfs.ext4 -q -F \"$0\""),
        (
            "a file system behind the first sectors",
            "mkfs.ext4 -q -F -E offset=1048576 \"$0\" 4M",
        ),
        (
            "dd in the middle",
            "dd if=\"$1\" of=\"$0\" bs=512 seek=4000 count=1 conv=notrunc status=none",
        ),
        (
            "dd at the end",
            "dd if=\"$1\" of=\"$0\" bs=1M seek=9 count=1 conv=notrunc status=none",
        ),
        ("appended", "echo text >> \"$0\""),
        ("cut off", "truncate -s 5M \"$0\""),
    ];
    for (number, (what, command)) in ways.into_iter().enumerate() {
        let path = folder.path().join(format!("scratch{number}"));
        made(&path);
        tool("sh", &["-c", command, text(&path), text(&other)]);
        let before = fs::read(&path).unwrap();
        let error = refused(&path, &writing(), ErrorKind::Refused, &["--destroy-data"]);
        assert!(fs::read(&path).unwrap() == before, "{what}: {error}");
        Target::open(&path, &reading()).unwrap();
        Target::open(&path, &destroying(&path)).unwrap();
    }
}

#[test]
fn a_copy_of_a_scratch_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scratch");
    made(&path);
    for (option, name) in [("-a", "archived"), ("--reflink=auto", "plain")] {
        let copy = folder.path().join(name);
        tool("cp", &[option, text(&path), text(&copy)]);
        refused(
            &copy,
            &writing(),
            ErrorKind::Refused,
            &["holds data", "--destroy-data"],
        );
    }
    // By another name it is still the same file.
    let moved = folder.path().join("moved");
    fs::rename(&path, &moved).unwrap();
    Target::open(&moved, &writing()).unwrap();
}

#[test]
fn writes_through_a_loop_device_or_a_map_are_noticed() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scratch");
    made(&path);
    let device = Loop::new(&path, &[]);
    let target = File::options().write(true).open(device.path()).unwrap();
    target.write_all_at(&[9; 4096], 2 * MIB).unwrap();
    target.sync_all().unwrap();
    drop((target, device));
    refused(
        &path,
        &writing(),
        ErrorKind::Refused,
        &["written to since", "--destroy-data"],
    );

    let path = folder.path().join("mapped");
    made(&path);
    let program = "import mmap,sys; f=open(sys.argv[1],'r+b'); m=mmap.mmap(f.fileno(),0); m[99:103]=b'mine'; m.flush()";
    tool("python3", &["-c", program, text(&path)]);
    refused(
        &path,
        &writing(),
        ErrorKind::Refused,
        &["written to since", "--destroy-data"],
    );
}

/// The mark of earlier versions outlived the contents.
#[test]
fn an_attribute_alone_is_no_proof() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    fs::write(&path, vec![5; 1 << 20]).unwrap();
    let set = "import os,sys; os.setxattr(sys.argv[1],'user.ioalign.scratch',b'1')";
    tool("python3", &["-c", set, text(&path)]);
    refused(
        &path,
        &writing(),
        ErrorKind::Refused,
        &["holds data", "--destroy-data"],
    );
}

/// A few bytes in a large file of zeros, where samples would not meet them.
#[test]
fn few_bytes_in_the_middle_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse");
    let file = File::create(&path).unwrap();
    file.set_len(4 << 30).unwrap();
    file.write_all_at(b"mine", 3 * MIB * 100 + 1234).unwrap();
    drop(file);
    let at = format!("at byte {}", 3 * MIB * 100 + 1234);
    refused(&path, &writing(), ErrorKind::Refused, &[&at]);
}

//! Tarballs as the real tar writes them, in all its formats, and bytes that are none.

mod files;
mod random;

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ioalign_inspect::archive::tree::TreeEntry;
use ioalign_inspect::archive::{self, ReadBundle};
use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{ErrorKind, Source};

use super::tools::run;

fn read(bytes: Vec<u8>) -> Option<ReadBundle> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    archive::read(&source).unwrap()
}

/// A host's tree with a long name, links of both kinds and a device of a terabyte.
fn tree(folder: &Path) {
    let long = format!(
        "sys/devices/{}/block/sda",
        "pci0000:00/0000:00:1f.2/".repeat(5)
    );
    let device = folder.join(&long);
    fs::create_dir_all(device.join("queue")).unwrap();
    fs::create_dir_all(folder.join("sys/block")).unwrap();
    fs::create_dir_all(folder.join("dev")).unwrap();
    fs::write(device.join("queue/physical_block_size"), "4096\n").unwrap();
    fs::write(device.join("size"), "2147483648\n").unwrap();
    fs::hard_link(device.join("size"), device.join("capacity")).unwrap();
    symlink(format!("../../{long}"), folder.join("sys/block/sda")).unwrap();
    let disk = File::create(folder.join("dev/sda")).unwrap();
    disk.set_len(1 << 40).unwrap();
    // More pieces than fit in a header and in the first block after it.
    for piece in 0..40_u64 {
        disk.write_all_at(&[7; 4096], piece << 30).unwrap();
    }
    disk.write_all_at(b"tail", (1 << 40) - 4).unwrap();
}

fn packed(folder: &Path, options: &[&str]) -> Vec<u8> {
    let out = tempfile::NamedTempFile::new().unwrap();
    run(Command::new("tar")
        .args(options)
        .arg("-cf")
        .arg(out.path())
        .arg("-C")
        .arg(folder)
        .args(["sys", "dev"]));
    fs::read(out.path()).unwrap()
}

/// pzstd writes a size before each frame, and seekable files end with a table.
#[test]
fn zstd_frames_to_be_skipped_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    tree(folder.path());
    let frame = packed(folder.path(), &["--format=gnu", "--sparse", "--zstd"]);
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0size";
    let bundle = read([skipped, &frame[..], skipped].concat()).unwrap();
    assert!(bundle.cut.is_none(), "{:?}", bundle.cut);
    assert!(bundle.tree.file("sys/block/sda/capacity").is_some());
}

#[test]
fn every_format_of_tar() {
    let folder = tempfile::tempdir().unwrap();
    tree(folder.path());
    for options in [
        ["--format=gnu", "--sparse", "-b1"].as_slice(),
        &["--format=oldgnu", "--sparse"],
        &["--format=posix", "--sparse", "--sparse-version=0.0"],
        &["--format=posix", "--sparse", "--sparse-version=0.1"],
        &["--format=posix", "--sparse", "--sparse-version=1.0"],
        &["--format=posix", "--sparse", "-z"],
        &["--format=gnu", "--sparse", "-J"],
        &["--format=gnu", "--sparse", "-j"],
        &["--format=gnu", "--sparse", "--zstd"],
    ] {
        let bundle = read(packed(folder.path(), options)).unwrap();
        assert!(bundle.cut.is_none(), "{options:?}: {:?}", bundle.cut);
        assert_eq!(bundle.remarks, [], "{options:?}");
        let tree = &bundle.tree;
        let text = |path: &str| {
            let file = tree
                .file(path)
                .unwrap_or_else(|| panic!("{options:?}: {path}"));
            String::from_utf8(file.head(100)).unwrap()
        };
        assert_eq!(text("sys/block/sda/queue/physical_block_size"), "4096\n");
        assert_eq!(
            text("sys/block/sda/capacity"),
            "2147483648\n",
            "a hard link"
        );
        assert!(matches!(
            tree.find_link("sys/block/sda"),
            Some(TreeEntry::Link(_))
        ));
        let disk = tree
            .file("dev/sda")
            .unwrap_or_else(|| panic!("{options:?}"));
        assert_eq!(disk.len(), 1 << 40, "{options:?}");
        assert!(
            disk.held() < 200 << 10,
            "{options:?}: {} bytes",
            disk.held()
        );
        let disk = archive::ContentSource::new(Arc::clone(disk), Path::new("sda"));
        let mut bytes = [0; 6];
        for (at, expected) in [
            (0, [7; 6]),
            ((39 << 30) - 2, [0, 0, 7, 7, 7, 7]),
            ((1 << 40) - 6, *b"\0\0tail"),
        ] {
            disk.read_at(at, &mut bytes).unwrap();
            assert_eq!(bytes, expected, "{options:?} at {at}");
        }
    }
}

#[test]
fn names_of_ustar_and_before() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("sys/block").join("p".repeat(90));
    fs::create_dir_all(&deep).unwrap();
    fs::create_dir_all(folder.path().join("dev")).unwrap();
    fs::write(deep.join("size"), "8\n").unwrap();
    fs::write(folder.path().join("sys/block/size"), "9\n").unwrap();
    let bundle = read(packed(folder.path(), &["--format=ustar"])).unwrap();
    let path = format!("sys/block/{}/size", "p".repeat(90));
    assert_eq!(bundle.tree.file(&path).unwrap().head(9), b"8\n");
    fs::remove_dir_all(&deep).unwrap();
    let bundle = read(packed(folder.path(), &["--format=v7"])).unwrap();
    assert_eq!(bundle.tree.file("sys/block/size").unwrap().head(9), b"9\n");
}

#[test]
fn zeros_of_devices_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("sys")).unwrap();
    fs::create_dir_all(folder.path().join("dev")).unwrap();
    let mut bytes = vec![0; 8 << 20];
    bytes[5 << 20] = 1;
    fs::write(folder.path().join("dev/sda"), &bytes).unwrap();
    let bundle = read(packed(folder.path(), &["--format=gnu"])).unwrap();
    let disk = bundle.tree.file("dev/sda").unwrap();
    assert_eq!((disk.len(), disk.held()), (8 << 20, 4096));
    assert!(disk.head(u64::MAX) == bytes);
}

#[test]
fn what_is_no_tarball() {
    for bytes in [
        Vec::new(),
        vec![0; 4096],
        vec![b'x'; 4096],
        b"\x1f\x8b\x08 no".to_vec(),
    ] {
        assert!(read(bytes).is_none());
    }
    let mut packed = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut packed, b"a log\n").unwrap();
    let gzip = Command::new("gzip")
        .arg("-c")
        .arg(packed.path())
        .output()
        .unwrap();
    assert!(read(gzip.stdout).is_none());
}

#[test]
fn a_missing_end_is_said() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("sys/block")).unwrap();
    fs::create_dir_all(folder.path().join("dev")).unwrap();
    let mut bytes = packed(folder.path(), &["--format=gnu", "-b1"]);
    bytes.truncate(bytes.len() - 1024);
    let cut = read(bytes).unwrap().cut.unwrap();
    assert_eq!(cut.kind(), ErrorKind::Malformed);
    assert!(cut.what().contains("no end mark"), "{cut}");
}

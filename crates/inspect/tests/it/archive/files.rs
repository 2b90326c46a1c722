//! Files of tarballs where they lie: those of every format of tar, and none of what is no file below it.

use std::path::Path;
use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::archive::files::{self, TarFile};
use ioalign_inspect::source::MemorySource;
use ioalign_testkit::bundle::{BundleBuilder, BundleMember};

use super::*;

/// Files, or why there are none.
type Answer = Result<Option<Vec<TarFile>>, String>;

fn of(bytes: Vec<u8>) -> (Arc<dyn Source>, Answer) {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    let files = files::files(&source).map_err(|error| error.full());
    (source, files)
}

#[test]
fn files_of_every_format_are_read_where_they_lie() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}/disk.vmdk", "deep".repeat(20));
    fs::create_dir_all(folder.path().join(&long).parent().unwrap()).unwrap();
    let all = [
        ("a.ovf".to_owned(), b"description".to_vec()),
        ("empty".to_owned(), Vec::new()),
        (long, vec![7; 70_001]),
        ("b.mf".to_owned(), vec![9; 512]),
    ];
    for (name, bytes) in &all {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    for options in [
        ["--format=ustar"].as_slice(),
        &["--format=gnu"],
        &["--format=oldgnu", "-b1"],
        &["--format=posix"],
        &["--format=posix", "--pax-option=exthdr.name=%d/%f"],
        &["--format=v7", "--exclude=deep*"],
    ] {
        let out = tempfile::NamedTempFile::new().unwrap();
        let names = all.iter().map(|(name, _)| format!("./{name}"));
        run(Command::new("tar")
            .args(options)
            .arg("-cf")
            .arg(out.path())
            .arg("-C")
            .arg(folder.path())
            .args(names));
        let (whole, files) = of(fs::read(out.path()).unwrap());
        let files = files.unwrap().unwrap();
        let expected = all
            .iter()
            .filter(|(name, _)| !options.contains(&"--exclude=deep*") || name.len() < 80);
        let found = files.iter().map(|file| {
            let source = file.source(&whole, Path::new("x"));
            let mut bytes = vec![0; usize::try_from(source.len()).unwrap()];
            source.read_at(0, &mut bytes).unwrap();
            (file.name.display().to_string(), bytes)
        });
        assert!(found.eq(expected.cloned()), "{options:?}");
    }
}

#[test]
fn what_is_no_file_below_it_is_refused() {
    let file = |name: &str| BundleMember::file(name, "x");
    let tar = |members: &[BundleMember]| {
        let all = members.iter().cloned();
        all.fold(BundleBuilder::new(""), BundleBuilder::member)
            .tar()
    };
    for (members, why) in [
        (vec![file("../a")], "leads out"),
        (vec![file("/a")], "leads out"),
        (vec![file("a/../../b")], "leads out"),
        (vec![file("."), file("b")], "no name of a file"),
        (vec![file("a"), file("./a")], "two files"),
        (vec![file("d/a"), file("d//a")], "two files"),
        (vec![BundleMember::file(b"\xff", "x")], "no name of a file"),
        (vec![BundleMember::link("a", b'2', "/etc/passwd")], "a link"),
        (
            vec![file("b"), BundleMember::link("a", b'1', "b")],
            "a link",
        ),
        (vec![BundleMember::link("a", b'3', "")], "no file"),
        (vec![BundleMember::link("a", b'6', "")], "no file"),
    ] {
        let (_, files) = of(tar(&members));
        assert!(
            files.as_ref().is_err_and(|error| error.contains(why)),
            "{why}: {files:?}"
        );
    }
    let folder = BundleMember {
        flag: b'5',
        ..BundleMember::file("d/", "")
    };
    let whole = tar(&[folder, file("d/a")]);
    assert_eq!(of(whole.clone()).1.unwrap().unwrap().len(), 1);
    // In the file, before the mark, and in its padding.
    for cut in [1024 + 512 + 1, 1024 + 512, 1024 + 1, 1024 + 200, 512] {
        assert!(of(whole[..cut].to_vec()).1.is_err(), "{cut}");
    }
    assert_eq!(of(b"KDMV no tarball".to_vec()).1, Ok(None));
    let many: Vec<_> = (0..5000).map(|n| file(&n.to_string())).collect();
    assert!(
        of(tar(&many))
            .1
            .is_err_and(|error| error.contains("more than"))
    );
}

#[test]
fn a_sparse_file_has_no_place() {
    let folder = tempfile::tempdir().unwrap();
    let disk = File::create(folder.path().join("d")).unwrap();
    disk.set_len(1 << 30).unwrap();
    disk.write_all_at(b"tail", 1 << 20).unwrap();
    for options in [["--format=gnu"].as_slice(), &["--format=posix"]] {
        let out = folder.path().join("tar");
        run(Command::new("tar")
            .args(options)
            .args(["--sparse", "-cf"])
            .arg(&out)
            .arg("-C")
            .arg(folder.path())
            .arg("d"));
        let (_, files) = of(fs::read(&out).unwrap());
        assert!(
            files.is_err_and(|error| error.contains("sparse")),
            "{options:?}"
        );
    }
}

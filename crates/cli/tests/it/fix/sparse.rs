//! Sparse images stay sparse, and a file system that would be filled is left alone.

use std::os::unix::fs::MetadataExt;

use super::*;
use ioalign_testkit::MountGuard;

fn stored(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().blocks() * 512
}

/// 300 MiB, of which 5 are data, at both ends of a partition and in its middle.
fn sparse() -> (Disk, Vec<(u64, Vec<u8>)>) {
    let disk = Disk::new("disk.img", 300 * MIB);
    sfdisk(disk.path(), "label: dos\n63,600000,83\n");
    let places = [0, 150 * MIB + 512, 600_000 * 512 - MIB];
    let bytes = places.map(|at| (at, noise(at, MIB)));
    for (at, bytes) in &bytes {
        disk.write(63 * 512 + at, bytes);
    }
    (disk, bytes.into())
}

fn holds(path: &Path, data: &[(u64, Vec<u8>)]) {
    let start = table(path, 512)[0].start;
    let file = std::fs::File::open(path).unwrap();
    for (at, bytes) in data {
        let mut there = vec![0; bytes.len()];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut there, start + at).unwrap();
        assert!(there == *bytes, "{at}");
    }
}

#[test]
fn a_sparse_image_stays_sparse() {
    needs!(Packages);
    let (disk, data) = sparse();
    let before = stored(disk.path());
    assert!(before < 8 * MIB, "the file system keeps holes: {before}");
    // As new images do.
    let new = disk.folder().join("new.raw");
    done(&[text(disk.path()), "--output", text(&new)]);
    holds(&new, &data);
    assert!(stored(&new) < before + 2 * MIB, "{}", stored(&new));
    done(&[text(disk.path()), "--apply"]);
    holds(disk.path(), &data);
    let after = stored(disk.path());
    assert!(after < before + 6 * MIB, "{before} became {after}");
    assert_eq!(check_image(disk.path(), &[]).verdict(), "ok");
}

#[test]
fn an_image_without_holes_keeps_its_space() {
    needs!(Packages);
    let disk = Disk::new("disk.img", 40 * MIB);
    tool("fallocate", &["--length", "40M", text(disk.path())]);
    sfdisk(disk.path(), "label: dos\n63,60000,83\n");
    disk.write(63 * 512, &noise(1, MIB));
    assert!(stored(disk.path()) >= 40 * MIB);
    done(&[text(disk.path()), "--apply"]);
    assert!(stored(disk.path()) >= 40 * MIB, "{}", stored(disk.path()));
}

#[test]
fn a_file_system_that_would_be_filled_is_left_alone() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small");
    let small = MountGuard::new(&["-t", "tmpfs", "-o", "size=64M", "none"], &small);
    let path = small.path().join("disk.img");
    std::fs::File::create(&path)
        .unwrap()
        .set_len(300 * MIB)
        .unwrap();
    sfdisk(&path, "label: dos\n63,200000,83\n");
    // 40 MiB of data at the front of the partition go into the hole behind it, with a journal beside them.
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &noise(1, 40 * MIB), 63 * 512).unwrap();
    drop(file);
    let path = text(&path);
    let arguments = [path, "--align", "128M"];
    for apply in [&[][..], &["--apply"]] {
        let all = [&arguments[..], apply].concat();
        refused(&all, 65, &["MiB", "free", "Nothing was written"]);
    }
    assert_eq!(std::fs::read_dir(small.path()).unwrap().count(), 1);
    // With the journal elsewhere and the way short, there is room.
    let journal = folder.path().join("journal");
    done(&[path, "--apply", "--journal", text(&journal)]);
}

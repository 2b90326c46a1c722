//! Files: made, filled, kept, and not written over.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ioalign_device::{ErrorKind, Target, TargetKind, TargetRequest};
use ioalign_testkit::run::command;
use ioalign_testkit::{MountGuard, Qemu};

use super::{MIB, destroying, reading, refused, sized, writing};

#[test]
fn a_file_is_made_filled_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scratch");
    let made = Target::open(&path, &sized(reading(), 3 * MIB + 4096)).unwrap();
    assert_eq!(
        (made.kind(), made.size_bytes()),
        (TargetKind::File, 3 * MIB + 4096)
    );
    assert!(
        made.notes()
            .iter()
            .any(|note| note.starts_with("made and filled")),
        "{:?}",
        made.notes()
    );
    let bytes = fs::read(&path).unwrap();
    // The header of the scratch file lies behind what is used.
    let (bytes, header) = bytes.split_at(usize::try_from(3 * MIB + 4096).unwrap());
    assert_eq!(header.len(), 4096);
    let zeros = bytes
        .chunks(16)
        .filter(|chunk| chunk.iter().all(|byte| *byte == 0))
        .count();
    assert_eq!((bytes.len() as u64, zeros), (3 * MIB + 4096, 0));
    let blocks = path.metadata().unwrap().blocks() * 512;
    assert!(blocks >= bytes.len() as u64, "no holes: {blocks}");

    // Again: the same file, and as it is ours it may be written, and grows.
    let again = Target::open(&path, &sized(writing(), MIB)).unwrap();
    assert_eq!(again.size_bytes(), MIB);
    drop(again);
    let grown = Target::open(&path, &sized(writing(), 5 * MIB)).unwrap();
    assert_eq!(grown.size_bytes(), 5 * MIB);
    assert_eq!(fs::read(&path).unwrap()[..bytes.len()], *bytes);
}

#[test]
fn data_is_not_written_over_unless_named_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    for at in [0, MIB / 2, 3 * MIB - 1] {
        let mut bytes = vec![0_u8; usize::try_from(3 * MIB).unwrap()];
        bytes[usize::try_from(at).unwrap()] = 1;
        fs::write(&path, bytes).unwrap();
        let here = format!("holds data (at byte {at})");
        refused(
            &path,
            &writing(),
            ErrorKind::Refused,
            &[&here, "--destroy-data"],
        );
        let wrong = folder.path().join("precious2");
        refused(
            &path,
            &destroying(&wrong),
            ErrorKind::Refused,
            &["another target"],
        );
        Target::open(&path, &reading()).unwrap();
        assert!(Target::open(&path, &destroying(&path)).unwrap().writable());
    }
    // Nothing but zeros: nothing to lose.
    fs::write(&path, vec![0_u8; 1 << 20]).unwrap();
    Target::open(&path, &writing()).unwrap();
}

#[test]
fn what_is_no_target_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none");
    refused(
        &path,
        &reading(),
        ErrorKind::Io,
        &["no such file", "give a size"],
    );
    File::create(&path).unwrap();
    refused(
        &path,
        &reading(),
        ErrorKind::Unsupported,
        &["0 bytes long", "give a size"],
    );
    refused(
        &path,
        &sized(reading(), MIB),
        ErrorKind::Unsupported,
        &["0 bytes long"],
    );
    fs::write(&path, [1; 4096]).unwrap();
    let words = ["has 4 KiB, and 1 MiB were asked for"];
    refused(
        &path,
        &sized(reading(), MIB),
        ErrorKind::Unsupported,
        &words,
    );
    refused(
        "/dev/null".as_ref(),
        &reading(),
        ErrorKind::Unsupported,
        &["no block device"],
    );
}

#[test]
fn an_empty_file_is_filled_when_it_may_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    File::create(&path).unwrap();
    let target = Target::open(&path, &sized(writing(), MIB)).unwrap();
    assert_eq!(target.size_bytes(), MIB);
}

#[test]
fn a_stop_ends_the_filling() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    let want = TargetRequest {
        stop: Some(Arc::new(AtomicBool::new(true))),
        ..sized(reading(), 64 * MIB)
    };
    refused(&path, &want, ErrorKind::Interrupted, &["stopped"]);
    assert!(!path.exists(), "no half of a file is left");
}

#[test]
fn a_full_file_system_is_named_and_nothing_stays() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let small = MountGuard::new(
        &["-t", "tmpfs", "-o", "size=4m", "none"],
        &folder.path().join("small"),
    );
    let path = small.path().join("scratch");
    let words = [
        "16 MiB cannot be written",
        "has 4 MiB left",
        "give a smaller size",
    ];
    refused(&path, &sized(reading(), 16 * MIB), ErrorKind::Io, &words);
    assert!(!path.exists(), "no half of a file is left");
}

#[test]
fn sizes_of_o_direct_are_those_that_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    File::create(&path).unwrap().write_all(&[1; 65536]).unwrap();
    let target = Target::open(&path, &reading()).unwrap();
    if let Some(direct) = target.direct() {
        assert!(
            direct.offset_bytes.is_power_of_two() && direct.offset_bytes <= 4096,
            "{direct:?}"
        );
        assert_eq!(target.logical_bytes(), direct.offset_bytes);
    }
    let buffered = Target::open(&path, &TargetRequest::default()).unwrap();
    assert_eq!((buffered.direct(), buffered.logical_bytes()), (None, 1));
}

#[test]
fn an_image_of_a_running_machine_is_kept() {
    needs!(Root, Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    File::create(&path).unwrap().set_len(4 * MIB).unwrap();
    for options in [&["-f", "raw"][..], &["-r", "-f", "raw"]] {
        let machine = Qemu::on(&path, options);
        let words = ["another program is using it", "shut the machine down"];
        refused(&path, &destroying(&path), ErrorKind::InUse, &words);
        // Reading harms nobody, but the machine's own I/O is in the figures.
        let target = Target::open(&path, &reading()).unwrap();
        let notes = target.notes();
        let stated = |note: &String| note.contains("another program is using it");
        assert!(notes.iter().any(stated), "{notes:?}");
        drop(machine);
    }
    let ours = Target::open(&path, &writing()).unwrap();
    let mut qemu = command("qemu-io");
    qemu.args(["-f", "raw", "-c", "length"]).arg(&path);
    assert!(
        !qemu.output().unwrap().status.success(),
        "QEMU opens it too"
    );
    drop(ours);
    assert!(qemu.output().unwrap().status.success());
}

/// Whether the first page of a file is in the page cache. A read with `RWF_NOWAIT` is no such question: it begins a read
/// ahead and has the page if the device is quick enough (mm/filemap.c of Linux 6.18, `filemap_get_pages`).
fn is_cached(file: &std::fs::File) -> bool {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    const PAGE: usize = 4096;
    let mut resident = 0_u8;
    // SAFETY: a mapping of its own, which nothing reads or writes and which is gone at the end; `resident` has room for
    // its only page.
    unsafe {
        let here = mmap(
            std::ptr::null_mut(),
            PAGE,
            ProtFlags::READ,
            MapFlags::SHARED,
            file,
            0,
        )
        .unwrap();
        let asked = libc::mincore(here, PAGE, &raw mut resident);
        munmap(here, PAGE).unwrap();
        assert_eq!(asked, 0, "{}", std::io::Error::last_os_error());
    }
    resident & 1 == 1
}

#[test]
fn what_is_cached_does_not_answer_direct_reads() {
    // Not on tmpfs, whose pages are the file.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    assert!(is_cached(&file));
    Target::open(&path, &TargetRequest::default()).unwrap();
    assert!(is_cached(&file));
    Target::open(&path, &reading()).unwrap();
    assert!(!is_cached(&file));
}

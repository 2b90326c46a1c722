//! The journal and the disk as files: locks, room, what is left afterwards.

use std::ops::ControlFlow;
use std::path::Path;

use ioalign_repair::journal::JournalFile;
use ioalign_repair::mover::{self, FileDisk, MoverOutcome};
use ioalign_repair::{Disk, ErrorKind};

use super::layout::two_sectors;
use super::trial::origin;

fn go_on(_: &mover::MoverProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_job_on_files_leaves_no_journal() {
    let layout = two_sectors();
    let folder = tempfile::tempdir().unwrap();
    let (image, journal) = (folder.path().join("disk"), folder.path().join("journal"));
    std::fs::write(&image, &layout.bytes).unwrap();
    let mut disk = crate::image::opened(&image);
    let done = mover::apply(
        &mut disk,
        &journal,
        &layout.job,
        &origin(),
        &layout.options,
        &mut go_on,
    )
    .unwrap();
    assert_eq!(done.outcome, MoverOutcome::Moved);
    assert_eq!(
        (done.moved_bytes, done.verified_bytes),
        (16 << 10, 16 << 10)
    );
    assert!(!journal.exists());
    let now = std::fs::read(&image).unwrap();
    super::check::is_moved(&layout, &now).unwrap();
}

/// The wish to stop, then back: what `Ctrl-C` and `--rollback` do.
#[test]
fn stopped_and_rolled_back() {
    let layout = two_sectors();
    let folder = tempfile::tempdir().unwrap();
    let (image, journal) = (folder.path().join("disk"), folder.path().join("journal"));
    std::fs::write(&image, &layout.bytes).unwrap();
    let mut disk = crate::image::opened(&image);
    let mut stop = |progress: &mover::MoverProgress| match progress.done_bytes {
        ..10_000 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let stopped = mover::apply(
        &mut disk,
        &journal,
        &layout.job,
        &origin(),
        &layout.options,
        &mut stop,
    );
    let error = stopped.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(
        error.to_string().contains("`--resume` continues"),
        "{error}"
    );
    assert_ne!(std::fs::read(&image).unwrap(), layout.bytes);
    let again = mover::apply(
        &mut disk,
        &journal,
        &layout.job,
        &origin(),
        &layout.options,
        &mut go_on,
    );
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Refused);
    let done = mover::rollback(&mut disk, &journal, &layout.options, &mut go_on).unwrap();
    assert_eq!(done.outcome, MoverOutcome::RolledBack);
    let now = std::fs::read(&image).unwrap();
    assert_eq!(now[..24 << 10], layout.bytes[..24 << 10]);
    assert!(!journal.exists());
}

#[test]
fn an_existing_file_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    std::fs::write(&path, "data").unwrap();
    let error = JournalFile::create(&path, 4096).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(std::fs::read(&path).unwrap(), b"data");
}

#[test]
fn no_room_is_known_before_anything_moves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let error = JournalFile::create(&path, 1 << 50).unwrap_err();
    assert!(
        error.to_string().contains("no room for the journal"),
        "{error}"
    );
    assert!(!path.exists());
}

/// All blocks are there from the start.
#[test]
fn the_space_is_reserved() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut file = JournalFile::create(&path, 3 << 20).unwrap();
    assert_eq!(file.store().size_bytes(), 3 << 20);
    assert!(std::fs::metadata(&path).unwrap().blocks() * 512 >= 3 << 20);
}

#[test]
fn a_lost_journal_is_an_error_with_its_name() {
    let path = Path::new("/nowhere/journal");
    let error = JournalFile::open(path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(
        error.to_string().starts_with("/nowhere/journal: "),
        "{error}"
    );
}

#[test]
fn two_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (image, path) = (folder.path().join("disk"), folder.path().join("journal"));
    std::fs::write(&image, vec![0; 4096]).unwrap();
    let _disk = crate::image::opened(&image);
    assert_eq!(FileDisk::open(&image).unwrap_err().kind(), ErrorKind::InUse);
    let _journal = JournalFile::create(&path, 4096).unwrap();
    assert_eq!(
        JournalFile::open(&path).unwrap_err().kind(),
        ErrorKind::InUse
    );
}

/// Forth and back: what is done grows to all there is, and no piece is reported twice.
#[test]
fn progress_reaches_its_end() {
    // Windows of four pieces: that which was on its way is brought there first, and the way back begins with those
    // that have not left.
    for (last, first_back) in [(13, 1), (5, 9)] {
        let layout = two_sectors();
        let folder = tempfile::tempdir().unwrap();
        let (image, journal) = (folder.path().join("disk"), folder.path().join("journal"));
        std::fs::write(&image, &layout.bytes).unwrap();
        let mut disk = crate::image::opened(&image);
        let mut seen = Vec::new();
        let mut watch = |progress: &mover::MoverProgress| {
            assert_eq!(progress.total_bytes, 16 << 10);
            seen.push(progress.done_bytes >> 10);
            match progress.done_bytes >> 10 == last {
                false => ControlFlow::Continue(()),
                true => ControlFlow::Break(()),
            }
        };
        mover::apply(
            &mut disk,
            &journal,
            &layout.job,
            &origin(),
            &layout.options,
            &mut watch,
        )
        .unwrap_err();
        assert_eq!(seen, (1..=last).collect::<Vec<u64>>());
        let mut back = Vec::new();
        let mut watch = |progress: &mover::MoverProgress| {
            back.push(progress.done_bytes >> 10);
            ControlFlow::Continue(())
        };
        mover::rollback(&mut disk, &journal, &layout.options, &mut watch).unwrap();
        assert_eq!(back, (first_back..=16).collect::<Vec<u64>>());
    }
}

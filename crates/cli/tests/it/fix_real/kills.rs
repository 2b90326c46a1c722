//! SIGKILL at any moment of a move on a loop device, with a file system on it.

use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, Random};

use super::Fix;
use super::image::Image;
use super::kinds::{self, Kind};

/// How often the program is killed in all.
const KILLS: u32 = 40;
/// Killing ends after this, however slow the machine is.
const AT_MOST: Duration = Duration::from_secs(40);

/// How a job came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Moved,
    Back,
}

/// Runs a verb, and kills it after a while unless it ends before; whether it was killed.
fn killed(fix: &Fix, verb: &str, after: Duration) -> bool {
    let mut child = fix.slow(verb).spawn().unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// A job with kills until it ends one way or the other.
fn one_job(fix: &Fix, random: &mut Random, kills: &mut u32) -> Ended {
    let mut verb = "--apply";
    let mut killed_here = 0;
    loop {
        let after = Duration::from_millis(random.within(1, 400));
        let was_killed = killed(fix, verb, after);
        killed_here += u32::from(was_killed);
        *kills += u32::from(was_killed);
        if !fix.journal.exists() {
            // Done, or back, or killed before it began.
            return if moved(fix) {
                Ended::Moved
            } else {
                Ended::Back
            };
        }
        if killed_here >= 6 {
            return finished(fix);
        }
        verb = *random.pick(&["--resume", "--resume", "--rollback"]);
    }
}

/// To the end: on, or back where it never moved anything.
fn finished(fix: &Fix) -> Ended {
    let output = fix.command("--resume").output().unwrap();
    if output.status.success() {
        return Ended::Moved;
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("before anything moved"), "{said}");
    std::fs::remove_file(&fix.journal).unwrap();
    Ended::Back
}

fn moved(fix: &Fix) -> bool {
    super::image::slots(&fix.target)[0].start != 63
}

#[test]
fn a_file_system_survives_every_kill() {
    needs!(Packages, Root);
    let image = Image::new(40, "label: dos\nstart=63,size=65536,type=83\n");
    let folder = image.folder();
    let source = tempfile::tempdir().unwrap();
    kinds::files(source.path());
    let listing = {
        let device = image.device(&image.slot(1));
        Kind::Ext4.make(&device, 63);
        Kind::Ext4.fill(&device, source.path(), folder);
        Kind::Ext4.listing(&device, folder)
    };
    let fresh = folder.join("fresh.img");
    tool("cp", &["--sparse=always", text(image.path()), text(&fresh)]);

    let mut random = Random(0x6b69_6c6c);
    let (mut kills, mut ends) = (0, Vec::new());
    let begun = Instant::now();
    while kills < KILLS && begun.elapsed() < AT_MOST {
        image.restore(&fresh);
        let ended = one_job_on_a_device(&image, folder, &mut random, &mut kills);
        let slot = image.slot(1);
        assert_eq!(slot.start != 63, ended == Ended::Moved);
        let device = image.device(&slot);
        Kind::Ext4.check(&device);
        assert_eq!(Kind::Ext4.listing(&device, folder), listing, "{ended:?}");
        ends.push(ended);
    }
    eprintln!(
        "{kills} kills in {} jobs, {:?}: {ends:?}",
        ends.len(),
        begun.elapsed()
    );
    assert!(kills >= 5, "{kills}");
}

fn one_job_on_a_device(
    image: &Image,
    folder: &Path,
    random: &mut Random,
    kills: &mut u32,
) -> Ended {
    let device = Loop::new(image.path(), &[]);
    let ended = one_job(&Fix::new(device.path(), folder), random, kills);
    tool("blockdev", &["--flushbufs", device.text()]);
    ended
}

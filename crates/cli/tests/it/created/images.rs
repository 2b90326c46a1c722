//! `fix --output`: an image has its name when it is whole, and no more readers than the disk that it is made of.

use std::fs;
use std::os::unix::fs::MetadataExt;

use ioalign_testkit::MountGuard;
use ioalign_testkit::run::wait_until;

use super::*;

/// The unfinished image, once there is one.
fn partial(folder: &Path) -> String {
    let part = || {
        names(folder)
            .into_iter()
            .find(|name| name.contains("PARTIAL"))
    };
    wait_until("an image is made", || part().is_some());
    part().unwrap()
}

#[test]
fn a_killed_run_leaves_no_image_under_the_name() {
    needs!(Packages);
    for name in ["new.raw", "new.qcow2"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let before = image(at, "disk.img");
        set_bits(&at.join("disk.img"), 0o600);
        let words = ["fix", "disk.img", "--output", name];
        let mut command = Command::new(PROGRAM);
        let command = command.current_dir(at).args(words).args(["--limit", "2M"]);
        let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
        let part = partial(at);
        // Nobody else may read it meanwhile, and another run does not take it for a leftover.
        assert_eq!(bits(&at.join(&part)), 0o600);
        let bytes = || at.join(&part).metadata().unwrap().blocks() * 512;
        wait_until("data are copied", || bytes() > 64 << 10);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(names(at), [part.as_str(), "disk.img"]);
        assert!(
            part.starts_with(&format!(".{name}.ioalign-PARTIAL-")),
            "{part}"
        );

        let output = ioalign(at, &words.join(" "));
        ends(&output, 0, &[&part, "unfinished image", "can be removed"]);
        assert!(at.join(name).metadata().unwrap().len() > 1 << 20);
        assert!(fs::read(at.join("disk.img")).unwrap() == before);
    }
}

#[test]
fn a_new_image_has_the_readers_of_the_old_one() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    image(at, "disk.img");
    for (number, mode) in [0o600, 0o640, 0o644].into_iter().enumerate() {
        set_bits(&at.join("disk.img"), mode);
        for ending in ["img", "qcow2"] {
            let call = format!("fix disk.img --output new{number}.{ending}");
            ends(&after(at, "umask 022", &call), 0, &[]);
            assert_eq!(bits(&at.join(format!("new{number}.{ending}"))), mode);
        }
    }
    // Of an overlay the files below count as well.
    let script =
        "cd \"$0\"; qemu-img create -q -f qcow2 -b disk.img -F raw ov.qcow2; chmod 644 ov.qcow2";
    tool("sh", &["-c", script, text(at)]);
    set_bits(&at.join("disk.img"), 0o600);
    ends(
        &after(at, "umask 022", "fix ov.qcow2 --output flat.img"),
        0,
        &[],
    );
    assert_eq!(bits(&at.join("flat.img")), 0o600);
    nothing_partial(at);
}

#[test]
fn what_does_not_fit_is_refused_before_the_first_byte() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    image(at, "disk.img");
    let small = MountGuard::new(&["-t", "tmpfs", "-o", "size=8m", "none"], &at.join("small"));
    let output = ioalign(at, "fix disk.img --output small/new.img");
    ends(
        &output,
        65,
        &["may take", "has 8 MiB free", "nothing was written"],
    );
    assert!(names(small.path()).is_empty());
    // Tried all the same, and nothing stays.
    let output = ioalign(at, "fix disk.img --output small/new.img --no-space-check");
    ends(&output, 65, &["No space left"]);
    assert!(names(small.path()).is_empty());
}

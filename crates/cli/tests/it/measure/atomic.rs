//! Pages written in one piece beside a doublewrite buffer, and loads whose writes are marked.

use ioalign_testkit::run::tool;
use ioalign_testkit::{Disk, Loop, MountGuard};

use super::{arms, document, measure, stated};

const MIB: u64 = 1 << 20;

#[test]
fn pages_are_compared_where_the_kernel_takes_atomic_writes() {
    needs!(Root, Packages);
    let disk = Disk::new("disk.img", 1024 * MIB);
    let device = Loop::new(disk.path(), &["--direct-io=on"]);
    for (reflink, takes) in [("reflink=1", true), ("reflink=0", false)] {
        tool("mkfs.xfs", &["-q", "-f", "-m", reflink, device.text()]);
        let folder = tempfile::tempdir().unwrap();
        let mount = MountGuard::new(&[device.text()], &folder.path().join("mnt"));
        let at = mount.path();
        let compared = "atomic pages.dat --size 64M --write --time 1s --json";
        if !takes {
            let refused = measure(at, compared);
            assert_eq!(refused.status.code(), Some(64), "{refused:?}");
            assert!(stated(&refused).contains("writes of 16 KiB are not atomic here"));
            let run = measure(
                at,
                "run pages.dat --size 64M --write --op write --sizes 16k --atomic",
            );
            assert_eq!(run.status.code(), Some(64), "{run:?}");
            assert!(!at.join("pages.dat").exists());
            continue;
        }
        let found = document(&measure(at, compared), "comparison-1.schema.json", &[0]);
        assert_eq!(found["subject"], "page-writes");
        assert_eq!(arms(&found), [("twice", 0), ("atomic", 0), ("once", 0)]);
        let cell = &found["cells"][0];
        assert_eq!(cell["block_bytes"], 16384);
        assert!(cell["ios"].as_u64().unwrap() >= 3 * 64, "{cell}");
        let load = "run pages.dat --write --destroy-data pages.dat --op write --sizes 16k --time 200ms --ramp 0";
        let marked = format!("{load} --atomic --json");
        let found = document(&measure(at, &marked), "load-1.schema.json", &[0]);
        assert_eq!(found["steps"][0]["workload"]["atomic"], true, "{found}");
        // Only the mark makes the kernel refuse a page that is not a multiple of itself: it was sent.
        for api in ["uring", "sync --depth 1"] {
            let off = format!("{load} --offset 4k --align 16k --api {api}");
            let plain = measure(at, &off);
            assert_eq!(plain.status.code(), Some(0), "{plain:?}");
            let marked = measure(at, &format!("{off} --atomic"));
            assert_eq!(marked.status.code(), Some(65), "{marked:?}");
            assert!(
                stated(&marked).contains("an atomic write of 16 KiB"),
                "{marked:?}"
            );
        }
    }
}

/// Where the kernel refuses, or nobody may ask it, no file is made for the question.
#[test]
fn a_file_that_takes_no_atomic_writes_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        "run pages.dat --size 1M --write --op write --sizes 16k --atomic --time 100ms --ramp 0";
    let compared = "atomic pages.dat --size 1M --batch 4 --write --time 100ms";
    for words in [run, compared] {
        let refused = measure(folder.path(), &format!("{words} --buffered"));
        assert_eq!(refused.status.code(), Some(64), "{refused:?}");
        assert!(stated(&refused).contains("leave --buffered off"));
        assert!(!folder.path().join("pages.dat").exists());
    }
    let limits = ioalign_device::scratch_file_limits(folder.path());
    if limits.is_some_and(|limits| limits.hold(16384)) {
        return;
    }
    for words in [run, compared] {
        let refused = measure(folder.path(), words);
        assert_eq!(refused.status.code(), Some(64), "{refused:?}");
        assert!(stated(&refused).contains("writes of 16 KiB are not atomic here"));
        assert!(!folder.path().join("pages.dat").exists());
    }
}

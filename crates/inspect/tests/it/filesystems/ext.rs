//! ext2, ext3, ext4 against mke2fs and dumpe2fs.

use ioalign_core::{Bytes, Severity};

use super::{Fixture, MIB, number, value};

fn make(arguments: &[&str]) -> Fixture {
    let arguments = [&["-q", "-F"], arguments].concat();
    Fixture::made_by(16 * MIB, "mke2fs", &arguments)
}

#[test]
fn block_and_size_are_those_of_dumpe2fs() {
    needs!(Packages);
    for (kind, block) in [("ext2", "1024"), ("ext3", "1024"), ("ext4", "4096")] {
        let fixture = make(&["-t", kind, "-b", block, "-L", "some label"]);
        let found = fixture.agreed(kind);
        let said = fixture.tool("dumpe2fs", &["-h"]);
        let size = number(&said, "Block count:") * number(&said, "Block size:");
        assert_eq!(found.kind, kind);
        assert_eq!(found.block, Some(Bytes::new(number(&said, "Block size:"))));
        assert_eq!(found.size, Some(Bytes::new(size)));
        assert_eq!(found.geometry, None);
        assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    }
}

#[test]
fn stride_and_width_become_bytes() {
    needs!(Packages);
    let fixture = make(&[
        "-t",
        "ext4",
        "-b",
        "4096",
        "-E",
        "stride=16,stripe-width=80",
    ]);
    let said = fixture.tool("dumpe2fs", &["-h"]);
    let geometry = fixture.agreed("ext4").geometry.unwrap();
    assert_eq!(number(&said, "RAID stride:"), 16);
    assert_eq!(geometry.unit, Bytes::new(64 << 10));
    assert_eq!(
        geometry.width.get(),
        number(&said, "RAID stripe width:") * 4096
    );
}

#[test]
fn bigalloc_clusters_are_a_fact() {
    needs!(Packages);
    let fixture = make(&["-t", "ext4", "-b", "4096", "-O", "bigalloc", "-C", "16384"]);
    let said = fixture.tool("dumpe2fs", &["-h"]);
    let found = fixture.agreed("ext4");
    assert_eq!(number(&said, "Cluster size:"), 16384);
    assert_eq!(found.facts["bigalloc-cluster"], "16 KiB");
    assert_eq!(found.block, Some(Bytes::new(4096)));
    assert_eq!(found.cluster, Some(Bytes::new(16384)));
}

#[test]
fn journals_of_their_own_are_told_apart() {
    needs!(Packages);
    let fixture = make(&["-O", "journal_dev", "-b", "4096", "-L", "journal"]);
    let found = fixture.agreed("jbd");
    let said = fixture.tool("dumpe2fs", &["-h"]);
    assert_eq!(found.kind, "ext-journal");
    assert_eq!(found.uuid, value(&said, "Filesystem UUID:"));
}

#[test]
fn a_width_that_a_bridge_invented_is_remarked() {
    needs!(Packages);
    for (options, why) in [
        ("stripe-width=8191", "USB bridge"),
        ("stride=16,stripe-width=24", "not a multiple"),
    ] {
        let fixture = make(&["-t", "ext4", "-b", "4096", "-E", options]);
        let found = fixture.agreed("ext4");
        let [remark] = found.remarks.as_slice() else {
            panic!("{:?}", found.remarks)
        };
        assert_eq!(remark.rule, "ext-geometry-bogus");
        assert_eq!(remark.severity, Severity::Suboptimal);
        assert!(remark.why.contains(why), "{}", remark.why);
    }
}

#[test]
fn a_file_system_longer_than_its_space_is_remarked() {
    needs!(Packages);
    let fixture = make(&["-t", "ext4"]);
    let view = fixture.view().sub(0, 15 * MIB);
    let found = ioalign_inspect::filesystems::probe(&view).unwrap().unwrap();
    let [remark] = found.remarks.as_slice() else {
        panic!("{:?}", found.remarks)
    };
    assert_eq!(remark.rule, "filesystem-past-end");
    assert!(
        remark.why.contains("1048576 B are missing"),
        "{}",
        remark.why
    );
}

//! XFS against mkfs.xfs and xfs_db.

use ioalign_core::{Bytes, Severity};

use super::{Fixture, MIB, number};

fn make(arguments: &[&str]) -> Fixture {
    let arguments = [&["-q", "-f"], arguments].concat();
    Fixture::made_by(1024 * MIB, "mkfs.xfs", &arguments)
}

fn superblock(fixture: &Fixture) -> String {
    fixture.tool("xfs_db", &["-r", "-c", "sb 0", "-c", "p"])
}

#[test]
fn geometry_is_that_of_xfs_db() {
    needs!(Packages);
    let options = [
        "-d",
        "su=64k,sw=5",
        "-s",
        "size=4096",
        "-b",
        "size=4k",
        "-L",
        "label",
    ];
    let fixture = make(&options);
    let found = fixture.agreed("xfs");
    let said = superblock(&fixture);
    let block = number(&said, "blocksize");
    let geometry = found.geometry.unwrap();
    assert_eq!(found.block, Some(Bytes::new(4096)));
    assert_eq!(found.sector, Some(Bytes::new(number(&said, "sectsize"))));
    assert_eq!(found.sector, Some(Bytes::new(4096)));
    assert_eq!(
        found.size,
        Some(Bytes::new(number(&said, "dblocks") * block))
    );
    assert_eq!(geometry.unit, Bytes::new(number(&said, "unit") * block));
    assert_eq!(geometry.width, Bytes::new(number(&said, "width") * block));
    assert_eq!(geometry.width, Bytes::new(320 << 10));
    let log = Bytes::new(number(&said, "logsunit"));
    assert_eq!(found.facts["log-sunit"], log.to_string());
    assert!(found.remarks.is_empty(), "{:?}", found.remarks);
}

#[test]
fn plain_ones_have_no_geometry() {
    needs!(Packages);
    let fixture = make(&["-b", "size=1k", "-s", "size=512"]);
    let found = fixture.agreed("xfs");
    assert_eq!(found.geometry, None);
    assert_eq!(found.block, Some(Bytes::new(1024)));
    assert_eq!(found.sector, Some(Bytes::new(512)));
    assert!(!found.facts.contains_key("realtime-extent"));
}

#[test]
fn realtime_extents_are_a_fact() {
    needs!(Packages);
    let fixture = make(&["-b", "size=4k", "-r", "extsize=256k"]);
    let said = superblock(&fixture);
    assert_eq!(number(&said, "rextsize"), 64);
    assert_eq!(fixture.agreed("xfs").facts["realtime-extent"], "256 KiB");
}

#[test]
fn a_unit_without_a_width_is_bogus() {
    needs!(Packages);
    let fixture = make(&["-d", "su=64k,sw=5"]);
    for (width, bogus) in [(0_u32, true), (24, true), (80, false)] {
        fixture.write(188, &width.to_be_bytes());
        let found = fixture.probe().unwrap();
        let rules: Vec<_> = found.remarks.iter().map(|r| (r.rule, r.severity)).collect();
        let expected = [("xfs-geometry-bogus", Severity::Suboptimal)];
        assert_eq!(rules, if bogus { &expected[..] } else { &[] }, "{width}");
    }
}

#[test]
fn impossible_sizes_name_their_field() {
    needs!(Packages);
    let fixture = make(&[]);
    fixture.write(4, &3_u32.to_be_bytes());
    let error = ioalign_inspect::filesystems::probe(&fixture.view()).unwrap_err();
    assert_eq!(error.field_name(), Some("sb_blocksize"));
    assert_eq!(error.offset(), Some(4));
}

//! ISO 9660 and UDF against genisoimage and mkudffs.

use std::fs;

use ioalign_core::Bytes;

use super::{Fixture, MIB, command};
use crate::tools::run;

pub(super) fn disc(options: &[&str]) -> Fixture {
    let fixture = Fixture::new(0);
    let folder = fixture.path.with_file_name("content");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), vec![7; 30_000]).unwrap();
    let mut make = command("genisoimage");
    make.args(options).args(["-quiet", "-V", "LABEL", "-o"]);
    run(make.arg(&fixture.path).arg(&folder));
    fixture
}

#[test]
fn iso_has_its_block_label_and_date() {
    needs!(Packages);
    for options in [&[][..], &["-J", "-r"]] {
        let found = disc(options).agreed("iso9660");
        assert_eq!(found.block, Some(Bytes::new(2048)));
        assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    }
}

#[test]
fn a_disc_with_both_is_udf() {
    needs!(Packages);
    let found = disc(&["-udf"]).agreed("udf");
    assert_eq!(found.block, Some(Bytes::new(2048)));
}

#[test]
fn udf_has_its_block() {
    needs!(Packages);
    for block in ["512", "2048", "4096"] {
        let options = ["-b", block, "-l", "label"];
        let fixture = Fixture::made_by(16 * MIB, "mkudffs", &options);
        let found = fixture.agreed("udf");
        assert_eq!(found.block, Some(block.parse().unwrap()));
    }
}

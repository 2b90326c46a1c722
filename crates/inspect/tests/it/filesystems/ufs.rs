//! UFS against makefs, in both versions and byte orders.

use std::fs;

use ioalign_core::Bytes;

use super::{Fixture, command};
use crate::tools::run;

pub(super) fn made(version: &str, endian: &str) -> Fixture {
    let fixture = Fixture::new(0);
    let folder = fixture.path.with_file_name("content");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), vec![7; 30_000]).unwrap();
    let options = format!("version={version},bsize=16384,fsize=2048");
    let mut makefs = command("makefs");
    makefs.args(["-t", "ffs", "-s", "8m", "-B", endian, "-o", &options]);
    run(makefs.arg(&fixture.path).arg(&folder));
    fixture
}

#[test]
fn block_and_fragment_are_those_given_to_makefs() {
    needs!(Packages);
    for (version, kind) in [("1", "ufs1"), ("2", "ufs2")] {
        for endian in ["le", "be"] {
            let found = made(version, endian).agreed("ufs");
            assert_eq!(found.kind, kind);
            assert_eq!(found.block, Some(Bytes::new(2048)));
            assert_eq!(found.facts["block"], "16 KiB");
            assert_eq!(found.facts["endian"].starts_with("big"), endian == "be");
            assert_eq!(found.size, Some(Bytes::new(8 << 20)));
        }
    }
}

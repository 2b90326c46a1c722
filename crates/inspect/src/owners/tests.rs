use std::sync::Arc;

use super::*;
use crate::source::MemorySource;

const MIB: usize = 1 << 20;

fn owners(bytes: Vec<u8>) -> Vec<Owner> {
    let view = View::new(Arc::new(MemorySource::new(bytes)));
    of_view(&view, &[]).unwrap()
}

#[test]
fn every_format_that_is_read_can_be_taken_away_or_says_why_not() {
    let volumes = volumes::FORMATS.iter().map(|(name, _)| *name);
    let filesystems = filesystems::FORMATS.iter().map(|(name, _)| *name);
    for name in volumes.chain(filesystems) {
        let elsewhere = AT_THE_END.contains(&name) || matches!(name, "swap" | "known");
        assert!(elsewhere || signatures::is_known(name), "{name}");
    }
}

#[test]
fn an_empty_space_has_no_owner() {
    for len in [0, 1, 511, 512, 4095, 65536, 2 * MIB] {
        assert_eq!(owners(vec![0; len]), [], "{len}");
        // No two bytes that mean anything.
        assert_eq!(owners(vec![0x11; len]), [], "{len}");
    }
}

#[test]
fn cut_off_anywhere_it_is_read_without_harm() {
    for (at, magic) in [
        (0, &b"LUKS\xba\xbe\0\x02"[..]),
        (
            0x1018,
            b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
        ),
        (0x1_0040, b"_BHRfS_M"),
        (0, b"verity\0\0"),
    ] {
        let mut bytes = vec![0; MIB];
        bytes[at..at + magic.len()].copy_from_slice(magic);
        for len in (at + magic.len()..at + magic.len() + 9000).step_by(511) {
            let _ = owners(bytes[..len].to_vec());
        }
    }
}

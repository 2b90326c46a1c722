//! File systems that are recognised by their magic number, of which nothing more is read: where they start is known,
//! their block size is not.

use super::FileSystem;
use crate::error::Result;
use crate::view::View;

struct KnownMagic {
    kind: &'static str,
    at: u64,
    magic: &'static [u8],
}

const fn known(kind: &'static str, at: u64, magic: &'static [u8]) -> KnownMagic {
    KnownMagic { kind, at, magic }
}

/// Places and bytes as in the kernel's headers (`include/uapi/linux/magic.h` and each file system's own), Haiku's
/// `bfs.h`, and libblkid. Four bytes at least: less occurs by chance.
const KNOWN: &[KnownMagic] = &[
    known("reiserfs", 0x10034, b"ReIsErFs"),
    known("reiserfs", 0x10034, b"ReIsEr2Fs"),
    known("reiserfs", 0x10034, b"ReIsEr3Fs"),
    known("reiserfs", 0x2034, b"ReIsErFs"),
    known("reiserfs", 0x2014, b"ReIsErFs"),
    known("reiser4", 0x10000, b"ReIsEr4"),
    known("ocfs2", 0x400, b"OCFSV2"),
    known("ocfs2", 0x800, b"OCFSV2"),
    known("ocfs2", 0x1000, b"OCFSV2"),
    known("ocfs2", 0x2000, b"OCFSV2"),
    known("gfs2", 0x10000, b"\x01\x16\x19\x70\0\0\0\x01"),
    known("vxfs", 0x400, b"\xf5\xfc\x01\xa5"),
    known("vxfs", 0x2000, b"\xa5\x01\xfc\xf5"),
    known("hpfs", 0x2000, b"\x49\xe8\x95\xf9"),
    known("netware", 0x1000, b"SPB5"),
    known("befs", 0x20, b"1SFB"),
    known("befs", 0x20, b"BFS1"),
    known("befs", 0x220, b"1SFB"),
    known("befs", 0x220, b"BFS1"),
    known("bfs", 0, b"\xce\xfa\xad\x1b"),
    known("cramfs", 0, b"\x45\x3d\xcd\x28"),
    known("cramfs", 0, b"\x28\xcd\x3d\x45"),
    known("romfs", 0, b"-rom1fs-"),
    known("squashfs", 0, b"sqsh"),
    known("squashfs", 0, b"hsqs"),
    known("zonefs", 0, b"SFOZ"),
    known("ubi", 0, b"UBI#"),
    known("ubifs", 0, b"\x31\x18\x10\x06"),
    known("xfs-log", 0, b"\xfe\xed\xba\xbe"),
    known("mpool", 0, b"mpoolDev"),
];

/// Tries all of them.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    for one in KNOWN {
        if view.has(one.at, one.magic)? {
            return Ok(Some(FileSystem {
                kind: one.kind,
                ..FileSystem::default()
            }));
        }
    }
    Ok(None)
}

/// The place of the one that is there, if the format is that of this list.
pub(super) fn place(view: &View, format: &str) -> Result<Option<u64>> {
    for one in KNOWN.iter().filter(|_| format == "known") {
        if view.has(one.at, one.magic)? {
            return Ok(Some(one.at));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::MemorySource;

    fn of(bytes: Vec<u8>) -> Option<&'static str> {
        let view = View::new(Arc::new(MemorySource::new(bytes)));
        probe(&view).unwrap().map(|found| found.kind)
    }

    #[test]
    fn each_is_found_at_its_place_and_nowhere_else() {
        for one in KNOWN {
            let mut bytes = vec![0; 128 << 10];
            let at = usize::try_from(one.at).unwrap();
            bytes.splice(at..at + one.magic.len(), one.magic.iter().copied());
            assert_eq!(of(bytes.clone()), Some(one.kind));
            bytes.rotate_right(1);
            assert_eq!(of(bytes), None, "{}", one.kind);
        }
        assert_eq!(of(vec![0; 16]), None);
    }
}

//! A package in one tarball: its files, and damage of its headers.

use ioalign_testkit::Random;
use ioalign_testkit::bundle::{BundleBuilder, BundleMember, seal};

const BLOCK: usize = 512;

/// The tarball, with names in records of both kinds.
pub fn ova(description: &str, manifest: &str) -> Vec<u8> {
    let long = BundleMember {
        flag: b'L',
        ..BundleMember::file("././@LongLink", "x/y.nvram\0")
    };
    let record = BundleMember {
        flag: b'x',
        ..BundleMember::file("PaxHeaders/c", "15 path=c.vmdk\n10 size=9\n")
    };
    BundleBuilder::new("")
        .file("vm.ovf", description)
        .file("vm.mf", manifest)
        .file("a&b.vmdk", vec![7; 700])
        .member(long)
        .file("short", "settings")
        .member(record)
        .file("c", "9 bytes..")
        .tar()
}

/// Damages headers and data; half of the headers have a checksum that holds.
pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        let block = random.below(bytes.len() / BLOCK) * BLOCK;
        match random.below(8) {
            0 => bytes[block + random.below(BLOCK)] ^= 1 << random.below(8),
            1 => {
                let size = *random.pick(&[0, 1, 511, 512, 0o77777, u64::MAX >> 2]);
                let field = format!("{size:011o}\0");
                bytes[block + 124..block + 136].copy_from_slice(&field.as_bytes()[..12]);
            }
            2 => bytes[block + 124..block + 136].fill(*random.pick(&[0, 0x80, 0xff, b'7'])),
            3 => bytes[block + 156] = *random.pick(b"0123456LKxgSMVD7\0"),
            4 => {
                let name = random.pick(&["..", "/a", "vm.ovf", "./vm.mf", ".", "a/../b", ""]);
                bytes[block..block + 10].fill(0);
                bytes[block..block + name.len()].copy_from_slice(name.as_bytes());
            }
            5 => bytes.truncate((block + random.below(BLOCK)).max(BLOCK)),
            6 => {
                let piece = bytes[block..block + BLOCK].to_vec();
                let to = random.below(bytes.len() / BLOCK) * BLOCK;
                drop(bytes.splice(to..to, piece));
            }
            _ => bytes[block..block + BLOCK].fill(0),
        }
        let header = bytes.get_mut(block..block + BLOCK);
        if random.below(2) == 0
            && let Some(header) = header.and_then(|header| header.first_chunk_mut())
            && header[257..262] == *b"ustar"
        {
            seal(header);
        }
    }
}

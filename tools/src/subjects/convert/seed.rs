//! A disk with a FAT file system: a directory, files in pieces, a long name.

use ioalign_testkit::{Disk as Image, gpt};

use super::{AT, SECTORS};

const SIZE: u64 = 512 << 10;

/// A GPT with one FAT of this many bits and sectors a cluster.
pub fn disk(bits: usize, each: usize) -> Vec<u8> {
    let image = Image::new("disk.img", SIZE);
    let first = (AT / 512) as u64;
    gpt::write(&image, 512, &[(gpt::ESP, first, SECTORS as u64)]);
    let mut fs = boot(bits, each);
    let (reserved, fat, root) = if bits == 32 { (8, 5, 0) } else { (1, 2, 4) };
    let heap = reserved + 2 * fat + root;
    let first_free = if bits == 32 { 3 } else { 2 };
    // A directory, and a file of three clusters with a gap.
    let (folder, file) = (first_free, first_free + 1);
    let mut links = vec![0u32; 600];
    links[0] = 0x0fff_fff8;
    links[1] = 0x0fff_ffff;
    if bits == 32 {
        links[2] = 0x0fff_ffff;
    }
    links[folder] = 0x0fff_ffff;
    links[file] = u32::try_from(file + 2).unwrap();
    links[file + 2] = u32::try_from(file + 3).unwrap();
    links[file + 3] = 0x0fff_ffff;
    let table = encoded(&links, bits);
    for index in 0..2 {
        let at = (reserved + index * fat) * 512;
        let length = table.len().min(fat * 512);
        fs[at..at + length].copy_from_slice(&table[..length]);
    }
    let cluster = |number: usize| (heap + (number - 2) * each) * 512;
    let root_at = if bits == 32 {
        cluster(2)
    } else {
        (reserved + 2 * fat) * 512
    };
    let size = u32::try_from(each * 512 * 2 + 100).unwrap();
    let root = [
        entry(b"A LABEL    ", 0x08, 0, 0),
        entry(b"EFI        ", 0x10, folder, 0),
    ];
    let inner = [
        entry(b".          ", 0x10, folder, 0),
        entry(b"..         ", 0x10, 0, 0),
        entry(b"\x41l\0o\0n\0g\0 \0", 0x0f, 0, 0),
        entry(b"BOOT    EFI", 0x20, file, size),
        entry(b"EMPTY      ", 0x20, 0, 0),
    ];
    fs[root_at..root_at + 64].copy_from_slice(root.as_flattened());
    let at = cluster(folder);
    fs[at..at + 160].copy_from_slice(inner.as_flattened());
    image.write(AT as u64, &fs);
    image.read(0, usize::try_from(SIZE).unwrap())
}

fn boot(bits: usize, each: usize) -> Vec<u8> {
    let mut fs = vec![0; SECTORS * 512];
    let mut put = |at: usize, bytes: &[u8]| fs[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"\xeb\x58\x90mkfs.fat\x00\x02");
    put(13, &[u8::try_from(each).unwrap()]);
    put(21, &[0xf8]);
    put(16, &[2]);
    put(510, &[0x55, 0xaa]);
    if bits == 32 {
        put(14, &[8, 0]);
        put(32, &u32::try_from(SECTORS).unwrap().to_le_bytes());
        put(36, &[5, 0, 0, 0]);
        put(44, &[2, 0, 0, 0]);
        put(48, &[1, 0, 6, 0]);
    } else {
        put(14, &[1, 0]);
        put(17, &[64, 0]);
        put(19, &u16::try_from(SECTORS).unwrap().to_le_bytes());
        put(22, &[2, 0]);
    }
    fs
}

fn entry(name: &[u8; 11], attributes: u8, first: usize, size: u32) -> [u8; 32] {
    let mut raw = [0; 32];
    raw[..11].copy_from_slice(name);
    raw[11] = attributes;
    raw[26..28].copy_from_slice(&u16::try_from(first).unwrap().to_le_bytes());
    raw[28..].copy_from_slice(&size.to_le_bytes());
    raw
}

fn encoded(links: &[u32], bits: usize) -> Vec<u8> {
    if bits == 32 {
        return links.iter().flat_map(|link| link.to_le_bytes()).collect();
    }
    let pairs = links.chunks_exact(2);
    let three = pairs.flat_map(|pair| {
        let both = pair[0] & 0xfff | (pair[1] & 0xfff) << 12;
        both.to_le_bytes().into_iter().take(3)
    });
    three.collect()
}

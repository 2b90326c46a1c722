//! Disks with file systems and boot loaders that know where they are.

use ioalign_testkit::{Random, mbr};

const SECTORS: usize = 512;
/// Where partitions are; the second is the extended one, with one inside.
const STARTS: [usize; 4] = [63, 160, 170, 300];
/// Where the second stages of boot loaders lie: in the gap, and in partitions.
const SECONDS: [usize; 4] = [1, 70, 175, 310];
/// Sectors that something reads.
pub const READ: [usize; 11] = [0, 1, 63, 69, 70, 143, 160, 170, 175, 300, 310];

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// A disk with something in each partition.
pub fn made(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0; SECTORS * 512];
    let table = mbr::sector(&[(7, 63, 90), (5, 160, 130), (0x83, 300, 120)]);
    put(&mut bytes, 0, &table);
    put(&mut bytes, 160 * 512, &mbr::sector(&[(6, 10, 100)]));
    for start in STARTS {
        let hidden = if start == 170 {
            *random.pick(&[10, 170])
        } else {
            start
        };
        match random.below(6) {
            0 => ntfs(&mut bytes, start, hidden),
            1 => fat(&mut bytes, start, hidden),
            2 => exfat(&mut bytes, start, hidden),
            3 => put(&mut bytes, start * 512 + 4086, b"S1SUSPEND"),
            4 => put(&mut bytes, start * 512 + 3, b"EXTLINUX"),
            _ => {}
        }
    }
    for home in [0, 63, 160, 170, 300] {
        let second = *random.pick(&SECONDS);
        match random.below(6) {
            0 | 1 => grub(&mut bytes, home, second),
            2 => legacy(&mut bytes, home, second),
            3 if random.below(4) == 0 => put(&mut bytes, home * 512 + 6, b"LILO"),
            _ => {}
        }
    }
    bytes
}

fn le32(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap().to_le_bytes()
}

fn ntfs(bytes: &mut [u8], start: usize, hidden: usize) {
    let mut boot = vec![0; 512];
    put(&mut boot, 0, b"\xeb\x52\x90NTFS    \x00\x02\x08");
    put(&mut boot, 0x1c, &le32(hidden));
    put(&mut boot, 0x28, &le32(80));
    put(&mut boot, 510, &[0x55, 0xaa]);
    put(bytes, start * 512, &boot);
    put(bytes, (start + 80) * 512, &boot);
}

fn fat(bytes: &mut [u8], start: usize, hidden: usize) {
    let mut boot = vec![0; 512];
    put(
        &mut boot,
        0,
        b"\xeb\x58\x90mkfs.fat\x00\x02\x01\x20\x00\x02",
    );
    put(&mut boot, 0x1c, &le32(hidden));
    put(&mut boot, 0x32, &[6, 0]);
    put(&mut boot, 510, &[0x55, 0xaa]);
    put(bytes, start * 512, &boot);
    put(bytes, (start + 6) * 512, &boot);
}

fn exfat(bytes: &mut [u8], start: usize, hidden: usize) {
    let mut region = vec![0; 12 * 512];
    put(&mut region, 0, b"\xeb\x76\x90EXFAT   ");
    put(&mut region, 64, &le32(hidden));
    region[108] = 9;
    let summed = (0..11 * 512).filter(|index| ![106, 107, 112].contains(index));
    let sum = summed.fold(0u32, |sum, index| {
        sum.rotate_right(1).wrapping_add(u32::from(region[index]))
    });
    put(&mut region, 11 * 512, &sum.to_le_bytes().repeat(128));
    put(bytes, start * 512, &region);
    put(bytes, (start + 12) * 512, &region);
}

/// Entries of the table are kept.
fn grub(bytes: &mut [u8], home: usize, second: usize) {
    let at = home * 512;
    put(bytes, at, &[0xeb, 0x63]);
    put(bytes, at + 0x5a, &[0, 0x80]);
    put(bytes, at + 0x5c, &le32(second));
    put(bytes, at + 0x180, b"Geom\0Hard Disk\0Read\0 Error");
    put(bytes, second * 512 + 0x150, b"loading\0Geom\0Read\0 Error");
    let list = second * 512 + 500;
    put(bytes, list, &le32(second + 1));
    put(bytes, list + 8, &[4, 0, 0x20, 0x08]);
    put(bytes, list - 12, &le32(second + 8));
    put(bytes, list - 4, &[2, 0, 0xa0, 0x08]);
}

fn legacy(bytes: &mut [u8], home: usize, second: usize) {
    let at = home * 512;
    put(bytes, at, &[0xeb, 0x48]);
    put(bytes, at + 0x3e, &[3, 2, 0xff, 0, 0, 0x20]);
    put(bytes, at + 0x44, &le32(second));
    put(bytes, at + 0x48, &[0, 2]);
    put(bytes, at + 0x180, b"Geom\0Hard Disk\0Read\0 Error");
    put(
        bytes,
        second * 512 + 0x150,
        b"Loading stage\0Geom\0Read\0 Error",
    );
    put(bytes, second * 512 + 504, &le32(second + 1));
    put(bytes, second * 512 + 508, &[4, 0, 0x20, 0x02]);
}

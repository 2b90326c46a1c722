//! GRUB Legacy, by its fields: its installer and that of GRUB 2 cannot be on one machine. What its own
//! installer writes (0.97, `setup` and `install`, before and after a move) has been compared by hand.

use std::path::Path;

use ioalign_repair::boot::Weight;

use super::{bytes, image_of, says, shift, write};

const ONE: &str = "label: dos\nlabel-id: 0x12345678\nstart=100, size=80000, type=83, bootable\n";

/// `stage1` in a sector, with the address and the sector of the second stage.
fn stage1(path: &Path, home: u64, address: u16, second: u32) {
    let at = home * 512;
    write(path, at, &[0xeb, 0x48, 0x90]);
    write(path, at + 0x3e, &[3, 2, 0xff, 0]);
    write(path, at + 0x42, &address.to_le_bytes());
    write(path, at + 0x44, &second.to_le_bytes());
    write(path, at + 0x48, &(address >> 4).to_le_bytes());
    write(path, at + 0x180, b"GRUB \0Geom\0Hard Disk\0Read\0 Error\0");
}

/// The first sector of the second stage with its list.
fn start(path: &Path, second: u64, segment: u16, runs: &[(u32, u16)]) {
    write(
        path,
        second * 512 + 0x150,
        b"Loading stage2\0.\0\r\n\0Geom\0Read\0 Error\0",
    );
    let mut segment = segment;
    for ((first, count), at) in runs.iter().zip((0..=504).rev().step_by(8)) {
        let parts = [
            first.to_le_bytes().to_vec(),
            count.to_le_bytes().to_vec(),
            segment.to_le_bytes().to_vec(),
        ];
        write(path, second * 512 + at, &parts.concat());
        segment += count * 32;
    }
}

#[test]
fn stage2_as_a_file_is_found_at_its_new_sectors() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, ONE);
    for home in [0, 100] {
        stage1(&path, home, 0x8000, 50000);
    }
    start(&path, 50000, 0x820, &[(50001, 100), (60000, 40)]);
    let fixups = shift(&path, 512, &[(1, 2048)]);
    for home in [0, 2048] {
        assert_eq!(bytes(&path, home * 512 + 0x44, 4), 51948u32.to_le_bytes());
    }
    assert_eq!(bytes(&path, 51948 * 512 + 504, 4), 51949u32.to_le_bytes());
    assert_eq!(bytes(&path, 51948 * 512 + 496, 4), 61948u32.to_le_bytes());
    assert_eq!(fixups.patches.len(), 3);
    assert!(says(
        &fixups,
        Weight::Told,
        "GRUB Legacy in the MBR: its second stage in partition 1 goes from sector 50000 to 51948"
    ));
}

#[test]
fn stage1_5_in_the_gap_stays() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, ONE);
    stage1(&path, 0, 0x2000, 1);
    start(&path, 1, 0x220, &[(2, 18)]);
    let fixups = shift(&path, 512, &[(1, 2048)]);
    assert_eq!(fixups.patches, []);
    assert!(says(
        &fixups,
        Weight::Told,
        "GRUB Legacy in the MBR: its second stage begins in sector 1 and stays"
    ));
}

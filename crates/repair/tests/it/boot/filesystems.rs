//! File systems that write down where their partition starts.

use std::path::Path;

use ioalign_repair::boot::Weight;
use ioalign_testkit::run::tool;

use super::{ask, bytes, image_of, says, shift, write};

const ONE: &str = "label: dos\nlabel-id: 0x12345678\nstart=63, size=80000, type=c\n";
const SECTORS: usize = 80000;

/// Makes a file system with a tool, in a file of its own, and gives its bytes.
fn made(folder: &Path, program: &str, arguments: &[&str], sectors: usize) -> Vec<u8> {
    let file = folder.join("made");
    std::fs::write(&file, vec![0; sectors * 512]).unwrap();
    let name = file.to_str().unwrap();
    tool(program, &[arguments, &[name]].concat());
    std::fs::read(&file).unwrap()
}

/// A FAT that believes to start at sector `hidden`.
fn fat(folder: &Path, bits: &str, hidden: &str, sector: &str) -> Vec<u8> {
    let cluster = match bits {
        "12" => "32",
        "16" => "16",
        _ => "1",
    };
    let arguments = ["-F", bits, "-h", hidden, "-S", sector, "-s", cluster];
    let identity = ["-i", "11223344", "--invariant"];
    let all = [&arguments[..], &identity].concat();
    made(folder, "/usr/sbin/mkfs.fat", &all, SECTORS)
}

fn same(left: &[u8], right: &[u8]) {
    let differs = left.iter().zip(right).position(|(one, other)| one != other);
    assert_eq!(differs, None, "first byte that differs");
    assert_eq!(left.len(), right.len());
}

#[test]
fn a_moved_fat_is_what_mkfs_makes_at_the_new_place() {
    needs!(Packages);
    for (bits, copies) in [("12", 1), ("16", 1), ("32", 2)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk.img");
        image_of(&path, 64, 512, ONE);
        write(&path, 63 * 512, &fat(folder.path(), bits, "63", "512"));
        let fixups = shift(&path, 512, &[(1, 2048)]);
        assert_eq!(fixups.patches.len(), copies, "FAT{bits}");
        let wanted = fat(folder.path(), bits, "2048", "512");
        same(&bytes(&path, 2048 * 512, SECTORS * 512), &wanted);
    }
}

#[test]
fn a_start_that_its_sectors_cannot_tell_is_warned_of() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, &ONE.replace("start=63", "start=64"));
    write(&path, 64 * 512, &fat(folder.path(), "32", "8", "4096"));
    let odd = ask(&path, 512, &[(1, 2047)]);
    assert!(says(
        &odd,
        Weight::Warned,
        "hidden sectors 8 cannot hold the new start"
    ));
    assert_eq!(odd.patches, []);
    assert_eq!(ask(&path, 512, &[(1, 2048)]).patches.len(), 2);
}

#[test]
fn fat_counts_in_its_own_sectors() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let script = "label: gpt\nstart=300, size=10000, type=U\n";
    image_of(&path, 64, 4096, script);
    write(&path, 300 * 4096, &fat(folder.path(), "32", "300", "4096"));
    let fixups = shift(&path, 4096, &[(1, 512)]);
    assert_eq!(fixups.patches.len(), 2);
    let wanted = fat(folder.path(), "32", "512", "4096");
    same(&bytes(&path, 512 * 4096, SECTORS * 512), &wanted);
    assert!(says(&fixups, Weight::Told, "EFI system partition"));
    assert!(!says(&fixups, Weight::Told, "drive letter"), "GPT: by GUID");
}

#[test]
fn a_number_that_is_no_start_is_told_and_left() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, ONE);
    for (hidden, stated) in [("99", true), ("0", false)] {
        write(&path, 63 * 512, &fat(folder.path(), "32", hidden, "512"));
        let fixups = ask(&path, 512, &[(1, 2048)]);
        assert_eq!(fixups.patches, []);
        assert_eq!(says(&fixups, Weight::Told, "hidden sectors are 99"), stated);
    }
}

#[test]
fn a_moved_ntfs_is_what_mkntfs_writes_at_the_new_place() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, &ONE.replace("type=c", "type=7"));
    let make = |start: &str| {
        let arguments = [
            "-F", "-Q", "-q", "-p", start, "-H", "255", "-S", "63", "-s", "512",
        ];
        made(folder.path(), "/usr/sbin/mkntfs", &arguments, SECTORS)
    };
    let old = make("63");
    write(&path, 63 * 512, &old);
    let fixups = shift(&path, 512, &[(1, 2048)]);
    assert_eq!(fixups.patches.len(), 2);
    // The serial number is drawn again each time.
    let mut wanted = make("2048");
    let last = (SECTORS - 1) * 512;
    for at in [0, last] {
        wanted[at + 0x48..at + 0x50].copy_from_slice(&old[0x48..0x50]);
    }
    let now = bytes(&path, 2048 * 512, SECTORS * 512);
    same(&now[..512], &wanted[..512]);
    same(&now[last..], &wanted[last..]);
    same(&now[512..last], &old[512..last]);
    let file = folder.path().join("made");
    std::fs::write(&file, &now).unwrap();
    tool("/usr/bin/ntfsfix", &["--no-action", file.to_str().unwrap()]);
    assert!(says(
        &fixups,
        Weight::Told,
        "its drive letter by disk 12345678 and byte 32256"
    ));
    assert!(
        !says(&fixups, Weight::Warned, "BCD"),
        "mkntfs writes no loader"
    );
}

/// exFAT's own checksum, by the words of the specification.
fn exfat_sum(region: &[u8]) -> u32 {
    let mut sum: u32 = 0;
    for (index, byte) in region[..11 * 512].iter().enumerate() {
        if index == 106 || index == 107 || index == 112 {
            continue;
        }
        sum = (if sum & 1 == 1 { 0x8000_0000 } else { 0 }) + (sum >> 1);
        sum = sum.wrapping_add(u32::from(*byte));
    }
    sum
}

#[test]
fn a_moved_exfat_is_sealed_again_in_both_regions() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, &ONE.replace("type=c", "type=7"));
    let mut whole = made(folder.path(), "/usr/sbin/mkfs.exfat", &[], SECTORS);
    for region in [0, 12 * 512] {
        let bytes = &mut whole[region..region + 12 * 512];
        bytes[64..72].copy_from_slice(&63u64.to_le_bytes());
        let sum = exfat_sum(bytes).to_le_bytes().repeat(128);
        bytes[11 * 512..].copy_from_slice(&sum);
    }
    let file = folder.path().join("made");
    let check = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        tool("/usr/sbin/fsck.exfat", &["-n", file.to_str().unwrap()]);
    };
    check(&whole);
    write(&path, 63 * 512, &whole);
    let fixups = shift(&path, 512, &[(1, 2048)]);
    assert_eq!(fixups.patches.len(), 4);
    let now = bytes(&path, 2048 * 512, SECTORS * 512);
    check(&now);
    for region in [0, 12 * 512] {
        assert_eq!(now[region + 64..region + 72], 2048u64.to_le_bytes());
        let last = &now[region + 11 * 512..region + 12 * 512];
        assert_eq!(last, exfat_sum(&now[region..]).to_le_bytes().repeat(128));
    }
    write(&path, 2048 * 512 + 200, &[0xff]);
    let damaged = ask(&path, 512, &[(1, 4096)]);
    assert!(says(&damaged, Weight::Warned, "its checksum is wrong"));
    assert_eq!(damaged.patches.len(), 2, "the backup is whole");
}

//! The boot store and the drive letters of Windows, as hives that hivexregedit wrote, in an NTFS that ntfs-3g wrote, read
//! back by both after the move. Root is needed.

use std::path::Path;

use ioalign_repair::boot::Weight;
use ioalign_testkit::device::{Loop, Mount};
use ioalign_testkit::run::tool;

use super::{ask, bytes, hive, image_of, says, shift, write};

/// The system partition, Windows, and data of another system.
const THREE: &str = "label: dos\nlabel-id: 0x12345678\nstart=63, size=40000, type=7, bootable\n\
    start=50000, size=60000, type=7\nstart=200000, size=20000, type=83\n";
const PLAN: super::Plan<'_> = &[(1, 2048), (2, 53248)];
const BOTH: [u64; 2] = [63, 50000];
const STORE: &str = "Objects\\{9dea862c-5cdd-4e70-acc1-f32b344d4795}\\Elements\\11000001";

fn hex(bytes: &[u8]) -> String {
    let all: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    all.join(",")
}

/// A device of a boot store: its options, and a partition of a disk with an MBR.
fn device(sector: u64, signature: u32) -> Vec<u8> {
    let mut out = vec![0; 0x58];
    out[0x10] = 6;
    out[0x18] = 0x48;
    out[0x20..0x28].copy_from_slice(&(sector * 512).to_le_bytes());
    out[0x34] = 1;
    out[0x38..0x3c].copy_from_slice(&signature.to_le_bytes());
    out
}

/// What Windows keeps for a drive letter.
fn letter(sector: u64, signature: u32) -> Vec<u8> {
    [&signature.to_le_bytes()[..], &(sector * 512).to_le_bytes()].concat()
}

/// A hive in a file with these keys and values.
fn hive_with(path: &Path, rows: &[(String, String, Vec<u8>)]) {
    std::fs::write(path, hive::empty()).unwrap();
    let mut text = "Windows Registry Editor Version 5.00\n".to_owned();
    for (key, name, value) in rows {
        let parents = key.match_indices('\\').map(|(at, _)| &key[..at]);
        for parent in parents {
            text += &format!("\n[\\{parent}]\n");
        }
        text += &format!("\n[\\{key}]\n\"{name}\"=hex:{}\n", hex(value));
    }
    let script = path.with_extension("reg");
    std::fs::write(&script, text).unwrap();
    let (path, script) = (path.to_str().unwrap(), script.to_str().unwrap());
    tool("hivexregedit", &["--merge", path, script]);
}

fn export(path: &Path, key: &str) -> String {
    tool(
        "hivexregedit",
        &[
            "--export",
            "--unsafe-printable-strings",
            path.to_str().unwrap(),
            key,
        ],
    )
}

/// A store that names partitions of this disk, and of another one.
fn store(path: &Path, own: [u64; 2], other: [u64; 2]) {
    let row = |index: usize, sector: u64, signature: u32| {
        let key = format!("{STORE}{index}-{signature:x}");
        (key, "Element".to_owned(), device(sector, signature))
    };
    let own = (0..)
        .zip(own)
        .map(|(index, sector)| row(index, sector, 0x1234_5678));
    let other = (0..)
        .zip(other)
        .map(|(index, sector)| row(index, sector, 0x8765_4321));
    hive_with(path, &own.chain(other).collect::<Vec<_>>());
}

fn letters(path: &Path, sectors: [u64; 2]) {
    let row = |(name, sector): (&str, u64)| {
        (
            "MountedDevices".to_owned(),
            format!("\\\\DosDevices\\\\{name}:"),
            letter(sector, 0x1234_5678),
        )
    };
    let rows = [
        row(("S", sectors[0])),
        row(("C", sectors[1])),
        row(("E", 200_000)),
    ];
    hive_with(path, &rows);
}

/// The volume of a partition, mounted.
fn with_volume(path: &Path, sector: u64, size: u64, make: bool, then: impl FnOnce(&Path)) {
    let (start, size) = (
        format!("--offset={}", sector * 512),
        format!("--sizelimit={}", size * 512),
    );
    let disk = Loop::new(path, &[&start, &size]);
    if make {
        let arguments = [
            "-F",
            "-Q",
            "-q",
            "-p",
            &sector.to_string(),
            "-H",
            "255",
            "-S",
            "63",
            "-s",
            "512",
        ];
        tool(
            "/usr/sbin/mkntfs",
            &[&arguments[..], &[disk.text()]].concat(),
        );
    }
    let mount = Mount::new(
        &["-t", "ntfs-3g", disk.text()],
        &path.with_extension("mount"),
    );
    then(mount.path());
    drop(mount);
}

/// A folder of many files before, so that its index is of many blocks.
fn crowd(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for index in 0..400 {
        std::fs::write(
            folder.join(format!("a file like many others, {index}.dll")),
            "x",
        )
        .unwrap();
    }
}

fn windows(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("disk.img");
    image_of(&path, 128, 512, THREE);
    let (bcd, system) = (folder.join("bcd"), folder.join("system"));
    store(&bcd, BOTH, BOTH);
    letters(&system, BOTH);
    with_volume(&path, 63, 40000, true, |root| {
        std::fs::create_dir(root.join("Boot")).unwrap();
        std::fs::copy(&bcd, root.join("Boot/BCD")).unwrap();
    });
    with_volume(&path, 50000, 60000, true, |root| {
        crowd(&root.join("Windows/System32"));
        std::fs::create_dir(root.join("Windows/System32/config")).unwrap();
        std::fs::copy(&system, root.join("Windows/System32/config/SYSTEM")).unwrap();
    });
    path
}

#[test]
fn the_boot_store_and_drive_letters_follow() {
    let folder = tempfile::tempdir().unwrap();
    let path = windows(folder.path());
    let fixups = shift(&path, 512, PLAN);
    let store_says = "boot store of Windows (\\Boot\\BCD) in partition 1: byte 25600000 becomes 27262976 in 1 places";
    assert!(
        says(&fixups, Weight::Told, store_says),
        "{:?}",
        fixups.consequences
    );
    assert!(
        !says(&fixups, Weight::Warned, ""),
        "{:?}",
        fixups.consequences
    );
    let (wanted, found) = (folder.path().join("wanted"), folder.path().join("found"));
    with_volume(&path, 2048, 40000, false, |root| {
        std::fs::copy(root.join("Boot/BCD"), &found).unwrap();
    });
    store(&wanted, [2048, 53248], BOTH);
    assert_eq!(export(&found, "\\"), export(&wanted, "\\"));
    with_volume(&path, 53248, 60000, false, |root| {
        std::fs::copy(root.join("Windows/System32/config/SYSTEM"), &found).unwrap();
    });
    letters(&wanted, [2048, 53248]);
    assert_eq!(export(&found, "\\"), export(&wanted, "\\"));
}

#[test]
fn a_store_in_a_partition_that_stays_is_rewritten_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = windows(folder.path());
    let before = bytes(&path, 63 * 512, 40000 * 512);
    let fixups = shift(&path, 512, &[(2, 53248)]);
    let after = bytes(&path, 63 * 512, 40000 * 512);
    let differing: Vec<_> = (0..before.len())
        .filter(|at| before[*at] != after[*at])
        .collect();
    assert!((1..=8).contains(&differing.len()), "{differing:?}");
    assert!(says(
        &fixups,
        Weight::Told,
        "in partition 1: byte 25600000 becomes 27262976 in 1 places"
    ));
}

#[test]
fn what_was_not_closed_is_left_and_a_hibernated_windows_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = windows(folder.path());
    let whole = bytes(&path, 63 * 512, 40000 * 512);
    let hive = whole
        .windows(12)
        .position(|part| part == b"regf\x01\0\0\0\x01\0\0\0");
    let hive = hive.unwrap_or_else(|| whole.windows(4).position(|part| part == b"regf").unwrap());
    write(&path, 63 * 512 + u64::try_from(hive).unwrap() + 4, &[9]);
    let fixups = ask(&path, 512, PLAN);
    assert!(
        says(&fixups, Weight::Warned, "was not closed properly"),
        "{:?}",
        fixups.consequences
    );
    with_volume(&path, 50000, 60000, false, |root| {
        std::fs::write(
            root.join("hiberfil.sys"),
            [&b"HIBR"[..], &[0; 8192]].concat(),
        )
        .unwrap();
    });
    assert!(says(
        &ask(&path, 512, &[(3, 204_800)]),
        Weight::Refused,
        "Windows is hibernated"
    ));
}

/// The EFI system partition, large enough for a FAT32, and Windows.
const UEFI: &str = "label: dos\nlabel-id: 0x12345678\nstart=63, size=70000, type=ef\n\
    start=80000, size=60000, type=7\n";
const UEFI_PLAN: super::Plan<'_> = &[(1, 2048), (2, 81920)];

/// A FAT with a boot store in a folder of it, in the first partition.
fn fat_with_store(path: &Path, folder: &Path, bits: &str, place: &str) {
    let (volume, bcd) = (folder.join("fat"), folder.join("bcd"));
    store(&bcd, [63, 80000], BOTH);
    let script = "truncate --size 35840000 \"$1\"; mkfs.fat -F $3 -h 63 \"$1\" >&2; at=::
        for name in $(echo $4 | tr / ' '); do at=$at/$name; mmd -i \"$1\" $at; done
        seq 1 9999 > \"$1.txt\"; mcopy -i \"$1\" \"$1.txt\" ::/; mcopy -i \"$1\" \"$2\" $at/BCD";
    let words = [volume.to_str().unwrap(), bcd.to_str().unwrap(), bits, place];
    tool("sh", &[&["-euc", script, "-"], &words[..]].concat());
    image_of(path, 128, 512, UEFI);
    write(path, 63 * 512, &std::fs::read(volume).unwrap());
}

#[test]
fn a_boot_store_on_fat_follows() {
    let efi = "EFI/Microsoft/Boot";
    for (bits, place) in [("16", efi), ("32", efi), ("12", "Boot")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk.img");
        fat_with_store(&path, folder.path(), bits, place);
        let fixups = shift(&path, 512, UEFI_PLAN);
        let store_says = format!(
            "boot store of Windows (\\{}\\BCD) in partition 1: byte 40960000 becomes 41943040 in 1 places",
            place.replace('/', "\\")
        );
        assert!(
            says(&fixups, Weight::Told, &store_says),
            "{:?}",
            fixups.consequences
        );
        let (wanted, found) = (folder.path().join("wanted"), folder.path().join("found"));
        let volume = format!("{}@@1M", path.display());
        let file = format!("::/{place}/BCD");
        tool(
            "mcopy",
            &["-n", "-i", &volume, &file, found.to_str().unwrap()],
        );
        store(&wanted, [2048, 81920], BOTH);
        assert_eq!(export(&found, "\\"), export(&wanted, "\\"));
    }
}

#[test]
fn a_boot_store_on_a_fat_that_was_not_unmounted_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    fat_with_store(&path, folder.path(), "16", "EFI/Microsoft/Boot");
    // The mark of a file system that is mounted.
    write(&path, 63 * 512 + 0x25, &[1]);
    let fixups = ask(&path, 512, UEFI_PLAN);
    assert!(says(&fixups, Weight::Warned, "was not closed properly"));
}

//! GRUB, installed by its own tools on loop devices, moved, and compared with what these tools write when
//! they install it again on the moved disk. Root is needed.

use std::path::Path;

use ioalign_repair::boot::{self, Weight};
use ioalign_repair::tables::RewritableTable;
use ioalign_testkit::device::{Loop, MountGuard};
use ioalign_testkit::run::tool;

use super::{Plan, ask, bytes, image_of, says, shift};
use crate::image;

/// A file system for /boot in a partition, and GRUB installed with these arguments and on this device:
/// `""` for the disk, `p1` for a partition.
fn install(path: &Path, boot: u32, make: bool, arguments: &[&str], on: &str) {
    let disk = Loop::new(path, &[]);
    tool("partx", &["--add", disk.text()]);
    let partition = format!("{}p{boot}", disk.text());
    if make {
        tool("/usr/sbin/mke2fs", &["-q", "-F", "-t", "ext2", &partition]);
    }
    let mount = MountGuard::new(&[&partition], &path.with_extension("mount"));
    let folder = format!("--boot-directory={}/boot", mount.path().display());
    let device = format!("{}{on}", disk.text());
    let all = ["--target=i386-pc", "--no-floppy", &folder];
    tool(
        "/usr/sbin/grub-install",
        &[&all, arguments, &[&device]].concat(),
    );
    drop(mount);
}

/// Both boot sectors and the first MiBs, where everything of GRUB lies in these tests.
fn everything(path: &Path) -> Vec<u8> {
    bytes(
        path,
        0,
        usize::try_from(std::fs::metadata(path).unwrap().len()).unwrap(),
    )
}

/// Where the bytes of GRUB differ: sectors.
fn differing(left: &[u8], right: &[u8]) -> Vec<usize> {
    let sectors = left.chunks(512).zip(right.chunks(512)).enumerate();
    sectors
        .filter(|(_, (one, other))| one != other)
        .map(|(index, _)| index)
        .collect()
}

/// Moves, installs again, and gives the sectors of boot code that are not as the tool writes them.
fn moved_and_again(
    path: &Path,
    boot: u32,
    plan: Plan<'_>,
    arguments: &[&str],
    on: &str,
) -> (boot::Fixups, Vec<u8>, Vec<u8>) {
    let fixups = shift(path, 512, plan);
    let ours = everything(path);
    let copy = path.with_extension("again");
    std::fs::copy(path, &copy).unwrap();
    // By grub-bios-setup alone: files stay where they are.
    let disk = Loop::new(&copy, &[]);
    tool("partx", &["--add", disk.text()]);
    let partition = format!("{}p{boot}", disk.text());
    let mount = MountGuard::new(&[&partition], &path.with_extension("mount"));
    let folder = format!("--directory={}/boot/grub/i386-pc", mount.path().display());
    let device = format!("{}{on}", disk.text());
    let setup = "/usr/lib/grub/i386-pc/grub-bios-setup";
    tool(setup, &[&[folder.as_str()], arguments, &[&device]].concat());
    drop(mount);
    drop(disk);
    let theirs = everything(&copy);
    (fixups, ours, theirs)
}

/// Where GRUB's sectors are by its own numbers: the boot sector's, and its second stage's list.
fn second_stage(disk: &[u8], home: usize) -> (u64, Vec<(u64, u16)>) {
    let le64 = |at: usize| u64::from_le_bytes(disk[at..at + 8].try_into().unwrap());
    let second = le64(home * 512 + 0x5c);
    let sector = usize::try_from(second).unwrap() * 512;
    let mut at = sector + 500;
    let mut runs = Vec::new();
    loop {
        let count = u16::from_le_bytes([disk[at + 8], disk[at + 9]]);
        if count == 0 {
            return (second, runs);
        }
        runs.push((le64(at), count));
        at -= 12;
    }
}

#[test]
fn core_in_a_bios_boot_partition_goes_with_it() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let script = "label: gpt\nfirst-lba: 34\nstart=34, size=1000, type=21686148-6449-6E6F-744E-656564454649\n\
                  start=20001, size=60000, type=L\n";
    image_of(&path, 64, 512, script);
    install(&path, 2, true, &[], "");
    assert_eq!(second_stage(&everything(&path), 0).0, 34);
    let (fixups, ours, theirs) = moved_and_again(&path, 2, &[(1, 2048), (2, 20480)], &[], "");
    assert_eq!(second_stage(&ours, 0).0, 2048);
    assert_eq!(second_stage(&ours, 0).1[0].0, 2049);
    assert_eq!(ours[..512], theirs[..512], "boot.img");
    assert_eq!(
        ours[2048 * 512..3048 * 512],
        theirs[2048 * 512..3048 * 512],
        "core.img"
    );
    assert!(says(&fixups, Weight::Told, "goes from sector 34 to 2048"));
}

#[test]
fn core_as_a_file_is_found_at_its_new_sectors() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let script = "label: dos\nlabel-id: 0x12345678\nstart=63, size=80000, type=83, bootable\n";
    image_of(&path, 64, 512, script);
    install(&path, 1, true, &["--force"], "p1");
    let (old, runs) = second_stage(&everything(&path), 63);
    let (fixups, ours, theirs) = moved_and_again(
        &path,
        1,
        &[(1, 2048)],
        &["--force", "--skip-fs-probe"],
        "p1",
    );
    let (new, there) = second_stage(&ours, 2048);
    assert_eq!(new, old + 1985);
    let shifted: Vec<_> = runs
        .iter()
        .map(|(start, count)| (start + 1985, *count))
        .collect();
    assert_eq!(there, shifted);
    assert_eq!(second_stage(&theirs, 2048), (new, there));
    let first = usize::try_from(new).unwrap();
    let wrong = differing(&ours, &theirs);
    assert!(
        !wrong.contains(&2048) && !wrong.contains(&first),
        "{wrong:?}"
    );
    assert!(says(
        &fixups,
        Weight::Told,
        "its lists of sectors are rewritten"
    ));
}

#[test]
fn core_in_the_gap_stays_and_is_kept_free() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let script = "label: dos\nlabel-id: 0x12345678\nstart=2048, size=80000, type=83, bootable\n";
    image_of(&path, 64, 512, script);
    install(&path, 1, true, &[], "");
    let mut disk = image::open(&path, 512);
    let table = RewritableTable::read(&mut disk).unwrap();
    let reserved = boot::reserved(&mut disk, &table).unwrap();
    drop(disk);
    let (_, runs) = second_stage(&everything(&path), 0);
    let end = runs
        .iter()
        .map(|(start, count)| start + u64::from(*count))
        .max()
        .unwrap();
    assert!(end > 40, "GRUB takes some 60 sectors");
    assert_eq!(reserved.iter().map(|one| one.place.start).min(), Some(512));
    assert_eq!(
        reserved.iter().map(|one| one.place.end).max(),
        Some(end * 512)
    );
    let over = ask(&path, 512, &[(1, 40)]);
    assert!(says(
        &over,
        Weight::Refused,
        "the second stage of GRUB in the MBR"
    ));
    let fixups = ask(&path, 512, &[(1, end)]);
    assert_eq!(fixups.patches, []);
    assert!(
        fixups
            .consequences
            .iter()
            .all(|one| one.weight == Weight::Told)
    );
    let (_, ours, theirs) = moved_and_again(&path, 1, &[(1, 4096)], &[], "");
    let gap = usize::try_from(end).unwrap() * 512;
    assert_eq!(ours[..gap], theirs[..gap]);
}

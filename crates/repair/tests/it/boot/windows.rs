//! What Windows will miss after a move, and a Windows that must not be moved: NTFS of its own tools. Root is needed.

use std::path::Path;

use ioalign_repair::boot::{Fixups, Weight};
use ioalign_testkit::device::{Loop, MountGuard};
use ioalign_testkit::run::tool;

use super::{ask, image_of, says, shift, write};

/// Windows, and its recovery partition.
const MBR: &str = "label: dos\nlabel-id: 0x12345678\n\
    start=2080, size=20000, type=7, bootable\nstart=40000, size=20000, type=27\n";
const GPT: &str = "label: gpt\nstart=2080, size=20000\nstart=40000, size=20000\n";
const PLAN: super::Plan<'_> = &[(1, 4096), (2, 61440)];

/// A disk with an NTFS in its first partition, into whose root directory something is written.
fn disk(folder: &Path, table: &str, fill: impl FnOnce(&Path)) -> std::path::PathBuf {
    let path = folder.join("disk.img");
    image_of(&path, 64, 512, table);
    let volume = folder.join("volume");
    std::fs::write(&volume, vec![0; 20000 * 512]).unwrap();
    let arguments = [
        "-F", "-Q", "-q", "-p", "2080", "-H", "255", "-S", "63", "-s", "512",
    ];
    let name = volume.to_str().unwrap();
    tool("/usr/sbin/mkntfs", &[&arguments[..], &[name]].concat());
    let device = Loop::new(&volume, &[]);
    let mount = MountGuard::new(&["-t", "ntfs-3g", device.text()], &folder.join("mount"));
    fill(mount.path());
    drop(mount);
    drop(device);
    let mut bytes = std::fs::read(&volume).unwrap();
    bytes[0x180..0x192].copy_from_slice(b"BOOTMGR is missing");
    write(&path, 2080 * 512, &bytes);
    path
}

fn advice(fixups: &Fixups, words: &str) -> String {
    let mut all = fixups.consequences.iter();
    let found = all.find(|one| one.weight == Weight::Warned && one.what.contains(words));
    found.unwrap().advice.clone().unwrap()
}

#[test]
fn what_will_not_start_is_said_with_the_commands_that_repair_it() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = disk(folder.path(), MBR, |_| ());
    let fixups = shift(&path, 512, PLAN);
    let store = "names partitions by signature and byte, here 12345678 and 1064960 (0x104000)";
    let commands = advice(&fixups, store);
    for command in ["`bcdboot C:\\Windows /s S:`", "`bootrec /rebuildbcd`"] {
        assert!(commands.contains(command), "{commands}");
    }
    assert!(advice(&fixups, "recovery partition").contains("reagentc /enable"));
    let letter = "its drive letter by disk 12345678 and byte 1064960";
    assert!(says(&fixups, Weight::Told, letter));
}

#[test]
fn on_a_gpt_windows_goes_by_guids() {
    needs!(Packages, Root);
    let folder = tempfile::tempdir().unwrap();
    let path = disk(folder.path(), GPT, |_| ());
    let fixups = ask(&path, 512, PLAN);
    assert!(!says(&fixups, Weight::Warned, ""), "{fixups:?}");
    assert!(!says(&fixups, Weight::Told, "drive letter"));
}

#[test]
fn a_hibernated_windows_anywhere_on_the_disk_is_refused() {
    needs!(Packages, Root);
    // Alone its name is in the record of the directory, among many it is in one of its blocks.
    for (table, neighbours) in [(MBR, 0), (GPT, 400)] {
        for (word, refused) in [("hibr", true), ("HIBR", true), ("wake", false)] {
            let folder = tempfile::tempdir().unwrap();
            let path = disk(folder.path(), table, |root| {
                for index in 0..neighbours {
                    std::fs::write(root.join(format!("another file {index}.dll")), "x").unwrap();
                }
                let image = [word.as_bytes(), &[0; 8192]].concat();
                std::fs::write(root.join("Hiberfil.sys"), image).unwrap();
            });
            let fixups = ask(&path, 512, &[(2, 61440)]);
            let is_refused = says(&fixups, Weight::Refused, "Windows is hibernated");
            assert_eq!(is_refused, refused, "{word} among {neighbours}");
        }
    }
}

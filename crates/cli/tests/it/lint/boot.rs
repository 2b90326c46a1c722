//! The EFI system partition: there, FAT, with the sectors of the disk.

use std::process::Command;

use ioalign_testkit::gpt::{self, ESP};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, Disk};

use super::{plain, with_esp};
use crate::{PROGRAM, check_image};

fn severities(checked: &CheckRun, rule: &str) -> Vec<String> {
    let all = checked.of_rule(rule);
    let words = all
        .iter()
        .map(|finding| finding["severity"].as_str().unwrap().to_owned());
    words.collect()
}

#[test]
fn an_image_for_uefi_needs_an_esp_with_fat() {
    needs!(Packages);
    let right = check_image(with_esp(512, "512").path(), &["--uefi"]);
    assert_eq!((right.verdict(), right.code), ("ok", 0));
    let without = check_image(plain(64 << 20).path(), &["--uefi"]);
    assert_eq!(
        (without.code, severities(&without, "esp-missing").len()),
        (2, 1)
    );
    assert_eq!(check_image(plain(64 << 20).path(), &[]).code, 0);
}

#[test]
fn an_esp_with_something_else_is_a_note_until_firmware_has_to_read_it() {
    needs!(Packages);
    let empty = Disk::new("empty.img", 64 << 20);
    gpt::write(&empty, 512, &[(ESP, 2048, 65536)]);
    let ext4 = Disk::new("ext4.img", 64 << 20);
    gpt::write(&ext4, 512, &[(ESP, 2048, 65536)]);
    let part = ext4.folder().join("part");
    tool("truncate", &["-s", "32M", text(&part)]);
    tool("mkfs.ext4", &["-q", text(&part)]);
    ext4.splice(1 << 20, &part);
    for disk in [&empty, &ext4] {
        let plain = check_image(disk.path(), &[]);
        assert_eq!(severities(&plain, "esp-not-fat"), ["note"]);
        let uefi = check_image(disk.path(), &["--uefi"]);
        assert_eq!(
            (uefi.code, severities(&uefi, "esp-not-fat")),
            (2, vec!["broken".to_owned()])
        );
    }
}

#[test]
fn the_boot_sector_counts_in_the_sectors_of_the_target() {
    needs!(Packages);
    // Sector of the table, of FAT, of the target; what is said of FAT.
    for (sector, fat, target, rule) in [
        (512, "512", "512", None),
        (512, "512", "4096", Some(("fs-sector-mismatch", "broken"))),
        (4096, "512", "4096", Some(("fs-sector-mismatch", "broken"))),
        (4096, "4096", "4096", None),
        (512, "4096", "512", Some(("esp-sector-mismatch", "note"))),
    ] {
        let disk = with_esp(sector, fat);
        let checked = check_image(disk.path(), &["--target-logical", target]);
        let said: Vec<_> = ["fs-sector-mismatch", "esp-sector-mismatch"]
            .into_iter()
            .flat_map(|rule| {
                severities(&checked, rule)
                    .into_iter()
                    .map(move |word| (rule, word))
            })
            .collect();
        let wanted: Vec<_> = rule
            .iter()
            .map(|(rule, word)| (*rule, (*word).to_owned()))
            .collect();
        assert_eq!(said, wanted, "{sector} {fat} {target}");
    }
}

#[test]
fn what_to_type_names_the_sector() {
    needs!(Packages);
    let disk = with_esp(4096, "512");
    let checked = check_image(disk.path(), &["--target-logical", "4096"]);
    let steps = checked.of_rule("fs-sector-mismatch")[0]["do"].to_string();
    assert!(steps.contains("mkfs.fat -S 4096"), "{steps}");
}

#[test]
fn an_unknown_service_is_wrong_use() {
    let mut command = Command::new(PROGRAM);
    let output = command
        .args(["check", "x.img", "--upload", "aws"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(64));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("azure, gce"), "{said}");
}

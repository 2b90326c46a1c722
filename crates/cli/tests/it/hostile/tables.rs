//! Partition tables that lead in circles or claim too much.

use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::{Disk, mbr};

use super::{bad, check_json};

/// Extended partition from sector 2048 on.
fn extended() -> Disk {
    mbr::disk("ebr.img", 64, &[(0x05, 2048, 100_000)])
}

#[test]
fn an_ebr_that_names_itself() {
    needs!(Packages);
    let disk = extended();
    disk.write(
        2048 * 512,
        &mbr::sector(&[(0x83, 2048, 4096), (0x05, 0, 8192)]),
    );
    let answer = bad(disk.path());
    // The second entry's start, 8 bytes into it.
    answer
        .kind("malformed")
        .at(2048 * 512 + 446 + 16 + 8, "start_lba");
    let layers = answer.target["layers"].as_array().unwrap();
    let logical: Vec<_> = layers.iter().filter(|l| l["name"] == "p5").collect();
    assert_eq!(logical.len(), 1, "what was read before the loop is judged");
    assert_eq!(answer.target["verdict"], "broken");
}

#[test]
fn two_ebrs_that_name_each_other() {
    needs!(Packages);
    let disk = extended();
    let second = 8192;
    disk.write(
        2048 * 512,
        &mbr::sector(&[(0x83, 2048, 4096), (0x05, second, 8192)]),
    );
    let at = u64::from(2048 + second) * 512;
    disk.write(at, &mbr::sector(&[(0x83, 2048, 4096), (0x05, 0, 8192)]));
    let answer = bad(disk.path());
    answer.kind("malformed").at(at + 446 + 16 + 8, "start_lba");
    let layers = answer.target["layers"].as_array().unwrap();
    let names: Vec<_> = layers.iter().filter_map(|l| l["name"].as_str()).collect();
    assert!(names.contains(&"p5") && names.contains(&"p6"), "{names:?}");
    assert!(!names.contains(&"p7"), "{names:?}");
}

#[test]
fn an_ebr_chain_that_leaves_the_disk_or_ends_in_nothing() {
    needs!(Packages);
    for link in [90_000, 200_000] {
        let disk = extended();
        disk.write(
            2048 * 512,
            &mbr::sector(&[(0x83, 2048, 4096), (0x05, link, 8192)]),
        );
        bad(disk.path()).at(2048 * 512 + 446 + 16 + 8, "start_lba");
    }
}

/// Writes `count` into a GPT header at `lba` and makes its checksum right.
fn claim(disk: &Disk, lba: u64, count: u32) {
    let mut header = disk.read(lba * 512, 92);
    header[80..84].copy_from_slice(&count.to_le_bytes());
    header[16..20].fill(0);
    let crc = crc32fast::hash(&header);
    header[16..20].copy_from_slice(&crc.to_le_bytes());
    disk.write(lba * 512, &header);
}

#[test]
fn a_gpt_that_claims_four_thousand_million_entries() {
    needs!(Packages);
    let disk = Disk::new("gpt.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 4096)]);
    claim(&disk, 1, u32::MAX);
    let last = (64 << 20) / 512 - 1;
    // The backup is good: the table is read from it, and nothing is a guess.
    let run = check_json([disk.path()]);
    let json = run.json();
    assert_eq!(
        (run.code, &json["targets"][0]["error"]),
        (2, &serde_json::Value::Null)
    );
    claim(&disk, last, u32::MAX);
    bad(disk.path()).at(512 + 80, "number_of_partition_entries");
}

#[test]
fn a_gpt_entry_that_ends_before_it_starts() {
    needs!(Packages);
    let disk = Disk::new("gpt.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 4096), (LINUX, 9000, 0)]);
    bad(disk.path()).at(1024 + 128 + 40, "ending_lba");
}

#[test]
fn checksums_that_nothing_replaces() {
    needs!(Packages);
    let disk = Disk::new("gpt.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 4096)]);
    for lba in [1, (64 << 20) / 512 - 1] {
        disk.write(lba * 512 + 60, b"x");
    }
    bad(disk.path()).at(512 + 16, "header_crc32");
}

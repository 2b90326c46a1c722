//! A disk with an NTFS of its own tools, in which a file lies whose name is looked for, damaged where it is read.

use std::process::Command;

use ioalign_repair::boot::{self, Arrival, Moved};
use ioalign_repair::tables::RewritableTable;
use ioalign_testkit::{Random, mbr};

use super::disk_of;
use crate::damage;
use crate::subject::{Answer, Subject};

const START: usize = 63 * 512;
const BYTES: usize = 3000 * 512;

pub fn subject() -> Subject {
    Subject::of_bytes(
        "boot",
        "hibernated",
        || vec![disk()],
        |bytes, random| damage(bytes, random),
        one,
    )
    .with_cost(8)
    .with_least(4)
}

/// Made by mkntfs and ntfscp (package ntfs-3g).
fn disk() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (volume, file) = (folder.path().join("volume"), folder.path().join("file"));
    std::fs::write(&volume, vec![0; BYTES]).unwrap();
    std::fs::write(&file, [&b"HIBR"[..], &[0; 9000]].concat()).unwrap();
    let geometry = ["-p", "63", "-H", "255", "-S", "63", "-s", "512"];
    let mut make = Command::new("/usr/sbin/mkntfs");
    run(make.args(["-F", "-Q", "-q"]).args(geometry).arg(&volume));
    let mut copy = Command::new("/usr/sbin/ntfscp");
    let files = [&*volume, &*file];
    run(copy.args(["-f", "-q"]).args(files).arg("hiberfil.sys"));
    let mut disk = mbr::sector(&[(7, 63, 3000)]).to_vec();
    disk.resize(START, 0);
    disk.extend(std::fs::read(&volume).unwrap());
    disk
}

fn run(command: &mut Command) {
    let output = command.output().expect("a program of the package ntfs-3g");
    assert!(output.status.success(), "{command:?}: {output:?}");
}

/// Anywhere in a record or an index block, one in eight in the boot sector.
fn damage(bytes: &mut [u8], random: &mut Random) {
    let of_ntfs = |at: &usize| matches!(bytes.get(*at..at + 4), Some(b"FILE" | b"INDX"));
    let records = (0..bytes.len()).step_by(512).filter(of_ntfs);
    let mut places: Vec<_> = records.map(|at| at..at + 1000).collect();
    for _ in 0..=places.len() / 8 {
        places.push(START + 0x0b..START + 0x4b);
    }
    damage::fields(bytes, &places, 0..=5, random);
}

/// Whether the file of a hibernated Windows is found.
fn one(bytes: &[u8]) -> Answer {
    let mut disk = disk_of(bytes);
    let Ok(table) = RewritableTable::read(&mut disk) else {
        return Answer::NotMine;
    };
    let moved = [Moved {
        number: 1,
        from: START as u64,
        to: 64 * 512,
        bytes: BYTES as u64,
        arrival: Arrival::Same,
    }];
    let fixups = match boot::fixups(&mut disk, &table, &moved) {
        Ok(fixups) => fixups,
        Err(error) => {
            // Damage of records is no error: what they say is not believed.
            assert!(bytes.len() < START + BYTES, "{error}");
            return Answer::NotMine;
        }
    };
    let mut all = fixups.consequences.iter();
    Answer::mine(all.any(|one| one.what.contains("hibernated")))
}

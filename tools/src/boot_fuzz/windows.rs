//! A disk with an NTFS of its own tools, in which a file lies whose name is looked for, damaged where it is read.

use std::process::Command;

use ioalign_testkit::{Random, mbr};

const START: usize = 63 * 512;
const BYTES: usize = 3000 * 512;

/// The disk, and where its records and index blocks are.
pub struct Windows {
    disk: Vec<u8>,
    records: Vec<usize>,
}

impl Windows {
    /// Made by mkntfs and ntfscp (package ntfs-3g).
    pub fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("boot-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (volume, file) = (folder.join("volume"), folder.join("file"));
        std::fs::write(&volume, vec![0; BYTES]).unwrap();
        std::fs::write(&file, [&b"HIBR"[..], &[0; 9000]].concat()).unwrap();
        let arguments = [
            "-F", "-Q", "-q", "-p", "63", "-H", "255", "-S", "63", "-s", "512",
        ];
        run(Command::new("/usr/sbin/mkntfs")
            .args(arguments)
            .arg(&volume));
        let mut copy = Command::new("/usr/sbin/ntfscp");
        run(copy
            .args(["-f", "-q"])
            .arg(&volume)
            .arg(&file)
            .arg("hiberfil.sys"));
        let mut disk = mbr::sector(&[(7, 63, 3000)]).to_vec();
        disk.resize(START, 0);
        disk.extend(std::fs::read(&volume).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
        let of_ntfs = |at: &usize| matches!(disk.get(*at..at + 4), Some(b"FILE" | b"INDX"));
        let records = (0..disk.len()).step_by(512).filter(of_ntfs).collect();
        Self { disk, records }
    }

    /// The disk with some damage: anywhere in the boot sector or a record, with edges of arithmetic.
    pub fn damaged(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.disk.clone();
        for _ in 0..random.below(6) {
            let at = match random.below(8) {
                0 => START + 0x0b + random.below(0x40),
                _ => random.pick(&self.records) + random.below(1000),
            };
            let new = *random.pick(&[0, 1, 2, 0x11, 0x7f, 0x80, 0xfe, 0xff]);
            match random.below(3) {
                0 => bytes[at] = new,
                1 => bytes[at] ^= 1 << random.below(8),
                _ => bytes[at..at + 8].fill(new),
            }
        }
        bytes
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

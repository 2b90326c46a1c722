//! parted rounds: the truth lies in the interval, for hundreds of real starts and in every unit.

use ioalign_testkit::Random;
use std::process::Command;

use ioalign_core::Bytes;

use super::random::disk;
use super::{read, said};
use crate::tools::run;

const UNITS: &[&str] = &[
    "compact", "kB", "MB", "GB", "KiB", "MiB", "cyl", "chs", "s", "B",
];

/// Tables of 40 million sectors, half of them GPT, listed in these units: starts seen and settled.
fn rounds(seed: u64, count: u32, units: &[&str]) -> (u32, u32) {
    let mut random = Random(seed);
    let (mut starts, mut settled) = (0, 0);
    for round in 0..count {
        let disk = disk(&mut random, round % 2 == 0, 40_000_000);
        let truth = disk.table();
        let path = disk.path().to_string_lossy().into_owned();
        for unit in units {
            let text = run(Command::new("parted").args(["-s", &path, "unit", unit, "print"]));
            let machine = run(Command::new("parted").args(["-ms", &path, "unit", unit, "print"]));
            for (text, command) in [(text, "parted -l"), (machine, "parted -m")] {
                let evidence = read(&text);
                assert_eq!(evidence.read, [command], "{text}");
                for part in &truth.partitions {
                    let said = said(&evidence, &format!("{path}{}", part.number));
                    let start = said.start.unwrap();
                    let holds = (start.low..=start.high).contains(&part.start.get());
                    assert!(holds, "{} is not in {start:?}\n{text}", part.start.get());
                    starts += 1;
                    settled += u32::from(start.is_exact());
                    let exact = matches!(*unit, "chs" | "s" | "B");
                    assert!(start.is_exact() || !exact, "{text}");
                    // Lengths in cylinders are differences of what was cut.
                    if let Some(size) = said.size.filter(|_| *unit != "cyl") {
                        assert!((size.low..=size.high).contains(&part.size.get()), "{text}");
                    }
                }
            }
        }
    }
    (starts, settled)
}

#[test]
fn what_parted_rounds_contains_the_truth() {
    needs!(Packages);
    let (starts, settled) = rounds(35, 60, &["compact"]);
    assert!(starts > 400, "{starts}");
    assert!(0 < settled && settled < starts / 2, "{settled}");
}

#[test]
fn in_every_unit() {
    needs!(Packages);
    let (starts, settled) = rounds(36, 6, UNITS);
    assert!(starts > 300 && settled < starts);
}

#[test]
fn what_is_settled_and_what_is_not() {
    let text = |start: &str| {
        format!(
            "Model: x (scsi)\nDisk /dev/sda: 500GB\nSector size (logical/physical): 512B/4096B\n\
             Partition Table: msdos\n\nNumber  Start  End  Size\n 1  {start}  400GB  400GB\n"
        )
    };
    // Mission 2.1: a partition that starts 1536 B into the disk.
    for (shown, bytes) in [("1536B", 1536), ("17.4kB", 17408), ("32.3kB", 32256)] {
        let start = said(&read(&text(shown)), "sda1").start.unwrap();
        assert_eq!(start.settle(Bytes::new(512)), Some(Bytes::new(bytes)));
        assert!(start.is_exact());
    }
    // 1048576 and 1049088 are both 1049kB.
    assert!(
        !said(&read(&text("1049kB")), "sda1")
            .start
            .unwrap()
            .is_exact()
    );
}

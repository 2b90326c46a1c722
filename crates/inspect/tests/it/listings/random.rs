//! Two hundred random tables: every program that lists them gives the starts that the image has.

use ioalign_inspect::tables::PartitionTable;
use ioalign_testkit::Random;

use super::{read, said};
use crate::tables::disk::Disk;

/// A script for sfdisk: up to six partitions at odd places; on a DOS table with logical ones.
pub fn script(random: &mut Random, gpt: bool, sectors: u64) -> String {
    let mut text = if gpt {
        "label: gpt\nfirst-lba: 34\n"
    } else {
        "label: dos\n"
    }
    .to_owned();
    let mut at =
        if gpt { 34 } else { 1 } + [0, 29, 62, 2014][usize::try_from(random.below_u64(4)).unwrap()];
    let count = 1 + random.below_u64(6);
    let types = if gpt {
        ["L", "U", "S", "V"]
    } else {
        ["83", "ef", "82", "7"]
    };
    for number in 1..=count {
        let room = sectors / 8;
        if !gpt && number == 4 {
            text += &format!("start={at},size={},type=5\n", sectors - at - 100);
        }
        // The first sector of a logical partition is its table.
        at += if !gpt && number >= 4 {
            1 + random.below_u64(3)
        } else {
            0
        };
        let size = 1000 + random.below_u64(room / 2);
        let kind = types[usize::try_from(random.below_u64(4)).unwrap()];
        text += &format!("start={at},size={size},type={kind}\n");
        at += size + random.below_u64(2) * random.below_u64(room / 2);
    }
    text
}

/// A disk with such a table. sfdisk waits a quarter of a second before it notifies the kernel.
pub fn disk(random: &mut Random, gpt: bool, sectors: u64) -> Disk {
    let disk = Disk::new(sectors * 512);
    let script = script(random, gpt, sectors);
    disk.feed(
        "sfdisk",
        &["--quiet", "--no-reread", "--no-tell-kernel"],
        &script,
    );
    disk
}

#[test]
fn every_program_gives_the_starts_of_a_gpt() {
    needs!(Packages);
    hundred(true);
}

#[test]
fn every_program_gives_the_starts_of_a_dos_table() {
    needs!(Packages);
    hundred(false);
}

fn hundred(gpt: bool) {
    let mut random = Random(200 + u64::from(gpt));
    for round in 0..100 {
        let disk = disk(&mut random, gpt, 1 << 22);
        let truth = disk.table();
        assert!(!truth.partitions.is_empty());
        let path = disk.path().to_string_lossy().into_owned();
        let parted = |args: &[&str]| {
            let args = args
                .iter()
                .map(|arg| if *arg == "FILE" { &path } else { *arg });
            crate::tools::run(std::process::Command::new("parted").args(args))
        };
        // Starting programs is what takes the time: these take turns.
        let third = match round % 3 {
            0 => (disk.tool("sfdisk", &["-J"]), "sfdisk -J"),
            1 => (parted(&["-s", "FILE", "unit", "s", "print"]), "parted -l"),
            _ => (
                parted(&["-m", "-s", "FILE", "unit", "B", "print"]),
                "parted -m",
            ),
        };
        for (text, command) in [
            (disk.tool("sfdisk", &["-d"]), "sfdisk -d"),
            (disk.tool("fdisk", &["-l"]), "fdisk -l"),
            third,
        ] {
            let evidence = read(&text);
            assert_eq!(evidence.read, [command], "{text}");
            compare(&truth, &path, &text);
        }
    }
}

fn compare(truth: &PartitionTable, path: &str, text: &str) {
    let evidence = read(text);
    assert_eq!(evidence.devices.len(), truth.partitions.len() + 1, "{text}");
    let disk = said(&evidence, path);
    assert_eq!(disk.table, Some(truth.kind), "{text}");
    for part in &truth.partitions {
        let said = said(&evidence, &format!("{path}{}", part.number));
        let (start, size) = (said.start.unwrap(), said.size.unwrap());
        assert!(
            start.is_exact() && start.low == part.start.get(),
            "{start:?} {text}"
        );
        assert!(
            size.is_exact() && size.low == part.size.get(),
            "{size:?} {text}"
        );
        assert_eq!(said.number, Some(part.number));
        assert_eq!(said.parents, [path]);
        if !text.contains("parted") && said.type_id.is_some() {
            assert_eq!(said.role.unwrap_or_default(), part.role, "{text}");
        }
    }
}

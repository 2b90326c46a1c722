//! parted rounds: the truth lies in the interval, for hundreds of real starts in every unit.

use super::random::{Random, disk};
use super::{read, said};

#[test]
fn what_parted_rounds_contains_the_truth() {
    let mut random = Random(35);
    let (mut starts, mut settled) = (0, 0);
    for round in 0..24 {
        let disk = disk(&mut random, round % 2 == 0, 40_000_000);
        let truth = disk.table();
        for unit in [
            "compact", "kB", "MB", "GB", "KiB", "MiB", "cyl", "chs", "s", "B",
        ] {
            let path = disk.path().to_string_lossy().into_owned();
            let text = disk_parted(&["-s", &path, "unit", unit, "print"]);
            let machine = disk_parted(&["-m", "-s", &path, "unit", unit, "print"]);
            let evidence = [read(&text), read(&machine)];
            assert_eq!(evidence[0].read, ["parted -l"], "{text}");
            assert_eq!(evidence[1].read, ["parted -m"], "{machine}");
            for part in &truth.partitions {
                for evidence in &evidence {
                    let said = said(evidence, &format!("{path}{}", part.number));
                    let start = said.start.unwrap();
                    let holds = start.low <= part.start.get() && part.start.get() <= start.high;
                    assert!(holds, "{unit} {} {start:?}\n{text}", part.start.get());
                    starts += 1;
                    settled += u32::from(start.is_exact());
                    if matches!(unit, "chs" | "s" | "B") {
                        assert!(start.is_exact(), "{unit}");
                    } else if let Some(size) = said.size {
                        assert!(size.low <= part.size.get() || unit == "cyl");
                        assert!(part.size.get() <= size.high || unit == "cyl");
                    }
                }
            }
        }
    }
    assert!(starts > 1000, "{starts}");
    assert!(settled < starts);
}

fn disk_parted(args: &[&str]) -> String {
    crate::tools::run(std::process::Command::new("parted").args(args))
}

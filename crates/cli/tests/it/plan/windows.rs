//! What is printed for Windows starts where the proof says, behind the reserved partition.

use super::{document, keys, plan};

fn windows(arguments: &[&str]) -> serde_json::Value {
    document(&[&["--platform", "windows", "--device", "1"], arguments].concat())
}

/// A RAID 5 of a controller, with elements of 64 KiB.
fn raid5(disks: &str) -> [&str; 7] {
    [
        "--raid",
        "5",
        "--disks",
        disks,
        "--element",
        "64k",
        "--controller",
    ]
}

/// All lines of the step whose title holds `title`.
fn lines(plan: &serde_json::Value, title: &str) -> Vec<String> {
    let steps = plan["commands"].as_array().unwrap();
    let step = steps
        .iter()
        .find(|step| step["title"].as_str().unwrap().contains(title));
    let lines = step.unwrap()["lines"].as_array().unwrap();
    lines
        .iter()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect()
}

/// The number behind `word` in any of the lines.
fn number(lines: &[String], word: &str) -> u64 {
    let (_, rest) = lines.iter().find_map(|line| line.split_once(word)).unwrap();
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().unwrap()
}

#[test]
fn data_begin_behind_the_reserved_partition_where_the_proof_says() {
    // The table and 128 MiB; on disks below 16 GiB 32 MiB.
    for (arguments, reserved) in [
        (&[][..], 128_u64),
        (&["--size", "2T"], 128),
        (&["--size", "8G"], 32),
        (&raid5("4"), 128),
        (&["--grid", "4096@1024:odd:rmw", "--tight"], 128),
    ] {
        let plan = windows(arguments);
        let start = plan["layers"][0]["start_bytes"].as_u64().unwrap();
        assert_eq!(
            plan["layers"][0]["name"], "p2",
            "the reserved one is the first"
        );
        assert!(
            start >= (17 << 10) + (reserved << 20),
            "{arguments:?}: {start}"
        );
        assert_eq!(number(&lines(&plan, "PowerShell"), "-Offset "), start);
        assert_eq!(number(&lines(&plan, "diskpart"), "offset=") << 10, start);
        for alignment in [
            number(&lines(&plan, "PowerShell"), "-Alignment "),
            number(&lines(&plan, "diskpart"), "align=") << 10,
        ] {
            assert_eq!(start % alignment, 0, "the alignment would move it");
        }
        for line in plan["proof"].as_array().unwrap() {
            let (size, phase) = (&line["size_bytes"], &line["phase_bytes"]);
            let (size, phase) = (size.as_u64().unwrap(), phase.as_u64().unwrap());
            if line["remainder_bytes"] == 0 && line["end_bytes"].is_null() {
                assert_eq!(start % size, phase % size);
            }
        }
    }
    // No reserved partition in an MBR.
    assert_eq!(
        windows(&["--label", "dos"])["layers"][0]["start_bytes"],
        1 << 20
    );
}

#[test]
fn diskpart_is_left_out_where_it_cannot_count_the_start() {
    let plan = windows(&["--grid", "4096@3584:jumper:rmw"]);
    let titles = plan["commands"].to_string();
    assert!(
        titles.contains("PowerShell") && !titles.contains("convert gpt"),
        "{titles}"
    );
}

#[test]
fn the_empty_partition_of_diskpar_ends_on_the_grids() {
    // As published for a raw disk: 64 sectors, one megabyte.
    let plain = windows(&[]);
    assert_eq!(keys(&plain, 3).get(1..5).unwrap(), ["Y", "Y", "64", "1"]);
    for (arguments, grid) in [
        (&raid5("5")[..], (65536, 0)),
        (&raid5("4"), (192 << 10, 0)),
        (&["--grid", "4096@3584:jumper:rmw"], (4096, 3584)),
    ] {
        let plan = windows(arguments);
        let lines = lines(&plan, "diskpar,");
        let first: u64 = lines[3].split_whitespace().next().unwrap().parse().unwrap();
        let data = first * 512 + (1 << 20);
        assert_eq!(data % grid.0, grid.1, "{lines:?}");
        let said = format!("data begin at sector {}", data / 512);
        assert!(plan["commands"].to_string().contains(&said), "{plan:#}");
    }
}

#[test]
fn the_rules_of_microsoft_are_worked_out() {
    let raid = raid5("5");
    let all = windows(&raid)["commands"].to_string();
    for rule in [
        "partition offset / stripe unit = 135266304 / 65536 = 2064: whole",
        "stripe unit / allocation unit = 65536 / 65536 = 1: whole",
    ] {
        assert!(all.contains(rule), "{all}");
    }
}

#[test]
fn sql_server_gets_allocation_units_of_64_kib() {
    let sql = windows(&["--db", "sqlserver", "--physical", "4k"]);
    let all = sql["commands"].to_string();
    assert!(
        all.contains("-AllocationUnitSize 65536") && all.contains("unit=65536"),
        "{all}"
    );
    assert!(!all.contains("32K"), "{all}");
}

#[test]
fn a_script_does_each_thing_once() {
    let output = plan(&["--platform", "windows", "--device", "1", "--quiet"]);
    let script = String::from_utf8(output.stdout).unwrap();
    assert_eq!(script.matches("Initialize-Disk").count(), 1);
    assert!(!script.contains("diskpar"), "{script}");
}

#[test]
fn what_a_platform_is_not_planned_for_is_refused() {
    for wrong in [
        &["--platform", "windows", "--fs", "xfs"][..],
        &["--platform", "windows", "--lvm"],
        &["--platform", "windows", "--device", "1; clean"],
        &["--platform", "windows", "--device", "/dev/sdb"],
        &["--platform", "windows", "--partition-at", "63s"],
        &[
            "--platform",
            "windows",
            "--label",
            "dos",
            "--partition",
            "data:1G,data:1G,data:1G,data:1G,data",
        ],
        &["--platform", "esxi", "--raid", "5", "--disks", "3"],
        &["--platform", "esxi", "--device", "naa.1\";x"],
        &["--platform", "esxi", "--partition", "data:1G,data"],
        &["--platform", "solaris", "--device", "c0t0d0'"],
        &["--platform", "freebsd", "--luks"],
    ] {
        assert_eq!(plan(wrong).status.code(), Some(64), "{wrong:?}");
    }
}

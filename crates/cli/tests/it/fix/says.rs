//! `fix` does what `check` says: the same starts, no new finding afterwards, and nothing left to do.

use super::*;
use ioalign_testkit::{CheckRun, Loop, mbr};

/// The gap of an MBR, where boot loaders embed themselves.
const GAP: u64 = 63 * 512;

/// Findings that count, and notes, by rule and layer.
fn findings(judged: &CheckRun) -> Vec<(String, String)> {
    let word = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let all = judged.findings().iter();
    all.map(|one| (word(one, "rule"), word(one, "layer")))
        .collect()
}

/// Fixes an image; `check` has nothing to say that it did not say before, and a second fix does nothing.
fn agrees(path: &Path, arguments: &[&str]) {
    let before = findings(&check_image(path, &[]));
    let plan = document(&[&[text(path)], arguments].concat());
    let fixed = fix(&[&[text(path), "--apply"], arguments].concat());
    assert_eq!(fixed.status.code(), Some(0), "{fixed:?}");
    let judged = check_image(path, &[]);
    let context = format!("{plan:#}\n{:#}", judged.json);
    assert_eq!(judged.verdict(), "ok", "{context}");
    for one in findings(&judged) {
        let (rule, layer) = &one;
        // A partition that makes up for where its data begin: the plan says so.
        let said = match rule.as_str() {
            "start-repaired-above" => context.contains("start-repaired-above"),
            // Off 64 KiB where there is no room for more, or where that would move much more.
            "start-off-assumed-grid" => context.contains("this start is on every grid"),
            _ => false,
        };
        assert!(before.contains(&one) || said, "{rule} {layer}: {context}");
    }
    let again = document(&[&[text(path)], arguments].concat());
    assert_eq!(
        (&again["needed"], &again["plan"]["moves"]),
        (&Value::from(false), &serde_json::json!([])),
        "{again:#}"
    );
    for line in table(path, 512) {
        let kept = plan["plan"]["partitions"].as_array().unwrap();
        let kept = kept
            .iter()
            .any(|part| part["start_bytes"] == line.start && part["new_start_bytes"] == line.start);
        assert!(line.start >= GAP || kept, "{line:?}");
    }
}

#[test]
fn check_finds_nothing_new_on_many_layouts() {
    needs!(Packages);
    let mut random = Random(20_261_123);
    let mut below = |most: u64| random.next() % most;
    let mut done = 0;
    for _ in 0..60 {
        let disk = Disk::new("disk.img", 12 * MIB);
        let mut at = [63, 63, 1, 8, 34, 2048][usize::try_from(below(6)).unwrap()];
        let mut entries = Vec::new();
        for _ in 0..=below(3) {
            let size = 64 + below(4000);
            entries.push((
                0x83,
                u32::try_from(at).unwrap(),
                u32::try_from(size).unwrap(),
            ));
            at += size + [0, 0, 1, 2048, below(300)][usize::try_from(below(5)).unwrap()];
        }
        disk.write(0, &mbr::sector(&entries));
        for (_, start, size) in &entries {
            disk.write(u64::from(*start) * 512, &noise(at, u64::from(*size) * 512));
        }
        let plan = fix(&[text(disk.path())]);
        let errors = String::from_utf8_lossy(&plan.stderr);
        match plan.status.code() {
            Some(0) => agrees(disk.path(), &[]),
            code => assert!(code == Some(65) && errors.contains("no room"), "{errors}"),
        }
        done += u32::from(plan.status.code() == Some(0));
    }
    assert!(done > 50, "{done}");
}

/// An image of one partition with a FAT, made at sector 63.
fn fat(mib: u64, sectors: u64, kind: &str) -> Disk {
    let disk = Disk::new("disk.img", mib * MIB);
    sfdisk(disk.path(), &format!("label: dos\n63,{sectors},{kind}\n"));
    let limit = format!("--sizelimit={}", sectors * 512);
    let device = Loop::new(disk.path(), &["--offset=32256", &limit]);
    let bits = if kind == "c" { "-F32" } else { "-F16" };
    tool("mkfs.fat", &[bits, device.text()]);
    disk
}

#[test]
fn a_fat_goes_where_check_says_and_never_into_the_gap() {
    needs!(Packages, Root);
    for (mib, sectors, kind) in [(80, 131_072, "c"), (40, 65_000, "6"), (40, 40_000, "6")] {
        let disk = fat(mib, sectors, kind);
        let judged = check_image(disk.path(), &[]);
        let good = &judged.of_rule("start-misaligned")[0]["suggest"]["start_bytes"];
        let plan = document(&[text(disk.path())]);
        assert_eq!(&plan["plan"]["moves"][0]["to_bytes"], good, "{plan:#}");
        assert!(good.as_u64().unwrap() >= GAP, "{good}");
        // What was typed is kept, and what follows from it is said.
        let plan = document(&[text(disk.path()), "--align", "1M"]);
        assert_eq!(plan["plan"]["moves"][0]["to_bytes"], MIB, "{plan:#}");
        agrees(disk.path(), &[]);
    }
}

#[test]
fn another_start_than_that_of_check_has_a_reason() {
    needs!(Packages);
    let reasons = |script: &str, arguments: &[&str]| {
        let image = Image::new(24, script);
        let plan = document(&[&[text(image.path())], arguments].concat());
        let all = plan["plan"]["consequences"].as_array().unwrap().clone();
        let texts = all
            .iter()
            .map(|one| one["what"].as_str().unwrap().to_owned());
        let reasons: Vec<_> = texts
            .filter(|what| what.contains("`check` names"))
            .collect();
        assert_eq!(reasons.len(), 1, "{plan:#}");
        reasons[0].clone()
    };
    // A partition on its grid is in the way of the mebibyte.
    let said = reasons("label: dos\n63,4000,83\n4096,40000,83\n", &[]);
    assert!(
        said.contains("sector 2048 for partition 1") && said.contains("MiB more"),
        "{said}"
    );
    // The disk is full but for a few sectors.
    let said = reasons("label: dos\n63,49000,83\n", &[]);
    assert!(said.contains("no room for that"), "{said}");
    let said = reasons("label: dos\n63,4000,83\n", &["--align", "4M"]);
    assert!(said.contains("--align"), "{said}");
}

#[test]
fn no_room_says_how_much_is_missing() {
    needs!(Packages);
    let image = Image::new(24, "label: dos\n63,20000,83\n20063,29089,83\n");
    let path = text(image.path());
    refused(
        &[path],
        65,
        &["no room", "1 MiB longer", "--grow", "--shrink-last"],
    );
    std::fs::File::options()
        .write(true)
        .open(image.path())
        .unwrap()
        .set_len(26 * MIB)
        .unwrap();
    let output = fix(&[path, "--grow", "--align", "2M"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{errors}");
    let words = [
        "multiple of 2097152 B",
        "MiB longer still",
        "smaller --align",
    ];
    assert!(words.iter().all(|word| errors.contains(word)), "{errors}");
    // The number is right: so much longer there is room, and a mebibyte less is too little.
    let mib = errors.split(" MiB longer").next().unwrap();
    let mib: u64 = mib.rsplit(' ').next().unwrap().parse().unwrap();
    let with = |mib: u64| {
        let file = std::fs::File::options().write(true).open(image.path());
        file.unwrap().set_len(mib * MIB).unwrap();
        fix(&[path, "--grow", "--align", "2M"]).status.code()
    };
    assert_eq!((with(26 + mib), with(26 + mib - 1)), (Some(0), Some(65)));
}

#[test]
fn a_finding_ends_with_the_command_that_helps() {
    needs!(Packages, Root);
    let disk = fat(40, 40_000, "6");
    let odd = disk.folder().join("a;touch X;.img");
    std::fs::rename(disk.path(), &odd).unwrap();
    let judged = check_image(&odd, &["--grid", "64k:stripe:rmw"]);
    let steps = judged.of_rule("start-misaligned")[0]["do"].clone();
    let steps: Vec<_> = steps
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    let fix = format!("$ ioalign fix '{}' --grid 64k:stripe:rmw", odd.display());
    assert!(steps.contains(&fix.as_str()), "{steps:?}");
    assert_eq!(steps.last(), Some(&"$ ioalign explain start-misaligned"));
}

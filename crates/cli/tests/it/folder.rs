//! Folders of images: one bad file stops nothing, and Ctrl-C shows what was done.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Disk, check, mbr};

use super::PROGRAM;

#[test]
fn a_folder_is_not_left_by_links() {
    let outer = tempfile::tempdir().unwrap();
    let (inside, outside) = (outer.path().join("in"), outer.path().join("out"));
    for folder in [&inside, &outside] {
        fs::create_dir(folder).unwrap();
        let disk = mbr::disk("disk.img", 64, &[(0x83, 63, 100_000)]);
        fs::copy(disk.path(), folder.join("disk.img")).unwrap();
    }
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, inside.join(name));
    link("../out/disk.img", "secret.img").unwrap();
    link("../out", "folder").unwrap();
    link("disk.img", "same.img").unwrap();
    let output = Command::new(PROGRAM)
        .args(["check", "--no-policy", "--json", text(&inside)])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let targets = json["targets"].as_array().unwrap();
    let names: Vec<_> = targets
        .iter()
        .map(|t| t["target"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            text(&inside.join("disk.img")),
            text(&inside.join("same.img"))
        ]
    );
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("secret.img") && said.contains("leads out of the folder"),
        "{said}"
    );
    // One that is named is read.
    assert_eq!(
        check(PROGRAM, [inside.join("secret.img")]).verdict(),
        "misaligned"
    );
}

#[test]
fn a_folder_is_searched_and_summed_up() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let nested = folder.path().join("nested");
    fs::create_dir(&nested).unwrap();
    let bad = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let good = Disk::new("good.img", 64 << 20);
    gpt::write(&good, 512, &[(LINUX, 2048, 100_000)]);
    fs::copy(bad.path(), folder.path().join("bad.img")).unwrap();
    fs::copy(good.path(), nested.join("good.img")).unwrap();
    for format in ["qcow2", "vmdk", "vhdx", "vdi", "vpc"] {
        let to = nested.join(format!("good.{format}"));
        tool(
            "qemu-img",
            &["convert", "-O", format, text(good.path()), text(&to)],
        );
    }
    fs::write(folder.path().join("README.txt"), "nothing to see").unwrap();
    fs::write(
        folder.path().join("broken.vhdx"),
        b"vhdxfile and nothing more",
    )
    .unwrap();
    let checked = check(PROGRAM, [folder.path()]);
    assert_eq!(checked.code, 65, "the broken one");
    let targets = checked.json["targets"].as_array().unwrap();
    let verdict = |name: &str| {
        let found = targets
            .iter()
            .find(|t| t["target"].as_str().unwrap().ends_with(name));
        found.map(|target| target["verdict"].as_str().unwrap())
    };
    assert_eq!(verdict("bad.img"), Some("misaligned"));
    assert_eq!(verdict("good.img"), Some("ok"));
    assert_eq!(verdict("good.qcow2"), Some("ok"));
    assert_eq!(verdict("good.vhdx"), Some("ok"));
    // The container's own mapping: no other tool looks at it.
    assert_eq!(verdict("good.vdi"), Some("misaligned"));
    assert_eq!(verdict("good.vpc"), Some("misaligned"));
    assert_eq!(verdict("README.txt"), None);
    assert_eq!(targets.len(), 8);
    let output = Command::new(PROGRAM)
        .arg("check")
        .arg(folder.path())
        .output()
        .unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.lines().all(|line| line.chars().count() <= 100),
        "{table}"
    );
    let place = |name: &str| table.find(name).unwrap();
    assert!(place("bad.img") < place("good.img"), "worst first: {table}");
}

#[test]
fn a_vhd_has_eight_phases_and_no_partition_is_to_blame() {
    needs!(Packages);
    let disk = Disk::new("disk.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 100_000)]);
    for at in (1..60).map(|mib| mib << 20) {
        disk.write(at, b"allocated");
    }
    let vhd = disk.folder().join("disk.vhd");
    let options = ["-o", "subformat=dynamic,force_size=on"];
    tool(
        "qemu-img",
        &[
            &["convert", "-O", "vpc"],
            &options[..],
            &[text(disk.path()), text(&vhd)],
        ]
        .concat(),
    );
    let checked = check(PROGRAM, [&vhd]);
    let finding = checked.finding("start-misaligned", "virtual disk");
    assert!(
        finding["why"]
            .as_str()
            .unwrap()
            .contains("different offsets"),
        "{finding:#}"
    );
    let phases = checked.layer("disk:virtual disk")["phases"]
        .as_array()
        .unwrap();
    let on_file: Vec<_> = phases
        .iter()
        .filter(|p| p["grid"].as_str().unwrap().contains("host-block"))
        .collect();
    assert_eq!(on_file.len(), 8, "{on_file:#?}");
    let weights: f64 = on_file
        .iter()
        .map(|phase| phase["weight_ratio"].as_f64().unwrap())
        .sum();
    assert!((weights - 1.0).abs() < 1e-9);
    assert!(finding["do"][0].as_str().unwrap().contains("convert"));
}

#[test]
fn vdi_data_lie_at_1024_mod_4096() {
    needs!(Packages);
    let disk = Disk::new("disk.img", 64 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 100_000)]);
    let vdi = disk.folder().join("disk.vdi");
    tool(
        "qemu-img",
        &["convert", "-O", "vdi", text(disk.path()), text(&vdi)],
    );
    let checked = check(PROGRAM, [&vdi]);
    let finding = checked.finding("start-misaligned", "virtual disk");
    assert_eq!(finding["offset_bytes"], 1024);
}

/// They are written while others are still being judged.
#[test]
fn many_targets_as_json_are_those_of_each_alone_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let starts = [63, 2048, 34, 128];
    for start in starts {
        let disk = mbr::disk("one.img", 64, &[(0x83, start, 100_000)]);
        for i in 0..150 {
            let name = format!("{i:03}-{start}-\u{202e}.img");
            fs::hard_link(disk.path(), folder.path().join(name)).unwrap();
        }
    }
    fs::write(folder.path().join("bad.vhdx"), b"vhdxfile and nothing more").unwrap();
    let text_file = folder.path().join("fdisk.txt");
    fs::write(&text_file, "/dev/sda1 * 63 19535039 9767488+ 83 Linux\n").unwrap();
    let all = check(PROGRAM, [text_file.as_path(), folder.path()]);
    assert_eq!(all.code, 65, "the broken one");
    let targets = all.json["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 602);
    let timeless = |target: &serde_json::Value| {
        let mut target = target.clone();
        target["elapsed_us"] = 0.into();
        target
    };
    let mut last = "";
    for (i, target) in targets.iter().enumerate() {
        let name = target["target"].as_str().unwrap();
        assert!(i < 2 || last < name, "{last} before {name}");
        last = name;
        if i % 75 < 2 {
            let alone = check(PROGRAM, [name]);
            assert_eq!(timeless(target), timeless(&alone.json["targets"][0]));
        }
    }
    let summary = &all.json["summary"];
    assert_eq!(summary["targets"], 602);
    assert_eq!(summary["errors"], 1);
    assert_eq!(summary["verdict"], "misaligned");
    let by_verdict = summary["by_verdict"].as_object().unwrap();
    let sum: u64 = by_verdict.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(sum, 602);
}

#[test]
fn many_targets_as_json_go_to_a_file_as_to_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let bad = mbr::disk("bad.img", 1, &[(0x83, 63, 1000)]);
    for name in ["a.img", "b\u{7f}.img"] {
        fs::copy(bad.path(), folder.path().join(name)).unwrap();
    }
    let run = |more: &[&str]| {
        let mut command = Command::new(PROGRAM);
        let command = command.args(["check", "--json"]).arg(folder.path());
        command.args(more).output().unwrap()
    };
    let timeless = |json: &[u8]| {
        let json = String::from_utf8(json.to_vec()).unwrap();
        let lines = json.lines().filter(|line| !line.contains("elapsed_us"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let piped = run(&[]);
    let file = bad.folder().join("report.json");
    let written = run(&["-o", text(&file)]);
    assert_eq!(
        (piped.status.code(), written.status.code()),
        (Some(1), Some(1))
    );
    assert!(written.stdout.is_empty());
    assert_eq!(timeless(&fs::read(&file).unwrap()), timeless(&piped.stdout));
    assert!(
        timeless(&piped.stdout)
            .iter()
            .any(|line| line.contains("b\\u007f.img"))
    );
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(PROGRAM);
    let command = command
        .args(["check", "--json"])
        .arg(folder.path())
        .stdout(full);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
}

/// The pipe is full before all targets are written: until it is read the program stays.
#[test]
fn images_are_judged_without_a_way_to_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let bad = mbr::disk("bad.img", 1, &[(0x83, 63, 1000)]);
    for index in 0..400 {
        fs::hard_link(bad.path(), folder.path().join(format!("{index}.img"))).unwrap();
    }
    let mut child = Command::new(PROGRAM)
        .args(["check", "--json"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0]).unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(output);
    child.wait().unwrap();
    // Set by whoever enforces Landlock, with a kernel that has it or not.
    assert!(status.contains("NoNewPrivs:\t1\n"), "{status}");
}

#[test]
fn an_interrupted_folder_shows_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let bad = mbr::disk("bad.img", 1, &[(0x83, 63, 1000)]);
    for index in 0..3000 {
        fs::copy(bad.path(), folder.path().join(format!("{index}.img"))).unwrap();
    }
    let mut child = Command::new(PROGRAM)
        .args(["check", "--jobs", "1", "--json"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first targets are written when others are still to be judged.
    let mut stdout = child.stdout.take().unwrap();
    let mut written = vec![0];
    stdout.read_exact(&mut written).unwrap();
    tool("kill", &["-INT", &child.id().to_string()]);
    stdout.read_to_end(&mut written).unwrap();
    let output = child.wait_with_output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&written).unwrap();
    let done = json["targets"].as_array().unwrap().len();
    // A very fast machine may be done before the signal comes.
    let code = output.status.code();
    assert!(code == Some(130) || done == 3000, "{code:?} after {done}");
}

/// Most targets of a large folder are cut down to what the table shows. With the exit mode that needs the
/// starts of all partitions they are not: the same table must come out.
#[test]
fn a_row_of_the_table_needs_no_more_than_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..40 {
        let start = [63, 2048, 34, 128][i % 4];
        let disk = mbr::disk("one.img", 64, &[(0x83, start, 100_000)]);
        fs::copy(disk.path(), folder.path().join(format!("{i}.img"))).unwrap();
    }
    fs::write(folder.path().join("empty.img"), vec![0; 1 << 20]).unwrap();
    fs::write(folder.path().join("bad.vhdx"), b"vhdxfile and nothing more").unwrap();
    let table = |more: &[&str]| {
        let mut command = Command::new(PROGRAM);
        let output = command.arg("check").arg(folder.path()).args(more).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        // The last line ends in the time that it took.
        text.rsplit_once(" (").unwrap().0.to_owned()
    };
    let whole = table(&["--exit-mode", "virt-alignment-scan"]);
    assert!(whole.contains("p1 3584 B off 4 KiB"), "{whole}");
    assert_eq!(table(&[]), whole);
}

//! `plan` and `check` agree: layouts of drawn wishes are made by the real tools, with the commands as printed, and
//! `check` judges them by the same grids. Takes root.
//!
//! The kernel here may have no md and no device-mapper: an array is one disk with its grids, as a controller
//! shows it, LVM writes its metadata alone, and a loop device at the volume's place stands for the volume.

mod wish;

use std::collections::BTreeMap;
use std::process::Command;

use ioalign_testkit::Loop;
use ioalign_testkit::disk::Disk;
use ioalign_testkit::random::Random;
use ioalign_testkit::run::command;
use serde_json::Value;

use super::super::PROGRAM;
use super::valid;
use wish::Wish;

/// Layouts that are made; `IOALIGN_PLAN_WISHES` asks for another number, `IOALIGN_PLAN_SEED` for one alone.
const WISHES: u64 = 60;

/// What `check` may say of the FAT of an EFI system partition: its clusters begin behind tables whose size follows
/// from the partition's, and it is read when the machine boots (docs/plan.md, "Not planned").
const ESP: &[&str] = &[
    "start-misaligned",
    "start-suboptimal",
    "block-below-rmw-unit",
];

#[test]
fn what_plan_makes_check_calls_ok() {
    needs!(Packages, Root);
    let count = std::env::var("IOALIGN_PLAN_WISHES");
    let count = count.map_or(WISHES, |text| text.parse().unwrap());
    let mut seen = BTreeMap::new();
    let mut faults = Vec::new();
    let only = std::env::var("IOALIGN_PLAN_SEED")
        .ok()
        .map(|text| text.parse::<u64>().unwrap());
    let seeds = only.map_or(0..count, |seed| seed..seed + 1);
    for seed in seeds {
        let wish = Wish::draw(&mut Random(seed));
        let said = made(&wish);
        *seen.entry(said.outcome).or_insert(0) += 1;
        faults.extend(said.fault.map(|fault| format!("seed {seed}: {fault}")));
    }
    println!("{count} wishes: {seen:?}");
    assert!(
        faults.is_empty(),
        "{} of {count}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(
        only.is_some() || seen.get("ok").is_some_and(|ok| ok * 5 > count * 2),
        "{seen:?}"
    );
}

struct Said {
    outcome: &'static str,
    fault: Option<String>,
}

/// Plans, runs what is printed, and compares what `check` says with what `plan` said.
fn made(wish: &Wish) -> Said {
    let disk = Disk::new("wish.img", wish.size);
    let sector = wish.sector.to_string();
    let device = Loop::new(disk.path(), &["--partscan", "--sector-size", &sector]);
    let plan = |more: &str| {
        let mut command = Command::new(PROGRAM);
        command
            .arg("plan")
            .args(&wish.plan)
            .args(["--device", device.text(), more]);
        command.output().unwrap()
    };
    let document = plan("--json");
    let Ok(document) = serde_json::from_slice::<Value>(&document.stdout) else {
        let why = String::from_utf8_lossy(&document.stderr).into_owned();
        let refused = document.status.code() == Some(1) && why.contains("there is no such layout");
        let fault = (!refused).then(|| format!("{wish:?}: {why}"));
        return Said {
            outcome: "refused",
            fault,
        };
    };
    valid(&document, "plan-1.schema.json");
    let script = String::from_utf8(plan("--quiet").stdout).unwrap();
    if let Err(why) = run(wish, &disk, &device, &document, &script) {
        let fault = Some(format!("{wish:?}\n{script}\n{why}"));
        return Said {
            outcome: "not made",
            fault,
        };
    }
    judged(wish, &disk, &document)
}

/// Runs the script with what only this machine lacks: nodes of partitions, and device-mapper.
fn run(
    wish: &Wish,
    disk: &Disk,
    device: &Loop,
    document: &Value,
    script: &str,
) -> Result<(), String> {
    let folder = disk.folder();
    std::fs::write(folder.join("lvm.conf"), lvm_conf(device.text(), folder)).unwrap();
    let nodes = format!("EOF\npartx --update {}", device.text());
    let mut script = script.replace("\nEOF\n", &format!("\n{nodes}\n"));
    let volume = wish.lvm.then(|| volume(disk, document, wish.sector));
    if let Some(volume) = &volume {
        script = script.replace("/dev/vg0/data", volume.text());
        // A second volume: it has to start on the grids as well.
        let extents = extents(document);
        script = script.replace("--extents 100%FREE", &format!("--extents {extents}"));
        script = script.replace(
            "--name data vg0\n",
            "--name data vg0\nlvcreate --extents 1 --name more vg0\n",
        );
    }
    let prelude = "for verb in pvcreate vgcreate pvs; do eval \"$verb() { command $verb --driverloaded n \\\"\\$@\\\"; }\"; done
        lvcreate() { command lvcreate --driverloaded n -an -Zn -Wn \"$@\"; }\n";
    let path = folder.join("make.sh");
    std::fs::write(&path, format!("{prelude}{script}")).unwrap();
    let ran = command("sh")
        .arg("-e")
        .arg(&path)
        .env("LVM_SYSTEM_DIR", folder)
        .env("LVM_SUPPRESS_FD_WARNINGS", "1")
        .output()
        .unwrap();
    let why = String::from_utf8_lossy(&ran.stderr).into_owned();
    ran.status.success().then_some(()).ok_or(why)
}

fn lvm_conf(device: &str, folder: &std::path::Path) -> String {
    format!(
        "devices {{ use_devicesfile=0 filter=[\"a|^{device}|\",\"r|.*|\"] }}
        global {{ locking_dir=\"{}\" }}
        backup {{ backup=0 archive=0 }}
        activation {{ udev_sync=0 udev_rules=0 monitoring=0 }}",
        folder.join("lock").display()
    )
}

/// A loop device where the first logical volume will lie.
fn volume(disk: &Disk, document: &Value, sector: u64) -> Loop {
    let layers = document["layers"].as_array().unwrap();
    let group = layers
        .iter()
        .find(|layer| layer["kind"] == "lvm-pv")
        .unwrap();
    let extent = document["lvm"]["extent_bytes"].as_u64().unwrap();
    let offset = format!("--offset={}", group["start_bytes"]);
    let size = format!("--sizelimit={}", extents(document) * extent);
    Loop::new(
        disk.path(),
        &[&offset, &size, "--sector-size", &sector.to_string()],
    )
}

/// Extents of the first volume: more than half of those that there are, an odd number.
fn extents(document: &Value) -> u64 {
    let layers = document["layers"].as_array().unwrap();
    let end = |kind: &str| {
        let layer = layers.iter().rfind(|layer| layer["kind"] == kind)?;
        Some(layer["start_bytes"].as_u64()? + layer["size_bytes"].as_u64()?)
    };
    let group = layers
        .iter()
        .find(|layer| layer["kind"] == "lvm-pv")
        .unwrap();
    let disk = 1536 << 20;
    let room = end("partition").unwrap_or(disk) - group["start_bytes"].as_u64().unwrap();
    (room / document["lvm"]["extent_bytes"].as_u64().unwrap() * 2 / 3) | 1
}

fn judged(wish: &Wish, disk: &Disk, document: &Value) -> Said {
    let grids = wish.grids(document);
    let arguments = ["--no-policy".to_owned()].into_iter().chain(grids);
    let path = disk.path().as_os_str().to_owned();
    let all = arguments.map(Into::into).chain([path]);
    let checked = ioalign_testkit::check(PROGRAM, all.collect::<Vec<std::ffi::OsString>>());
    let rules: Vec<_> = checked.rules();
    let below = !document["block_below_unit"].is_null();
    let expected = |finding: &Value| {
        let rule = finding["rule"].as_str().unwrap();
        let esp = finding["layer"]
            .as_str()
            .is_some_and(|layer| layer.contains("fat"));
        esp && ESP.contains(&rule) || below && rule == "block-below-rmw-unit"
    };
    let unexpected = checked.findings().iter().any(|finding| !expected(finding));
    let is_below = |finding: &&Value| {
        let layer = finding["layer"].as_str().unwrap();
        finding["rule"] == "block-below-rmw-unit" && !layer.contains("fat")
    };
    let said_below = checked.findings().iter().any(|finding| is_below(&finding));
    let verdict = checked.verdict();
    let agree = !unexpected && below == said_below;
    let outcome = if below {
        "blocks below a unit, said by both"
    } else {
        "ok"
    };
    let fault = (!agree).then(|| {
        let sentences: Vec<_> = checked.findings().iter().map(|f| f["why"].to_string()).collect();
        format!("{wish:?}\n  check {:?}: {verdict} {rules:?}, plan says block below unit: {below}\n  {}", wish.grids(document), sentences.join("\n  "))
    });
    let outcome = if fault.is_some() { "disagree" } else { outcome };
    Said { outcome, fault }
}

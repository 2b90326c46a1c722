//! The machine that runs the tests, against `lsblk`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use ioalign_inspect::host::{self, Root, What};
use ioalign_testkit::Loop;

use super::sysroot::{Read as _, Sysroot, SysrootDisk};
use crate::tools::{on_cpu, run};

#[test]
fn this_machine_agrees_with_lsblk() {
    let root = Root::live().unwrap();
    let host = host::read(&root, &[]).unwrap();
    let columns = "KNAME,TYPE,SIZE,START,ALIGNMENT,MIN-IO,OPT-IO,PHY-SEC,LOG-SEC";
    let printed = run(Command::new("lsblk").args(["-b", "-P", "-o", columns]));
    for line in printed.lines() {
        let name = value(line, "KNAME").unwrap();
        let Some(device) = host.device(name) else {
            let known = host.skipped.iter().any(|(skipped, _)| skipped == name);
            // Loop devices of other tests come and go.
            assert!(known || name.starts_with("loop"), "{line}");
            continue;
        };
        if device.what == What::Loop || name.starts_with("loop") {
            continue;
        }
        compare(&host, device, line);
    }
}

fn compare(host: &host::Host, device: &host::Device, line: &str) {
    let layer = host.stack.layer(device.layer);
    let number = |key: &str| value(line, key).and_then(|text| text.parse::<u64>().ok());
    assert_eq!(layer.size.map(|size| size.get()), number("SIZE"), "{line}");
    let sector = layer.logical_sector.map(|sector| sector.get());
    assert_eq!(sector, number("LOG-SEC"), "{line}");
    if device.what == What::Partition {
        let start = layer.below[0].map.start().map(|start| start.get() / 512);
        assert_eq!(start, number("START"), "{line}");
    }
    for (fact, column) in [
        ("physical-block", "PHY-SEC"),
        ("minimum-io", "MIN-IO"),
        ("optimal-io", "OPT-IO"),
    ] {
        if device.what == What::Disk {
            let ours = layer
                .all_facts()
                .get(fact)
                .and_then(|text| text.parse().ok());
            assert_eq!(ours, number(column), "{line}");
        }
    }
}

/// `KEY="value"` of `lsblk -P`; newer versions write `_` for `-`.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let find = |key: &str| {
        line.split("\" ").find_map(|pair| {
            let (name, value) = pair.split_once("=\"")?;
            (name.trim() == key).then(|| value.trim_end_matches('"').trim())
        })
    };
    find(key).or_else(|| find(&key.replace('-', "_")))
}

#[test]
fn reading_this_machine_is_fast() {
    let root = Root::live().unwrap();
    let best = (0..5)
        .map(|_| {
            let start = on_cpu();
            host::read(&root, &[]).unwrap();
            on_cpu().saturating_sub(start)
        })
        .min()
        .unwrap();
    // The goal is 20 ms in a release build; a debug build gets more room.
    assert!(best < Duration::from_millis(100), "{best:?}");
}

#[test]
fn the_machine_says_who_it_is() {
    let machine = host::machine::read(&Root::live().unwrap());
    let kernel = run(Command::new("uname").arg("-r"));
    assert_eq!(machine.kernel.as_deref(), Some(kernel.trim()));
    assert!(machine.cpus > 0 && machine.memory.is_some());
}

/// `lsblk --sysroot` reads the same kind of tree.
#[test]
fn a_captured_tree_agrees_with_lsblk() {
    let jumpered = SysrootDisk::new("sda", 1 << 31)
        .limits(512, 4096, 4096, 0)
        .attr("alignment_offset", 3584);
    let mut tree = Sysroot::new()
        .disk(jumpered)
        .partition("sda", 1, 63, 1000)
        .disk(
            SysrootDisk::new("nvme0n1", 1 << 31)
                .limits(4096, 4096, 65536, 131_072)
                .flash(),
        )
        .partition("nvme0n1", 2, 16384, 1 << 20)
        .md(
            "md0",
            4096,
            ("raid1", 0, 0),
            &[("sda1", "0", 0), ("nvme0n1p2", "1", 0)],
        )
        .file("proc/self/mountinfo", "")
        .file("proc/swaps", "");
    for name in ["sda", "sda1", "nvme0n1", "nvme0n1p2", "md0"] {
        tree = tree.file(&format!("dev/{name}"), "");
    }
    let host = tree.read();
    let columns = "KNAME,PKNAME,TYPE,SIZE,START,MIN-IO,OPT-IO,PHY-SEC,LOG-SEC";
    let mut lsblk = Command::new("lsblk");
    let printed = run(lsblk
        .arg("--sysroot")
        .arg(tree.path())
        .args(["-b", "-P", "-o", columns]));
    for line in printed.lines() {
        let device = host.device(value(line, "KNAME").unwrap()).unwrap();
        compare(&host, device, line);
        let parent = value(line, "PKNAME").filter(|parent| !parent.is_empty());
        let below = &host.stack.layer(device.layer).below;
        let names: Vec<&str> = host
            .devices
            .iter()
            .filter(|lower| below.iter().any(|edge| edge.below == lower.layer))
            .map(|lower| lower.name.as_str())
            .collect();
        assert!(
            parent.map_or(names.is_empty(), |parent| names.contains(&parent)),
            "{line}"
        );
    }
    assert!(printed.lines().count() >= host.devices.len(), "{printed}");
}

/// A loop device with the partitions of a script for sfdisk.
fn partitioned(folder: &Path, script: &str) -> Loop {
    let image = folder.join("disk.img");
    let file = std::fs::File::create(&image).unwrap();
    file.set_len(64 << 20).unwrap();
    let table = folder.join("table");
    std::fs::write(&table, script).unwrap();
    run(Command::new("sfdisk")
        .arg("--quiet")
        .arg(&image)
        .stdin(std::fs::File::open(&table).unwrap()));
    let device = Loop::new(&image, &[]);
    run(Command::new("partx").arg("--add").arg(device.path()));
    device
}

/// Needs root for the loop device; without root it checks what is said to those who have none.
#[test]
fn partitions_on_a_loop_device_agree_with_lsblk() {
    if !rustix::process::geteuid().is_root() {
        return without_root();
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "label: dos\nstart=63, size=2048, type=83\nstart=4096, size=8192, type=83\n";
    let made = partitioned(folder.path(), script);
    let root = Root::live().unwrap();
    let host = host::read(&root, &[made.text().to_owned()]).unwrap();
    let columns = "KNAME,TYPE,SIZE,START,ALIGNMENT,MIN-IO,OPT-IO,PHY-SEC,LOG-SEC";
    let printed = run(Command::new("lsblk").args(["-b", "-P", "-o", columns, made.text()]));
    for line in printed.lines() {
        let device = host.device(value(line, "KNAME").unwrap()).unwrap();
        compare(&host, device, line);
        let alignment = value(line, "ALIGNMENT").unwrap();
        let remarks = &host.stack.layer(device.layer).remarks;
        let refused = remarks.iter().any(|r| r.rule == "mkfs-xfs-refuses");
        assert_eq!(
            refused,
            alignment != "0" && device.what == What::Partition,
            "{line}"
        );
        assert!(
            !remarks.iter().any(|r| r.rule == "kernel-alignment-differs"),
            "{remarks:?}"
        );
    }
    assert_eq!(host.devices.len(), 3, "{printed}");
    let view = host.device(made.text()).unwrap().view(&root).unwrap();
    assert_eq!(view.read(510, 2).unwrap(), [0x55, 0xaa]);
}

fn without_root() {
    let host = host::read(&Root::live().unwrap(), &[]).unwrap();
    let closed = host
        .devices
        .iter()
        .filter(|device| device.unreadable.is_some());
    let listed = host.unread.iter().filter(|u| u.what.starts_with("/dev/"));
    assert_eq!(closed.count(), listed.count());
}

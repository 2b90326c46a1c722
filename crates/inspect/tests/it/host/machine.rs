//! The summary of the machine: from a made tree, from hostile ones, and from the running kernel.

use std::path::PathBuf;
use std::process::Command;

use ioalign_core::machine::Machine;
use ioalign_inspect::host::{Root, machine};

use super::sysroot::{Sysroot, SysrootDisk};
use crate::tools::run;

const CPU: &str =
    "processor\t: 0\nmodel name\t: AMD EPYC 7302\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 7302\n";
const PCI_IDS: &str =
    "# made\n1000  Broadcom / LSI\n\t005d  MegaRAID SAS-3 3108\n8086  Intel Corporation\n";

/// A server with a RAID controller, three disks, and md on two of them.
fn server() -> Sysroot {
    let disk = |name, bus| {
        SysrootDisk::new(name, 1 << 21)
            .bus(bus)
            .limits(512, 4096, 4096, 0)
            .attr("queue/scheduler", "none [mq-deadline] kyber")
            .attr("queue/write_cache", "write back")
    };
    Sysroot::new()
        .file("proc/sys/kernel/hostname", "storage1\n")
        .file("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
        .file("proc/sys/kernel/arch", "x86_64\n")
        .file("proc/cpuinfo", CPU)
        .file("proc/meminfo", "MemTotal:       16384 kB\n")
        .file("proc/loadavg", "0.52 0.40 0.31 1/213 4711\n")
        .file(
            "etc/os-release",
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
        )
        .file("sys/class/dmi/id/sys_vendor", "Dell Inc.\n")
        .file("sys/class/dmi/id/product_name", "PowerEdge R740\n")
        .file("usr/share/misc/pci.ids", PCI_IDS)
        .file("sys/bus/pci/devices/0000:18:00.0/class", "0x010400\n")
        .file("sys/bus/pci/devices/0000:18:00.0/vendor", "0x1000\n")
        .file("sys/bus/pci/devices/0000:18:00.0/device", "0x005d\n")
        .link(
            "sys/bus/pci/devices/0000:18:00.0/driver",
            "../../../../bus/pci/drivers/megaraid_sas",
        )
        .file("sys/bus/pci/devices/0000:19:00.0/class", "0x020000\n")
        .file("sys/bus/pci/devices/0000:19:00.0/vendor", "0x8086\n")
        .file("sys/bus/pci/devices/0000:19:00.0/device", "0x1521\n")
        .disk(
            disk("sda", "pci0000:17/0000:18:00.0/host0/target0:2:0/0:2:0:0")
                .model("DELL", "PERC H740P")
                .attr("device/raid_level", "RAID 5"),
        )
        .disk(
            disk(
                "sdb",
                "pci0000:00/0000:00:17.0/ata1/host1/target1:0:0/1:0:0:0",
            )
            .model("ATA", "ST4000NM"),
        )
        .disk(
            disk(
                "sdc",
                "pci0000:00/0000:00:17.0/ata2/host2/target2:0:0/2:0:0:0",
            )
            .flash(),
        )
        .partition("sdb", 1, 2048, 1 << 20)
        .md(
            "md0",
            1 << 20,
            ("raid1", 65536, 0),
            &[("sdb1", "0", 2048), ("sdc", "1", 2048)],
        )
}

fn summary(tree: &Sysroot, targets: &[&str]) -> Machine {
    let root = Root::captured(tree.path()).unwrap();
    let targets: Vec<_> = targets.iter().map(PathBuf::from).collect();
    machine::summary(&root, &targets)
}

fn names(machine: &Machine) -> Vec<&str> {
    machine
        .disks
        .iter()
        .map(|disk| disk.name.as_str())
        .collect()
}

#[test]
fn a_server_in_one_summary() {
    let found = summary(&server(), &[]);
    assert_eq!(found.host, "storage1");
    assert_eq!(found.platform, "Dell Inc. PowerEdge R740");
    assert_eq!(found.kernel, "6.1.0-18-amd64 x86_64");
    assert_eq!(found.system, "Debian GNU/Linux 12 (bookworm)");
    assert_eq!((found.cpus, found.cpu_model.as_str()), (2, "AMD EPYC 7302"));
    assert_eq!(found.memory_bytes, Some(16 << 20));
    assert_eq!(found.load_average, Some(0.52));
    assert_eq!(found.time, "", "a captured tree has no clock");
    assert_eq!(
        found.controllers,
        ["RAID: Broadcom / LSI MegaRAID SAS-3 3108 (megaraid_sas)"]
    );
    assert_eq!(names(&found), ["md0", "sda", "sdb", "sdc"]);
    let disk = |name: &str| found.disks.iter().find(|disk| disk.name == name).unwrap();
    assert_eq!(disk("md0").raid, "raid1 of sdb1, sdc, 64 KiB chunks");
    let sda = disk("sda");
    assert_eq!(
        (sda.model.as_str(), sda.raid.as_str()),
        ("DELL PERC H740P", "RAID 5")
    );
    assert_eq!(
        (sda.logical_bytes, sda.physical_bytes),
        (Some(512), Some(4096))
    );
    assert_eq!(
        (sda.size_bytes, sda.rotational),
        (Some(1 << 30), Some(true))
    );
    assert_eq!(
        (sda.scheduler.as_str(), sda.write_cache.as_str()),
        ("mq-deadline", "write back")
    );
    assert_eq!(disk("sdb").model, "ST4000NM");
    assert_eq!(disk("sdc").rotational, Some(false));
}

#[test]
fn only_the_disks_below_the_target() {
    let tree = server();
    assert_eq!(names(&summary(&tree, &["/dev/sda"])), ["sda"]);
    assert_eq!(names(&summary(&tree, &["/dev/sdb1"])), ["sdb"]);
    assert_eq!(names(&summary(&tree, &["md0"])), ["md0", "sdb", "sdc"]);
    assert_eq!(names(&summary(&tree, &["sda", "sdc"])), ["sda", "sdc"]);
    // A file of a captured host leads nowhere: all.
    assert_eq!(names(&summary(&tree, &["/srv/file"])).len(), 4);
}

#[test]
fn nothing_is_known_of_an_empty_tree() {
    let found = summary(&Sysroot::new(), &[]);
    assert_eq!(found, Machine::default());
}

#[test]
fn a_hostile_tree_gives_no_nonsense() {
    let tree = Sysroot::new()
        .file("proc/loadavg", "nan nan nan\n")
        .file("proc/meminfo", "MemTotal: 99999999999999999999999 kB\n")
        .file("sys/bus/pci/devices/x/class", "0x01é\n")
        .file("sys/bus/pci/devices/x/vendor", "\n")
        .file("sys/bus/pci/devices/y/class", "0x0108\n")
        .file("sys/bus/pci/devices/y/vendor", "0x144d\n")
        .file("sys/bus/pci/devices/y/device", "0xa808\n")
        .disk(
            SysrootDisk::new("loop0", 2048)
                .attr("loop/backing_file", "/dev/loop0")
                .attr("queue/scheduler", "[")
                .attr("queue/rotational", "maybe"),
        );
    let found = summary(&tree, &["loop0"]);
    assert_eq!((found.load_average, found.memory_bytes), (None, None));
    assert_eq!(found.controllers, ["NVMe: 144d:a808"]);
    assert_eq!(names(&found), ["loop0"]);
    assert_eq!(
        (found.disks[0].rotational, found.disks[0].scheduler.as_str()),
        (None, "[")
    );
}

#[test]
fn the_running_machine_tells_what_uname_tells() {
    let found = machine::summary(&Root::live().unwrap(), &[]);
    let uname = |flag: &str| run(Command::new("uname").arg(flag)).trim().to_owned();
    assert_eq!(found.kernel, uname("-rm"));
    assert_eq!(found.host, uname("-n"));
    assert!(found.cpus > 0 && found.memory_bytes > Some(0), "{found:?}");
    assert!(
        found.time.ends_with('Z') && found.time.starts_with("20"),
        "{}",
        found.time
    );
}

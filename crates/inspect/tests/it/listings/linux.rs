//! blockdev, /proc/partitions and udev.

use std::process::Command;

use ioalign_core::Role;
use ioalign_inspect::captures::Number;

use super::{at, read, said};
use crate::tools::run;

#[test]
fn this_machine() {
    needs!(Packages);
    let text = run(Command::new("cat").arg("/proc/partitions"));
    let evidence = read(&text);
    assert_eq!(evidence.read, ["/proc/partitions"]);
    assert_eq!(evidence.devices.len(), text.lines().count() - 2);
    let header = run(Command::new("blockdev").arg("--report"));
    assert_eq!(read(&header).read, ["blockdev --report"]);
}

#[test]
fn blockdev_counts_512_byte_units() {
    let report = "RO    RA   SSZ   BSZ        StartSec            Size   Device\n\
        rw   256  4096  4096               0  4000787030016   /dev/nvme0n1\n\
        rw   256  4096  4096            2048  4000784932864   /dev/nvme0n1p1\n\
        ro   256   512  4096             N/A      67108864   /dev/loop0\n\
        rw   256   512  4096               0      1048576   /dev/md127\n";
    let evidence = read(report);
    assert_eq!(said(&evidence, "nvme0n1p1").start, at(2048));
    assert_eq!(said(&evidence, "nvme0n1p1").parents, ["nvme0n1"]);
    assert_eq!(said(&evidence, "nvme0n1p1").sector.unwrap().get(), 4096);
    assert_eq!(
        said(&evidence, "nvme0n1").size,
        Some(Number::exact(4_000_787_030_016))
    );
    assert_eq!(said(&evidence, "loop0").start, None);
    let old = "RO    RA   SSZ   BSZ   StartSec     Size    Device\n\
        rw   256   512  4096          0   976773168  /dev/sda\n\
        rw   256   512  1024         63   195371505  /dev/sda1\n";
    let evidence = read(old);
    assert_eq!(said(&evidence, "sda").size, at(976_773_168));
    assert_eq!(said(&evidence, "sda1").start, at(63));
}

#[test]
fn udev_knows_the_offset() {
    for prefix in ["E: ", ""] {
        let lines = [
            "DEVNAME=/dev/sda1",
            "DEVTYPE=partition",
            "ID_PART_ENTRY_DISK=8:0",
            "ID_PART_ENTRY_NUMBER=1",
            "ID_PART_ENTRY_OFFSET=34",
            "ID_PART_ENTRY_SCHEME=gpt",
            "ID_PART_ENTRY_SIZE=2014",
            "ID_PART_ENTRY_TYPE=21686148-6449-6e6f-744e-656564454649",
        ];
        let text: String = lines
            .iter()
            .map(|line| format!("{prefix}{line}\n"))
            .collect();
        let evidence = read(&text);
        assert_eq!(evidence.read, ["udevadm info"]);
        let part = said(&evidence, "sda1");
        assert_eq!((part.start, part.size), (at(34), at(2014)));
        assert_eq!((part.role, part.number), (Some(Role::BiosBoot), Some(1)));
        assert_eq!(part.parents, ["sda"]);
    }
}

#[test]
fn proc_partitions_has_names_and_sizes() {
    let evidence = read(
        "major minor  #blocks  name\n\n   8        0  488386584 sda\n   8        1     102400 sda1\n 253        0   10485760 dm-0\n",
    );
    assert_eq!(said(&evidence, "sda1").parents, ["sda"]);
    assert_eq!(said(&evidence, "sda1").start, None);
    let size = said(&evidence, "sda").size.unwrap();
    assert_eq!(
        (size.low, size.high),
        (488_386_584 * 1024, 488_386_584 * 1024 + 512)
    );
    assert_eq!(said(&evidence, "dm-0").kind, None);
}

//! What disks claim about themselves, and which of it is believed.

use ioalign_core::{Bytes, Confidence, Origin, Severity, Tier};
use ioalign_inspect::host::nvme::ID_NS_BYTES;

use super::sysroot::{Disk, Sysroot};
use super::{grid, has_remark, layer, off};

fn one(disk: Disk) -> ioalign_inspect::host::Host {
    Sysroot::new().disk(disk).read()
}

#[test]
fn minus_one_is_no_phase() {
    let disk = Disk::new("sda", 1 << 31).limits(512, 4096, 4096, 1 << 20);
    let host = one(disk.attr("alignment_offset", -1));
    let rule = has_remark(&host, "sda", "kernel-misaligned-stack");
    assert_eq!(rule, Some(Severity::Misaligned));
    for kind in ["physical-block", "optimal-io"] {
        assert!(!grid(&host, "sda", kind).unwrap().trusted(), "{kind}");
    }
    assert!(grid(&host, "sda", "logical-sector").unwrap().trusted());
}

#[test]
fn a20_logical_512_physical_4096() {
    let host = one(Disk::new("sda", 1 << 31).limits(512, 4096, 4096, 0));
    assert_eq!(layer(&host, "sda").logical_sector, Some(Bytes::new(512)));
    let logical = grid(&host, "sda", "logical-sector").unwrap();
    assert_eq!((logical.size.get(), logical.tier), (512, Tier::Validity));
}

#[test]
fn a24_an_exported_zvol() {
    let host = Sysroot::new()
        .disk(Disk::new("sda", 1 << 31).limits(512, 131_072, 131_072, 131_072))
        .partition("sda", 1, 2048, 1 << 20)
        .read();
    let block = grid(&host, "sda", "volume-block").unwrap();
    assert_eq!(
        (block.size.get(), block.confidence),
        (131_072, Confidence::Medium)
    );
    assert_eq!(off(&host, "sda1", block), 0);
    assert!(grid(&host, "sda", "optimal-io").is_none());
}

#[test]
fn a25_coarse_units_from_the_drive_and_from_the_table() {
    let told = one(nvme("SSDPFWNV153TZ").limits(512, 4096, 65536, 65536));
    let unit = grid(&told, "nvme0n1", "indirection-unit").unwrap();
    assert_eq!((unit.size.get(), unit.origin), (65536, Origin::Reported));
    assert!(unit.source.starts_with("NPWG") && unit.confidence == Confidence::High);
    let silent = one(nvme("INTEL SSDPFWNV153TZ").limits(512, 4096, 4096, 0));
    let unit = grid(&silent, "nvme0n1", "indirection-unit").unwrap();
    assert_eq!((unit.size.get(), unit.origin), (65536, Origin::Table));
}

#[test]
fn a25_a_large_nows_is_no_claim_about_the_unit() {
    let host = one(nvme("KIOXIA TLC").limits(512, 4096, 4096, 1 << 20));
    let optimal = grid(&host, "nvme0n1", "optimal-io").unwrap();
    assert_eq!(optimal.tier, Tier::Preference);
    assert!(
        optimal
            .source
            .contains("no claim about the indirection unit")
    );
    assert!(grid(&host, "nvme0n1", "indirection-unit").is_none());
}

fn nvme(model: &str) -> Disk {
    Disk::new("nvme0n1", 1 << 32)
        .bus("pci0000:00/0000:00:03.0/nvme/nvme0")
        .flash()
        .attr("device/model", model)
        .attr("device/firmware_rev", "1.0")
}

#[test]
fn a23_an_inflated_nvme_physical_block_is_not_believed() {
    let host = one(nvme("PM9A3").limits(512, 262_144, 262_144, 262_144));
    let physical = grid(&host, "nvme0n1", "physical-block").unwrap();
    assert!(physical.distrust.as_deref().unwrap().contains("AWUPF"));
    let preferred = grid(&host, "nvme0n1", "preferred-write").unwrap();
    assert_eq!(preferred.confidence, Confidence::Low);
    let rmw: Vec<_> = host
        .stack
        .grids
        .iter()
        .filter(|g| g.trusted() && g.tier == Tier::Rmw)
        .collect();
    assert_eq!(rmw.len(), 1);
    assert_eq!((rmw[0].size.get(), rmw[0].origin), (4096, Origin::Assumed));
}

#[test]
fn identify_namespace_confirms_and_adds() {
    let mut id_ns = vec![0_u8; ID_NS_BYTES];
    id_ns[24] = 1 << 4;
    id_ns[130] = 9;
    for at in [64, 66] {
        id_ns[at..at + 2].copy_from_slice(&511_u16.to_le_bytes());
    }
    let host = Sysroot::new()
        .disk(nvme("X").limits(512, 262_144, 262_144, 0))
        .file("ioalign/nvme/nvme0n1.id-ns", id_ns)
        .read();
    let unit = grid(&host, "nvme0n1", "indirection-unit").unwrap();
    assert_eq!((unit.size.get(), unit.trusted()), (262_144, true));
    assert_eq!(
        layer(&host, "nvme0n1").facts["lba-formats"],
        "512 (rp 0, in use)"
    );
}

#[test]
fn a37_a_netapp_lun_counts_in_4_kib() {
    let host = Sysroot::new()
        .disk(
            Disk::new("sda", 1 << 31)
                .limits(512, 512, 4096, 65536)
                .model("NETAPP", "LUN"),
        )
        .partition("sda", 1, 63, 1 << 20)
        .partition("sda", 2, 128, 1 << 20)
        .read();
    let unit = grid(&host, "sda", "minimum-io").unwrap();
    assert_eq!(
        (unit.tier, unit.size.get(), unit.confidence),
        (Tier::Rmw, 4096, Confidence::Medium)
    );
    assert_eq!(off(&host, "sda1", unit), 3584);
    let optimal = grid(&host, "sda", "optimal-io").unwrap();
    assert_eq!(
        (off(&host, "sda2", optimal), optimal.tier),
        (0, Tier::Preference)
    );
}

#[test]
fn a38_optimal_less_than_minimum() {
    let host = one(Disk::new("sda", 1 << 31).limits(512, 512, 262_144, 65536));
    let why = grid(&host, "sda", "optimal-io")
        .unwrap()
        .distrust
        .clone()
        .unwrap();
    assert!(
        why.contains("65536 is less than the minimum I/O size (262144)"),
        "{why}"
    );
    let unit = grid(&host, "sda", "stripe-unit").unwrap();
    assert_eq!(unit.tier, Tier::Preference);
}

#[test]
fn t02_huge_optimal_sizes_are_low() {
    for size in [64 << 20, 256 << 20] {
        let host = one(Disk::new("sda", 1 << 31).limits(512, 512, 512, size));
        let optimal = grid(&host, "sda", "optimal-io").unwrap();
        assert!(optimal.trusted() && optimal.confidence == Confidence::Low);
        assert_eq!(
            has_remark(&host, "sda", "huge-optimal-io"),
            Some(Severity::Note)
        );
    }
}

#[test]
fn t22_virtual_disks_hide_their_topology() {
    let host = one(Disk::new("vda", 1 << 31).virtio());
    let block = grid(&host, "vda", "physical-block").unwrap();
    assert_eq!((block.size.get(), block.origin), (4096, Origin::Assumed));
    assert_eq!(block.confidence, Confidence::Medium);
    assert_eq!(
        has_remark(&host, "vda", "virtual-disk-topology"),
        Some(Severity::Note)
    );
    let vmware = one(Disk::new("sda", 1 << 31).model("VMware", "Virtual disk"));
    assert!(grid(&vmware, "sda", "physical-block").is_some());
    let old = one(Disk::new("sda", 1 << 31).model("ATA", "ST3500418AS"));
    assert!(
        grid(&old, "sda", "physical-block").is_none(),
        "a real 512n disk"
    );
    let ssd = one(Disk::new("sda", 1 << 31)
        .model("ATA", "Samsung SSD 840")
        .flash());
    let page = grid(&ssd, "sda", "physical-block").unwrap();
    assert_eq!(
        (page.origin, page.confidence),
        (Origin::Assumed, Confidence::Low)
    );
}

#[test]
fn a_4kn_disk_needs_no_assumption() {
    let host = one(Disk::new("vda", 1 << 31)
        .limits(4096, 4096, 4096, 0)
        .virtio());
    assert_eq!(host.stack.grids.len(), 1);
}

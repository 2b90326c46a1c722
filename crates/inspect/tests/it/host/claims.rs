//! What disks claim about themselves, and which of it is believed.

use ioalign_core::{Bytes, Confidence, LayerId, Origin, Severity, Tier};
use ioalign_inspect::host::hints::{Claims, Judged, Transport, judge};
use ioalign_inspect::host::nvme::ID_NS_BYTES;

use proptest::strategy::Strategy;

use super::sysroot::{Read as _, Sysroot, SysrootDisk};
use super::{grid, has_remark, layer, off};

fn one(disk: SysrootDisk) -> ioalign_inspect::host::Host {
    Sysroot::new().disk(disk).read()
}

#[test]
fn minus_one_is_no_phase() {
    let disk = SysrootDisk::new("sda", 1 << 31).limits(512, 4096, 4096, 1 << 20);
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
    let host = one(SysrootDisk::new("sda", 1 << 31).limits(512, 4096, 4096, 0));
    assert_eq!(layer(&host, "sda").logical_sector, Some(Bytes::new(512)));
    let logical = grid(&host, "sda", "logical-sector").unwrap();
    assert_eq!((logical.size.get(), logical.tier), (512, Tier::Validity));
}

#[test]
fn a24_an_exported_zvol() {
    let host = Sysroot::new()
        .disk(SysrootDisk::new("sda", 1 << 31).limits(512, 131_072, 131_072, 131_072))
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
    let stated = one(nvme("SSDPFWNV153TZ").limits(512, 4096, 65536, 65536));
    let unit = grid(&stated, "nvme0n1", "indirection-unit").unwrap();
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

fn nvme(model: &str) -> SysrootDisk {
    SysrootDisk::new("nvme0n1", 1 << 32)
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
            SysrootDisk::new("sda", 1 << 31)
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
    let host = one(SysrootDisk::new("sda", 1 << 31).limits(512, 512, 262_144, 65536));
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
        let host = one(SysrootDisk::new("sda", 1 << 31).limits(512, 512, 512, size));
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
    let host = one(SysrootDisk::new("vda", 1 << 31).virtio());
    let block = grid(&host, "vda", "physical-block").unwrap();
    assert_eq!((block.size.get(), block.origin), (4096, Origin::Assumed));
    assert_eq!(block.confidence, Confidence::Medium);
    assert_eq!(
        has_remark(&host, "vda", "virtual-disk-topology"),
        Some(Severity::Note)
    );
    let vmware = one(SysrootDisk::new("sda", 1 << 31).model("VMware", "Virtual disk"));
    assert!(grid(&vmware, "sda", "physical-block").is_some());
    let old = one(SysrootDisk::new("sda", 1 << 31).model("ATA", "ST3500418AS"));
    assert!(
        grid(&old, "sda", "physical-block").is_none(),
        "a real 512n disk"
    );
    let ssd = one(SysrootDisk::new("sda", 1 << 31)
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
    let host = one(SysrootDisk::new("vda", 1 << 31)
        .limits(4096, 4096, 4096, 0)
        .virtio());
    assert_eq!(host.stack.grids.len(), 1);
}

/// A claim, judged without a tree.
fn judged(transport: Transport, [logical, physical, minimum, optimal]: [u64; 4]) -> Judged {
    let claims = Claims {
        logical: Some(logical),
        physical: Some(physical),
        minimum: Some(minimum),
        optimal: Some(optimal),
        transport,
        ..Claims::default()
    };
    judge(&claims, LayerId(0))
}

/// Transport, the four sizes, and what must come out: kind, size, tier, trusted.
type Case = (Transport, [u64; 4], &'static str, u64, Tier, bool);

#[test]
fn a_table_of_claims() {
    use Tier::{Preference, Rmw, Validity};
    use Transport::{Loop, Network, Nvme, Scsi, Usb, Virtio, Zvol};
    const M: u64 = 1 << 20;
    let cases: &[Case] = &[
        (
            Scsi,
            [512, 4096, 4096, 33_553_920],
            "optimal-io",
            33_553_920,
            Preference,
            false,
        ),
        (
            Usb,
            [512, 512, 512, 268_431_360],
            "optimal-io",
            268_431_360,
            Preference,
            false,
        ),
        (
            Scsi,
            [512, 4096, 4096, 16_773_120],
            "optimal-io",
            16_773_120,
            Preference,
            false,
        ),
        (
            Scsi,
            [512, 512, 65536, 196_608],
            "stripe-unit",
            65536,
            Preference,
            true,
        ),
        (
            Scsi,
            [512, 512, 65536, 196_608],
            "optimal-io",
            196_608,
            Preference,
            true,
        ),
        (
            Scsi,
            [512, 4096, 4096, 100_000],
            "optimal-io",
            100_000,
            Preference,
            false,
        ),
        (
            Scsi,
            [512, 4096, 6144, 0],
            "stripe-unit",
            6144,
            Preference,
            false,
        ),
        (
            Scsi,
            [512, 3072, 3072, 0],
            "physical-block",
            3072,
            Rmw,
            false,
        ),
        (
            Scsi,
            [512, 4096, 8192, 0],
            "stripe-unit",
            8192,
            Preference,
            true,
        ),
        (
            Scsi,
            [520, 520, 520, 0],
            "logical-sector",
            520,
            Validity,
            false,
        ),
        (
            Nvme,
            [512, 512, 131_072, 0],
            "indirection-unit",
            131_072,
            Rmw,
            true,
        ),
        (
            Nvme,
            [4096, 16384, 16384, 0],
            "physical-block",
            16384,
            Rmw,
            true,
        ),
        (
            Zvol,
            [512, 16384, 16384, 16384],
            "volume-block",
            16384,
            Rmw,
            true,
        ),
        (
            Network,
            [512, 512, 65536, 65536],
            "stripe-unit",
            65536,
            Preference,
            true,
        ),
        (
            Network,
            [512, 512, 65536, 65536],
            "physical-block",
            4096,
            Rmw,
            true,
        ),
        (
            Virtio,
            [512, 4096, 4096, M],
            "physical-block",
            4096,
            Rmw,
            true,
        ),
        (Virtio, [512, 512, 8192, 0], "minimum-io", 8192, Rmw, true),
        (Loop, [512, 512, 512, 0], "physical-block", 4096, Rmw, true),
    ];
    for (transport, sizes, kind, size, tier, trusted) in cases {
        let found = judged(*transport, *sizes);
        let grid = found
            .grids
            .iter()
            .find(|g| g.kind.name() == *kind && g.size.get() == *size);
        let grid = grid.unwrap_or_else(|| panic!("{transport:?} {sizes:?}: {kind}: {found:?}"));
        assert_eq!(
            (grid.tier, grid.trusted()),
            (*tier, *trusted),
            "{transport:?} {sizes:?}"
        );
        assert!(!grid.source.is_empty());
    }
}

#[test]
fn a_usb_bridge_with_4096_byte_sectors_is_remarked() {
    let found = judged(Transport::Usb, [4096, 4096, 4096, 0]);
    assert_eq!(found.remarks[0].rule, "usb-logical-4096");
}

proptest::proptest! {
    #[test]
    fn any_claim_is_judged(
        sizes in proptest::array::uniform4(proptest::prelude::prop_oneof![
            proptest::prelude::any::<u64>(),
            (0_u32..64).prop_map(|bits| 1_u64 << bits),
            (0_u32..64).prop_map(|bits| (1_u64 << bits) - 1),
        ]),
        offset in proptest::prelude::any::<i64>(),
        chunk in proptest::prelude::any::<u64>(),
        rotational in proptest::prelude::any::<bool>(),
    ) {
        let [logical, physical, minimum, optimal] = sizes;
        for transport in [Transport::Nvme, Transport::Usb, Transport::Virtio, Transport::Loop, Transport::Zvol] {
            let claims = Claims {
                logical: Some(logical),
                physical: Some(physical),
                minimum: Some(minimum),
                optimal: Some(optimal),
                chunk: Some(chunk),
                erase: Some(chunk),
                alignment_offset: offset,
                rotational: Some(rotational),
                transport,
                ..Claims::default()
            };
            let found = judge(&claims, LayerId(3));
            for grid in &found.grids {
                assert!(!grid.size.is_zero() && grid.phase < grid.size && grid.layer == LayerId(3));
                // Off a negative offset only what counts from 0 is believed.
                assert!(offset >= 0 || !grid.trusted() || grid.tier == Tier::Validity);
            }
        }
    }
}

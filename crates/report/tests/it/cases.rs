//! The hand-built reports: one a situation that the renderers must show well.

use ioalign_core::machine::{Machine, MachineDisk};
use ioalign_core::{
    ArrayLevel, Bytes, Confidence, Finding, Kind, Layer, Map, Role, Runs, Severity, Stack, Tier,
    layer::RaidGeometry,
    layer::detail::{Detail, DiskDetail},
};
use ioalign_report::{ErrorInfo, Report, SourceKind, Target};

use super::build::{GIB, KIB, MIB, good_start, grid, off, sectors, shift, spread, target};

const ASSUMED: &str = "assumed: nearly every disk since 2011";

/// All single-target cases by name.
pub fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("sector63", report(vec![sector63()])),
        ("aligned", report(vec![aligned()])),
        ("raid5", report(vec![raid5()])),
        ("vhd", report(vec![vhd()])),
        ("repaired", report(vec![repaired()])),
        ("unreadable", report(vec![unreadable()])),
        ("two", report(vec![aligned(), raid5()])),
        ("forty", report(forty())),
    ]
}

pub fn report(targets: Vec<Target>) -> Report {
    let machine = Machine {
        host: "db7.example.net".to_owned(),
        platform: "Dell Inc. PowerEdge R740".to_owned(),
        kernel: "6.1.0 x86_64".to_owned(),
        cpu_model: "Intel Xeon Gold 6130".to_owned(),
        cpus: 32,
        memory_bytes: Some(128 * GIB),
        controllers: vec!["RAID: Broadcom MegaRAID SAS-3 3108 (megaraid_sas)".to_owned()],
        disks: vec![MachineDisk {
            name: "sda".to_owned(),
            model: "DELL PERC H730".to_owned(),
            size_bytes: Some(1024 * GIB),
            logical_bytes: Some(512),
            physical_bytes: Some(512),
            rotational: Some(true),
            scheduler: "mq-deadline".to_owned(),
            ..MachineDisk::default()
        }],
        ..Machine::default()
    };
    Report {
        targets,
        tool: "ioalign 0.1.0".to_owned(),
        machine: Some(machine),
        ..Report::default()
    }
}

fn disk(name: &str, size: u64) -> Layer {
    let mut disk = Layer::new(Kind::Disk, name).sized(Bytes::new(size));
    disk.logical_sector = Some(Bytes::new(512));
    disk
}

fn partition(name: &str, start: u64, size: u64) -> Layer {
    let mut partition = Layer::new(Kind::Partition, name).sized(Bytes::new(size));
    partition.start_sectors = sectors(start);
    partition
}

fn filesystem(name: &str, size: u64) -> Layer {
    let mut fs = Layer::new(Kind::Filesystem, name).sized(Bytes::new(size));
    fs.block = Some(Bytes::new(4096));
    fs
}

/// MBR, three partitions by the old cylinder habit, a swap among them, ext4 on the first.
pub fn sector63() -> Target {
    let mut stack = Stack::new();
    let image = stack.push(
        disk("winxp.img", 20 * GIB)
            .fact("format", "raw")
            .fact("table", "mbr"),
    );
    let size = 8 * GIB;
    let p1 = partition("p1", 63, size).fact("type", "83");
    let p1 = stack.push(p1.on(image, shift(63 * 512)));
    let mut p2 = partition("p2", 16_787_925, GIB);
    p2.role = Role::Swap;
    let p2 = stack.push(p2.on(image, shift(16_787_925 * 512)));
    let p3 = partition("p3", 18_886_656, 10 * GIB);
    let p3 = stack.push(p3.on(image, shift(18_886_656 * 512)));
    let ext4 = stack.push(filesystem("ext4 \"root\"", size).on(p1, shift(0)));
    stack.push(filesystem("xfs \"data\"", 10 * GIB).on(p3, shift(0)));
    stack.grids = vec![
        grid(
            image,
            4 * KIB,
            Tier::Rmw,
            "physical-block",
            ASSUMED,
            Confidence::Medium,
        ),
        grid(
            image,
            64 * KIB,
            Tier::Preference,
            "array-block",
            "assumed",
            Confidence::Low,
        ),
    ];
    let mut target = target("images/old/winxp.img", SourceKind::Image, stack);
    let mut first = off(
        &target,
        "partition-off-grid",
        Severity::Misaligned,
        (ext4, p1),
        0,
        "p1 starts at sector 63 × 512 B = 32256 B, and 32256 mod 4096 = 3584: 3584 B past a boundary of the 4 KiB physical blocks",
    );
    first.suggest = good_start(2048);
    first.fixable_in_place = Some(false);
    let first = first
        .step("$ ioalign fix images/old/winxp.img --output images/new/winxp-aligned.img --verify full --plan")
        .step("boot from the copy once before you delete the original");
    let mut swap = off(
        &target,
        "partition-off-grid",
        Severity::Suboptimal,
        (p2, p2),
        0,
        "p2 starts at sector 16787925 × 512 B = 8595417600 B, 512 B × 5 past a boundary of the 4 KiB physical blocks; it is swap and can be made anew",
    );
    swap.suggest = good_start(16_789_504);
    swap.fixable_in_place = Some(true);
    let note = off(
        &target,
        "partition-off-grid",
        Severity::Note,
        (p1, p1),
        1,
        "p1 starts 32256 B past a boundary of the assumed 64 KiB array blocks",
    );
    target.findings = vec![note, swap, first];
    target.verdict = Severity::Misaligned;
    target.elapsed_us = 4_812;
    target
}

/// GPT by today's habit on a disk behind a USB bridge that lies about its optimal size.
pub fn aligned() -> Target {
    let mut stack = Stack::new();
    let named = Detail::Disk(DiskDetail {
        model: Some("WDC WD10EZEX".to_owned()),
        ..DiskDetail::default()
    });
    let sda = stack.push(disk("sda", 1_000_204_886_016).detailed(named));
    let mut boot = partition("sda1", 34, 2014 * 512);
    boot.role = Role::BiosBoot;
    let boot = stack.push(boot.on(sda, shift(34 * 512)));
    let p2 = stack.push(partition("sda2", 2048, 900 * GIB).on(sda, shift(MIB)));
    stack.push(filesystem("ext4 \"root\"", 900 * GIB).on(p2, shift(0)));
    let bogus = grid(
        sda,
        33_553_920,
        Tier::Preference,
        "optimal-io",
        "sysfs optimal_io_size",
        Confidence::Low,
    )
    .distrusted(
        "33553920 = 0xFFFF × 512 B is the largest transfer of a USB bridge, not a boundary",
    );
    stack.grids = vec![
        grid(
            sda,
            512,
            Tier::Validity,
            "logical-sector",
            "sysfs logical_block_size",
            Confidence::High,
        ),
        grid(
            sda,
            4 * KIB,
            Tier::Rmw,
            "physical-block",
            "sysfs physical_block_size",
            Confidence::Medium,
        ),
        bogus,
    ];
    let mut target = target("/dev/sda", SourceKind::Host, stack);
    let mut hint = Finding::new(
        "bogus-hint",
        Severity::Note,
        "sda reports an optimal I/O size of 33553920 B = 65535 × 512 B, which is no multiple of its 4096 B physical block: not believed",
    )
    .at(sda);
    hint.grid = Some(2);
    let bios = Finding::new(
        "bios-boot",
        Severity::Note,
        "sda1 starts at sector 34 by design; it is read once at power-on",
    )
    .at(boot);
    target.findings = vec![hint, bios];
    target
}

/// Four disks, three of data: the default start of 1 MiB is off the 192 KiB stripe.
pub fn raid5() -> Target {
    let mut stack = Stack::new();
    let size = Bytes::new(2 * 1024 * GIB);
    let mut md = Layer::new(Kind::Md, "md0").sized(Bytes::new(6 * 1024 * GIB));
    md.level = Some(ArrayLevel::new("raid5"));
    let mut grids = Vec::new();
    for name in ["sda", "sdb", "sdc", "sdd"] {
        let member = stack.push(disk(name, size.get()));
        grids.push(grid(
            member,
            4 * KIB,
            Tier::Rmw,
            "physical-block",
            "sysfs physical_block_size",
            Confidence::Medium,
        ));
        let part = partition(&format!("{name}1"), 2048, size.get() - MIB);
        let part = stack.push(part.on(member, shift(MIB)));
        let (start, chunk) = (Bytes::new(MIB), Bytes::new(64 * KIB));
        md = md.on(
            part,
            Map::Striped {
                start,
                chunk,
                data: 3,
                column: None,
            },
        );
    }
    let md = stack.push(md);
    let lun = partition("md0p1", 2048, 6 * 1024 * GIB - MIB);
    let lun = stack.push(lun.on(md, shift(MIB)));
    let mut xfs = filesystem("xfs \"srv\"", 6 * 1024 * GIB - MIB);
    xfs.geometry = Some(RaidGeometry {
        unit: Bytes::new(64 * KIB),
        width: Bytes::new(192 * KIB),
    });
    let xfs = stack.push(xfs.on(lun, shift(0)));
    grids.push(grid(
        md,
        64 * KIB,
        Tier::Preference,
        "raid-chunk",
        "md superblock",
        Confidence::High,
    ));
    grids.push(grid(
        md,
        192 * KIB,
        Tier::Rmw,
        "stripe",
        "md superblock",
        Confidence::High,
    ));
    stack.grids = grids;
    let mut target = target("/dev/md0", SourceKind::Host, stack);
    let mut finding = off(
        &target,
        "stripe-off-grid",
        Severity::Misaligned,
        (xfs, lun),
        5,
        "md0p1 starts at 1048576 B, and 1048576 mod 196608 = 65536: every full-stripe write of xfs covers parts of two stripes",
    );
    finding.suggest = good_start(2304);
    finding.fixable_in_place = Some(false);
    target.findings = vec![
        finding
            .step("$ parted /dev/md0 unit s mkpart srv xfs 2304s 100%")
            .step("$ mkfs.xfs -d su=64k,sw=3 /dev/md0p1"),
    ];
    target.verdict = Severity::Misaligned;
    target
}

/// A dynamic VHD: a 512-byte bitmap before each 2 MiB block, so eight phases in turn.
pub fn vhd() -> Target {
    let mut stack = Stack::new();
    let mut runs = Runs::new();
    for k in 0..512 {
        runs.push(k * 2 * MIB, 2560 + k * (2 * MIB + 512), 2 * MIB);
    }
    let file = stack.push(
        Layer::new(Kind::Image, "guest.vhd")
            .sized(Bytes::new(GIB + MIB))
            .fact("format", "vhd")
            .fact("variant", "dynamic"),
    );
    let guest = stack.push(disk("guest disk", GIB).on(file, Map::Linear(runs)));
    let part = stack.push(partition("p1", 2048, GIB - MIB).on(guest, shift(MIB)));
    let ntfs = stack.push(filesystem("ntfs", GIB - MIB).on(part, shift(0)));
    stack.grids = vec![grid(
        file,
        4 * KIB,
        Tier::Rmw,
        "physical-block",
        ASSUMED,
        Confidence::Medium,
    )];
    let mut target = target("guest.vhd", SourceKind::Image, stack);
    let offsets: Vec<_> = (0..8).map(|k| (2560 + k * 512) % 4096).collect();
    for layer in [guest, part, ntfs] {
        spread(&mut target, layer, 0, &offsets);
    }
    let mut finding = off(
        &target,
        "container-off-grid",
        Severity::Misaligned,
        (ntfs, guest),
        0,
        "a dynamic VHD puts a 512 B bitmap before each 2 MiB block, so its data lie at all 8 offsets of 512 B on 4096 B, and 7 of 8 blocks are off",
    );
    finding.fixable_in_place = Some(false);
    target.findings = vec![finding.step("$ qemu-img convert -O vhdx guest.vhd guest.vhdx")];
    target.verdict = Severity::Misaligned;
    target
}

/// LVM that makes up for a partition at sector 63 by its data offset.
pub fn repaired() -> Target {
    let mut stack = Stack::new();
    let sda = stack.push(disk("sda", 500 * GIB));
    let p1 = stack.push(partition("sda1", 63, 400 * GIB).on(sda, shift(63 * 512)));
    let start = MIB + 512;
    let pv = Layer::new(Kind::LvmPv, "sda1")
        .sized(Bytes::new(399 * GIB))
        .fact("vg", "vg0");
    let pv = stack.push(pv.on(p1, shift(start)));
    let lv = stack.push(
        Layer::new(Kind::LvmLv, "vg0/root")
            .sized(Bytes::new(50 * GIB))
            .on(pv, shift(0)),
    );
    stack.push(filesystem("ext4", 50 * GIB).on(lv, shift(0)));
    stack.grids = vec![
        grid(
            sda,
            4 * KIB,
            Tier::Rmw,
            "physical-block",
            "sysfs physical_block_size",
            Confidence::Medium,
        ),
        grid(
            pv,
            4 * MIB,
            Tier::Preference,
            "extent",
            "LVM metadata",
            Confidence::High,
        ),
    ];
    let mut target = target("/dev/sda", SourceKind::Host, stack);
    target.findings = vec![
        Finding::new(
            "repaired-above",
            Severity::Note,
            "sda1 starts 3584 B past a 4 KiB boundary, but the physical extents start 1049088 B into it: 32256 + 1049088 = 1081344 = 264 × 4096",
        )
        .at(p1),
    ];
    target
}

/// A file that says VHDX and ends in the middle of its header.
pub fn unreadable() -> Target {
    Target {
        name: "broken.vhdx".to_owned(),
        source: SourceKind::Image,
        verdict: Severity::Unknown,
        error: Some(ErrorInfo {
            kind: "malformed".to_owned(),
            message: "the region table claims 4294967295 entries, at most 2047 fit".to_owned(),
            path: Some("images/broken.vhdx".to_owned()),
            offset: Some(0x30000),
            field: Some("entry_count".to_owned()),
        }),
        ..Target::default()
    }
}

/// A folder of images: a few bad ones among many good ones.
pub fn forty() -> Vec<Target> {
    let mut targets: Vec<_> = (0..36)
        .map(|k| {
            let mut one = aligned();
            one.name = format!(
                "/srv/libvirt/images/customers/c{k:03}/machine-{k:03}/root-disk-{k:03}.qcow2"
            );
            one.source = SourceKind::Image;
            one
        })
        .collect();
    targets.insert(17, sector63());
    targets.insert(3, unreadable());
    targets.insert(30, vhd());
    let mut nothing = Target {
        name: "notes.txt".to_owned(),
        verdict: Severity::Unknown,
        ..Target::default()
    };
    nothing.source = SourceKind::Image;
    nothing.findings = vec![Finding::new(
        "nothing-recognised",
        Severity::Unknown,
        "no partition table, volume or file system was recognised in 4096 B",
    )];
    targets.push(nothing);
    targets
}

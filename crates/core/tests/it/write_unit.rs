//! Which unit an SSD really wants, from what drives say and what their times show.

use ioalign_core::geometry_document::{FoundGrid, GeometryDocument, RMW_UNIT};
use ioalign_core::write_unit::{KnownUnit, MeasuredUnit, WriteUnit, WriteUnitClaims, write_units};
use ioalign_core::{Confidence, Kind, Layer, Stack};

const KIB: u64 = 1024;

fn nvme(logical: u64, minimum: u64, optimal: u64) -> WriteUnitClaims {
    WriteUnitClaims {
        nvme: true,
        logical: Some(logical),
        physical: Some(minimum),
        minimum: Some(minimum),
        optimal: Some(optimal).filter(|bytes| *bytes != 0),
        ..WriteUnitClaims::default()
    }
}

fn of(claims: WriteUnitClaims, measured: Option<&MeasuredUnit>) -> WriteUnit {
    let mut stack = Stack::new();
    let mut disk = Layer::new(Kind::Disk, "nvme0n1");
    disk.write_unit = Some(Box::new(claims));
    stack.push(disk);
    write_units(&stack, measured).remove(0)
}

fn measured(bytes: Option<u64>) -> MeasuredUnit {
    MeasuredUnit {
        device: "/dev/nvme0n1".to_owned(),
        bytes,
        limit: Some(0.3),
    }
}

fn verdict(unit: &WriteUnit) -> (Option<u64>, Confidence) {
    (unit.unit_bytes, unit.confidence)
}

fn settings(unit: &WriteUnit, program: &str) -> String {
    let found = unit.uses.iter().find(|one| one.r#for == program);
    found.map_or_else(String::new, |one| one.settings.join("\n"))
}

#[test]
fn a_granularity_that_is_stated_is_the_unit() {
    // The two coarse drives of ceph#71954, had they stated NPWG too.
    for unit in [16 * KIB, 64 * KIB] {
        let said = of(nvme(4096, unit, unit), None);
        assert_eq!(verdict(&said), (Some(unit), Confidence::High), "{said:#?}");
        assert!(
            settings(&said, "Ceph").contains(&format!("bluestore_min_alloc_size_ssd {unit}\n"))
        );
    }
    let said = of(nvme(512, 4096, 0), None);
    assert_eq!(verdict(&said), (Some(4096), Confidence::High));
    assert!(said.r#do.is_empty());
}

#[test]
fn a_large_optimal_size_is_no_unit() {
    // A TLC drive: NPWG of 4 KiB, NOWS of 64 KiB (ceph#71954).
    let said = of(nvme(512, 4096, 64 * KIB), None);
    assert_eq!(verdict(&said), (Some(4096), Confidence::High));
    let text = format!("{said:?}");
    assert!(
        text.contains("bluestore_use_optimal_io_size_for_min_alloc_size false"),
        "{text}"
    );
    assert!(!text.contains("min_alloc_size_ssd 65536"), "{text}");
    // One that states NOWS alone: nothing is known, and nothing of 64 KiB is advised.
    let said = of(nvme(4096, 4096, 64 * KIB), None);
    assert_eq!(verdict(&said), (None, Confidence::Low));
    assert!(said.uses.is_empty());
    assert!(
        said.r#do[0].contains("probe /dev/nvme0n1 --write"),
        "{:?}",
        said.r#do
    );
}

#[test]
fn a_model_that_reports_less_than_it_has() {
    let claims = WriteUnitClaims {
        known: Some(KnownUnit {
            bytes: 64 * KIB,
            confidence: Confidence::Medium,
            source: "table",
        }),
        ..nvme(512, 4096, 0)
    };
    let said = of(claims.clone(), None);
    assert_eq!(verdict(&said), (Some(64 * KIB), Confidence::Medium));
    // It states more than the table has: the drive knows better.
    let said = of(
        WriteUnitClaims {
            minimum: Some(128 * KIB),
            npwg: Some(64 * KIB),
            ..claims
        },
        None,
    );
    assert_eq!(verdict(&said), (Some(64 * KIB), Confidence::High));
}

#[test]
fn times_decide() {
    let agree = of(nvme(4096, 16 * KIB, 0), Some(&measured(Some(16 * KIB))));
    assert_eq!(verdict(&agree), (Some(16 * KIB), Confidence::High));
    // 256 KiB claimed by a drive with units of 4 KiB (zfs#13917).
    let inflated = nvme(512, 256 * KIB, 0);
    assert_eq!(
        verdict(&of(inflated.clone(), None)),
        (Some(256 * KIB), Confidence::Low)
    );
    let said = of(inflated, Some(&measured(Some(4096))));
    assert_eq!(verdict(&said), (Some(4096), Confidence::Medium));
    assert!(said.why.contains("do not bear out"), "{}", said.why);
    let silent = of(nvme(4096, 4096, 0), Some(&measured(Some(16 * KIB))));
    assert_eq!(verdict(&silent), (Some(16 * KIB), Confidence::High));
    // Times that show nothing decide nothing.
    let nothing = of(nvme(4096, 16 * KIB, 0), Some(&measured(None)));
    assert_eq!(verdict(&nothing), (Some(16 * KIB), Confidence::High));
    assert!(
        nothing.evidence[0].means.contains("hides it"),
        "{nothing:#?}"
    );
}

#[test]
fn a_measurement_is_of_the_disk_that_it_names() {
    let mut stack = Stack::new();
    for name in ["nvme0n1", "nvme1n1"] {
        let mut disk = Layer::new(Kind::Disk, name);
        disk.write_unit = Some(Box::new(nvme(4096, 4096, 0)));
        stack.push(disk);
    }
    let one = MeasuredUnit {
        device: "/dev/nvme1n1".to_owned(),
        ..measured(Some(16 * KIB))
    };
    let units: Vec<_> = write_units(&stack, Some(&one))
        .iter()
        .map(|unit| unit.unit_bytes)
        .collect();
    assert_eq!(units, [None, Some(16 * KIB)]);
}

#[test]
fn what_hides_the_medium_is_not_taken_for_it() {
    let virtual_disk = WriteUnitClaims {
        hides: Some("a virtual disk"),
        logical: Some(512),
        physical: Some(512),
        ..WriteUnitClaims::default()
    };
    assert_eq!(
        verdict(&of(virtual_disk.clone(), None)),
        (None, Confidence::Low)
    );
    let said = of(
        WriteUnitClaims {
            physical: Some(4096),
            ..virtual_disk
        },
        None,
    );
    assert_eq!(verdict(&said), (Some(4096), Confidence::Low));
    let rotating = WriteUnitClaims {
        rotates: true,
        logical: Some(512),
        physical: Some(4096),
        ..WriteUnitClaims::default()
    };
    assert_eq!(verdict(&of(rotating, None)), (Some(4096), Confidence::High));
    assert_eq!(
        verdict(&of(WriteUnitClaims::default(), None)),
        (None, Confidence::Low)
    );
}

#[test]
fn an_image_has_no_unit_and_says_so() {
    let mut stack = Stack::new();
    let image = stack.push(Layer::new(Kind::Image, "a.qcow2"));
    let map = ioalign_core::map::Map::Shift {
        start: ioalign_core::Bytes::ZERO,
    };
    stack.push(Layer::new(Kind::Disk, "virtual disk").on(image, map));
    let units = write_units(&stack, None);
    assert_eq!(units.len(), 2);
    for unit in units {
        assert_eq!(verdict(&unit), (None, Confidence::Low));
        assert!(
            unit.why.contains("ask where the drive is") && unit.r#do.is_empty(),
            "{unit:#?}"
        );
    }
}

#[test]
fn programs_get_what_they_take() {
    let coarse = of(nvme(4096, 16 * KIB, 128 * KIB), None);
    assert!(settings(&coarse, "ZFS").starts_with("zpool create -o ashift=14\n"));
    assert!(settings(&coarse, "XFS").starts_with("mkfs.xfs -b size=16384\n"));
    assert_eq!(settings(&coarse, "ext4"), "mkfs.ext4 -O bigalloc -C 16384");
    // ZFS takes no ashift above 14 by itself, for the space that it costs.
    let coarser = of(nvme(4096, 64 * KIB, 0), None);
    assert!(
        settings(&coarser, "ZFS").starts_with("zpool create -o ashift=12\nzfs set recordsize=64K")
    );
    // A unit that is no power of two: where partitions start is all that can be said.
    let odd = of(nvme(512, 24 * KIB, 0), None);
    let programs: Vec<_> = odd.uses.iter().map(|one| one.r#for).collect();
    assert_eq!(programs, ["partitions"]);
    assert!(settings(&odd, "partitions").contains("--grid 24576:indirection-unit:rmw"));
    // Starts follow NPWA where it is larger.
    let shifted = WriteUnitClaims {
        npwa: Some(2 << 20),
        ..nvme(4096, 16 * KIB, 0)
    };
    assert!(settings(&of(shifted, None), "partitions").contains("--grid 2097152:"));
}

#[test]
fn a_probe_counts_if_it_looked_at_writes() {
    let mut document = GeometryDocument {
        target: "/dev/sdb".to_owned(),
        ..GeometryDocument::default()
    };
    assert_eq!(MeasuredUnit::of(&document), None);
    document.write_detection_limit = Some(0.7);
    assert_eq!(MeasuredUnit::of(&document).unwrap().bytes, None);
    document.grids.push(FoundGrid {
        kind: RMW_UNIT.to_owned(),
        unit_bytes: 16384,
        ..FoundGrid::default()
    });
    assert_eq!(MeasuredUnit::of(&document).unwrap().bytes, Some(16384));
}

//! What programs that lay data out get, so that they write whole units.

use serde::Serialize;

use super::WriteUnitClaims;
use crate::units::Bytes;

/// The unit that the defaults of all these programs fit.
const USUAL: u64 = 4096;
/// Where every partitioning program of today starts.
const MIB: u64 = 1 << 20;
/// Above this ZFS takes no ashift by itself (`zfs_vdev_max_auto_ashift`, zfs#13798).
const MOST_AUTO_ASHIFT: u64 = 14;
/// The largest block of XFS (Documentation/admin-guide/xfs.rst), and page of InnoDB.
const MOST_BLOCK: u64 = 64 << 10;
/// The largest record of ZFS by default, and far above any unit.
const MOST_UNIT: u64 = 1 << 20;

/// What one program gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnitUse {
    /// The program.
    pub r#for: &'static str,
    /// What to type or set, in order.
    pub settings: Vec<String>,
    /// Why, and what it costs.
    pub why: String,
}

fn one(r#for: &'static str, settings: &[String], why: impl Into<String>) -> UnitUse {
    UnitUse {
        r#for,
        settings: settings.to_vec(),
        why: why.into(),
    }
}

pub(super) fn of(unit: u64, claims: &WriteUnitClaims) -> Vec<UnitUse> {
    let mut uses = vec![starts(unit, claims.npwa)];
    if unit <= USUAL {
        uses.push(one(
            "blocks",
            &[],
            "The defaults fit: blocks of 4 KiB, ashift=12, bluestore_min_alloc_size 4096.",
        ));
        uses.extend(trap(unit, claims));
        return uses;
    }
    if !unit.is_power_of_two() || unit > MOST_UNIT {
        return uses;
    }
    uses.push(ceph(unit, claims));
    uses.push(zfs(unit));
    uses.push(xfs(unit));
    uses.push(one(
        "ext4",
        &[format!("mkfs.ext4 -O bigalloc -C {unit}")],
        "Clusters share no unit; a small file takes a cluster.",
    ));
    uses.push(databases(unit));
    uses
}

fn starts(unit: u64, alignment: Option<u64>) -> UnitUse {
    let unit = unit.max(alignment.unwrap_or(0));
    let size = Bytes::new(unit);
    if MIB.is_multiple_of(unit) {
        return one(
            "partitions",
            &[],
            format!("Start at multiples of {size}; 1 MiB, the usual start, is one."),
        );
    }
    let grid = format!("ioalign plan --grid {unit}:indirection-unit:rmw");
    one(
        "partitions",
        &[grid],
        format!("Start at multiples of {size}; 1 MiB is none."),
    )
}

/// What Ceph makes of the optimal I/O size, if that is not the unit.
fn trap(unit: u64, claims: &WriteUnitClaims) -> Option<UnitUse> {
    let optimal = claims.optimal.or(claims.nows)?;
    (optimal > unit).then(|| {
        one(
            "Ceph",
            &["bluestore_use_optimal_io_size_for_min_alloc_size false".to_owned()],
            format!("true makes it {} (ceph#71954)", Bytes::new(optimal)),
        )
    })
}

fn ceph(unit: u64, claims: &WriteUnitClaims) -> UnitUse {
    let mut settings = vec![
        format!("ceph config set osd/host:HOST bluestore_min_alloc_size_ssd {unit}"),
        "then create the OSDs on these drives alone (OSD spec: data_devices: model: …), and look: ceph osd metadata ID | grep min_alloc"
            .to_owned(),
        "ceph config rm osd/host:HOST bluestore_min_alloc_size_ssd".to_owned(),
    ];
    settings.extend(
        trap(unit, claims).map(|trap| format!("leave {}: {}", trap.settings.join(" "), trap.why)),
    );
    one(
        "Ceph",
        &settings,
        "It is fixed when an OSD is made, and counts for every OSD that is made on HOST until it is removed (ceph#71954).",
    )
}

fn zfs(unit: u64) -> UnitUse {
    let shift = u64::from(unit.trailing_zeros());
    let records = format!("zfs set recordsize={}K (volumes: volblocksize)", unit >> 10);
    if shift <= MOST_AUTO_ASHIFT {
        let ashift = format!("zpool create -o ashift={shift}");
        return one(
            "ZFS",
            &[ashift, records],
            "ashift is fixed when a vdev is made; blocks smaller than it, compressed ones too, take all of it.",
        );
    }
    one(
        "ZFS",
        &["zpool create -o ashift=12".to_owned(), records],
        "ZFS joins small blocks to long writes, and an ashift above 14 costs more space than it saves (zfs#13798).",
    )
}

fn xfs(unit: u64) -> UnitUse {
    let hint = format!("xfs_io -c 'extsize {}k' FOLDER", unit >> 10);
    if unit > MOST_BLOCK {
        return one(
            "XFS",
            &[hint],
            "Files are laid out in such pieces; a block is 64 KiB at most.",
        );
    }
    one(
        "XFS",
        &[
            format!("mkfs.xfs -b size={unit}"),
            format!("before Linux 6.12: {hint}"),
        ],
        "Blocks above 4 KiB mount since Linux 6.12; before it, files are laid out in such pieces, and what is \
         overwritten in part is still a part.",
    )
}

fn databases(unit: u64) -> UnitUse {
    let size = Bytes::new(unit);
    if unit <= MOST_BLOCK {
        return one(
            "databases",
            &[format!("innodb_page_size={unit}")],
            format!(
                "Smaller pages, such as the 8 KiB of PostgreSQL, are a part of {size}: each random write costs up to a unit."
            ),
        );
    }
    one(
        "databases",
        &[],
        format!("No page is as large as {size}: each random write costs up to a unit."),
    )
}

//! What the drivers make of a class: the sector, the unit and the limits of the volumes. A driver whose rule is not
//! published, or whose unit depends on the nodes, is `unknown`, with the reason.

use super::mkfs::size;
use super::parameters::ClassParameters;

/// The volumes of a class, as far as its parameters decide.
#[derive(Debug, Default)]
pub(super) struct ClassVolume {
    /// Logical sector.
    pub(super) logical: Option<u64>,
    /// What a write is rounded to.
    pub(super) physical: Option<u64>,
    /// What allocations should start at: the unit that the device will report as its optimal I/O.
    pub(super) unit: Option<u64>,
    /// The engine, where it matters to the disks of a node.
    pub(super) engine: Option<&'static str>,
    /// What is not known before a node is looked at.
    pub(super) unknown: Option<String>,
    /// What the driver, or what it calls, refuses.
    pub(super) refused: Vec<String>,
    /// What works and costs.
    pub(super) off_grid: Vec<String>,
}

/// The fact `engine` of a class that asks for it.
pub(super) const LONGHORN_V2: &str = "longhorn v2";

/// A driver: the name that a class gives, or its end, and what it makes of the parameters.
type DriverRule = (&'static str, fn(&ClassParameters) -> ClassVolume);

/// Names are compared from their end: Rook and OpenShift put a namespace before those of Ceph.
const DRIVERS: [DriverRule; 13] = [
    ("driver.longhorn.io", longhorn),
    ("lvm.driver.harvesterhci.io", harvester),
    ("csi.simplyblock.io", simplyblock),
    ("linstor.csi.linbit.com", linstor),
    ("zfs.csi.openebs.io", openebs_zfs),
    ("local.csi.openebs.io", local_lvm),
    ("topolvm.io", local_lvm),
    ("io.openebs.csi-mayastor", mayastor),
    ("rbd.csi.ceph.com", ceph_rbd),
    ("ebs.csi.aws.com", aws_ebs),
    ("disk.csi.azure.com", azure_disk),
    ("pd.csi.storage.gke.io", google_disk),
    ("pxd.portworx.com", portworx),
];

/// The volumes of a class.
pub(super) fn volume(driver: &str, parameters: &ClassParameters) -> ClassVolume {
    let known = DRIVERS.iter().find(|(name, _)| driver.ends_with(name));
    known.map_or_else(
        || unknown(format!("the rule of the driver {driver} is not known here")),
        |(_, rule)| rule(parameters),
    )
}

fn unknown(why: impl Into<String>) -> ClassVolume {
    ClassVolume {
        unknown: Some(why.into()),
        ..ClassVolume::default()
    }
}

/// Longhorn 1.12, "Storage Class Parameters"; the v2 engine opens each disk of a node with blocks of 512 bytes since 1.8
/// (longhorn#10053), which a disk with 4096-byte sectors refuses (longhorn#14094). The v1 engine keeps blocks of 4096
/// bytes in its replicas (longhorn#4599).
fn longhorn(parameters: &ClassParameters) -> ClassVolume {
    if parameters.get("dataEngine") == Some("v2") {
        return ClassVolume {
            logical: Some(512),
            physical: Some(512),
            engine: Some(LONGHORN_V2),
            unknown: Some(
                "the v2 engine of Longhorn opens the disks of the nodes with 512-byte blocks: a disk with \
                 4096-byte sectors is refused, and which the nodes have is not in the class (longhorn#14094)"
                    .to_owned(),
            ),
            ..ClassVolume::default()
        };
    }
    ClassVolume {
        logical: Some(512),
        physical: Some(4096),
        ..ClassVolume::default()
    }
}

/// harvester-csi-driver-lvm: `type` is `striped` or `dm-thin`, `chunkSize` that of the thin pool (harvester/docs#1083). What
/// lvcreate takes: a multiple of 64 KiB up to 1 GiB (lvmthin(7)).
fn harvester(parameters: &ClassParameters) -> ClassVolume {
    let mut found = unknown(
        "the volume group lies on disks or arrays of the nodes: whether the chunk of the thin pool is a whole number of \
         their full stripes is seen in a capture of a node",
    );
    let Some(text) = parameters
        .get("chunkSize")
        .filter(|_| parameters.get("type") == Some("dm-thin"))
    else {
        return found;
    };
    match size(text) {
        Some(chunk) if chunk > 0 && chunk.is_multiple_of(64 << 10) && chunk <= 1 << 30 => {
            found.unit = Some(chunk)
        }
        _ => found.refused.push(format!(
            "lvcreate refuses a chunk of {text}: it is a multiple of 64 KiB up to 1 GiB"
        )),
    }
    found
}

/// simplyblock-csi#437: without `su` and `sw` XFS is made with `-d su=16k,sw=1`.
fn simplyblock(_: &ClassParameters) -> ClassVolume {
    unknown(
        "the chunk of the cluster is set when it is made, not in the class: compare it with the stripe unit of XFS (16 KiB by default)",
    )
}

/// LINSTOR makes a volume in a storage pool: its unit is that of the pool (LINSTOR User's Guide, storage providers).
fn linstor(_: &ClassParameters) -> ClassVolume {
    unknown(
        "the unit is that of the storage pool (chunk of the thin pool, volblocksize), which is not in the class",
    )
}

/// openebs/zfs-localpv docs/storageclasses.md: `volblocksize` and `recordsize` are powers of two from 512 bytes to 128 KiB;
/// without it a volume has 16 KiB since OpenZFS 2.2 and 8 KiB before (zfsprops(7)).
fn openebs_zfs(parameters: &ClassParameters) -> ClassVolume {
    let is_dataset = parameters.filesystem() == "zfs";
    let name = if is_dataset {
        "recordsize"
    } else {
        "volblocksize"
    };
    let Some(text) = parameters.get(name) else {
        return unknown(format!(
            "{name} is not in the class: it is inherited from the pool"
        ));
    };
    let block =
        size(text).filter(|block| block.is_power_of_two() && (512..=128 << 10).contains(block));
    let Some(block) = block else {
        return ClassVolume {
            refused: vec![format!(
                "{name} {text} is no power of two from 512 bytes to 128 KiB"
            )],
            ..ClassVolume::default()
        };
    };
    ClassVolume {
        logical: Some(512),
        physical: Some(block),
        ..ClassVolume::default()
    }
}

/// OpenEBS LocalPV-LVM and TopoLVM: linear volumes of a group of the node.
fn local_lvm(_: &ClassParameters) -> ClassVolume {
    unknown(
        "the volume group lies on disks or arrays of the nodes: a capture of a node says where its extents start",
    )
}

/// openebs/mayastor#1309: a pool has the block of its disks, 512 or 4096 bytes.
fn mayastor(_: &ClassParameters) -> ClassVolume {
    unknown(
        "the block is that of the disk pools of the nodes, 512 or 4096 bytes, which is not in the class",
    )
}

/// ceph-csi examples/rbd/storageclass.yaml: `objectSize`, `stripeUnit`, `stripeCount`; rbd(8): the object is a power of two
/// from 4 KiB to 32 MiB, and a whole number of stripe units. The kernel reports 64 KiB (`alloc_size`) as minimum and optimal I/O
/// (drivers/block/rbd.c).
fn ceph_rbd(parameters: &ClassParameters) -> ClassVolume {
    let number = |name: &str| parameters.get(name).map(|text| size(text).unwrap_or(0));
    let object = number("objectSize").unwrap_or(4 << 20);
    let mut found = ClassVolume {
        logical: Some(512),
        physical: Some(512),
        unit: Some(64 << 10),
        ..ClassVolume::default()
    };
    if !object.is_power_of_two() || !(4 << 10..=32 << 20).contains(&object) {
        found.refused.push(format!(
            "objectSize {object} B is no power of two from 4 KiB to 32 MiB"
        ));
    }
    match (number("stripeUnit"), number("stripeCount")) {
        (None, None) => {}
        (Some(unit), Some(count)) if unit > 0 && count > 0 => {
            if !object.is_multiple_of(unit) {
                found.refused.push(format!(
                    "the object of {object} B is no whole number of stripe units of {unit} B"
                ));
            }
            if !unit.is_multiple_of(4096) {
                found.off_grid.push(format!("the stripe unit of {unit} B is no multiple of 4096 B: blocks lie across objects"));
            }
            found.unit = Some(unit);
        }
        _ => found
            .refused
            .push("stripeUnit and stripeCount come together".to_owned()),
    }
    found
}

/// aws-ebs-csi-driver docs/parameters.md. An EBS volume shows 512-byte sectors; its unit of accounting is no boundary.
fn aws_ebs(_: &ClassParameters) -> ClassVolume {
    ClassVolume {
        logical: Some(512),
        physical: Some(512),
        ..ClassVolume::default()
    }
}

/// azuredisk-csi-driver docs/driver-parameters.md: `LogicalSectorSize` 512 or 4096, 4096 where it is not given, for Ultra and
/// Premium SSD v2; other disks have 512.
fn azure_disk(parameters: &ClassParameters) -> ClassVolume {
    let sku = parameters
        .get("skuName")
        .or_else(|| parameters.get("storageAccountType"));
    let has_choice = sku.is_some_and(|sku| {
        ["ultrassd_lrs", "premiumv2_lrs"].contains(&sku.to_ascii_lowercase().as_str())
    });
    let asked = parameters
        .get("logicalSectorSize")
        .map(|text| size(text).unwrap_or(0));
    let sector = match (has_choice, asked) {
        (true, None) => 4096,
        (true, Some(sector @ (512 | 4096))) => sector,
        (false, None | Some(512)) => 512,
        (_, Some(other)) => {
            return ClassVolume {
                refused: vec![format!(
                    "logicalSectorSize {other} is 512 or 4096, and 4096 only of Ultra and Premium SSD v2"
                )],
                ..ClassVolume::default()
            };
        }
    };
    ClassVolume {
        logical: Some(sector),
        physical: Some(4096),
        ..ClassVolume::default()
    }
}

/// Compute Engine API, disks: `physicalBlockSizeBytes` is 4096; the sectors have 512 bytes.
fn google_disk(_: &ClassParameters) -> ClassVolume {
    ClassVolume {
        logical: Some(512),
        physical: Some(4096),
        ..ClassVolume::default()
    }
}

/// The documentation names `block_size` and no unit that it has to fit.
fn portworx(_: &ClassParameters) -> ClassVolume {
    unknown("what Portworx rounds writes to is not documented for its classes")
}

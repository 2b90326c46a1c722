//! Superblocks of volume managers: md, LVM, LUKS, bcache and their like, one file a format.
//!
//! A probe sees one device and says what it is a member of. Putting members together into
//! arrays, groups and volumes is the work of the assembly, which sees all devices.

mod bcache;
mod bitlocker;
mod bluestore;
mod ddf;
mod dm;
pub(crate) mod drbd;
mod imsm;
mod luks;
pub(crate) mod lvm;
pub mod md;
mod owner;
mod stratis;
mod vdo;

use std::collections::BTreeMap;
use std::fmt::Display;

use ioalign_core::{Bytes, Remark};

use crate::error::Result;
use crate::view::View;

/// LVM's checksum, for those who change its metadata.
pub(crate) use lvm::crc as lvm_crc;
pub use lvm::group_of_text;

/// A device that belongs to a volume. Offsets are relative to the view.
#[derive(Clone, Debug)]
pub struct VolumeMember {
    /// `md`, `lvm2`, `luks1`, `luks2`, `bcache`, `bitlocker`, `vdo`, `drbd`, `imsm`, `ddf`, …
    pub kind: &'static str,
    /// Identity of the set: array UUID, VG id, LUKS UUID. Members with the same one belong together.
    pub set: String,
    /// Name of the set, where stored.
    pub name: String,
    /// The start of the data area.
    pub data_start: Bytes,
    /// The UUID of a physical volume whose place a text leaves open.
    pub pv_uuid: Option<String>,
    /// Length of the data area on this device.
    pub data_size: Option<Bytes>,
    /// What is special to the format.
    pub detail: Detail,
    /// Further facts for the display.
    pub facts: BTreeMap<&'static str, String>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
}

impl VolumeMember {
    /// A member whose data area is all of the view, until the format says otherwise.
    pub(crate) fn new(kind: &'static str, detail: Detail) -> Self {
        Self {
            kind,
            set: String::new(),
            name: String::new(),
            data_start: Bytes::ZERO,
            pv_uuid: None,
            data_size: None,
            detail,
            facts: BTreeMap::new(),
            remarks: Vec::new(),
        }
    }

    /// A member that is recognised and not followed, for `reason`.
    pub(crate) fn opaque(kind: &'static str, reason: &str) -> Self {
        Self::new(kind, Detail::Opaque(reason.to_owned()))
    }

    /// Adds a fact for the display.
    pub(crate) fn fact(&mut self, name: &'static str, value: &dyn Display) {
        self.facts.insert(name, value.to_string());
    }
}

/// Linux counts most on-disk volume offsets in these, for any sector size of the device.
const UNIT: Bytes = Bytes::new(512);

/// What a member says beyond its data area.
#[derive(Clone, Debug)]
pub enum Detail {
    /// A member of an md array.
    Md(Md),
    /// An LVM physical volume.
    Lvm(PhysicalVolume),
    /// An encrypted device: sector size of the encryption.
    Crypt {
        /// LUKS2 sector size, 512 for LUKS1.
        sector: Bytes,
    },
    /// A plain shift to the data (bcache backing device, DRBD with external data).
    Shifted,
    /// Recognised; its data cannot be followed further, for this reason.
    Opaque(String),
}

/// An md superblock.
#[derive(Clone, Debug)]
pub struct Md {
    /// `0.90`, `1.0`, `1.1`, `1.2`.
    pub version: &'static str,
    /// 0, 1, 4, 5, 6, 10, -1 linear, -4 multipath.
    pub level: i32,
    /// Layout word (RAID 5 algorithm, RAID 10 near/far/offset).
    pub layout: u32,
    /// Bytes a chunk; zero for RAID 1.
    pub chunk: Bytes,
    /// Active devices in the array.
    pub raid_disks: u32,
    /// The slot of this device; `None` for a spare.
    pub slot: Option<u32>,
    /// Size of the array, where it can be computed.
    pub array_size: Option<Bytes>,
    /// Where the data area will start after a reshape in progress.
    pub new_data_start: Option<Bytes>,
    /// Event counter: the member with the highest one is right when they differ.
    pub events: u64,
}

/// An LVM2 physical volume label with the group's metadata, when this PV holds a copy.
#[derive(Clone, Debug)]
pub struct PhysicalVolume {
    /// This PV's id.
    pub pv: String,
    /// The newest readable metadata.
    pub group: Option<VolumeGroup>,
}

/// A volume group as its text metadata describes it.
#[derive(Clone, Debug, Default)]
pub struct VolumeGroup {
    /// Name.
    pub name: String,
    /// Id.
    pub id: String,
    /// Sequence number: higher is newer.
    pub seqno: u64,
    /// Bytes an extent.
    pub extent: Bytes,
    /// Physical volumes in metadata order.
    pub pvs: Vec<GroupPv>,
    /// Logical volumes in metadata order, hidden ones too.
    pub lvs: Vec<GroupLv>,
}

/// A physical volume as named in a group.
#[derive(Clone, Debug, Default)]
pub struct GroupPv {
    /// `pv0`, the name that segments use.
    pub name: String,
    /// PV id.
    pub id: String,
    /// Device path hint.
    pub device: String,
    /// The start of extent 0.
    pub pe_start: Bytes,
    /// How many extents.
    pub pe_count: u64,
}

/// A logical volume.
#[derive(Clone, Debug, Default)]
pub struct GroupLv {
    /// Name.
    pub name: String,
    /// Whether it is shown to users (`VISIBLE`).
    pub visible: bool,
    /// In order of their place in the LV.
    pub segments: Vec<LvSegment>,
}

/// One segment of a logical volume.
#[derive(Clone, Debug)]
pub struct LvSegment {
    /// First extent within the LV.
    pub start_extent: u64,
    /// How many extents.
    pub extents: u64,
    /// What kind of mapping.
    pub kind: SegmentKind,
}

/// How a segment maps.
#[derive(Clone, Debug)]
pub enum SegmentKind {
    /// `striped` with one or more stripes: (PV or LV name, first extent there).
    Striped {
        /// Bytes a stripe element; zero with a single stripe.
        stripe: Bytes,
        /// Target name and first extent.
        targets: Vec<(String, u64)>,
    },
    /// `mirror`: every leg holds all.
    Mirror {
        /// Leg LV names and first extent.
        legs: Vec<(String, u64)>,
    },
    /// `raid0`, `raid1`, `raid4`, `raid5_ls`, `raid6_zr`, `raid10`, …: sub-LVs rmeta and rimage.
    Raid {
        /// The type as written.
        level: String,
        /// Bytes a stripe element; zero for raid1.
        stripe: Bytes,
        /// Image sub-LV names in order.
        images: Vec<String>,
        /// Metadata sub-LV names in order.
        metas: Vec<String>,
        /// Region size, where written.
        region: Option<Bytes>,
    },
    /// `thin-pool`.
    ThinPool {
        /// Data sub-LV.
        data: String,
        /// Metadata sub-LV.
        metadata: String,
        /// Bytes a chunk.
        chunk: Bytes,
    },
    /// `thin`: a volume in a pool.
    Thin {
        /// The pool LV.
        pool: String,
    },
    /// `cache`: origin behind a cache pool.
    Cache {
        /// The slow LV below.
        origin: String,
        /// The cache pool LV or cachevol.
        pool: String,
        /// Bytes a cache chunk, where written.
        chunk: Option<Bytes>,
    },
    /// `snapshot`, `vdo`, `writecache`, `integrity`, …: recognised, not followed.
    Other {
        /// The type as written.
        kind: String,
        /// Names of LVs it refers to.
        refers: Vec<String>,
    },
}

/// Tries one format.
pub type Probe = fn(&View) -> Result<Option<VolumeMember>>;

/// All formats, in the order in which they are tried; the first that answers wins.
///
/// Formats with their metadata at the *end* go first: what a RAID 1 member of md 1.0 shows at
/// byte 0 is the first sector of the array, a LUKS header or an LVM label that belongs one layer up.
pub const FORMATS: &[(&str, Probe)] = &[
    ("md", md::probe),
    ("imsm", imsm::probe),
    ("ddf", ddf::probe),
    ("drbd", drbd::probe),
    ("bcache", bcache::probe),
    ("luks", luks::probe),
    ("bitlocker", bitlocker::probe),
    ("lvm2", lvm::probe),
    ("stratis", stratis::probe),
    ("vdo", vdo::probe),
    ("bluestore", bluestore::probe),
    ("integrity", dm::integrity),
    ("snapshot-cow", dm::snapshot),
];

/// The volume that `view` is a member of, if any format recognises it.
pub fn probe(view: &View) -> Result<Option<VolumeMember>> {
    for (_, format) in FORMATS {
        if let Some(found) = view.trying(*format)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

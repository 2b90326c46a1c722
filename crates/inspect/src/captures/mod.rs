//! What other programs printed about a machine: pasted texts, command outputs in support bundles.
//!
//! Every reader takes a cleaned text and adds what it says to [`TextEvidence`]: claims about devices,
//! by name, with the unit of every number settled on the spot. Several texts of one host add to one
//! evidence, and [`crate::assemble::evidence`] makes a stack of it. One small file a format, each
//! ending in a [`TextFormat`], and the list of them here.
//!
//! A text says less than a disk: what it cannot tell stays `None` and ends as `unknown`, and a
//! rounded number keeps its interval ([`Number`]).

pub mod filesystems;
pub mod hints;
pub mod kubernetes;
mod latest;
pub mod listings;
pub mod load;
pub mod number;
pub mod reading;
pub mod text;
mod unnamed;
pub mod volumes;

use ioalign_core::layer::Kind;
use ioalign_core::{
    ArrayLevel, Bytes, ImageFormat, Remark, Role, SectorSize, Severity, TableKind, rules,
};

use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::host::DevNo;
use crate::host::hints::Claims;
use crate::volumes::{VolumeGroup, VolumeMember};

pub use number::Number;
pub use text::Text;

/// Limit on claims: a Said has about a kilobyte, and no host has as many devices.
const MOST_DEVICES: usize = 20_000;

/// All that the texts of one host say.
#[derive(Default)]
pub struct TextEvidence {
    /// Claims about devices; a device may be spoken of by many texts.
    pub devices: Vec<Said>,
    /// Volume groups, from LVM backup files and reports.
    pub groups: Vec<VolumeGroup>,
    /// `dmsetup table` lines, as they stand: `name: start length target …`.
    pub dm_table: String,
    /// What a text says that belongs to no device.
    pub remarks: Vec<Remark>,
    /// Which formats were read, for the report: `fdisk -l`, `lsblk -J`.
    pub read: Vec<&'static str>,
}

impl TextEvidence {
    /// The claims of one text about the device `name`, to be filled in. Names are without `/dev/`.
    pub fn device(&mut self, name: &str) -> &mut Said {
        let name = name.trim().trim_start_matches("/dev/").to_owned();
        if self.devices.len() >= MOST_DEVICES {
            self.drop_last();
        }
        self.devices.push(Said {
            name,
            ..Said::default()
        });
        let last = self.devices.len() - 1;
        &mut self.devices[last]
    }
}

impl TextEvidence {
    /// Makes room where hostile texts name devices without end, and says so once.
    fn drop_last(&mut self) {
        self.devices.pop();
        if self
            .remarks
            .iter()
            .all(|remark| remark.rule != rules::TOO_MANY_DEVICES)
        {
            let why = format!("More than {MOST_DEVICES} lines about devices: the rest is not read");
            self.remarks
                .push(Remark::new(rules::TOO_MANY_DEVICES, Severity::Unknown, why));
        }
    }
}

/// What one text says about one device. Everything is optional: texts differ.
#[derive(Default)]
pub struct Said {
    /// Kernel or platform name without `/dev/`: `sda1`, `md0`, `mapper/vg-lv`, `c0t0d0s0`.
    pub name: String,
    /// Its kind, if the text has it.
    pub kind: Option<Kind>,
    /// The device that it lies on: the disk of a partition, the PVs of nothing else.
    pub parents: Vec<String>,
    /// Its start on its parent, in bytes.
    pub start: Option<Number>,
    /// Its length in bytes.
    pub size: Option<Number>,
    /// The sector that the text's native numbers count in.
    pub sector: Option<SectorSize>,
    /// Partition number.
    pub number: Option<u32>,
    /// Partition type as printed: `83`, `fb`, a GUID, `Linux LVM`.
    pub type_id: Option<String>,
    /// Its purpose, if its type shows it.
    pub role: Option<Role>,
    /// The partition table on it: `gpt`, `dos`, `vtoc-sparc`.
    pub table: Option<TableKind>,
    /// Queue limits, model, transport: what [`crate::host::hints`] judges.
    pub claims: Option<Claims>,
    /// The kernel's number of it: `lsblk` MAJ:MIN, `/proc/partitions`, `dmsetup ls`.
    pub devno: Option<DevNo>,
    /// The kernel's `alignment_offset`; −1: "misaligned stack".
    pub alignment_offset: Option<i64>,
    /// A file system on it.
    pub filesystem: Option<FileSystem>,
    /// A superblock on it: md member, PV, LUKS.
    pub member: Option<VolumeMember>,
    /// Where the data of [`Said::member`] start, when the text rounds it: then the member itself is
    /// opaque, and a verdict needs the whole interval to agree.
    pub data_start: Option<Number>,
    /// An array, by its own description (`mdadm -D`, `/proc/mdstat`).
    pub array: Option<TextArray>,
    /// Whether the program looked for a partition table on it and found none.
    pub blank: bool,
    /// Its mount point.
    pub mounted: Option<String>,
    /// The smallest unit that is written on it, where it is a volume (`volblocksize`, cluster).
    pub block: Option<Bytes>,
    /// The level of the array that it is, as the text names it.
    pub level: Option<ArrayLevel>,
    /// The format of the image whose disk it is.
    pub image: Option<ImageFormat>,
    /// The model of the disk.
    pub model: Option<String>,
    /// The UUID of a mapped device.
    pub dm_uuid: Option<String>,
    /// Whether it is a disk with several paths to it.
    pub is_multipath: bool,
    /// Named facts for the display.
    pub facts: Vec<(&'static str, String)>,
    /// What the text itself complains about.
    pub remarks: Vec<Remark>,
}

/// An array as `mdadm -D` or `/proc/mdstat` describes it, or a controller's tool its logical drive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextArray {
    /// md's number: 0, 1, 4, 5, 6, 10, −1.
    pub level: i32,
    /// Layout word, where the name of the layout is known.
    pub layout: Option<u32>,
    /// Bytes a chunk.
    pub chunk: Option<Bytes>,
    /// Active devices.
    pub raid_disks: u32,
    /// Members by slot, if printed: device name and slot.
    pub members: Vec<(String, Option<u32>)>,
    /// `1.2`, `0.90`.
    pub metadata: Option<String>,
    /// The tool of a hardware controller whose logical drive it is: to the system it is a disk.
    pub controller: Option<&'static str>,
    /// Bytes a full stripe, where a controller's tool gives it.
    pub full_stripe: Option<Bytes>,
}

/// A format of text.
pub struct TextFormat {
    /// As the operator names it with `--as`, and as reports name it: `fdisk`, `lsblk-json`.
    pub name: &'static str,
    /// The command whose output it is, for messages: `fdisk -l`.
    pub command: &'static str,
    /// Whether the text holds such output somewhere; cheap, no false alarms on prose.
    pub sniff: fn(&Text) -> bool,
    /// Adds what all such outputs in the text say. Skips what it does not understand.
    pub read: fn(&Text, &mut TextEvidence) -> Result<()>,
}

/// Whether a reader knows something in the text.
pub fn is_known(text: &Text) -> bool {
    FORMATS.iter().any(|format| (format.sniff)(text))
}

/// All formats. A pasted ticket may hold several: every one that is sniffed reads.
pub const FORMATS: &[TextFormat] = &[
    volumes::lvm::BACKUP,
    volumes::lvm::PVS,
    volumes::lvm::VGS,
    volumes::lvm::LVS,
    volumes::lvm::DISPLAY,
    volumes::mdadm_examine::FORMAT,
    volumes::mdadm_detail::FORMAT,
    volumes::mdadm_export::FORMAT,
    volumes::mdstat::FORMAT,
    volumes::dmsetup::TABLE,
    volumes::dmsetup::INFO,
    volumes::luks_dump::FORMAT,
    volumes::cryptsetup_status::FORMAT,
    filesystems::xfs_info::FORMAT,
    filesystems::ext::FORMAT,
    filesystems::btrfs::FORMAT,
    filesystems::ntfsinfo::FORMAT,
    filesystems::fat::FSCK,
    filesystems::fat::MINFO,
    filesystems::zpool_status::FORMAT,
    filesystems::zfs_get::FORMAT,
    filesystems::zdb::FORMAT,
    hints::id_ns::FORMAT,
    hints::nvme_list::FORMAT,
    hints::smartctl::TEXT,
    hints::smartctl::JSON,
    hints::hdparm::FORMAT,
    hints::scsi::FORMAT,
    hints::multipath::FORMAT,
    hints::storcli::FORMAT,
    hints::storcli_text::FORMAT,
    hints::megacli::FORMAT,
    hints::ssacli::FORMAT,
    hints::kernel_log::FORMAT,
    hints::biosnoop::FORMAT,
    // A file, not an output: no listing that is pasted.
    kubernetes::FORMAT,
    listings::lsblk_json::FORMAT,
    listings::lsblk_pairs::FORMAT,
    listings::lsblk_table::FORMAT,
    listings::fdisk::FORMAT,
    listings::fdisk::rows::FORMAT,
    listings::sfdisk_dump::FORMAT,
    listings::sfdisk_json::FORMAT,
    listings::parted::FORMAT,
    listings::parted::rows::FORMAT,
    listings::parted_machine::FORMAT,
    listings::align_check::FORMAT,
    listings::fdasd::FORMAT,
    listings::rufus::FORMAT,
    listings::gdisk::FORMAT,
    listings::blockdev::FORMAT,
    listings::blockdev_get::FORMAT,
    listings::sysfs::FORMAT,
    listings::proc_partitions::FORMAT,
    listings::udevadm::FORMAT,
    listings::probert::FORMAT,
    listings::blkid::FORMAT,
    listings::parted_util::FORMAT,
    listings::esxcli::FORMAT,
    listings::prtvtoc::FORMAT,
    listings::format_print::FORMAT,
    listings::gpart::FORMAT,
    listings::gpart_list::FORMAT,
    listings::gpt_show::FORMAT,
    listings::diskutil::FORMAT,
    listings::diskutil_list::FORMAT,
    listings::wmic::FORMAT,
    listings::get_partition::FORMAT,
    listings::diskpart::FORMAT,
    listings::fsutil::FORMAT,
    listings::msinfo::FORMAT,
    listings::ansible::FORMAT,
    listings::libvirt::FORMAT,
    listings::qemu_info::FORMAT,
    listings::qemu_map::FORMAT,
];

/// Reads a text of any known format, or of the one named. Whether anything was recognised is seen in
/// [`TextEvidence::read`].
pub fn read(text: &Text, named: Option<&str>, evidence: &mut TextEvidence) -> Result<()> {
    for format in FORMATS {
        let wanted = named.map_or_else(|| (format.sniff)(text), |name| name == format.name);
        if wanted {
            let first = evidence.devices.len();
            (format.read)(text, evidence)?;
            unnamed::name(evidence, first, format.command);
            latest::keep(&mut evidence.devices, first);
            let new = evidence.devices.iter_mut().skip(first);
            for claims in new.filter_map(|said| said.claims.as_mut()) {
                claims.printed_by = Some(format.command);
            }
            evidence.read.push(format.command);
        }
    }
    Ok(())
}

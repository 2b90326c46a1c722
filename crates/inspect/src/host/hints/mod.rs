//! What a disk claims about itself, and how far each claim is believed.
//!
//! Pure: numbers and names in, grids and remarks out, so that a captured `lsblk` is judged by the
//! same rules as a live sysfs. A claim that is not believed stays in the result as a distrusted
//! grid with the arithmetic that condemns it: silence would look like "nothing was reported".

mod doubt;
pub mod drives;
mod extra;
mod optimal;
mod physical;
mod rotating;

use ioalign_core::write_unit::{KnownUnit, WriteUnitClaims};
use ioalign_core::{
    Bytes, Confidence, Grid, GridKind, LayerId, Origin, Remark, Severity, Tier, rules,
};

use super::nvme::IdNs;

pub use optimal::bogus as optimal_is_bogus;

/// How a disk is attached, as far as its device path or name says.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Transport {
    /// NVMe, local or over fabrics.
    Nvme,
    /// Behind a USB bridge (BOT or UAS).
    Usb,
    /// virtio-blk or virtio-scsi.
    Virtio,
    /// Xen block front end.
    Xen,
    /// Hyper-V storage.
    HyperV,
    /// SCSI, SAS or SATA.
    Scsi,
    /// SD card or eMMC.
    Mmc,
    /// A loop device on a file or on another device.
    Loop,
    /// A ZFS volume.
    Zvol,
    /// A block device of another machine: NBD, RBD, DRBD.
    Network,
    /// Not known.
    #[default]
    Unknown,
}

impl Transport {
    /// The word of the display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nvme => "nvme",
            Self::Usb => "usb",
            Self::Virtio => "virtio",
            Self::Xen => "xen",
            Self::HyperV => "hyper-v",
            Self::Scsi => "scsi",
            Self::Mmc => "mmc",
            Self::Loop => "loop",
            Self::Zvol => "zvol",
            Self::Network => "network",
            Self::Unknown => "unknown",
        }
    }
}

/// Zone model of `queue/zoned`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Zoned {
    /// No zones.
    #[default]
    None,
    /// Zones that may be written at random, at a price.
    HostAware,
    /// Zones that must be written in order: off them nothing works.
    HostManaged,
}

/// The values of a disk, not judged. All sizes in bytes; zero and `None` both mean "not reported".
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Unit of addressing.
    pub logical: Option<u64>,
    /// Unit of the medium.
    pub physical: Option<u64>,
    /// `minimum_io_size`.
    pub minimum: Option<u64>,
    /// `optimal_io_size`.
    pub optimal: Option<u64>,
    /// How far the kernel reads ahead (`read_ahead_kb`).
    pub read_ahead: Option<u64>,
    /// `chunk_sectors` in bytes: zone size, or a boundary that requests must not cross.
    pub chunk: Option<u64>,
    /// Zone model.
    pub zoned: Zoned,
    /// Bytes from the start of the device to its first natural boundary; −1: there is none.
    pub alignment_offset: i64,
    /// Whether it says that it rotates.
    pub rotational: Option<bool>,
    /// `vendor` of SCSI.
    pub vendor: String,
    /// `model`.
    pub model: String,
    /// How it is attached.
    pub transport: Transport,
    /// `preferred_erase_size` of a card.
    pub erase: Option<u64>,
    /// NVMe Identify Namespace, where it could be read.
    pub nvme: Option<IdNs>,
    /// Bytes of the device, where they are known.
    pub size: Option<u64>,
    /// The program that printed them, if they are not from sysfs itself: `fdisk -l`.
    pub printed_by: Option<&'static str>,
}

/// The outcome: grids on the disk's layer, trusted or not, and remarks for the layer.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Grids in the disk's address space.
    pub grids: Vec<Grid>,
    /// Remarks about it.
    pub remarks: Vec<Remark>,
}

/// Judges the claims of the disk that is `layer`.
pub fn judge(claims: &Claims, layer: LayerId) -> Judged {
    let mut bench = HintJudge {
        claims,
        layer,
        out: Judged::default(),
    };
    bench.misaligned_stack();
    bench.logical();
    physical::judge(&mut bench);
    optimal::judge(&mut bench);
    extra::judge(&mut bench);
    bench.out
}

/// How sure, who says so, in one word each: the tail of every grid.
pub(super) struct Voice {
    pub(super) origin: Origin,
    pub(super) confidence: Confidence,
    pub(super) source: String,
}

impl Voice {
    /// The device reports it.
    pub(super) fn reported(source: &str, confidence: Confidence) -> Self {
        Self {
            origin: Origin::Reported,
            confidence,
            source: source.to_owned(),
        }
    }
}

/// The claims and what has been found so far.
pub(super) struct HintJudge<'a> {
    pub(super) claims: &'a Claims,
    layer: LayerId,
    out: Judged,
}

impl Claims {
    /// What of them concerns the unit of writes.
    pub fn write_unit(&self) -> WriteUnitClaims {
        let ns = self.nvme.as_ref();
        WriteUnitClaims {
            nvme: self.transport == Transport::Nvme,
            rotates: self.rotational == Some(true),
            hides: self.hides(),
            logical: known(self.logical),
            physical: known(self.physical),
            minimum: known(self.minimum),
            optimal: known(self.optimal),
            npwg: ns.and_then(IdNs::write_granularity),
            npwa: ns.and_then(IdNs::write_alignment),
            nows: ns.and_then(IdNs::optimal_write),
            known: drives::find(&self.model).map(|drive| KnownUnit {
                bytes: drive.unit,
                confidence: drive.confidence,
                source: drive.source,
            }),
        }
    }

    /// What it is, if it is no disk itself.
    fn hides(&self) -> Option<&'static str> {
        let (vendor, model) = (self.vendor.as_str(), self.model.as_str());
        match self.transport {
            _ if self.is_virtual() => Some("a virtual disk"),
            Transport::Loop => Some("a loop device"),
            Transport::Zvol => Some("a volume of ZFS"),
            Transport::Network => Some("a device of another machine"),
            Transport::Usb => Some("a USB bridge"),
            _ if drives::is_array(vendor, model) => Some("a volume of an array"),
            _ if drives::is_controller(vendor, model) => Some("a RAID controller"),
            _ => None,
        }
    }

    /// Where a value comes from: `sysfs minimum_io_size`, `minimum_io_size by fdisk -l`.
    pub(super) fn attribute(&self, name: &str) -> String {
        match self.printed_by {
            Some(program) => format!("{name} by {program}"),
            None => format!("sysfs {name}"),
        }
    }

    /// Logical sector; 512 where nothing is said.
    pub fn logical_or_512(&self) -> u64 {
        known(self.logical).unwrap_or(512)
    }

    /// Physical block, at least the logical sector.
    pub fn physical_or_logical(&self) -> u64 {
        let logical = self.logical_or_512();
        known(self.physical).map_or(logical, |physical| physical.max(logical))
    }

    /// Whether a hypervisor or array makes it, so that what it reports is a setting, not a medium.
    pub fn is_virtual(&self) -> bool {
        matches!(
            self.transport,
            Transport::Virtio | Transport::Xen | Transport::HyperV | Transport::Network
        ) || drives::is_virtual(&self.vendor, &self.model)
    }
}

impl HintJudge<'_> {
    /// Adds a grid whose phase is the alignment offset; with −1 no phase is known, so that it is
    /// kept as distrusted (a −1 is never a number to compute with).
    pub(super) fn grid(&mut self, size: u64, tier: Tier, kind: GridKind, voice: Voice) {
        let phase = u64::try_from(self.claims.alignment_offset);
        let phase_known = phase.is_ok();
        let phase = Bytes::new(phase.unwrap_or(0));
        let Some(grid) = Grid::new(self.layer, Bytes::new(size), phase, tier, kind) else {
            return;
        };
        let grid = grid.from(voice.origin, voice.source, voice.confidence);
        self.out.grids.push(if phase_known {
            grid
        } else {
            grid.distrusted("alignment_offset is −1: the kernel knows no phase for it")
        });
    }

    /// Adds a grid that is not believed.
    pub(super) fn distrust(
        &mut self,
        size: u64,
        tier: Tier,
        kind: GridKind,
        source: &str,
        why: String,
    ) {
        let grid = Grid::new(self.layer, Bytes::new(size), Bytes::ZERO, tier, kind);
        self.out.grids.extend(grid.map(|grid| {
            grid.from(Origin::Reported, source, Confidence::Low)
                .distrusted(why)
        }));
    }

    /// Adds a physical block that may be the true one, which nothing decides.
    pub(super) fn ask(&mut self, size: u64, why: &str) {
        let phase = Bytes::new(u64::try_from(self.claims.alignment_offset).unwrap_or(0));
        let kind = GridKind::PhysicalBlock;
        let grid = Grid::new(self.layer, Bytes::new(size), phase, Tier::Rmw, kind);
        self.out.grids.extend(grid.map(|grid| {
            grid.from(Origin::Assumed, "assumed", Confidence::Low)
                .distrusted(why)
        }));
    }

    pub(super) fn remark(&mut self, remark: Remark) {
        self.out.remarks.push(remark);
    }

    /// The trusted read-modify-write unit found so far, the largest.
    pub(super) fn rmw(&self) -> Option<u64> {
        let trusted = self.out.grids.iter().filter(|grid| grid.trusted());
        trusted
            .filter(|grid| grid.tier == Tier::Rmw)
            .map(|grid| grid.size.get())
            .max()
    }

    /// The confidence in what a device of this kind reports.
    pub(super) fn usual(&self) -> Confidence {
        match self.claims.transport {
            Transport::Loop => Confidence::Low,
            Transport::Usb => Confidence::Medium,
            _ if self.claims.is_virtual() => Confidence::Medium,
            _ => Confidence::High,
        }
    }

    fn misaligned_stack(&mut self) {
        self.out
            .remarks
            .extend(misaligned_stack(self.claims.alignment_offset));
    }

    fn logical(&mut self) {
        let Some(logical) = known(self.claims.logical) else {
            return;
        };
        let source = &self.claims.attribute("logical_block_size");
        if !(logical.is_power_of_two() && (512..=65536).contains(&logical)) {
            let why = format!("{logical} bytes is not a power of two from 512 to 65536");
            return self.distrust(
                logical,
                Tier::Validity,
                GridKind::LogicalSector,
                source,
                why,
            );
        }
        // Sectors count from address 0 for any alignment offset of the medium.
        let size = Bytes::new(logical);
        let grid = Grid::new(
            self.layer,
            size,
            Bytes::ZERO,
            Tier::Validity,
            GridKind::LogicalSector,
        );
        let grid = grid.map(|g| g.from(Origin::Reported, source, Confidence::High));
        self.out.grids.extend(grid);
        if self.claims.transport == Transport::Usb && logical == 4096 {
            self.remark(usb_4096());
        }
    }
}

/// Zero means "not reported" in sysfs.
pub(super) fn known(value: Option<u64>) -> Option<u64> {
    value.filter(|value| *value != 0)
}

/// The remark for an `alignment_offset` of −1, on whichever layer the kernel reports it.
///
/// libblkid and cryptsetup read it as 0, so that fdisk, parted and mkfs take the worst case for
/// an aligned one (block/blk-settings.c `blk_stack_limits`, libblkid `topology.c`).
pub fn misaligned_stack(alignment_offset: i64) -> Option<Remark> {
    (alignment_offset < 0).then(|| {
        Remark::new(
            rules::KERNEL_MISALIGNED_STACK,
            Severity::Misaligned,
            format!(
                "The kernel marks this stack as misaligned (alignment_offset {alignment_offset}): \
                 devices below it disagree about where their blocks start"
            ),
        )
        .advise("Compare the starts of the members; fdisk, parted and mkfs read this value as 0")
    })
}

/// USB bridges may present 4096-byte sectors on drives that have 512, and drop that elsewhere.
fn usb_4096() -> Remark {
    Remark::note(
        rules::USB_LOGICAL_4096,
        "The USB bridge presents 4096-byte sectors; on another port or bridge the same drive \
         may show 512, and the partition table written here is then not found",
    )
}

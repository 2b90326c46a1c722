//! The keys of an array's file.

use ioalign_core::Bytes;
use ioalign_core::array::{Maker, PlannedArray, RaidLevel};
use ioalign_core::map::Map;
use serde::Deserialize;

use super::cache::CacheFile;
use super::disk::{FlashFile, SpinningFile};
use super::words::{nanoseconds, one_of, size, within};
use super::{DescribedArray, VolumeAbove};
use crate::disk::DiskModel;
use crate::engine::DiskScheduler;
use crate::geometry::{ArrayShape, CopyLayout, SmallWrite};

/// A disk of 1 GiB without 2 MiB of metadata.
const USUAL_DISK: u64 = 1022 << 20;
/// The time of a disk where nothing is said.
const USUAL_NS: u64 = 5_000_000;

/// All keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ArrayFile {
    level: String,
    disks: Option<u32>,
    element: Option<String>,
    owner: Option<String>,
    scheduler: Option<String>,
    copies: Option<String>,
    small_write: Option<String>,
    disk_size: Option<String>,
    failed: Vec<u32>,
    unit: Option<String>,
    service: Option<String>,
    hdd: Option<SpinningFile>,
    ssd: Option<FlashFile>,
    cache: Option<CacheFile>,
    volume: Option<VolumeFile>,
}

/// The keys of `[volume]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct VolumeFile {
    /// Where the extents of LVM begin in the partition.
    lvm: Option<String>,
    /// Chunk of a thin volume, each one anywhere.
    thin: Option<String>,
    /// Block of the file system.
    block: Option<String>,
}

impl VolumeFile {
    fn above(&self) -> Result<VolumeAbove, String> {
        let mut maps = Vec::new();
        if let Some(chunk) = &self.thin {
            let granule = Bytes::new(within("volume.thin", chunk, 4096, 1 << 40)?);
            maps.push(Map::Scattered {
                start: Bytes::ZERO,
                granule,
            });
        }
        if let Some(start) = size("volume.lvm", self.lvm.as_deref())? {
            maps.push(Map::Shift {
                start: Bytes::new(start),
            });
        }
        let block = self.block.as_deref();
        let block_bytes =
            block.map_or(Ok(0), |block| within("volume.block", block, 512, 1 << 24))?;
        Ok(VolumeAbove {
            maps,
            size: None,
            block_bytes,
        })
    }
}

impl ArrayFile {
    /// What is typed in short.
    pub(super) fn short(level: &str, disks: u32, element: &str, owner: Option<&str>) -> Self {
        Self {
            level: level.to_owned(),
            disks: Some(disks),
            element: Some(element.to_owned()),
            owner: owner.map(str::to_owned),
            ..Self::default()
        }
    }

    pub(super) fn described(&self) -> Result<DescribedArray, String> {
        let copies = [("near", CopyLayout::Near), ("far", CopyLayout::Far)];
        let ways = [
            ("fewest", SmallWrite::Fewest),
            ("modify", SmallWrite::Modify),
            ("reconstruct", SmallWrite::Reconstruct),
        ];
        let schedulers = [
            ("none", DiskScheduler::Arrival),
            ("deadline", DiskScheduler::Deadline),
        ];
        let disk_bytes = size("disk_size", self.disk_size.as_deref())?.unwrap_or(USUAL_DISK);
        let unit = self.unit.as_deref();
        let above = self.volume.as_ref().map(VolumeFile::above).transpose()?;
        let cache = self.cache.as_ref().map(CacheFile::described).transpose()?;
        Ok(DescribedArray {
            shape: ArrayShape {
                array: self.array()?,
                copies: one_of("copies", self.copies.as_deref(), &copies)?,
                small_write: one_of("small_write", self.small_write.as_deref(), &ways)?,
                disk_bytes,
                failed: self.failed.clone(),
            },
            disk: self.disk(disk_bytes)?,
            scheduler: one_of("scheduler", self.scheduler.as_deref(), &schedulers)?,
            cache,
            unit_bytes: unit.map_or(Ok(0), |unit| within("unit", unit, 512, 1 << 26))?,
            above: above.unwrap_or_default(),
        })
    }

    fn array(&self) -> Result<PlannedArray, String> {
        let single = self.level == "single";
        let number = self.level.strip_prefix("raid");
        let level = RaidLevel::ALL
            .iter()
            .find(|(name, _)| Some(*name) == number);
        let level = match level {
            Some((_, level)) => *level,
            None if single => RaidLevel::Raid0,
            None => {
                let what = "is no level: single, raid0, raid1, raid10, raid5, raid6";
                return Err(format!("`{}` {what}", self.level));
            }
        };
        let disks = match (self.disks, single) {
            (None | Some(1), true) => 1,
            (Some(disks), true) => return Err(format!("single is one disk, not {disks}")),
            (Some(disks), false) => disks,
            (None, false) => return Err("disks is missing".to_owned()),
        };
        if level == RaidLevel::Raid0 && disks == 1 && !single {
            return Err("RAID 0 needs 2 disks or more, not 1".to_owned());
        }
        let owners = [("controller", Maker::Controller), ("md", Maker::Md)];
        Ok(PlannedArray {
            level,
            disks,
            element: Bytes::new(size("element", self.element.as_deref())?.unwrap_or(65536)),
            maker: one_of("owner", self.owner.as_deref(), &owners)?,
        })
    }

    fn disk(&self, disk_bytes: u64) -> Result<DiskModel, String> {
        match (&self.service, &self.hdd, &self.ssd) {
            (None, None, None) => Ok(DiskModel::Fixed { ns: USUAL_NS }),
            (Some(time), None, None) => Ok(DiskModel::Fixed {
                ns: nanoseconds(time)?,
            }),
            (None, Some(hdd), None) => hdd.model(disk_bytes),
            (None, None, Some(ssd)) => ssd.model(),
            _ => Err("one of service, hdd and ssd".to_owned()),
        }
    }
}

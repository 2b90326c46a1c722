//! An array in words, with everything that is assumed.

use ioalign_core::Bytes;
use ioalign_core::array::{Maker, RaidLevel};
use ioalign_core::map::Map;

use super::DescribedArray;
use crate::disk::DiskModel;
use crate::geometry::CopyLayout;

impl DescribedArray {
    /// In words, with everything that is assumed.
    pub fn about(&self) -> String {
        let array = &self.shape.array;
        let single = array.level == RaidLevel::Raid0 && array.disks == 1;
        let owner = match array.maker {
            Maker::Md => "md",
            Maker::Controller => "controller",
        };
        let far = if self.shape.copies == CopyLayout::Far {
            " far"
        } else {
            ""
        };
        let layout = if single {
            "one disk".to_owned()
        } else {
            format!(
                "RAID {}{far}, {} disks, element {}, {owner}",
                array.level.name(),
                array.disks,
                array.element
            )
        };
        let us = |ns: u64| ioalign_core::numbers::time(ioalign_core::units::ratio(ns, 1000));
        let disk = match &self.disk {
            DiskModel::Fixed { ns } => format!("{} for each I/O, one at a time", us(*ns)),
            DiskModel::Uniform { .. } => "seek and rotation at random".to_owned(),
            DiskModel::Spinning(disk) => format!(
                "seek {} to {}, revolution {}, {} a track, best of {}",
                us(disk.least_seek_ns),
                us(disk.full_seek_ns),
                us(disk.revolution_ns),
                Bytes::new(disk.track_bytes),
                disk.queue
            ),
            DiskModel::Flash(flash) => format!(
                "{} channels, pages of {}, units of {}, read {}, write {}, {:.2} pages written for each random one",
                flash.channels,
                Bytes::new(flash.page_bytes),
                Bytes::new(flash.unit_bytes),
                us(flash.read_ns),
                us(flash.write_ns),
                flash.amplification
            ),
        };
        let failed = match self.shape.failed.as_slice() {
            [] => String::new(),
            failed => {
                let numbers: Vec<_> = failed.iter().map(ToString::to_string).collect();
                format!("; failed disks: {}", numbers.join(", "))
            }
        };
        format!(
            "{layout}; disks of {}: {disk}{failed}{}{}",
            Bytes::new(self.shape.disk_bytes),
            self.about_cache(),
            self.about_above()
        )
    }

    fn about_cache(&self) -> String {
        let Some(cache) = &self.cache else {
            return String::new();
        };
        let mut parts = vec![match cache.write_back {
            true => format!("{} of writes", Bytes::new(cache.write_bytes)),
            false => "write-through".to_owned(),
        }];
        for (bytes, what) in [
            (cache.read_bytes, "of reads"),
            (cache.read_ahead_bytes, "read ahead"),
        ] {
            if bytes > 0 {
                parts.push(format!("{} {what}", Bytes::new(bytes)));
            }
        }
        format!("; cache: {}", parts.join(", "))
    }

    fn about_above(&self) -> String {
        let mut parts = Vec::new();
        if self.unit_bytes > 0 {
            parts.push(format!("units of {}", Bytes::new(self.unit_bytes)));
        }
        for map in &self.above.maps {
            parts.push(match map {
                Map::Scattered { granule, .. } => format!("thin chunks of {granule}"),
                Map::Shift { start } => format!("a volume {start} into the partition"),
                other => format!("a {} volume", other.name()),
            });
        }
        if self.above.block_bytes > 0 {
            let block = Bytes::new(self.above.block_bytes);
            parts.push(format!("a file system with blocks of {block}"));
        }
        match parts.is_empty() {
            true => String::new(),
            false => format!("; {}", parts.join(", ")),
        }
    }
}

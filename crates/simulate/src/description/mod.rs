//! Arrays as people write them: `raid10:4x64k:md`, a TOML file, a name.

mod about;
mod cache;
mod disk;
mod file;
mod presets;
mod vary;
mod words;

use ioalign_core::Bytes;
use ioalign_core::map::Map;

use crate::disk::DiskModel;
use crate::engine::{ControllerCache, DiskScheduler, SimulatedSystem, SimulatedTenant, TenantLoad};
use crate::geometry::{ArrayGeometry, ArrayShape};
use crate::volume::VolumePlace;

use file::ArrayFile;
pub use presets::presets;
pub use vary::{ArrayKnob, knobs};
pub use words::nanoseconds;

/// An array, its disks, what is before it and what lies on it.
#[derive(Clone, Debug)]
pub struct DescribedArray {
    /// How it is laid out.
    pub shape: ArrayShape,
    /// What its disks do.
    pub disk: DiskModel,
    /// What the kernel has before them, where md owns them.
    pub scheduler: DiskScheduler,
    /// The cache of its controller.
    pub cache: Option<ControllerCache>,
    /// What the storage reads and writes as one piece; 0: sectors.
    pub unit_bytes: u64,
    /// What lies between the partition and the workload.
    pub above: VolumeAbove,
}

/// Layers between a partition and the workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeAbove {
    /// Maps of volumes, the topmost first.
    pub maps: Vec<Map>,
    /// Bytes of the topmost; `None`: all that there is.
    pub size: Option<u64>,
    /// Block of the file system; 0: none.
    pub block_bytes: u64,
}

/// A preset, or what is typed in short.
pub fn named(text: &str) -> Result<DescribedArray, String> {
    if let Some(preset) = presets().iter().find(|preset| preset.name == text) {
        return parse(preset.toml);
    }
    let form = || {
        format!(
            "`{text}` is no array: LEVEL:DISKSxELEMENT[:md|controller] as raid10:4x64k, single, FILE.toml, or a name \
             of `ioalign simulate list`"
        )
    };
    let words: Vec<_> = text.split(':').collect();
    let (level, size, owner) = match *words.as_slice() {
        ["single"] => ("single", None, None),
        [level, size] => (level, Some(size), None),
        [level, size, owner] => (level, Some(size), Some(owner)),
        _ => return Err(form()),
    };
    let (disks, element) = match size {
        Some(size) => size.split_once('x').ok_or_else(form)?,
        None => ("1", "64k"),
    };
    let disks = disks.parse().map_err(|_| form())?;
    let file = ArrayFile::short(level, disks, element, owner);
    file.described().map_err(|what| format!("{text}: {what}"))
}

/// A TOML file.
pub fn parse(text: &str) -> Result<DescribedArray, String> {
    let file: ArrayFile = toml::from_str(text).map_err(|error| {
        // The first line alone: the others draw the place in the file.
        let lines = error.to_string();
        let mut lines = lines.lines().filter(|line| !line.trim().is_empty());
        let (first, last) = (lines.next().unwrap_or_default(), lines.next_back());
        format!("{first}: {}", last.unwrap_or_default())
    })?;
    file.described()
}

impl DescribedArray {
    /// Where the workload's addresses lie, of a partition that starts at `start`.
    pub fn place(&self, start: u64, capacity: u64) -> Result<VolumePlace, String> {
        let partition = VolumePlace::behind(start, capacity)?;
        if self.above.maps.is_empty() && self.above.size.is_none() {
            return Ok(partition);
        }
        let mut rest = partition.size();
        for map in self.above.maps.iter().rev() {
            rest = match map {
                Map::Shift { start } => rest.saturating_sub(start.get()),
                Map::Scattered { start, granule } => {
                    let unit = granule.get().max(1);
                    rest.saturating_sub(start.get()) / unit * unit
                }
                _ => rest,
            };
        }
        let size = self.above.size.unwrap_or(rest).min(rest);
        if size == 0 {
            return Err("nothing is left for the volume".to_owned());
        }
        let shift = Map::Shift {
            start: Bytes::new(start),
        };
        let maps = self.above.maps.iter().cloned().chain([shift]).collect();
        VolumePlace::new(maps, size, capacity)
    }

    /// The array with its cache.
    pub const fn system<'a>(&'a self, geometry: &'a ArrayGeometry) -> SimulatedSystem<'a> {
        SimulatedSystem {
            scheduler: self.scheduler,
            cache: self.cache.as_ref(),
            unit_bytes: self.unit_bytes,
            ..SimulatedSystem::of(geometry, &self.disk)
        }
    }

    /// A load on it.
    pub const fn tenant<'a>(
        &self,
        load: TenantLoad<'a>,
        place: &'a VolumePlace,
    ) -> SimulatedTenant<'a> {
        SimulatedTenant {
            load,
            place,
            block_bytes: self.above.block_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioalign_core::array::Maker;

    #[test]
    fn short_and_long() {
        let short = named("raid5:5x32k:md").unwrap();
        assert_eq!(
            (short.shape.array.disks, short.shape.array.element.get()),
            (5, 32768)
        );
        assert_eq!(short.shape.array.maker, Maker::Md);
        assert_eq!(
            named("raid10:4x64k").unwrap().shape.array.maker,
            Maker::Controller
        );
        assert_eq!(named("single").unwrap().shape.array.disks, 1);
        for preset in presets() {
            let array = named(preset.name).unwrap();
            assert!(ArrayGeometry::new(array.shape).is_ok(), "{}", preset.name);
        }
        let hdd = "level = \"single\"\ndisk_size = \"600G\"\n[hdd]\nleast_seek = \"200us\"\nfull_seek = \"7ms\"\n\
                   rpm = 15000\ntrack = \"640k\"\nqueue = 32\n";
        let DiskModel::Spinning(disk) = parse(hdd).unwrap().disk else {
            panic!("no disk with heads")
        };
        assert_eq!((disk.revolution_ns, disk.queue), (4_000_000, 32));
    }

    #[test]
    fn wrong_arrays_are_explained() {
        let wrong = |text: &str| named(text).unwrap_err();
        assert!(wrong("raid10").contains("is no array"));
        assert!(wrong("raid7:4x64k").contains("is no level"));
        assert!(wrong("raid0:1x64k").contains("needs 2"));
        assert!(wrong("raid0:4x64k:zfs").contains("controller, md"));
        assert!(wrong("raid0:4x64z").contains("element"));
        assert!(
            parse("level = \"raid0\"\ndisk = 4")
                .unwrap_err()
                .contains("unknown field")
        );
        assert_eq!(nanoseconds("5.085ms"), Ok(5_085_000));
        for bad in ["5", "-1ms", "nan ms", "2h", "100s"] {
            assert!(nanoseconds(bad).is_err(), "{bad}");
        }
    }
}

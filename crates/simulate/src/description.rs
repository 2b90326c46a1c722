//! Arrays as people write them: `raid10:4x64k:md`, a TOML file, a name.

use ioalign_core::array::{Maker, PlannedArray, RaidLevel};
use ioalign_core::simulation_document::ArrayPreset;
use ioalign_core::units::parse_size;
use ioalign_core::{Bytes, SectorSize};
use serde::Deserialize;

use crate::disk::{DiskModel, FlashDisk, SpinningDisk};
use crate::geometry::{ArrayShape, CopyLayout, SmallWrite};

/// A disk of 1 GiB without 2 MiB of metadata.
const USUAL_DISK: u64 = 1022 << 20;
/// The time of a disk where nothing is said.
const USUAL_NS: u64 = 5_000_000;

/// An array and its disks.
#[derive(Clone, Debug)]
pub struct DescribedArray {
    /// How it is laid out.
    pub shape: ArrayShape,
    /// What its disks do.
    pub disk: DiskModel,
}

/// All of them.
pub const fn presets() -> [ArrayPreset; 3] {
    const SOURCE: &str = "md of Linux 6.1 on null_blk disks with completion_nsec=5000000, one I/O at a time, in \
                          virtual time; 5.085 ms are fitted to its aligned reads and include the machine";
    [
        ArrayPreset {
            name: "md-raid10-4",
            about: "RAID 10 near-2 of md on four disks of 5 ms",
            source: SOURCE,
            toml: "level = \"raid10\"\ndisks = 4\nelement = \"64k\"\nowner = \"md\"\nservice = \"5.085ms\"\n",
        },
        ArrayPreset {
            name: "md-raid5-4",
            about: "RAID 5 of md on four disks of 5 ms",
            source: SOURCE,
            toml: "level = \"raid5\"\ndisks = 4\nelement = \"64k\"\nowner = \"md\"\nservice = \"5.085ms\"\n",
        },
        ArrayPreset {
            name: "md-raid6-6",
            about: "RAID 6 of md on six disks of 5 ms",
            source: SOURCE,
            toml: "level = \"raid6\"\ndisks = 6\nelement = \"64k\"\nowner = \"md\"\nservice = \"5.085ms\"\n",
        },
    ]
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
    let file = ArrayFile {
        level: level.to_owned(),
        disks: Some(disks),
        element: Some(element.to_owned()),
        owner: owner.map(str::to_owned),
        ..ArrayFile::default()
    };
    file.described().map_err(|what| format!("{text}: {what}"))
}

/// A TOML file.
pub fn parse(text: &str) -> Result<DescribedArray, String> {
    let file: ArrayFile = toml::from_str(text).map_err(|error| error.to_string())?;
    file.described()
}

/// The keys of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ArrayFile {
    level: String,
    disks: Option<u32>,
    element: Option<String>,
    owner: Option<String>,
    copies: Option<String>,
    small_write: Option<String>,
    disk_size: Option<String>,
    failed: Vec<u32>,
    service: Option<String>,
    hdd: Option<SpinningFile>,
    ssd: Option<FlashFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpinningFile {
    least_seek: String,
    full_seek: String,
    rpm: u32,
    track: String,
    #[serde(default)]
    fixed: Option<String>,
    #[serde(default)]
    queue: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FlashFile {
    channels: u32,
    page: String,
    read: String,
    write: String,
}

impl ArrayFile {
    fn described(&self) -> Result<DescribedArray, String> {
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
        let array = PlannedArray {
            level,
            disks,
            element: Bytes::new(size("element", self.element.as_deref())?.unwrap_or(65536)),
            maker: one_of(
                "owner",
                self.owner.as_deref(),
                &[("controller", Maker::Controller), ("md", Maker::Md)],
            )?,
        };
        let copies = [("near", CopyLayout::Near), ("far", CopyLayout::Far)];
        let ways = [
            ("fewest", SmallWrite::Fewest),
            ("modify", SmallWrite::Modify),
            ("reconstruct", SmallWrite::Reconstruct),
        ];
        let disk_bytes = size("disk_size", self.disk_size.as_deref())?.unwrap_or(USUAL_DISK);
        Ok(DescribedArray {
            shape: ArrayShape {
                array,
                copies: one_of("copies", self.copies.as_deref(), &copies)?,
                small_write: one_of("small_write", self.small_write.as_deref(), &ways)?,
                disk_bytes,
                failed: self.failed.clone(),
            },
            disk: self.disk(disk_bytes)?,
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

impl SpinningFile {
    fn model(&self, disk_bytes: u64) -> Result<DiskModel, String> {
        const MINUTE_NS: u64 = 60_000_000_000;
        let track_bytes = size("track", Some(&self.track))?.unwrap_or(0);
        let within = (1..=1_000_000).contains(&self.rpm) && (512..=1 << 30).contains(&track_bytes);
        if !within {
            return Err("hdd: rpm is 1 to 1000000, track 512 to 1G".to_owned());
        }
        Ok(DiskModel::Spinning(SpinningDisk {
            least_seek_ns: nanoseconds(&self.least_seek)?,
            full_seek_ns: nanoseconds(&self.full_seek)?,
            revolution_ns: MINUTE_NS / u64::from(self.rpm),
            track_bytes,
            fixed_ns: self.fixed.as_deref().map_or(Ok(0), nanoseconds)?,
            queue: usize::try_from(self.queue.unwrap_or(1)).unwrap_or(1),
            disk_bytes,
        }))
    }
}

impl FlashFile {
    fn model(&self) -> Result<DiskModel, String> {
        let page_bytes = size("page", Some(&self.page))?.unwrap_or(0);
        if !(1..=64).contains(&self.channels) || !(512..=1 << 24).contains(&page_bytes) {
            return Err("ssd: channels is 1 to 64, page 512 to 16M".to_owned());
        }
        Ok(DiskModel::Flash(FlashDisk {
            channels: self.channels,
            page_bytes,
            read_ns: nanoseconds(&self.read)?,
            write_ns: nanoseconds(&self.write)?,
        }))
    }
}

fn size(key: &str, text: Option<&str>) -> Result<Option<u64>, String> {
    let one = |text| parse_size(text, SectorSize::S512).map_err(|error| format!("{key}: {error}"));
    text.map(one).transpose().map(|size| size.map(Bytes::get))
}

/// The first is the usual one.
fn one_of<T: Copy>(key: &str, text: Option<&str>, all: &[(&str, T)]) -> Result<T, String> {
    let wanted = text
        .or(all.first().map(|(name, _)| *name))
        .unwrap_or_default();
    let found = all.iter().find(|(name, _)| *name == wanted);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
        format!("{key}: `{wanted}` is none of {}", names.join(", "))
    })
}

/// A time of a disk: `5ms`, `200us`, `5.085ms`, at most a minute.
// Not negative, and far below 2^53.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn nanoseconds(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 1e6), ("us", 1e3), ("ns", 1.0), ("s", 1e9)];
    let wrong = || format!("`{text}` is no time of a disk: 5ms, 200us, at most 60s");
    let unit = UNITS
        .iter()
        .find_map(|(name, ns)| Some((text.trim().strip_suffix(name)?, *ns)));
    let (digits, factor) = unit.ok_or_else(wrong)?;
    let value: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let ns = value * factor;
    (0.0..=60e9)
        .contains(&ns)
        .then_some(ns.round() as u64)
        .ok_or_else(wrong)
}

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
                "{} channels, pages of {}, read {}, write {}",
                flash.channels,
                Bytes::new(flash.page_bytes),
                us(flash.read_ns),
                us(flash.write_ns)
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
            "{layout}; disks of {}: {disk}{failed}",
            Bytes::new(self.shape.disk_bytes)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::ArrayGeometry;

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

//! The block devices that can be watched, and what the program must know of each.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use ioalign_core::GridClaim;

use crate::error::{ObserveError, ObserveErrorKind, Result};

/// One whole device. Requests carry the number of the disk, never of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedDevice {
    /// As in `/sys/block`.
    pub name: String,
    /// Driver and device.
    pub number: (u32, u32),
    /// Hardware queues.
    pub queues: u32,
    /// Requests that each of them can have in flight.
    pub tags: u32,
    /// Counted as bios, on their arrival: md, device mapper and others have no requests.
    pub by_bio: bool,
    /// The kernel notes in a request when it issues it, because its own throttling wants to know.
    pub stamped: bool,
    /// The units in which it frees what is discarded; `None`: it takes no discards, or says nothing.
    pub discard: Option<DiscardUnit>,
    /// The grids that judge its I/O besides all powers of two, most important first; the first one is
    /// the unit of the summary.
    pub grids: Vec<GridClaim>,
}

/// The units in which a device frees what is discarded.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscardUnit {
    /// Bytes of one.
    pub unit: u64,
    /// The first boundary.
    pub phase: u64,
    /// It takes several ranges in one request, and frees each by itself.
    pub ranges: bool,
}

impl WatchedDevice {
    /// The number as the kernel has it.
    pub const fn dev(&self) -> u32 {
        (self.number.0 << 20) | self.number.1
    }

    /// The largest number of requests in flight.
    pub fn flights(&self) -> u32 {
        if self.by_bio {
            0
        } else {
            self.queues.saturating_mul(1 << self.tag_bits())
        }
    }

    /// Tags as a power of two; eight at least, so that they can be spread over cache lines.
    pub fn tag_bits(&self) -> u32 {
        self.tags
            .clamp(8, 1 << 20)
            .next_power_of_two()
            .trailing_zeros()
    }
}

/// The devices of `sys` (`/sys`): all that have a size, or those that are named, by path or name. A
/// partition means its disk.
pub fn devices(sys: &Path, named: &[String]) -> Result<Vec<WatchedDevice>> {
    let mut found = Vec::new();
    if named.is_empty() {
        let folder = sys.join("block");
        let entries = fs::read_dir(&folder).map_err(|error| {
            ObserveError::io("Cannot list the block devices", error).in_file(&folder)
        })?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        found.extend(names.filter(|name| has_size(sys, name)));
    } else {
        for name in named {
            found.push(disk_of(sys, name)?);
        }
    }
    found.sort();
    found.dedup();
    Ok(found.iter().filter_map(|name| read(sys, name)).collect())
}

fn has_size(sys: &Path, name: &str) -> bool {
    number(&sys.join("block").join(name).join("size")).is_some_and(|size| size > 0)
}

/// By path of any node, or by the kernel's name.
fn disk_of(sys: &Path, given: &str) -> Result<String> {
    let node = fs::metadata(given)
        .ok()
        .filter(|node| node.file_type().is_block_device());
    let folder = match node {
        Some(node) => {
            let (major, minor) = (
                rustix::fs::major(node.rdev()),
                rustix::fs::minor(node.rdev()),
            );
            sys.join(format!("dev/block/{major}:{minor}"))
        }
        // The kernel writes `!` for a slash in a device name.
        None => sys
            .join("class/block")
            .join(given.trim_start_matches("/dev/").replace('/', "!")),
    };
    let whole = fs::canonicalize(folder).ok().and_then(|path| {
        let part = path.join("partition").exists();
        let disk = if part { path.parent()? } else { &path };
        Some(disk.file_name()?.to_str()?.to_owned())
    });
    whole.ok_or_else(|| {
        ObserveError::new(ObserveErrorKind::Io, format!("{given} is no block device"))
    })
}

fn read(sys: &Path, name: &str) -> Option<WatchedDevice> {
    let folder = sys.join("block").join(name);
    let text = fs::read_to_string(folder.join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    let (queues, tags) = queues(&folder.join("mq"));
    Some(WatchedDevice {
        name: name.to_owned(),
        number: (major.parse().ok()?, minor.parse().ok()?),
        queues,
        tags,
        by_bio: queues == 0,
        stamped: number(&folder.join("queue/wbt_lat_usec")).is_some_and(|target| target > 0),
        discard: discard(&folder),
        grids: Vec::new(),
    })
}

/// What sysfs says; of a loop device that begins inside its file, where the blocks of the file are.
fn discard(folder: &Path) -> Option<DiscardUnit> {
    let of = |name: &str| number(&folder.join(name));
    let unit = of("queue/discard_granularity").filter(|unit| *unit > 0)?;
    let phase = match of("loop/offset").filter(|offset| *offset > 0) {
        Some(offset) => offset.wrapping_neg() % unit,
        None => of("discard_alignment").unwrap_or(0) % unit,
    };
    (of("queue/discard_max_bytes") != Some(0)).then_some(DiscardUnit {
        unit,
        phase,
        ranges: of("queue/max_discard_segments").is_some_and(|most| most > 1),
    })
}

/// Hardware queues are numbered from 0; each is a folder.
fn queues(mq: &Path) -> (u32, u32) {
    let entries = fs::read_dir(mq).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| {
        let queue = entry.file_name().to_str()?.parse::<u32>().ok()?;
        let tags = number(&entry.path().join("nr_tags"))?;
        Some((queue + 1, u32::try_from(tags).ok()?))
    });
    numbers.fold((0, 0), |(queues, tags), (queue, more)| {
        (queues.max(queue), tags.max(more))
    })
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use ioalign_testkit::files::put;

    use super::*;

    #[test]
    fn requests_or_bios() {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), "block/sda/dev", "8:0\n");
        put(root.path(), "block/sda/size", "2048\n");
        put(root.path(), "block/sda/mq/0/nr_tags", "64\n");
        put(root.path(), "block/sda/mq/1/nr_tags", "64\n");
        put(root.path(), "block/sda/queue/wbt_lat_usec", "2000\n");
        put(root.path(), "block/dm-0/dev", "253:0\n");
        put(root.path(), "block/dm-0/size", "1\n");
        put(root.path(), "block/loop7/dev", "7:7\n");
        put(root.path(), "block/loop7/size", "0\n");
        let all = devices(root.path(), &[]).unwrap();
        let shown: Vec<_> = all
            .iter()
            .map(|d| (&*d.name, d.by_bio, d.flights()))
            .collect();
        assert_eq!(shown, [("dm-0", true, 0), ("sda", false, 128)]);
        assert_eq!(all.get(1).unwrap().dev(), 8 << 20);
        assert!(all.iter().all(|d| d.stamped == (d.name == "sda")));
        assert!(devices(root.path(), &["sdz".into()]).is_err());
        // A partition means its disk.
        put(root.path(), "block/sda/sda1/partition", "1\n");
        fs::create_dir_all(root.path().join("class/block")).unwrap();
        let link = root.path().join("class/block/sda1");
        std::os::unix::fs::symlink("../../block/sda/sda1", link).unwrap();
        let all = devices(root.path(), &["/dev/sda1".into()]).unwrap();
        assert_eq!(all.first().unwrap().name, "sda");
    }
}

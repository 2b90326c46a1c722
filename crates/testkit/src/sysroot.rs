//! A fake machine: builds `sys/`, `proc/` and `dev/` in a temporary folder, call by call.
//!
//! What the kernel shows is written file by file, as `check --sysroot` reads it from a captured
//! host; the first bytes of devices are files of `dev/`.
#![allow(clippy::needless_pass_by_value)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

/// The tree; it is gone when this is dropped.
pub struct Sysroot {
    dir: tempfile::TempDir,
    /// Kernel name → directory inside the tree.
    places: BTreeMap<String, String>,
    minors: u32,
}

/// A disk in the making; sizes in bytes but `sectors`, which counts 512-byte units as sysfs does.
pub struct SysrootDisk {
    name: String,
    sectors: u64,
    bus: &'static str,
    attrs: Vec<(String, String)>,
}

impl SysrootDisk {
    /// A SATA disk with 512-byte sectors that says nothing else.
    pub fn new(name: &str, sectors: u64) -> Self {
        let disk = Self {
            name: name.to_owned(),
            sectors,
            bus: "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0",
            attrs: Vec::new(),
        };
        disk.limits(512, 512, 512, 0)
            .attr("queue/rotational", 1)
            .attr("queue/zoned", "none")
            .attr("queue/chunk_sectors", 0)
            .attr("alignment_offset", 0)
    }

    /// Logical, physical, minimum I/O, optimal I/O.
    pub fn limits(self, logical: u64, physical: u64, minimum: u64, optimal: u64) -> Self {
        self.attr("queue/logical_block_size", logical)
            .attr("queue/physical_block_size", physical)
            .attr("queue/minimum_io_size", minimum)
            .attr("queue/optimal_io_size", optimal)
    }

    /// Any attribute; a later one replaces an earlier one.
    pub fn attr(mut self, path: &str, value: impl ToString) -> Self {
        self.attrs.push((path.to_owned(), value.to_string()));
        self
    }

    /// Vendor and model as SCSI gives them.
    pub fn model(self, vendor: &str, model: &str) -> Self {
        self.attr("device/vendor", vendor)
            .attr("device/model", model)
    }

    /// Not rotating.
    pub fn flash(self) -> Self {
        self.attr("queue/rotational", 0)
    }

    /// The device path in sysfs, without `../devices/` and `/block/NAME`.
    pub fn bus(mut self, bus: &'static str) -> Self {
        self.bus = bus;
        self
    }

    /// Behind a USB bridge.
    pub fn usb(self) -> Self {
        self.bus("pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host4/target4:0:0/4:0:0:0")
    }

    /// A disk that a hypervisor makes.
    pub fn virtio(self) -> Self {
        self.bus("pci0000:00/0000:00:02.0/virtio1")
    }
}

impl Default for Sysroot {
    fn default() -> Self {
        Self::new()
    }
}

impl Sysroot {
    /// A machine without devices.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(dir.path().join("sys/block")).expect("sys/block");
        Self {
            dir,
            places: BTreeMap::new(),
            minors: 0,
        }
    }

    /// The folder to give to `--sysroot`.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes any file.
    pub fn file(self, inside: &str, content: impl AsRef<[u8]>) -> Self {
        crate::files::put(self.dir.path(), inside, content);
        self
    }

    /// Writes to the copy of a device, `dev/NAME`, which is as long as the device and else zero.
    pub fn content(self, name: &str, offset: u64, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.dir.path().join("dev").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        let size = self.dir.path().join(&self.places[name]).join("size");
        let sectors: u64 = fs::read_to_string(size).unwrap().trim().parse().unwrap();
        let mut options = fs::File::options();
        let file = options.create(true).truncate(false).write(true).open(path);
        let file = file.expect("opened");
        file.set_len(sectors * 512).expect("a sparse file");
        file.write_all_at(bytes.as_ref(), offset).expect("written");
        self
    }

    /// Makes a symbolic link; its target is not looked at.
    pub fn link(self, inside: &str, target: impl Into<PathBuf>) -> Self {
        let path = self.dir.path().join(inside);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        symlink(target.into(), path).expect("linked");
        self
    }

    fn device(mut self, name: &str, place: &str, sectors: u64) -> Self {
        self.places.insert(name.to_owned(), place.to_owned());
        let minor = self.minors;
        self.minors += 1;
        self.link(
            &format!("sys/dev/block/8:{minor}"),
            format!("../../../{place}"),
        )
        .file(&format!("{place}/dev"), format!("8:{minor}\n"))
        .file(&format!("{place}/size"), format!("{sectors}\n"))
    }

    /// A disk: `sys/block/NAME` is a link into `sys/devices`, as on a real machine.
    pub fn disk(self, disk: SysrootDisk) -> Self {
        let place = format!("sys/devices/{}/block/{}", disk.bus, disk.name);
        let target = format!("../devices/{}/block/{}", disk.bus, disk.name);
        let mut tree = self
            .device(&disk.name, &place, disk.sectors)
            .link(&format!("sys/block/{}", disk.name), target);
        for (path, value) in disk.attrs {
            tree = tree.file(&format!("{place}/{path}"), format!("{value}\n"));
        }
        tree
    }

    /// A partition; start and size in 512-byte units whatever the sector size.
    pub fn partition(self, disk: &str, number: u32, start: u64, size: u64) -> Self {
        let digit = disk.ends_with(|c: char| c.is_ascii_digit());
        let name = format!("{disk}{}{number}", if digit { "p" } else { "" });
        let place = format!("{}/{name}", self.places[disk]);
        self.device(&name, &place, size)
            .file(&format!("{place}/partition"), format!("{number}\n"))
            .file(&format!("{place}/start"), format!("{start}\n"))
    }

    /// Sets an attribute of a device that is there.
    pub fn set(self, name: &str, attr: &str, value: impl ToString) -> Self {
        let place = format!("{}/{attr}", self.places[name]);
        self.file(&place, format!("{}\n", value.to_string()))
    }

    /// A virtual device (md, dm, bcache) with its slaves.
    pub fn stacked(self, name: &str, sectors: u64, logical: u64, slaves: &[&str]) -> Self {
        let place = format!("sys/devices/virtual/block/{name}");
        let mut tree = self
            .device(name, &place, sectors)
            .link(
                &format!("sys/block/{name}"),
                format!("../devices/virtual/block/{name}"),
            )
            .set(name, "queue/logical_block_size", logical)
            .set(name, "alignment_offset", 0);
        for slave in slaves {
            let target = PathBuf::from("/").join(&tree.places[*slave]);
            let holder = format!("{}/holders/{name}", tree.places[*slave]);
            tree = tree
                .link(&format!("{place}/slaves/{slave}"), target)
                .link(&holder, format!("/{place}"));
        }
        tree
    }

    /// An md array. Members: name, slot (`none` for a spare), data offset in 512-byte units.
    pub fn md(
        self,
        name: &str,
        sectors: u64,
        (level, chunk, layout): (&str, u64, u32),
        members: &[(&str, &str, u64)],
    ) -> Self {
        let slaves: Vec<&str> = members.iter().map(|(member, ..)| *member).collect();
        let active = members
            .iter()
            .filter(|(_, slot, _)| *slot != "none")
            .count();
        let mut tree = self
            .stacked(name, sectors, 512, &slaves)
            .set(name, "md/level", level)
            .set(name, "md/chunk_size", chunk)
            .set(name, "md/layout", layout)
            .set(name, "md/raid_disks", active)
            .set(name, "md/metadata_version", "1.2")
            .set(name, "md/reshape_position", "none");
        for (member, slot, offset) in members {
            tree = tree
                .set(name, &format!("md/dev-{member}/slot"), slot)
                .set(name, &format!("md/dev-{member}/offset"), offset)
                .set(name, &format!("md/dev-{member}/state"), "in_sync");
        }
        tree
    }

    /// A dm device; its number is the next one, see [`Sysroot::number`].
    pub fn dm(self, kernel: &str, name: &str, uuid: &str, sectors: u64, slaves: &[&str]) -> Self {
        self.stacked(kernel, sectors, 512, slaves)
            .set(kernel, "dm/name", name)
            .set(kernel, "dm/uuid", uuid)
    }

    /// `major:minor` of a device, for dm tables.
    pub fn number(&self, name: &str) -> String {
        let path = self.dir.path().join(&self.places[name]).join("dev");
        fs::read_to_string(path).expect("dev").trim().to_owned()
    }

    /// What `dmsetup table` prints; `{sda1}` becomes the number of sda1.
    pub fn tables(self, text: &str) -> Self {
        let mut text = text.to_owned();
        for name in self.places.keys() {
            text = text.replace(&format!("{{{name}}}"), &self.number(name));
        }
        self.file("ioalign/dm-table", text)
    }
}

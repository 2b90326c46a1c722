//! `parted -l` and `parted … print` in any unit and language.
//!
//! Without a unit parted prints three or four digits and rounds to the nearest (libparted `unit.c`):
//! `1049kB` is anything from 1048500 to 1049499 bytes. Starts are multiples of the logical sector,
//! which settles small ones: `32.3kB` can only be sector 63.

pub mod rows;
pub(super) mod value;

use ioalign_core::Role;
use ioalign_core::layer::Kind;

use super::super::reading::subject::Subject;
use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{claims, disk, names, partition, roles, sector, sizes};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::host::hints::Transport;
use value::PartedScale;

/// `parted -l`.
pub const FORMAT: TextFormat = TextFormat {
    name: "parted",
    command: "parted -l",
    sniff: |text| text.any(|line| limits(line).is_some()),
    read,
};

/// The part of the text that speaks of one disk.
#[derive(Default)]
struct PartedSection {
    /// As printed: `/dev/sda`.
    disk: String,
    /// The size as printed.
    size: String,
    model: String,
    /// How it is attached, as parted calls it.
    driver: String,
    limits: Option<(u64, u64)>,
    table: String,
    scale: PartedScale,
    stated: bool,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut section: Option<PartedSection> = None;
    let mut subject = Subject::new(text, &["parted"]);
    let mut before = "";
    for line in text.lines().map(str::trim) {
        subject.see(line);
        if let Some((name, size)) = start(line) {
            let mut found = PartedSection {
                disk: name.to_owned(),
                size: size.to_owned(),
                ..PartedSection::default()
            };
            found.model(before);
            section = Some(found);
        } else if limits(line).is_some() && section.as_ref().is_none_or(|section| section.stated) {
            // The line about the disk was left out.
            let mut found = PartedSection {
                disk: subject.take(),
                ..PartedSection::default()
            };
            found.take(line, evidence);
            section = Some(found);
        } else if let Some(section) = &mut section {
            section.take(line, evidence);
        }
        before = line;
    }
    Ok(())
}

/// `Disk /dev/sda: 500GB`, `Festplatte  /dev/sda:  500GB`: a name and one value.
fn start(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(' ')?;
    let (name, size) = rest.rsplit_once(':').or_else(|| rest.rsplit_once('：'))?;
    let (name, size) = (name.trim(), size.trim());
    let valued = PartedScale::default().value(size).is_some() || value::is_place(size);
    let one = !name.is_empty() && !name.contains(char::is_whitespace);
    (one && valued && size.contains(|c: char| c.is_alphabetic() || c == ','))
        .then_some((name, size))
}

/// `Sector size (logical/physical): 512B/4096B`: only parted prints this.
fn limits(line: &str) -> Option<(u64, u64)> {
    let (_, value) = line.rsplit_once([':', '：'])?;
    let (logical, physical) = value.trim().split_once('/')?;
    let bytes = |text: &str| sizes::whole(text.strip_suffix('B')?);
    Some((bytes(logical)?, bytes(physical)?))
}

impl PartedSection {
    /// `Model: ATA WDC WD10EZEX (scsi)`, the line before.
    fn model(&mut self, line: &str) {
        let Some((_, value)) = line.split_once([':', '：']) else {
            return;
        };
        if let Some((model, driver)) = value
            .trim()
            .strip_suffix(')')
            .and_then(|v| v.rsplit_once('('))
        {
            model.trim().clone_into(&mut self.model);
            driver.clone_into(&mut self.driver);
        }
    }

    fn take(&mut self, line: &str, evidence: &mut TextEvidence) {
        if let Some(limits) = limits(line) {
            self.limits = Some(limits);
            self.scale.sector = sector(limits.0);
        } else if let Some(geometry) = value::geometry(line) {
            self.scale.geometry = Some(geometry);
        } else if self.limits.is_none() {
        } else if let Some((_, table)) = line
            .rsplit_once([':', '：'])
            .filter(|_| self.table.is_empty())
        {
            table.trim().clone_into(&mut self.table);
            self.tell(evidence);
        } else {
            self.row(line, evidence);
        }
    }

    /// Adds the disk.
    fn tell(&mut self, evidence: &mut TextEvidence) {
        if self.stated {
            return;
        }
        self.stated = true;
        let said = disk(evidence, &self.disk);
        said.kind = kind(&self.driver).or(said.kind);
        said.size = self
            .scale
            .value(&self.size)
            .map(|size| self.scale.settled(size));
        said.table = roles::table(&self.table);
        // libparted looked for a table and found none.
        said.blank = self.table == "unknown";
        said.sector = self.scale.sector;
        if self.disk.is_empty() {
            said.kind.get_or_insert(Kind::Disk);
        }
        if !self.model.is_empty() {
            said.model = Some(self.model.clone());
        }
        if let Some((logical, physical)) = self.limits.filter(|_| said.kind != Some(Kind::Image)) {
            said.claims = Some(crate::host::hints::Claims {
                logical: Some(logical),
                physical: Some(physical),
                model: self.model.clone(),
                transport: transport(&self.driver)
                    .unwrap_or(names::transport(self.disk.trim_start_matches("/dev/"))),
                ..claims(&self.disk)
            });
        }
    }

    /// ` 1      1049kB  500MB  499MB  primary  ext4  boot`. Free space has no number; a `loop`
    /// label is a file system on the whole disk, shown as a partition that does not exist.
    fn row(&self, line: &str, evidence: &mut TextEvidence) {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(sizes::whole);
        let places: Vec<&str> = words.clone().take(3).collect();
        let (Some(number), [from, to, ..]) = (number, places.as_slice()) else {
            return;
        };
        let (Some(start), Some(_)) = (self.scale.value(from), self.scale.value(to)) else {
            return;
        };
        if !self.stated {
            return;
        }
        if self.table == WHOLE_DISK {
            fill_disk(evidence, words.skip(3).find_map(filling));
            return;
        }
        let name = names::join(&self.disk, number);
        let said = partition(evidence, &self.disk, &name);
        said.number = u32::try_from(number).ok();
        said.sector = self.scale.sector;
        said.start = Some(self.scale.settled(start));
        said.size = places.get(2).and_then(|size| self.scale.value(size));
        said.role = role(&self.table, words.clone().skip(2));
        let iso = words.skip(2).any(|word| word == "iso9660");
        said.filesystem = iso.then(|| FileSystem {
            kind: "iso9660",
            ..FileSystem::default()
        });
    }
}

/// The label of a disk that a file system fills, as parted calls it.
pub(super) const WHOLE_DISK: &str = "loop";

/// File systems as parted names them, and as libblkid does. Those of FAT begin with tables whose length it does not
/// print.
const FILE_SYSTEMS: &[(&str, &str)] = &[
    ("btrfs", "btrfs"),
    ("ext2", "ext2"),
    ("ext3", "ext3"),
    ("ext4", "ext4"),
    ("f2fs", "f2fs"),
    ("hfs+", "hfsplus"),
    ("jfs", "jfs"),
    ("linux-swap(v1)", "swap"),
    ("nilfs2", "nilfs2"),
    ("ntfs", "ntfs"),
    ("udf", "udf"),
    ("xfs", "xfs"),
];

/// The disk that was just read has this file system and no table.
pub(super) fn fill_disk(evidence: &mut TextEvidence, filesystem: Option<FileSystem>) {
    if let Some(disk) = evidence.devices.last_mut() {
        disk.filesystem = filesystem;
    }
}

/// The file system that fills a disk, by its name.
pub(super) fn filling(word: &str) -> Option<FileSystem> {
    let (_, kind) = FILE_SYSTEMS.iter().find(|(name, _)| *name == word)?;
    Some(FileSystem {
        kind,
        ..FileSystem::default()
    })
}

/// How a driver of parted reaches the device (libparted `device.h`).
fn transport(driver: &str) -> Option<Transport> {
    match driver {
        "nvme" => Some(Transport::Nvme),
        "sd/mmc" => Some(Transport::Mmc),
        "virtblk" => Some(Transport::Virtio),
        "xvd" => Some(Transport::Xen),
        "loopback" | "loop" => Some(Transport::Loop),
        _ => None,
    }
}

/// The facts of parted's driver about the device.
pub(super) fn kind(driver: &str) -> Option<Kind> {
    match driver {
        "md" => Some(Kind::Md),
        "dm" => Some(Kind::Volume),
        "file" => Some(Kind::Image),
        "" | "unknown" => None,
        _ => Some(Kind::Disk),
    }
}

/// The role by file system and flags, all words of their own.
pub(super) fn role<'a>(table: &str, words: impl Iterator<Item = &'a str>) -> Option<Role> {
    let role = |word: &str| match word.trim_matches([',', ';']) {
        "bios_grub" | "prep" => Some(Role::BiosBoot),
        "esp" => Some(Role::Esp),
        "boot" if table == "gpt" => Some(Role::Esp),
        "msftres" => Some(Role::Msr),
        "extended" => Some(Role::Extended),
        "swap" => Some(Role::Swap),
        word if word.starts_with("linux-swap") => Some(Role::Swap),
        _ => None,
    };
    words.filter_map(role).next()
}

/// The value of a start in a unit that may be exact.
pub(super) fn start_of(scale: &PartedScale, text: &str) -> Option<Number> {
    scale.value(text).map(|start| scale.settled(start))
}

//! Windows `fsutil fsinfo ntfsinfo` and `sectorinfo`: sectors and clusters of a volume, in bytes.
//!
//! Neither names the volume: the command line before does. `Partition alignment on device` is the
//! offset of the partition within a physical sector (MS-FSCC 2.5.7,
//! `ByteOffsetForPartitionAlignment`), so that it proves what no start is needed for.

use ioalign_core::{Bytes, Remark, Severity};
use ioalign_core::{layer::Kind, rules};

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::sizes;
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::host::hints::Claims;

/// `fsutil fsinfo`.
pub const FORMAT: TextFormat = TextFormat {
    name: "fsutil",
    command: "fsutil fsinfo ntfsinfo|sectorinfo",
    sniff: |text| text.any(|line| Field::of(line).is_some()),
    read,
};

/// What a line says.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Field {
    Sectors,
    Logical,
    Physical,
    Performance,
    Cluster,
    Device,
    Partition,
}

/// Beginnings of lines, in English and German; names of `sectorinfo` are not translated.
const FIELDS: &[(&str, Field)] = &[
    ("LogicalBytesPerSector", Field::Logical),
    ("PhysicalBytesPerSectorForAtomicity", Field::Physical),
    ("PhysicalBytesPerSectorForPerformance", Field::Performance),
    ("Device Alignment", Field::Device),
    ("Partition alignment on device", Field::Partition),
    ("Number Sectors", Field::Sectors),
    ("Total Sectors", Field::Sectors),
    ("Bytes Per Sector", Field::Logical),
    ("Bytes pro Sektor", Field::Logical),
    ("Bytes Per Physical Sector", Field::Physical),
    ("Bytes pro physischem Sektor", Field::Physical),
    ("Bytes Per Cluster", Field::Cluster),
    ("Bytes pro Cluster", Field::Cluster),
];

impl Field {
    /// The field of a line, when a number follows it.
    fn of(line: &str) -> Option<(Self, u64)> {
        let (key, value) = line.trim().split_once(':')?;
        let key = key.trim().to_ascii_lowercase();
        let (_, field) = FIELDS
            .iter()
            .find(|(name, _)| name.to_ascii_lowercase() == key)?;
        let value = match field {
            Self::Device | Self::Partition => value.rsplit_once('(')?.1,
            _ => value,
        };
        Some((*field, sizes::grouped(value)?))
    }
}

/// `fsutil fsinfo ntfsinfo c:`: the volume.
fn command(line: &str) -> Option<&str> {
    let (_, arguments) = line.split_once("fsinfo ")?;
    let volume = arguments.split_whitespace().nth(1)?;
    volume
        .contains(':')
        .then_some(volume.trim_end_matches('\\'))
}

/// What has been seen of one volume.
#[derive(Default)]
struct FsutilVolume {
    name: String,
    seen: Vec<(Field, u64)>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut volume = FsutilVolume::default();
    for line in text.lines() {
        if let Some(name) = command(line) {
            volume.tell(evidence);
            volume = FsutilVolume {
                name: name.to_ascii_uppercase(),
                ..FsutilVolume::default()
            };
        } else if let Some((field, value)) = Field::of(line) {
            if volume.get(field).is_some() {
                volume.tell(evidence);
                volume.seen.clear();
            }
            volume.seen.push((field, value));
        }
    }
    volume.tell(evidence);
    Ok(())
}

impl FsutilVolume {
    fn get(&self, field: Field) -> Option<u64> {
        let mut seen = self.seen.iter();
        seen.find(|(own, _)| *own == field).map(|(_, value)| *value)
    }

    fn tell(&self, evidence: &mut TextEvidence) {
        if self.seen.is_empty() {
            return;
        }
        let name = if self.name.is_empty() {
            "volume"
        } else {
            &self.name
        };
        let disk = format!("disk of {name}");
        self.disk(evidence.device(&disk));
        let said = super::partition(evidence, &disk, name);
        said.sector = self.get(Field::Logical).and_then(super::sector);
        let count = self.get(Field::Sectors).zip(said.sector);
        said.size = count.and_then(|(count, sector)| Number::sectors(count, sector));
        said.remarks
            .extend(self.get(Field::Partition).and_then(partition));
        said.filesystem = self.get(Field::Cluster).map(|cluster| FileSystem {
            kind: "ntfs",
            block: Some(Bytes::new(cluster)),
            sector: self.get(Field::Logical).map(Bytes::new),
            ..FileSystem::default()
        });
    }

    fn disk(&self, said: &mut super::Said) {
        said.kind = Some(Kind::Disk);
        said.sector = self.get(Field::Logical).and_then(super::sector);
        let offset = self
            .get(Field::Device)
            .and_then(|offset| i64::try_from(offset).ok());
        said.alignment_offset = offset;
        said.claims = Some(Claims {
            logical: self.get(Field::Logical),
            physical: self.get(Field::Physical),
            minimum: self.get(Field::Performance),
            alignment_offset: offset.unwrap_or(0),
            ..Claims::default()
        });
    }
}

/// Windows' own verdict on the partition.
fn partition(offset: u64) -> Option<Remark> {
    (offset != 0).then(|| {
        let why = format!(
            "Windows says that the partition starts {offset} B past a physical sector \
             (Partition alignment on device)"
        );
        Remark::new(
            rules::WINDOWS_PARTITION_MISALIGNED,
            Severity::Misaligned,
            why,
        )
    })
}

//! FAT parameter blocks as `fsck.fat -v` (once `dosfsck`) and `minfo` of mtools print them.

use ioalign_core::Bytes;

use crate::captures::reading::leading;
use crate::captures::reading::subject::Subject;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::fields::{power_of_two, product};

/// `fsck.fat -v`.
pub const FSCK: TextFormat = TextFormat {
    name: "fsck-fat",
    command: "fsck.fat -v",
    sniff: |text| text.any(|line| line.trim_end().ends_with("bytes per logical sector")),
    read: read_fsck,
};

/// `minfo -i FILE ::`.
pub const MINFO: TextFormat = TextFormat {
    name: "minfo",
    command: "minfo",
    sniff: |text| text.any(|line| line.trim() == "bootsector information"),
    read: read_minfo,
};

/// A parameter block, as far as it is printed.
#[derive(Default)]
struct FatParameters {
    kind: Option<&'static str>,
    sector: Option<u64>,
    cluster: Option<u64>,
    data_start: Option<u64>,
    hidden: Option<u64>,
    sectors: Option<u64>,
    /// For the data start of `minfo`, which does not print it.
    reserved: Option<u64>,
    fats: Option<u64>,
    fat_sectors: Option<u64>,
    root_slots: Option<u64>,
}

/// With fewer clusters than this it is FAT12, FAT16 (fatgen103).
const FAT12_CLUSTERS: u64 = 4085;

fn read_fsck(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["fsck.fat", "dosfsck", "fsck.vfat", "fsck.msdos"]);
    let mut open: Option<(String, FatParameters)> = None;
    for line in text.lines() {
        if line.trim() == "Boot sector contents:" {
            close(open.take(), evidence);
            open = Some((subject.take(), FatParameters::default()));
            continue;
        }
        match &mut open {
            Some((device, block)) => {
                fsck_line(block, line.trim());
                // The last line: `/dev/sda1: 3 files, 5/19951 clusters`.
                if let Some((name, rest)) = line.split_once(": ")
                    && rest.contains(" files, ")
                {
                    name.clone_into(device);
                    close(open.take(), evidence);
                }
            }
            None => {
                subject.see(line);
            }
        }
    }
    close(open, evidence);
    Ok(())
}

fn fsck_line(block: &mut FatParameters, line: &str) {
    let number = leading(line);
    let ends = |end: &str| line.ends_with(end);
    if ends("bytes per logical sector") {
        block.sector = number;
    } else if ends("bytes per cluster") {
        block.cluster = number;
    } else if ends("hidden sectors") {
        block.hidden = number;
    } else if ends("sectors total") {
        block.sectors = number;
    } else if let Some(rest) = line.strip_prefix("Data area starts at byte ") {
        block.data_start = leading(rest);
    } else if let Some((_, bits)) = line.split_once("FATs, ") {
        block.kind = match leading(bits) {
            Some(12) => Some("fat12"),
            Some(16) => Some("fat16"),
            Some(32) => Some("fat32"),
            _ => None,
        };
    }
}

fn read_minfo(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<(String, FatParameters)> = None;
    for line in text.lines() {
        if let Some(name) = line.trim().strip_prefix("filename=") {
            close(open.take(), evidence);
            open = Some((name.trim_matches('"').to_owned(), FatParameters::default()));
        } else if let (Some((_, block)), Some((key, value))) =
            (&mut open, line.split_once([':', '=']))
        {
            minfo_line(block, key.trim(), value);
        }
    }
    close(open, evidence);
    Ok(())
}

fn minfo_line(block: &mut FatParameters, key: &str, value: &str) {
    let number = leading(value);
    match key {
        "sector size" => block.sector = number,
        // In sectors, and printed after the sector size.
        "cluster size" => {
            block.cluster = number.zip(block.sector).and_then(|(n, s)| n.checked_mul(s))
        }
        "hidden sectors" => block.hidden = number,
        "reserved (boot) sectors" => block.reserved = number,
        "fats" => block.fats = number,
        "max available root directory slots" => block.root_slots = number,
        "sectors per fat" | "Big fatlen" => {
            block.fat_sectors = number.filter(|n| *n != 0).or(block.fat_sectors)
        }
        "small size" | "big size" => block.sectors = number.filter(|n| *n != 0).or(block.sectors),
        "disk type" => {
            let known = ["fat12", "fat16", "fat32"];
            let value = value.to_ascii_lowercase();
            block.kind = known.into_iter().find(|kind| value.contains(kind));
        }
        _ => {}
    }
}

impl FatParameters {
    /// Printed, or from the counts of sectors before it.
    fn start(&self) -> Option<u64> {
        if self.data_start.is_some() {
            return self.data_start;
        }
        let sector = self.sector.filter(|bytes| *bytes != 0)?;
        let root = self.root_slots?.checked_mul(32)?.div_ceil(sector);
        let fats = self.fats?.checked_mul(self.fat_sectors?)?;
        self.reserved?
            .checked_add(fats)?
            .checked_add(root)?
            .checked_mul(sector)
    }

    /// The type as printed, else by the count of clusters.
    fn kind(&self, cluster: u64) -> &'static str {
        let clusters = || {
            let size = self.sectors?.checked_mul(self.sector?)?;
            size.checked_sub(self.start()?)?.checked_div(cluster)
        };
        match (self.kind, self.root_slots) {
            (Some(kind), _) => kind,
            (None, Some(0)) => "fat32",
            _ if clusters().is_some_and(|n| n < FAT12_CLUSTERS) => "fat12",
            _ => "fat16",
        }
    }
}

fn close(block: Option<(String, FatParameters)>, evidence: &mut TextEvidence) {
    let Some((device, block)) = block else { return };
    let sector = block
        .sector
        .filter(|sector| power_of_two(*sector, 512, 4096));
    let cluster = block
        .cluster
        .filter(|cluster| power_of_two(*cluster, 512, 1 << 20));
    let (Some(sector), Some(cluster), Some(start)) = (sector, cluster, block.start()) else {
        return;
    };
    evidence.device(&device).filesystem = Some(FileSystem {
        kind: block.kind(cluster),
        block: Some(Bytes::new(cluster)),
        sector: Some(Bytes::new(sector)),
        data_start: Bytes::new(start),
        size: block.sectors.and_then(|count| product(count, sector)),
        hidden_sectors: block.hidden,
        ..FileSystem::default()
    });
}

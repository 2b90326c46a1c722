//! The arguments of `fix` that change more than starts.

use clap::Args;
use ioalign_core::SectorSize;

use crate::args::sector;

/// Changes of the disk besides its starts.
#[derive(Debug, Args)]
#[group(multiple = true)]
pub struct ChangeArgs {
    /// Use all of a disk or image that has become longer: the backup of the GPT goes to its end, and the
    /// last partition grows up to there
    #[arg(long, conflicts_with_all = ["shrink_last", "convert_sector_size"])]
    pub grow: bool,

    /// If nothing else makes room, shorten the last partition, after its file system was shrunk by its
    /// own tool (ext4, NTFS)
    #[arg(long, conflicts_with_all = ["output", "convert_sector_size"])]
    pub shrink_last: bool,

    /// Let partitions go far over free space where that saves writing them to the journal too; what the
    /// table does not list there (a deleted partition) is written over
    #[arg(long, conflicts_with_all = ["convert_sector_size", "universal"])]
    pub anywhere: bool,

    /// Make partition N as long as the file system or volume in it says it is, where the space behind it is free.
    /// Nothing moves
    #[arg(long, value_name = "N", conflicts_with_all = ["grow", "shrink_last", "convert_sector_size", "universal", "partition", "align", "grid", "profile_grid"])]
    pub enlarge_partition: Option<u32>,

    /// Make an image for disks with this logical sector: 512 or 4096; its GPT and its FAT file systems
    /// are rebuilt
    #[arg(long, value_name = "BYTES", value_parser = logical, conflicts_with_all = ["partition", "align", "grid", "profile_grid"])]
    pub convert_sector_size: Option<SectorSize>,

    /// Make one image for disks with logical sectors of 512 and of 4096: a GPT for each, both with their
    /// backups, and FAT file systems that both can read
    #[arg(long, conflicts_with_all = ["convert_sector_size", "grow", "shrink_last", "partition", "align", "grid", "profile_grid"])]
    pub universal: bool,
}

fn logical(text: &str) -> Result<SectorSize, String> {
    let size = sector(text)?;
    let known = matches!(size.get(), 512 | 4096);
    known
        .then_some(size)
        .ok_or_else(|| "disks have logical sectors of 512 or 4096 bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logical_sectors_of_disks() {
        assert_eq!(logical("4k"), Ok(SectorSize::S4096));
        assert!(logical("2048").is_err());
    }
}

//! A conversion to the other logical sector.

use serde::Serialize;

use super::FixJournal;
use crate::consequence::Consequence;

/// What is, or was, converted.
#[derive(Clone, Debug, Serialize)]
pub struct FixConversion {
    /// Names the work in place, where it can be done there.
    pub name: Option<String>,
    /// `false`: it is there already.
    pub needed: bool,
    /// Whether there is to be a table for each of the two sectors.
    pub universal: bool,
    /// The sector that the table counts in.
    pub from_sector_bytes: Option<u64>,
    /// The sector that it will count in.
    pub to_sector_bytes: u64,
    /// The size of the disk.
    pub disk_bytes: Option<u64>,
    /// The size that it has to have.
    pub new_disk_bytes: Option<u64>,
    /// The partitions, by number.
    pub partitions: Vec<ConvertedPartition>,
    /// Data that move.
    pub moved_bytes: u64,
    /// Tables and file systems that are written in place.
    pub rewritten_bytes: Option<u64>,
    /// Whether it can be done in place; `None` where that was not asked.
    pub in_place: Option<bool>,
    /// Why it cannot.
    pub not_in_place: Option<String>,
    /// The journal; `None` where a new image is written.
    pub journal: Option<FixJournal>,
    /// What it means for boot and contents.
    pub consequences: Vec<Consequence>,
    /// The journal of the work in place, also where a new image was asked for.
    #[serde(skip)]
    pub journal_in_place: Option<FixJournal>,
}

/// A partition before and after.
#[derive(Clone, Debug, Serialize)]
pub struct ConvertedPartition {
    /// Its number.
    pub number: u32,
    /// What is in it.
    pub what: &'static str,
    /// Where it starts.
    pub start_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
    /// Where it will start.
    pub new_start_bytes: u64,
    /// Its size then.
    pub new_size_bytes: u64,
    /// How its file system is rebuilt, if it is.
    pub rebuilt: Option<RebuiltFilesystem>,
}

/// A FAT file system that is rebuilt.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RebuiltFilesystem {
    /// Whether its files stay where they are.
    pub clusters_kept: bool,
    /// Bytes of a cluster before.
    pub cluster_bytes: u64,
    /// Bytes of a cluster afterwards.
    pub new_cluster_bytes: u64,
    /// Clusters that belonged to no file, and are free afterwards.
    pub lost_clusters: u32,
    /// Bytes that are written for it.
    pub written_bytes: u64,
}

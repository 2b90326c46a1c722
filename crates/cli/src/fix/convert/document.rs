//! A conversion as JSON.

use ioalign_repair::convert;
use ioalign_repair::mover;
use serde::Serialize;

use super::super::document::{Told, told};
use super::super::place;
use super::Page;

/// The conversion that will be, or was, done.
#[derive(Debug, Serialize)]
pub struct Conversion {
    name: Option<String>,
    /// `false`: the table counts in these sectors already.
    pub needed: bool,
    from_sector_bytes: Option<u64>,
    to_sector_bytes: u64,
    disk_bytes: Option<u64>,
    new_disk_bytes: Option<u64>,
    partitions: Vec<Partition>,
    moved_bytes: u64,
    rewritten_bytes: Option<u64>,
    in_place: Option<bool>,
    not_in_place: Option<String>,
    journal: Option<Journal>,
    consequences: Vec<Told>,
}

#[derive(Debug, Serialize)]
struct Partition {
    number: u32,
    what: &'static str,
    start_bytes: u64,
    size_bytes: u64,
    new_start_bytes: u64,
    new_size_bytes: u64,
    rebuilt: Option<Rebuilt>,
}

#[derive(Debug, Serialize)]
struct Rebuilt {
    clusters_kept: bool,
    cluster_bytes: u64,
    new_cluster_bytes: u64,
    lost_clusters: u32,
    written_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Journal {
    path: String,
    size_bytes: u64,
}

/// The part of a page that is about the conversion.
pub fn of(page: &Page<'_>) -> Conversion {
    let one = page.conversion;
    let job = page.job.as_ref().and_then(|job| job.as_ref().ok());
    let in_place = page.arguments.output.is_none();
    Conversion {
        name: job.map(|job| super::super::refuse::name(job)),
        needed: one.is_some(),
        from_sector_bytes: one.map(|one| one.from),
        to_sector_bytes: page.to,
        disk_bytes: one.map(|one| one.old_bytes),
        new_disk_bytes: one.map(|one| one.bytes),
        partitions: one.map_or_else(Vec::new, partitions),
        moved_bytes: one.map_or(0, |one| one.moves.iter().map(|m| m.bytes).sum()),
        rewritten_bytes: job.map(|job| rewritten(job)),
        in_place: page.job.as_ref().map(Result::is_ok),
        not_in_place: page
            .job
            .as_ref()
            .and_then(|job| job.as_ref().err().cloned()),
        journal: job.filter(|_| in_place).and_then(|job| {
            Some(Journal {
                path: place::journal(page.arguments).ok()?.display().to_string(),
                size_bytes: mover::journal_bytes(job, &page.options()).ok()?,
            })
        }),
        consequences: one.map_or_else(Vec::new, |one| one.consequences.iter().map(told).collect()),
    }
}

/// Bytes of tables and file systems that are written in place.
pub fn rewritten(job: &ioalign_repair::Job) -> u64 {
    job.patches
        .iter()
        .map(|patch| patch.after.len() as u64)
        .sum()
}

fn partitions(conversion: &convert::Conversion) -> Vec<Partition> {
    let one = |part: &convert::Partition| Partition {
        number: part.old.number,
        what: part.content.name(),
        start_bytes: part.old.start,
        size_bytes: part.old.size,
        new_start_bytes: part.new.start,
        new_size_bytes: part.new.size,
        rebuilt: part.rebuilt.map(|rebuilt| Rebuilt {
            clusters_kept: rebuilt.kept,
            cluster_bytes: rebuilt.cluster_bytes.0,
            new_cluster_bytes: rebuilt.cluster_bytes.1,
            lost_clusters: rebuilt.lost_clusters,
            written_bytes: rebuilt.written_bytes,
        }),
    };
    conversion.partitions.iter().map(one).collect()
}

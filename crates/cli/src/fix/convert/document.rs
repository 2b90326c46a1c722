//! The document of a conversion, and the commands that come next.

use ioalign_core::fix_document::{ConvertedPartition, FixConversion, FixResult, RebuiltFilesystem};
use ioalign_repair::convert;

use super::super::command::{self, FixStep};
use super::super::document::journal;
use super::super::{next, refuse};
use super::ConversionPage;
use crate::image_name;

/// The part of a page that is about the conversion.
pub fn of(page: &ConversionPage<'_>) -> FixConversion {
    let one = page.conversion;
    let job = page.job.as_ref().and_then(|job| job.as_ref().ok());
    let why = page.job.as_ref().and_then(|job| job.as_ref().err());
    let in_place = job.and_then(|job| journal(page.arguments, job));
    let patches = job.map(|job| job.patches.iter());
    FixConversion {
        name: job.map(|job| refuse::name(job)),
        needed: one.is_some(),
        universal: page.arguments.change.universal,
        from_sector_bytes: one.map(|one| one.from),
        to_sector_bytes: page.to,
        disk_bytes: one.map(|one| one.old_bytes),
        new_disk_bytes: one.map(|one| one.bytes),
        partitions: one.map_or_else(Vec::new, partitions),
        moved_bytes: one.map_or(0, |one| one.moves.iter().map(|m| m.bytes).sum()),
        rewritten_bytes: patches.map(|all| all.map(|patch| patch.after.len() as u64).sum()),
        in_place: page.job.as_ref().map(Result::is_ok),
        not_in_place: why.cloned(),
        journal: in_place.clone().filter(|_| page.arguments.output.is_none()),
        consequences: one.map_or_else(Vec::new, |one| one.consequences.clone()),
        journal_in_place: in_place,
    }
}

fn partitions(conversion: &convert::Conversion) -> Vec<ConvertedPartition> {
    let one = |part: &convert::PartitionChange| ConvertedPartition {
        number: part.old.number,
        what: part.content.name(),
        start_bytes: part.old.start,
        size_bytes: part.old.size,
        new_start_bytes: part.new.start,
        new_size_bytes: part.new.size,
        rebuilt: part.rebuilt.map(|rebuilt| RebuiltFilesystem {
            clusters_kept: rebuilt.kept,
            cluster_bytes: rebuilt.cluster_bytes.0,
            new_cluster_bytes: rebuilt.cluster_bytes.1,
            lost_clusters: rebuilt.lost_clusters,
            written_bytes: rebuilt.written_bytes,
        }),
    };
    conversion.partitions.iter().map(one).collect()
}

/// The commands that do it: in place where that can be, or into a new image; afterwards that of the check.
pub fn commands(page: &ConversionPage<'_>) -> Vec<String> {
    let arguments = page.arguments;
    if page.conversion.is_none() {
        return Vec::new();
    }
    if page.ended != FixResult::Planned {
        return next::check(arguments, page.ended).into_iter().collect();
    }
    let name = match &page.job {
        Some(Ok(job)) => Some(refuse::name(job)),
        _ => None,
    };
    let apply = name.map(|plan| command::line(arguments, FixStep::Apply(&plan)));
    let ending = arguments
        .target
        .extension()
        .and_then(|ending| ending.to_str());
    let new = match &arguments.output {
        Some(new) => new.clone(),
        None => image_name::beside(&arguments.target, ending.unwrap_or("img")),
    };
    let output = command::line(arguments, FixStep::Output(&new, arguments.format));
    apply.into_iter().chain([output]).collect()
}

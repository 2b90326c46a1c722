//! GUID partition table (UEFI specification 5.3), with sectors of any size.
//!
//! Nothing is where habit says: the header is at LBA 1 of an unknown sector size, entries may be
//! larger than 128 bytes and start elsewhere than LBA 2, the backup may be gone. What the header
//! says counts, after its checksum.

use ioalign_core::{Bytes, Remark, SectorSize, Severity, TableKind, rules};

use super::mbr::{entry, sector::BootRecord};
use super::{Context, Partition, PartitionTable, checks, ldm};
use crate::error::Result;
use crate::view::View;
use copies::GptTable;
use header::LocatedHeader;

mod copies;
mod entries;
mod header;
mod protective;
mod twin;
mod types;

/// Reads a GPT.
pub fn probe(view: &View, context: &Context) -> Result<Option<PartitionTable>> {
    let boot = BootRecord::read(view, 0)?;
    let boot = boot.as_ref();
    let nested = context.parent_type.is_some();
    if boot.is_some_and(|boot| entry::rules(view, boot, nested)) {
        return Ok(None); // the MBR reader says that there is a GPT beside it
    }
    let sizes = copies::sizes(context.sector);
    let mut primaries = copies::primaries(view, &sizes)?;
    let guarded = protective::guards(boot);
    if primaries.is_empty() && !guarded {
        return Ok(None);
    }
    let Some((copy, remarks)) = choose(view, &mut primaries, &sizes, guarded)? else {
        return Ok(None);
    };
    let mut table = table(view, &copy)?;
    table.also = copies::also(&primaries);
    table.remarks.extend(remarks);
    if context.sector.is_none() {
        table.remarks.extend(twin::judge(view, &copy, &primaries)?);
    }
    protective::judge(boot, &mut table, copy.header.sector, view.len());
    Ok(Some(table))
}

/// Sector size and number of partitions of an intact primary GPT, for any MBR.
pub(super) fn glance(view: &View) -> Result<Option<(SectorSize, usize)>> {
    let all = copies::primaries(view, &copies::sizes(None))?;
    let good = all.iter().find(|copy| copy.is_good());
    Ok(good.map(|copy| {
        let count = copy.entries.as_ref().map_or(0, |e| e.used.len());
        (copy.header.sector, count)
    }))
}

/// The copy to read and what is to be said about the choice. A header that is damaged and not
/// guarded by an MBR is a remnant: no system reads it.
fn choose(
    view: &View,
    primaries: &mut Vec<GptTable>,
    sizes: &[SectorSize],
    guarded: bool,
) -> Result<Option<(GptTable, Vec<Remark>)>> {
    let best = copies::best(view, primaries);
    if let Some((copy, mut remarks)) = best {
        if copy.is_good() {
            remarks.extend(copies::backup_remark(view, &copy)?);
            return Ok(Some((copy, remarks)));
        }
        primaries.insert(0, copy);
    }
    if !guarded {
        return Ok(None);
    }
    if let Some(backup) = copies::rescue(view, primaries, sizes)? {
        let remark = rescued(primaries.first(), &backup.header);
        return Ok(Some((backup, vec![remark])));
    }
    match primaries.drain(..).next() {
        None => Ok(None),
        Some(copy) if copy.entries.is_none() => Err(copy.header.error()),
        Some(copy) => {
            let remark = doubtful(&copy);
            Ok(Some((copy, vec![remark])))
        }
    }
}

fn rescued(primary: Option<&GptTable>, backup: &LocatedHeader) -> Remark {
    let fault = primary.map_or("there is none", GptTable::fault);
    let why = format!(
        "The primary GPT is damaged ({fault}); the backup at LBA {} is used.",
        backup.lba
    );
    Remark::new(rules::GPT_PRIMARY_DAMAGED, Severity::Broken, why)
        .advise("Restore it from the backup: `gdisk`, then r, b, w.")
}

fn doubtful(copy: &GptTable) -> Remark {
    let rule = if copy.header.is_sound() {
        rules::GPT_ENTRIES_CRC
    } else {
        rules::GPT_HEADER_DAMAGED
    };
    let why = format!(
        "The GPT is damaged and has no good backup: {}.",
        copy.fault()
    );
    let mut remark = Remark::new(rule, Severity::Broken, why).malformed();
    remark.place = copy.header.error().place();
    remark
}

fn table(view: &View, copy: &GptTable) -> Result<PartitionTable> {
    let header = &copy.header;
    let used = copy.entries.as_ref().map(|entries| &entries.used);
    let partitions = used
        .into_iter()
        .flatten()
        .map(|entry| entry.partition(header.sector));
    let mut table = PartitionTable {
        kind: TableKind::Gpt,
        sector: Some(header.sector),
        partitions: partitions.collect(),
        first_usable: header.sector.checked_bytes(header.fields.first_usable),
        last_usable: header
            .fields
            .last_usable
            .checked_add(1)
            .and_then(|end| header.sector.checked_bytes(end)),
        id: entries::guid(&header.fields.disk),
        ..PartitionTable::default()
    };
    for partition in &mut table.partitions {
        let bounds = (table.first_usable, table.last_usable);
        let remark = bounds_remark(partition, header, bounds);
        partition.remarks.extend(remark);
        partition.remarks.extend(not_followed(view, partition)?);
    }
    checks::run(&mut table, view.len(), Severity::Broken);
    checks::order(&mut table);
    Ok(table)
}

type Bounds = (Option<Bytes>, Option<Bytes>);

/// A partition on the table's own sectors, or outside the usable range.
fn bounds_remark(partition: &Partition, header: &LocatedHeader, bounds: Bounds) -> Option<Remark> {
    let (start, end) = (partition.start.get(), checks::end(partition));
    let number = partition.number;
    if partition.size.is_zero() {
        return None; // said already
    }
    let array = header.array..header.array.saturating_add(header.array_len());
    if start < array.end && array.start < end {
        let why = format!("Partition {number} lies over the entries of the table itself.");
        return Some(Remark::new(
            rules::PARTITION_OVER_TABLE,
            Severity::Broken,
            why,
        ));
    }
    let below = bounds.0.is_some_and(|first| start < first.get());
    let above = bounds.1.is_some_and(|last| end > last.get());
    (below || above).then(|| {
        let why = format!(
            "Partition {number} leaves the usable LBAs {} to {}.",
            header.fields.first_usable, header.fields.last_usable
        );
        Remark::note(rules::PARTITION_OUTSIDE_USABLE, why)
    })
}

/// Volumes of Windows that are recognised and not followed: what is inside is not known, not ok.
fn not_followed(view: &View, partition: &Partition) -> Result<Option<Remark>> {
    Ok(match partition.type_id.as_str() {
        types::LDM_METADATA => {
            let space = view.sub(partition.start.get(), partition.size.get());
            ldm::group_of_metadata(&space)?.map(|group| {
                let why = format!("This disk belongs to the dynamic disk group {group}.");
                Remark::note(rules::LDM_GROUP, why)
            })
        }
        types::LDM_DATA => Some(Remark::new(
            rules::LDM_NOT_FOLLOWED,
            Severity::Unknown,
            "Dynamic volumes inside the LDM data partition are not followed.",
        )),
        types::STORAGE_SPACES => Some(Remark::new(
            rules::STORAGE_SPACES_NOT_FOLLOWED,
            Severity::Unknown,
            "Virtual disks inside Storage Spaces are not followed.",
        )),
        _ => None,
    })
}

/// A type GUID in the form of [`types`]: upper case, with hyphens that ESXi leaves out.
pub(super) fn canonical(text: &str) -> Option<String> {
    let digits: String = text
        .trim_matches(['{', '}'])
        .chars()
        .filter(|c| *c != '-')
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let hex = digits.len() == 32 && digits.chars().all(|c| c.is_ascii_hexdigit());
    let part = |from: usize, to: usize| digits.get(from..to).filter(|_| hex);
    let parts = [
        part(0, 8)?,
        part(8, 12)?,
        part(12, 16)?,
        part(16, 20)?,
        part(20, 32)?,
    ];
    Some(parts.join("-"))
}

/// What a partition of this type is for; the GUID as [`canonical`] writes it.
pub(super) fn role(guid: &str) -> ioalign_core::Role {
    types::known(guid).1
}

//! Which copy of the table to believe, and what to say about the other one.
//!
//! The primary header is at LBA 1, the backup at the last LBA. After `dd` to a larger disk, growing
//! a virtual disk or cutting an image, the backup is elsewhere or gone; after a stray write the
//! primary is. The unit of the LBAs is unknown until a header is found.

use ioalign_core::{Remark, SectorSize, Severity, rules};

use super::entries::GptEntries;
use super::header::LocatedHeader;
use crate::error::Result;
use crate::view::View;

/// Sector sizes tried, most frequent first.
const SIZES: [u32; 4] = [512, 4096, 1024, 2048];

/// A header with its entries.
pub struct GptTable {
    /// The header.
    pub header: LocatedHeader,
    /// The entries; `None` when the header does not lead to any.
    pub entries: Option<GptEntries>,
}

impl GptTable {
    /// The copy whose header is at `lba`; `None` without a signature.
    pub fn load(view: &View, lba: u64, sector: SectorSize) -> Result<Option<Self>> {
        let Some(header) = LocatedHeader::read(view, lba, sector)? else {
            return Ok(None);
        };
        let entries = match &header.impossible {
            None => Some(GptEntries::read(view, &header)?),
            Some(_) => None,
        };
        Ok(Some(Self { header, entries }))
    }

    /// Whether everything about it is right.
    pub fn is_good(&self) -> bool {
        self.header.is_sound() && self.entries_match()
    }

    /// First and last byte of each partition, in order of the entries.
    fn spans(&self) -> Vec<(u64, u64)> {
        let used = self.entries.iter().flat_map(|entries| &entries.used);
        let partitions = used.map(|entry| entry.partition(self.header.sector));
        partitions
            .map(|one| (one.start.get(), one.size.get()))
            .collect()
    }

    fn entries_match(&self) -> bool {
        let crc = self.entries.as_ref().map(|entries| entries.crc);
        crc == Some(self.header.fields.array_crc)
    }

    /// Its defect, in words.
    pub fn fault(&self) -> &str {
        self.header
            .fault()
            .unwrap_or("the entries do not match their CRC")
    }

    /// Whether its backup header is where it belongs.
    fn reaches_end(&self, view: &View) -> bool {
        self.header.fields.alternate == last_lba(view, self.header.sector)
    }

    fn same_table(&self, other: &Self) -> bool {
        let key = |copy: &Self| {
            let fields = &copy.header.fields;
            (
                (
                    fields.disk,
                    fields.count,
                    fields.entry_bytes,
                    fields.array_crc,
                ),
                (fields.first_usable, fields.last_usable),
            )
        };
        key(self) == key(other)
    }
}

/// The sizes to try: the forced one, or all.
pub fn sizes(forced: Option<SectorSize>) -> Vec<SectorSize> {
    match forced {
        Some(size) => vec![size],
        None => SIZES.into_iter().filter_map(SectorSize::new).collect(),
    }
}

/// All primary headers with a signature, one a sector size.
pub fn primaries(view: &View, sizes: &[SectorSize]) -> Result<Vec<GptTable>> {
    let mut found = Vec::new();
    for size in sizes {
        found.extend(GptTable::load(view, 1, *size)?);
    }
    Ok(found)
}

/// The primary to believe: a good one, before all one whose backup is at the end of the disk.
pub fn best(view: &View, copies: &mut Vec<GptTable>) -> Option<(GptTable, Vec<Remark>)> {
    copies.sort_by_key(|copy| (!copy.is_good(), !copy.reaches_end(view)));
    let remarks = two_sizes(copies).into_iter().chain(disagree(copies));
    let remarks = remarks.collect();
    (!copies.is_empty()).then(|| (copies.remove(0), remarks))
}

/// The sizes of the other good tables.
pub fn also(others: &[GptTable]) -> Vec<SectorSize> {
    let good = others.iter().filter(|copy| copy.is_good());
    good.map(|copy| copy.header.sector).collect()
}

/// Two good tables that name different bytes: which of them holds depends on the disk.
fn disagree(copies: &[GptTable]) -> Option<Remark> {
    let mut good = copies.iter().filter(|copy| copy.is_good());
    let first = good.next()?;
    let other = good.find(|copy| copy.spans() != first.spans())?;
    let why = format!(
        "The tables for sectors of {} and of {} bytes name different places: on one kind of disk \
         the partitions are not where their data are.",
        first.header.sector.get(),
        other.header.sector.get()
    );
    let advice = "Write a new second one with the same bytes: LBAs divided by eight.";
    Some(Remark::new(rules::GPT_TABLES_DISAGREE, Severity::DataRisk, why).advise(advice))
}

/// A remnant of another sector size is believed by systems that see the disk with those sectors.
fn two_sizes(copies: &[GptTable]) -> Option<Remark> {
    let sound = copies.iter().filter(|copy| copy.header.is_sound());
    let sizes: Vec<String> = sound
        .map(|copy| copy.header.sector.get().to_string())
        .collect();
    (sizes.len() > 1).then(|| {
        let why = format!(
            "There is a GPT header for each of the sector sizes {}; the first is used.",
            sizes.join(" and ")
        );
        Remark::note(rules::GPT_TWO_SECTOR_SIZES, why)
    })
}

/// The last LBA of the space.
pub fn last_lba(view: &View, sector: SectorSize) -> u64 {
    (view.len() / u64::from(sector.get())).saturating_sub(1)
}

/// A good backup for a damaged or missing primary.
pub fn rescue(view: &View, damaged: &[GptTable], sizes: &[SectorSize]) -> Result<Option<GptTable>> {
    let named = damaged
        .iter()
        .filter(|copy| copy.header.is_sound())
        .map(|copy| (copy.header.fields.alternate, copy.header.sector));
    let last = sizes.iter().map(|size| (last_lba(view, *size), *size));
    for (lba, size) in named.chain(last) {
        if let Some(copy) = GptTable::load(view, lba, size)?
            && copy.is_good()
        {
            return Ok(Some(copy));
        }
    }
    Ok(None)
}

/// What is wrong with the backup of a good primary.
pub fn backup_remark(view: &View, primary: &GptTable) -> Result<Option<Remark>> {
    let (named, last) = (
        primary.header.fields.alternate,
        last_lba(view, primary.header.sector),
    );
    let backup = GptTable::load(view, named, primary.header.sector)?;
    Ok(match backup {
        _ if named == primary.header.lba => Some(missing("names itself as its backup")),
        None => Some(missing(&format!(
            "names LBA {named}, where none is (the last is {last})"
        ))),
        Some(copy) if !copy.is_good() => Some(risk(rules::GPT_BACKUP_DAMAGED, copy.fault())),
        Some(copy) if !copy.same_table(primary) => Some(risk(
            rules::GPT_BACKUP_DIFFERS,
            "it describes another table than the primary",
        )),
        Some(_) if named < last => Some(not_at_end(named, last)),
        Some(_) => None,
    })
}

fn missing(what: &str) -> Remark {
    let why = format!("The backup GPT is missing: the primary {what}.");
    Remark::new(rules::GPT_BACKUP_MISSING, Severity::DataRisk, why).advise(MOVE)
}

fn risk(rule: &'static str, what: &str) -> Remark {
    let why = format!("The backup GPT is of no use: {what}.");
    Remark::new(rule, Severity::DataRisk, why).advise(MOVE)
}

fn not_at_end(named: u64, last: u64) -> Remark {
    let why = format!(
        "The backup GPT is at LBA {named}, not at the last LBA {last}: the disk has grown or the \
         table was copied from a smaller one."
    );
    Remark::note(rules::GPT_BACKUP_NOT_AT_END, why).advise(MOVE)
}

const MOVE: &str = "`sgdisk --move-second-header DEVICE` writes a new backup at the end.";

//! The chain of extended boot records: one sector before each logical partition, that names the partition
//! and the next record.
//!
//! A partition's start counts from its own record, the next record's from the start of the extended
//! partition. Records need no alignment; they must only lie where no data is (libfdisk, `dos.c`).

use ioalign_core::on_disk::{DosEntry, is_boot_record};

use super::{PartitionSlot, read_block, refused};
use crate::{Disk, Result};

/// Linux reads a hundred; more than that is a loop or damage.
const MOST: usize = 128;
/// Sectors before a logical partition where tools of today put its record.
const USUAL_GAP: u64 = 2048;

/// One record.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its sector.
    pub lba: u64,
    /// Its bytes: what stands before the entries is kept.
    pub sector: Vec<u8>,
    /// The partition, from the beginning of the disk; `None` in a record that only leads on.
    pub start: u64,
    /// Its sectors.
    pub count: u64,
}

/// Follows the chain of an extended partition `[first, end)`, in sectors.
pub fn read(disk: &mut dyn Disk, first: u64, end: u64, unit: u64) -> Result<Vec<Link>> {
    let mut links: Vec<Link> = Vec::new();
    let mut next = Some(first);
    while let Some(lba) = next {
        if links.len() == MOST || links.iter().any(|link| link.lba == lba) {
            return Err(refused(format!(
                "the chain of logical partitions does not end: record {} at sector {lba}",
                links.len() + 1
            )));
        }
        let sector = read_block(disk, lba.saturating_mul(unit))?;
        let follow = parse(lba, &sector, (first, end))?;
        if let Some((start, count)) = follow.partition {
            links.push(Link {
                lba,
                sector,
                start,
                count,
            });
        } else if follow.next.is_some() {
            return Err(refused(format!(
                "the record at sector {lba} names no partition and still leads on"
            )));
        }
        next = follow.next;
    }
    Ok(links)
}

struct Follow {
    partition: Option<(u64, u64)>,
    next: Option<u64>,
}

fn parse(lba: u64, sector: &[u8], extended: (u64, u64)) -> Result<Follow> {
    let bad = |what: &str| {
        refused(format!(
            "the record of logical partitions at sector {lba} {what}"
        ))
    };
    if !is_boot_record(sector) {
        return Err(bad("has no signature"));
    }
    let [own, link, others @ ..] = DosEntry::all(sector);
    if others.iter().any(DosEntry::is_used) {
        return Err(bad("has more than two entries"));
    }
    let place = (lba + u64::from(own.start), u64::from(own.count));
    let partition = own.is_used().then_some(place);
    let next = link.is_used().then(|| extended.0 + u64::from(link.start));
    if own.is_extended() || (link.is_used() && !link.is_extended()) {
        return Err(bad("has its entries in an order that is not usual"));
    }
    let inside = |at: u64| (extended.0..extended.1).contains(&at);
    if next.is_some_and(|next| !inside(next)) {
        return Err(bad("leads out of the extended partition"));
    }
    if partition.is_some_and(|(start, count)| start <= lba || start + count > extended.1) {
        return Err(bad("names a partition that leaves the extended one"));
    }
    Ok(Follow { partition, next })
}

/// The chain for new places: the same records in the same order, so that numbers stay.
///
/// `slots` are the logical partitions in order of the chain, in sectors as (start, count).
pub fn placed(links: &[Link], slots: &[(u64, u64)], extended: (u64, u64)) -> Result<Vec<Link>> {
    let mut taken: Vec<u64> = Vec::new();
    let mut out = Vec::new();
    for (index, (link, &(start, count))) in links.iter().zip(slots).enumerate() {
        let lba = if index == 0 {
            extended.0
        } else {
            room(start, link, slots, extended, &taken).ok_or_else(|| no_room(index, start))?
        };
        if start <= lba || start + count > extended.1 || covered(lba, slots) {
            return Err(no_room(index, start));
        }
        taken.push(lba);
        out.push(Link {
            lba,
            sector: link.sector.clone(),
            start,
            count,
        });
    }
    tie(&mut out, extended.0)?;
    Ok(out)
}

fn no_room(index: usize, start: u64) -> crate::Error {
    refused(format!(
        "logical partition {} cannot start at sector {start}: no sector is free before it for its record",
        index + 5
    ))
}

fn covered(lba: u64, slots: &[(u64, u64)]) -> bool {
    slots
        .iter()
        .any(|(start, count)| (*start..start + count).contains(&lba))
}

/// A free sector in the gap before `start`: where the record is, else where tools put it, else the first.
fn room(
    start: u64,
    link: &Link,
    slots: &[(u64, u64)],
    extended: (u64, u64),
    taken: &[u64],
) -> Option<u64> {
    let ends = slots.iter().map(|(start, count)| start + count);
    let gap = ends.filter(|end| *end <= start).max().unwrap_or(extended.0);
    let free = |lba: &u64| (gap..start).contains(lba) && *lba >= extended.0 && !taken.contains(lba);
    let usual = start.checked_sub(USUAL_GAP);
    [Some(link.lba), usual, Some(gap), Some(gap + 1)]
        .into_iter()
        .flatten()
        .find(free)
}

/// Writes the entries of every record.
fn tie(links: &mut [Link], base: u64) -> Result<()> {
    let next: Vec<_> = links
        .iter()
        .skip(1)
        .map(|link| Some((link.lba, link.start + link.count - link.lba)))
        .chain([None])
        .collect();
    for (link, next) in links.iter_mut().zip(next) {
        let own = DosEntry {
            start: narrow(link.start - link.lba)?,
            count: narrow(link.count)?,
            ..DosEntry::read(&link.sector, 0)
        };
        own.write(&mut link.sector, link.lba);
        let Some((lba, count)) = next else {
            DosEntry::clear(&mut link.sector, 1);
            continue;
        };
        let onward = DosEntry {
            slot: 1,
            kind: 0x05,
            start: narrow(lba - base)?,
            count: narrow(count)?,
            ..DosEntry::default()
        };
        onward.write(&mut link.sector, base);
    }
    Ok(())
}

/// A sector number of a table of 32 bits.
pub fn narrow(sectors: u64) -> Result<u32> {
    u32::try_from(sectors).map_err(|_| {
        refused(format!(
            "sector {sectors} is past what this table can count"
        ))
    })
}

/// The slots of a chain, in bytes.
pub fn slots(links: &[Link], unit: u64) -> impl Iterator<Item = PartitionSlot> {
    links
        .iter()
        .zip(5..)
        .map(move |(link, number)| PartitionSlot {
            number,
            start: link.start * unit,
            size: link.count * unit,
            kind: super::SlotKind::Logical,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records at these sectors of an extended partition from sector 4000 to 20,000.
    fn records(lbas: &[u64], slots: &[(u64, u64)]) -> Option<Vec<u64>> {
        let links = lbas.iter().map(|lba| Link {
            lba: *lba,
            sector: vec![0; 512],
            start: 0,
            count: 0,
        });
        let links: Vec<_> = links.collect();
        let placed = placed(&links, slots, (4000, 20_000)).ok()?;
        Some(placed.iter().map(|link| link.lba).collect())
    }

    #[test]
    fn partitions_lie_behind_their_records_in_the_extended_one() {
        assert_eq!(records(&[4000], &[(4001, 15_999)]), Some(vec![4000]));
        assert_eq!(records(&[4000], &[(4001, 16_000)]), None);
        assert_eq!(records(&[4000], &[(4000, 10)]), None);
        assert_eq!(records(&[4000], &[(3000, 10)]), None);
    }

    #[test]
    fn a_record_lies_in_no_partition() {
        let slots = |first: u64, length: u64| [(4100, 10), (first, length)];
        assert_eq!(records(&[4000, 4050], &slots(3990, 11)), None);
        // Not even where partitions overlap, which is refused before.
        let over = [(4100, 10), (4060, 5), (4040, 30)];
        assert_eq!(records(&[4000, 4050, 4030], &over), None);
        assert_eq!(
            records(&[4000, 4050], &slots(4060, 5)),
            Some(vec![4000, 4050])
        );
    }

    #[test]
    fn the_first_record_begins_the_extended_partition() {
        let slots = [(8000, 100), (4002, 100)];
        assert_eq!(records(&[4000, 6000], &slots), Some(vec![4000, 4001]));
        let slots = [(8000, 100), (4001, 100)];
        assert_eq!(records(&[4000, 6000], &slots), None);
    }
}

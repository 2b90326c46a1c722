//! Logical partitions: a chain of EBRs, each naming one partition and the next EBR.
//!
//! A link counts from the start of the *extended* partition, a logical partition from *its own*
//! EBR. Only the chain says where they are, and nothing keeps it from leading in a circle or out
//! of the container, so every step is checked. Numbering follows the chain, as the kernel does.

use std::collections::HashSet;

use ioalign_core::{Bytes, Remark, SectorSize, Severity};
use ioalign_core::{
    on_disk::{BOOT_RECORD_BYTES, DosEntry},
    rules,
};

use super::mbr::entry::from_entry;
use super::mbr::sector::BootRecord;
use super::{Partition, PartitionTable, checks};
use crate::error::Result;
use crate::view::View;

/// Links followed. Linux stops at 100; some tools write more.
const MOST_LINKS: usize = 512;

/// The fields of an entry of a record that hold its start.
fn start_at(slot: u8) -> u64 {
    DosEntry::at(slot) as u64 + 8
}

/// The container and what is collected from it.
struct EbrChain<'a> {
    view: &'a View,
    unit: SectorSize,
    container: &'a DosEntry,
    next: u32,
    /// The link followed last: where its field lies.
    link_at: u64,
    table: &'a mut PartitionTable,
}

/// Adds the logical partitions of `container` to `table`, numbered from `first`; returns the
/// next free number.
pub(super) fn walk(
    view: &View,
    unit: SectorSize,
    container: &DosEntry,
    first: u32,
    table: &mut PartitionTable,
) -> Result<u32> {
    let mut chain = EbrChain {
        view,
        unit,
        container,
        next: first,
        link_at: start_at(container.slot),
        table,
    };
    let mut visited = HashSet::new();
    let mut link = Some(0);
    while let Some(at) = link {
        if !visited.insert(at) {
            let what = format!("leads back to sector {at} of it");
            chain.remark(rules::EBR_LOOP, &what);
            break;
        }
        if visited.len() > MOST_LINKS {
            let what = format!("has over {MOST_LINKS} links");
            chain.remark(rules::EBR_CHAIN_TOO_LONG, &what);
            break;
        }
        link = chain.step(at)?;
    }
    let number = chain.next;
    inside_logicals(table, &visited, container, unit);
    Ok(number)
}

impl EbrChain<'_> {
    /// Takes the partitions of the EBR at sector `at` of the container; returns the next one.
    fn step(&mut self, at: u32) -> Result<Option<u32>> {
        let base = u64::from(self.container.start) + u64::from(at);
        let offset = base.saturating_mul(u64::from(self.unit.get()));
        let Some(ebr) = BootRecord::read(self.view, offset)? else {
            self.no_record(at, offset)?;
            return Ok(None);
        };
        for entry in ebr.used().filter(|e| !e.is_extended()) {
            self.logical(entry, base, offset);
        }
        let link = ebr.entries.iter().find(|entry| entry.is_extended());
        Ok(link.and_then(|link| {
            self.link_at = offset + start_at(link.slot);
            self.checked(link)
        }))
    }

    /// The sector of a link, if it stays inside the container.
    fn checked(&mut self, link: &DosEntry) -> Option<u32> {
        if link.start < self.container.count {
            return Some(link.start);
        }
        let (to, size) = (link.start, self.container.count);
        let what = format!("links to sector {to}, outside its {size} sectors");
        self.remark(rules::EBR_LINK_OUTSIDE, &what);
        None
    }

    fn logical(&mut self, entry: &DosEntry, base: u64, ebr: u64) {
        // A record lies in the container, and a start counts forward from it.
        let end = base.saturating_add(entry.end());
        let outside = end > self.container.end();
        if outside && entry.slot >= 2 {
            return; // junk that systems skip in the two slots that no tool uses
        }
        let mut found = from_entry(entry, self.next, base, self.unit);
        found.inside = Some(u32::from(self.container.slot) + 1);
        found.entry_at = Bytes::new(ebr + DosEntry::at(entry.slot) as u64);
        found
            .remarks
            .extend(logical_remark(&found, outside, entry.start == 0));
        self.table.partitions.push(found);
        self.next += 1;
    }

    fn no_record(&mut self, at: u32, offset: u64) -> Result<()> {
        let blank = self.view.try_record(offset, BOOT_RECORD_BYTES)?;
        match blank.map(|r| r.bytes().iter().all(|b| *b == 0)) {
            None => self.remark(
                rules::EBR_LINK_OUTSIDE,
                &format!("links past the end, sector {at}"),
            ),
            Some(true) if at == 0 => self.table.remarks.push(Remark::note(
                rules::EXTENDED_EMPTY,
                "The extended partition holds no EBR yet.",
            )),
            Some(_) => self.remark(
                rules::EBR_SIGNATURE,
                &format!("has no EBR at its sector {at}"),
            ),
        }
        Ok(())
    }

    fn remark(&mut self, rule: &'static str, what: &str) {
        let number = self.container.slot + 1;
        let why = format!("The chain of extended partition {number} {what}.");
        let at = self.view.start().saturating_add(self.link_at);
        let remark = Remark::new(rule, Severity::Broken, why).malformed();
        self.table.remarks.push(remark.at(at, "start_lba"));
    }
}

fn logical_remark(found: &Partition, outside: bool, on_ebr: bool) -> Option<Remark> {
    let (rule, what) = match (outside, on_ebr) {
        (_, true) => (rules::LOGICAL_OVER_EBR, "starts on its own EBR"),
        (true, false) => (
            rules::LOGICAL_OUTSIDE_EXTENDED,
            "leaves its extended partition",
        ),
        (false, false) => return None,
    };
    let why = format!("Logical partition {} {what}.", found.number);
    Some(Remark::new(rule, Severity::Broken, why))
}

/// Writing a partition that contains a later EBR destroys the rest of the chain.
fn inside_logicals(
    table: &mut PartitionTable,
    ebrs: &HashSet<u32>,
    container: &DosEntry,
    unit: SectorSize,
) {
    let number = u32::from(container.slot) + 1;
    let bytes = |at: &u32| (u64::from(container.start) + u64::from(*at)) * u64::from(unit.get());
    for logical in &mut table.partitions {
        if logical.inside != Some(number) {
            continue;
        }
        let (from, to) = (logical.start.get(), checks::end(logical));
        let hit = ebrs
            .iter()
            .map(bytes)
            .find(|at| (from + 1..to).contains(at));
        if let Some(at) = hit {
            let why = format!(
                "Logical partition {} contains the EBR at byte {at}.",
                logical.number
            );
            logical.remarks.push(Remark::new(
                rules::EBR_INSIDE_LOGICAL,
                Severity::Broken,
                why,
            ));
        }
    }
}

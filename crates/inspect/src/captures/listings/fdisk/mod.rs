//! `fdisk -l` and `sfdisk -l` of every age and language.
//!
//! Forms: `Units: sectors of 1 * 512` (since util-linux 2.23), `Units = sectors of 1 * 512` with
//! Blocks (`fdisk -ul`), `Units = cylinders of 16065 * 512`, the old sfdisk that counts from 0
//! and marks with `+` what it cut, and busybox. Words are translated, numbers and their places are
//! not: nothing but the structure is relied upon.

mod head;
mod row;
pub mod rows;
mod unit;

use std::collections::BTreeMap;

use super::super::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use head::FdiskHead;
use row::FdiskRow;
use unit::Unit;

/// `fdisk -l`.
pub const FORMAT: TextFormat = TextFormat {
    name: "fdisk",
    command: "fdisk -l",
    sniff: |text| text.any(|line| Unit::parse(line).is_some()),
    read,
};

/// The part of the text that speaks of one disk.
struct FdiskSection {
    head: FdiskHead,
    /// Whether the header of the table has been seen.
    open: bool,
    /// How many counts a row has, by the header.
    counts: usize,
    rows: Vec<FdiskRow>,
    /// The first warning about each partition.
    warnings: BTreeMap<u64, String>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut section: Option<FdiskSection> = None;
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let head = FdiskHead::start(line);
        if head.is_none() && section.is_none() && Unit::parse(line).is_some() {
            // The top was cut off: the first row names the disk.
            section = Some(FdiskSection::new(FdiskHead::default()));
        }
        if let Some(head) = head {
            section
                .take()
                .into_iter()
                .for_each(|old| old.tell(evidence));
            section = Some(FdiskSection::new(head));
        } else if let Some(section) = &mut section {
            let next = lines.peek().copied().unwrap_or_default();
            if section.takes(line, next) {
                lines.next();
            }
        }
    }
    section.into_iter().for_each(|old| old.tell(evidence));
    Ok(())
}

impl FdiskSection {
    const fn new(head: FdiskHead) -> Self {
        Self {
            head,
            open: false,
            counts: 1,
            rows: Vec::new(),
            warnings: BTreeMap::new(),
        }
    }

    /// Takes a line; true when it took the next one too.
    fn takes(&mut self, line: &str, next: &str) -> bool {
        if line.is_empty() {
            self.head.ended |= self.head.unit.is_some();
            return false;
        }
        if let Some(warning) = row::warning(line) {
            self.warnings.entry(warning.0).or_insert(warning.1);
            return false;
        }
        if !self.open {
            self.open = self.head.unit.is_some() && row::is_header(line);
            if self.open {
                self.counts = row::counts(line);
            } else {
                self.head.take(line);
            }
            return false;
        }
        if row::is_name(line, &self.head.disk) {
            let row = FdiskRow::parse(&format!("{line} {next}"), &self.head.disk, self.counts);
            let taken = row.is_some();
            self.rows.extend(row);
            return taken;
        }
        match FdiskRow::parse(line, &self.head.disk, self.counts) {
            Some(row) => self.rows.push(row),
            // Remarks between rows, in any language, are sentences; the next table is not ours.
            None => self.open = row::is_second_header(line) || !row::is_header(line),
        }
        false
    }

    fn tell(mut self, evidence: &mut TextEvidence) {
        if self.head.disk.is_empty() {
            let Some(disk) = self.rows.first().and_then(FdiskRow::disk) else {
                return;
            };
            self.head.disk = disk;
        }
        let Some(unit) = self.head.unit else {
            // The rest of it was cut off, or ran into one line: that it is there is all that is known.
            if self.head.disk.starts_with("/dev/") {
                super::disk(evidence, &self.head.disk);
            }
            return;
        };
        let dos = self.rows.iter().any(FdiskRow::has_byte_type);
        self.head.tell(unit, dos, evidence);
        if let Some(said) = evidence.devices.last_mut() {
            said.blank &= self.rows.is_empty();
        }
        let mut missing = self.warnings.clone();
        for (index, row) in self.rows.iter().enumerate() {
            let said = row.tell(&self.head, unit, index + 1, evidence);
            let number = said.number.map_or(index as u64 + 1, u64::from);
            let own = missing.remove(&number);
            let exact = said.start.is_some_and(|start| start.is_exact());
            said.remarks
                .extend(own.map(|line| row::remark(&line, exact)));
        }
        row::tell_missing(&self.head.disk, missing.iter(), evidence);
    }
}

//! `biosnoop` of bcc: requests as the disk got them. They tell how requests lie on units, not where
//! partitions start: facts and a note, no verdict.
//!
//! SECTOR counts 512-byte units from the start of the disk, BYTES is the length (`tools/biosnoop.py`).

use std::collections::BTreeMap;

use ioalign_core::{Bytes, Remark, rules};

use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;

/// `biosnoop`.
pub const FORMAT: TextFormat = TextFormat {
    name: "biosnoop",
    command: "biosnoop",
    sniff: |text| text.any(is_heading),
    read,
};

/// Units that requests are compared with: the block of nearly all disks, two indirection units.
const UNITS: [u64; 3] = [4 << 10, 16 << 10, 64 << 10];
/// Disks of one text.
const MOST_DISKS: usize = 1024;
/// Different offsets that are listed.
const MOST_OFFSETS: usize = 8;

/// `TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)`, with QUE(ms) in some.
fn is_heading(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("TIME(s)") && words.any(|word| word == "SECTOR") && line.contains("BYTES")
}

/// A request on its disk, in bytes.
struct BiosnoopRequest<'a> {
    disk: &'a str,
    start: u64,
    len: u64,
}

/// A row, from its end: names of processes may hold spaces.
fn request(line: &str) -> Option<BiosnoopRequest<'_>> {
    let words: Vec<_> = line.split_whitespace().collect();
    let at = words.iter().rposition(|word| {
        word.len() <= 3 && word.starts_with(['R', 'W', 'D', 'F', 'N']) && word.is_ascii()
    })?;
    let number = |index: usize| words.get(index)?.parse::<u64>().ok();
    Some(BiosnoopRequest {
        disk: words.get(at.checked_sub(1)?)?,
        start: number(at + 1)?.checked_mul(512)?,
        len: number(at + 2).filter(|len| *len != 0)?,
    })
}

/// The requests of one disk, counted.
#[derive(Default)]
struct Seen {
    requests: u64,
    /// By unit: offsets of those that start off it, and how many fit one and touch two.
    units: [(BTreeMap<u64, u64>, u64); UNITS.len()],
}

impl Seen {
    fn add(&mut self, request: &BiosnoopRequest<'_>) {
        self.requests += 1;
        for (unit, (offsets, straddling)) in UNITS.iter().zip(&mut self.units) {
            let offset = request.start % unit;
            if offset != 0 {
                *offsets.entry(offset).or_default() += 1;
            }
            *straddling += u64::from(request.len <= *unit && offset + request.len > *unit);
        }
    }

    fn sentence(&self) -> String {
        let units = UNITS.iter().zip(&self.units);
        let stated = units.map(|(unit, (offsets, straddling))| {
            let unit = Bytes::new(*unit);
            let off: u64 = offsets.values().sum();
            let listed = offsets.iter().take(MOST_OFFSETS);
            let listed: Vec<_> = listed.map(|(at, n)| format!("{n} at {at} B")).collect();
            match off {
                0 => format!("all start on {unit} boundaries"),
                off => format!(
                    "{off} start off {unit} ({}), {straddling} of that size or less touch two",
                    listed.join(", ")
                ),
            }
        });
        let stated: Vec<_> = stated.collect();
        format!(
            "{} requests were seen: {}. They do not show where partitions start",
            self.requests,
            stated.join("; ")
        )
    }
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut disks: BTreeMap<&str, Seen> = BTreeMap::new();
    let mut open = false;
    for line in text.lines() {
        if is_heading(line) {
            open = true;
        } else if open && let Some(request) = request(line) {
            let room = disks.len() < MOST_DISKS || disks.contains_key(request.disk);
            if room {
                disks.entry(request.disk).or_default().add(&request);
            }
        }
    }
    for (disk, seen) in disks {
        let said = evidence.device(disk);
        said.facts.push(("requests", seen.requests.to_string()));
        said.remarks
            .push(Remark::note(rules::REQUESTS_SEEN, seen.sentence()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_their_end() {
        let row = request("2.1  my process 17  nvme0n1 W 4565912 4096 0.74").unwrap();
        assert_eq!(
            (row.disk, row.start, row.len),
            ("nvme0n1", 4_565_912 * 512, 4096)
        );
        assert!(request("0.00  x  1  sda  R -1 4096  1.2").is_none());
        assert!(request("prose").is_none());
    }
}

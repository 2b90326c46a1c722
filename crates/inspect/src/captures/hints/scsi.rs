//! `sg_vpd -p bl`, `sg_inq -p 0xb0` and `sg_readcap -l` of sg3-utils.
//!
//! The Block Limits page counts logical blocks and does not tell how long they are; READ CAPACITY
//! does. Without it the optimal length stays a count, and only what no block size can mend is judged.

use std::collections::BTreeMap;

use ioalign_core::{Remark, SectorSize, rules};

use crate::captures::reading::subject::{Subject, header};
use crate::captures::reading::{leading, pair};
use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};

/// Block limits and capacities.
pub const FORMAT: TextFormat = TextFormat {
    name: "sg3-utils",
    command: "sg_vpd -p bl or sg_readcap -l",
    sniff: |text| text.any(|line| limits(line) || capacity(line)),
    read,
};

/// Counts of 2^k − 1 blocks from here up are the largest transfer, not a stripe.
const LEAST_LIMIT: u64 = 0x3ff;

fn limits(line: &str) -> bool {
    line.trim_start().starts_with("Optimal transfer length:")
}

fn capacity(line: &str) -> bool {
    line.trim_start().starts_with("Logical block length=")
}

/// What the pages say of one device.
#[derive(Default)]
struct Pages {
    logical: Option<u64>,
    /// The physical block is this many times 2 the logical one.
    exponent: Option<u32>,
    lowest: Option<u64>,
    last: Option<u64>,
    granularity: Option<u64>,
    optimal: Option<u64>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["sg_vpd", "sg_inq", "sg_readcap"]);
    let mut current = text.subject.clone().unwrap_or_default();
    let mut all: BTreeMap<String, Pages> = BTreeMap::new();
    for line in text.lines() {
        if subject.see(line) || header(line).is_some() {
            current = subject.take();
            continue;
        }
        if let Some((key, value)) = field(line) {
            let pages = all.entry(current.clone()).or_default();
            put(pages, key, value);
        }
    }
    for (device, pages) in all {
        close(&device, &pages, evidence);
    }
    Ok(())
}

/// `Optimal transfer length: 65535 blocks`; `Logical block length=512 bytes`.
fn field(line: &str) -> Option<(&str, u64)> {
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (key.trim(), value),
        None => pair(line)?,
    };
    let known = [
        "Optimal transfer length granularity",
        "Optimal transfer length",
        "Logical block length",
        "Logical blocks per physical block exponent",
        "Lowest aligned LBA",
        "Lowest aligned logical block address",
        "Last LBA",
        "Last logical block address",
    ];
    // `Last LBA=1953525167 (0x7470c06f), Number of logical blocks=…` has one more value behind.
    known.contains(&key).then(|| Some((key, leading(value)?)))?
}

fn put(pages: &mut Pages, key: &str, value: u64) {
    match key {
        "Optimal transfer length granularity" => pages.granularity = Some(value),
        "Optimal transfer length" => pages.optimal = Some(value),
        "Logical block length" => pages.logical = Some(value),
        "Logical blocks per physical block exponent" => pages.exponent = u32::try_from(value).ok(),
        "Lowest aligned LBA" | "Lowest aligned logical block address" => pages.lowest = Some(value),
        _ => pages.last = Some(value),
    }
}

fn close(device: &str, pages: &Pages, evidence: &mut TextEvidence) {
    let sector = pages
        .logical
        .and_then(|n| SectorSize::new(u32::try_from(n).ok()?));
    let said = evidence.device(device);
    said.sector = sector;
    for (fact, count) in [
        ("optimal-transfer-blocks", pages.optimal),
        ("transfer-granularity-blocks", pages.granularity),
    ] {
        said.facts
            .extend(count.map(|count| (fact, count.to_string())));
    }
    let Some(sector) = sector else {
        said.remarks.extend(pages.optimal.and_then(bogus));
        return;
    };
    let bytes = |count: Option<u64>| sector.checked_bytes(count?).map(ioalign_core::Bytes::get);
    let physical = pages
        .exponent
        .and_then(|exponent| 1_u64.checked_shl(exponent));
    let offset = bytes(pages.lowest).and_then(|n| i64::try_from(n).ok());
    said.size = pages
        .last
        .and_then(|last| Number::sectors(last.checked_add(1)?, sector));
    said.claims = Some(Claims {
        logical: Some(u64::from(sector.get())),
        physical: bytes(physical),
        minimum: bytes(pages.granularity),
        optimal: bytes(pages.optimal),
        alignment_offset: offset.unwrap_or(0),
        transport: Transport::Scsi,
        ..Claims::default()
    });
}

/// 65535 blocks are no stripe, however long a block is.
fn bogus(count: u64) -> Option<Remark> {
    let limit = count >= LEAST_LIMIT && count.checked_add(1)?.is_power_of_two();
    limit.then(|| {
        Remark::note(
            rules::BOGUS_HINT,
            format!(
                "Optimal transfer length {count} blocks (Block Limits page) = {count:#X}: a largest \
                 transfer, not a stripe, whatever the block is"
            ),
        )
    })
}

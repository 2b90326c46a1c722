//! A row of the table: where a partition starts, and what it is.

use ioalign_core::{Remark, Role, Severity, rules};

use super::super::super::{Number, Said, TextEvidence};
use super::super::{names, partition, roles, sizes, span};
use super::head::FdiskHead;
use super::unit::{Unit, marked};

/// How translations say that a partition is off the physical sector; fdisk judges by the larger of
/// physical sector and minimum I/O size.
const OFF: &[&str] = &[
    "not start on physical sector boundary",
    "nicht an einer physikalischen Sektorgrenze",
    "ne commence pas sur une frontière",
    "物理セクタの境界で始まっていません",
    "未起始于物理扇区边界",
];

/// A row as printed.
pub(super) struct FdiskRow {
    name: String,
    start: String,
    end: String,
    /// What follows the end: sectors, blocks or cylinders, then size, type and words.
    rest: Vec<String>,
    /// How many counts stand before the type where no size does.
    counts: usize,
}

/// Whether a line heads a table: words, no numbers, no sentence.
pub(super) fn is_header(line: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    line.split_whitespace().count() >= 4
        && !line.contains(digit)
        && !line.contains([':', '：', '='])
        && !line.ends_with(['.', '。'])
}

/// Whether a further table of the same disk begins: the boot info script shows the protective row first.
pub(super) fn is_second_header(line: &str) -> bool {
    line.starts_with("Partition ") && line.contains("Start Sector")
}

/// How many counts a row has between its end and its type: the old sfdisk prints `#cyls #blocks`.
pub(super) fn counts(header: &str) -> usize {
    let two = header.contains("#cyls") || header.contains("MiB");
    if two { 2 } else { 1 }
}

/// Whether a line is nothing but the name of a partition, its row being on the next line.
pub(super) fn is_name(line: &str, disk: &str) -> bool {
    !line.contains(char::is_whitespace) && is_of(line, disk)
}

fn is_of(name: &str, disk: &str) -> bool {
    name.starts_with('/') || (name.starts_with(disk) && !disk.is_empty())
}

/// A warning about a partition: its number and the line.
pub(super) fn warning(line: &str) -> Option<(u64, String)> {
    OFF.iter().find(|words| line.contains(**words))?;
    let number = sizes::numbers(line).first().copied()?;
    Some((number, line.to_owned()))
}

/// Adds the partitions that are warned of while their rows are missing: neither their starts nor what they are
/// for is known.
pub(super) fn tell_missing<'a>(
    disk: &str,
    warnings: impl Iterator<Item = (&'a u64, &'a String)>,
    evidence: &mut TextEvidence,
) {
    for (number, line) in warnings {
        let said = partition(evidence, disk, &names::join(disk, *number));
        said.number = u32::try_from(*number).ok();
        said.remarks.push(remark(line, true));
    }
}

/// The warning as a remark: where the start is known the rules judge it, else fdisk is believed.
pub(super) fn remark(line: &str, exact: bool) -> Remark {
    let why = format!("fdisk says: “{line}”");
    let severity = if exact {
        Severity::Note
    } else {
        Severity::Misaligned
    };
    Remark::new(rules::FDISK_OFF_PHYSICAL_SECTOR, severity, why)
}

impl FdiskRow {
    /// `/dev/sda1   *   63   208844   104391   83  Linux`; a `?` or a triple of cylinder, head and
    /// sector (busybox) may stand before the numbers.
    pub(super) fn parse(line: &str, disk: &str, counts: usize) -> Option<Self> {
        let mut words = line.split_whitespace();
        let name = words.next().filter(|name| is_of(name, disk))?;
        let mut words = words
            .filter(|word| !matches!(*word, "*" | "?") && !is_triple(word))
            .map(str::to_owned);
        let (start, end) = (words.next()?, words.next()?);
        let (from, to) = (marked(&start)?.0, marked(&end)?.0);
        let rest: Vec<String> = words.collect();
        let empty = rest.last().is_some_and(|word| word == "Empty");
        (from <= to && !rest.is_empty() && !empty).then(|| Self {
            name: name.to_owned(),
            start,
            end,
            rest,
            counts,
        })
    }

    /// The words from the type on: after the size, or where none is printed after the counts.
    fn type_words(&self) -> &[String] {
        let from = self.sized().map_or(self.counts, |at| at + 1);
        self.rest.get(from..).unwrap_or_default()
    }

    /// The place of the rounded size: `101.9M`. Types are in lower case: `8e` is none.
    fn sized(&self) -> Option<usize> {
        let is_size = |word: &String| {
            word.ends_with(|c: char| c.is_ascii_uppercase()) && sizes::binary(word).is_some()
        };
        self.rest.iter().take(3).position(is_size)
    }

    fn byte_type(&self) -> Option<&str> {
        let word = self.type_words().first()?;
        let byte = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        byte.then_some(word)
    }

    /// `fdisk -x` prints the type as a GUID, and the partition's own behind it.
    fn guid(&self) -> Option<&str> {
        let word = self.type_words().first()?;
        let sign = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        (word.len() == 36 && word.bytes().all(sign)).then_some(word)
    }

    /// The disk that the name of the partition shows.
    pub(super) fn disk(&self) -> Option<String> {
        let (disk, _) = names::split(self.name.strip_prefix("/dev/")?)?;
        Some(format!("/dev/{disk}"))
    }

    pub(super) fn has_byte_type(&self) -> bool {
        self.byte_type().is_some()
    }

    /// Adds the partition. A row that lost its number, so that it is named like the disk, is the one at its place,
    /// from 1.
    pub(super) fn tell<'a>(
        &self,
        head: &FdiskHead,
        unit: Unit,
        place: usize,
        evidence: &'a mut TextEvidence,
    ) -> &'a mut Said {
        let mut name = self.name.clone();
        if name == head.disk {
            name = names::join(&head.disk, place as u64);
        }
        let said = partition(evidence, &head.disk, &name);
        said.number = names::number(&head.disk, &name);
        said.sector = Some(unit.sector);
        said.size = self.size(unit);
        said.start = self.start(unit, said.size);
        let words = self.type_words().join(" ");
        let type_id = self
            .byte_type()
            .or_else(|| self.guid())
            .map_or_else(|| words.clone(), str::to_owned);
        said.role = roles::of(&type_id);
        if self.has_byte_type() && said.role == Some(Role::Data) {
            said.facts.push(("type", words));
        }
        said.type_id = (!type_id.is_empty()).then_some(type_id);
        said
    }

    /// The length: from start and end where they are sectors, else the rounded size, else blocks of
    /// 1 KiB, where `+` stands for one odd sector.
    fn size(&self, unit: Unit) -> Option<Number> {
        if unit.is_sector() {
            return span(
                marked(&self.start)?.0,
                marked(&self.end)?.0,
                Some(unit.sector),
            );
        }
        if let Some(at) = self.sized() {
            return sizes::binary(self.rest.get(at)?);
        }
        let (blocks, odd) = marked(self.rest.get(self.counts.checked_sub(1)?)?)?;
        let odd = if odd { unit.sector.bytes().get() } else { 0 };
        blocks
            .checked_mul(1024)?
            .checked_add(odd)
            .map(Number::exact)
    }

    /// The start, as narrow as unit, end and size allow.
    fn start(&self, unit: Unit, size: Option<Number>) -> Option<Number> {
        let start = unit.start(&self.start)?;
        if start.is_exact() {
            return Some(start);
        }
        let (Some(size), Some(end)) = (size, unit.end(&self.end)) else {
            return Some(start);
        };
        let low = end.low.saturating_sub(size.high).max(start.low);
        let high = end
            .high
            .checked_sub(size.low)
            .map_or(start.high, |high| high.min(start.high));
        let ss = unit.sector.bytes().get();
        let narrow = Number {
            low: low.next_multiple_of(ss),
            high: high - high % ss,
        };
        Some(if narrow.low <= narrow.high {
            narrow
        } else {
            start
        })
    }
}

/// `0,32,33`: cylinder, head, sector, of which there are 63.
fn is_triple(word: &str) -> bool {
    let last = word.rsplit(',').next().unwrap_or_default();
    word.split(',').count() == 3
        && last.len() < 3
        && word.split(',').all(|part| sizes::whole(part).is_some())
}

//! Solaris `format`, `partition`, `print`: an EFI label in sectors, an SMI label in cylinders.
//!
//! Slices of an SMI label start on cylinders, so that a start is exact once the size of a cylinder is
//! known: `(825/0/0) 16790400` says that 825 cylinders have 16790400 blocks of 512 bytes.

use ioalign_core::layer::Kind;
use ioalign_core::{SectorSize, TableKind};

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{assumed, disk, partition, sectors, sizes, span};
use crate::error::Result;
use crate::tables;

/// `format`, then `partition` and `print`.
pub const FORMAT: TextFormat = TextFormat {
    name: "format",
    command: "format, partition, print",
    sniff: |text| text.any(|line| header(line).is_some()),
    read,
};

/// Tags by their words (illumos `cmd/format/startup.c`).
const TAGS: &[(&str, u16)] = &[
    ("unassigned", 0),
    ("boot", 1),
    ("root", 2),
    ("swap", 3),
    ("usr", 4),
    ("backup", 5),
    ("stand", 6),
    ("var", 7),
    ("home", 8),
    ("alternates", 9),
    ("reserved", 11),
    ("system", 12),
];

/// `Part      Tag    Flag     First Sector …` (EFI: true) or `… Cylinders …`.
fn header(line: &str) -> Option<bool> {
    let mut words = line.split_whitespace();
    words
        .by_ref()
        .take(3)
        .eq(["Part", "Tag", "Flag"])
        .then_some(())?;
    match words.next() {
        Some("First") => Some(true),
        Some("Cylinders") => Some(false),
        _ => None,
    }
}

/// A slice as printed; places are sectors (EFI) or cylinders.
struct Slice {
    number: u64,
    tag: u16,
    first: u64,
    last: u64,
    /// Cylinders and sectors of its length, on an SMI label.
    blocks: Option<(u64, u64)>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut name = "disk".to_owned();
    let mut efi = None;
    let mut slices = Vec::new();
    for line in text.lines() {
        if let Some(kind) = header(line) {
            tell(&name, efi, &slices, evidence);
            slices.clear();
            efi = Some(kind);
        } else if let Some(slice) = efi.and_then(|efi| Slice::parse(line, efi)) {
            slices.push(slice);
        } else if let Some(disk) = super::solaris_disk(line) {
            tell(&name, efi.take(), &slices, evidence);
            slices.clear();
            disk.clone_into(&mut name);
        }
    }
    tell(&name, efi, &slices, evidence);
    Ok(())
}

impl Slice {
    fn parse(line: &str, efi: bool) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [number, tag, flag, rest @ ..] = words.as_slice() else {
            return None;
        };
        matches!(*flag, "wm" | "wu" | "rm" | "ru").then_some(())?;
        let first = sizes::whole(rest.first()?)?;
        let (last, blocks) = if efi {
            (sizes::whole(rest.get(2)?)?, None)
        } else {
            let last = if *rest.get(1)? == "-" {
                sizes::whole(rest.get(2)?)?
            } else {
                first
            };
            (last, Some(length(rest)?))
        };
        let known = TAGS.iter().find(|(name, _)| name == tag);
        Some(Self {
            number: sizes::whole(number)?,
            tag: known.map_or(0, |(_, tag)| *tag),
            first,
            last,
            blocks,
        })
    }

    fn is_empty(&self) -> bool {
        self.last == 0 && self.blocks.is_none_or(|(_, sectors)| sectors == 0)
    }
}

/// `(825/0/0)    16790400`: whole cylinders and sectors.
fn length(words: &[&str]) -> Option<(u64, u64)> {
    let at = words.iter().position(|word| word.starts_with('('))?;
    let numbers = sizes::numbers(words.get(at)?);
    let sectors = sizes::whole(words.get(at + 1)?)?;
    let [cylinders, heads, rest] = numbers.as_slice() else {
        return None;
    };
    let cylinders = if (*heads, *rest) == (0, 0) {
        *cylinders
    } else {
        0
    };
    Some((cylinders, sectors))
}

fn tell(name: &str, efi: Option<bool>, slices: &[Slice], evidence: &mut TextEvidence) {
    let Some(efi) = efi.filter(|_| !slices.is_empty()) else {
        return;
    };
    let x86 = !efi
        && slices
            .iter()
            .any(|slice| slice.number == 8 && slice.tag == 1);
    let said = disk(evidence, name);
    said.kind = Some(Kind::Disk);
    said.table = Some(match (efi, x86) {
        (true, _) => TableKind::Gpt,
        (false, true) => TableKind::Dos,
        (false, false) => TableKind::VtocSparc,
    });
    said.remarks.push(assumed("format"));
    let parent = super::solaris_parent(evidence, name, x86);
    let lengths = slices.iter().filter_map(|slice| slice.blocks);
    let mut whole = lengths
        .filter(|(cylinders, sectors)| *cylinders != 0 && sectors.is_multiple_of(*cylinders));
    let cylinder = whole.next().map(|(cylinders, sectors)| sectors / cylinders);
    for slice in slices.iter().filter(|slice| !slice.is_empty()) {
        let said = partition(evidence, &parent, &format!("{name}s{}", slice.number));
        said.number = u32::try_from(slice.number).ok();
        said.type_id = Some(format!("0x{:02x}", slice.tag));
        said.role = Some(tables::slice_type(slice.tag).1);
        said.start = if efi {
            sectors(slice.first, None)
        } else {
            let start = cylinder.and_then(|cylinder| cylinder.checked_mul(slice.first));
            start.and_then(|start| Number::sectors(start, SectorSize::S512))
        };
        said.size = match slice.blocks {
            Some((_, count)) => sectors(count, None),
            None => span(slice.first, slice.last, None),
        };
    }
}

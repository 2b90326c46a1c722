//! `pvdisplay`, `vgdisplay` and `lvdisplay -m`: blocks of names and values without colons.

use std::collections::BTreeSet;

use ioalign_core::Bytes;

use super::entry::{self, LvmEntry};
use super::{reported, short, size};
use crate::captures::{Text, TextEvidence};
use crate::error::Result;
use crate::volumes::{GroupLv, LvSegment, SegmentKind};

/// Headings of the blocks.
const BLOCKS: [&str; 3] = [
    "Physical volume ---",
    "Volume group ---",
    "Logical volume ---",
];
/// Lines of a block that are kept.
const MOST_LINES: usize = 1 << 16;

pub(super) fn sniff(text: &Text) -> bool {
    text.any(|line| kind(line).is_some())
}

/// `--- Physical volume ---`, `--- NEW Physical volume ---`.
fn kind(line: &str) -> Option<usize> {
    let line = line.trim();
    line.starts_with("---")
        .then(|| BLOCKS.iter().position(|end| line.ends_with(end)))?
}

pub(super) fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<(usize, Vec<&str>)> = None;
    for line in text.lines() {
        if let Some(kind) = kind(line) {
            close(open.replace((kind, Vec::new())), evidence);
        } else if let Some((_, lines)) = &mut open
            && lines.len() < MOST_LINES
        {
            lines.push(line);
        }
    }
    close(open, evidence);
    Ok(())
}

fn close(block: Option<(usize, Vec<&str>)>, evidence: &mut TextEvidence) {
    match block {
        Some((0, lines)) => physical(&lines, evidence),
        Some((1, lines)) => group(&lines, evidence),
        Some((_, lines)) => logical(&lines, evidence),
        None => {}
    }
}

/// The value after `key` on the first line that starts with it.
fn value<'a>(lines: &[&'a str], key: &str) -> Option<&'a str> {
    lines.iter().find_map(|line| after(line, key))
}

fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(key)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

/// `PE Size 4.00 MiB`, or of LVM1 days `PE Size (KByte) 4096`.
fn extent(lines: &[&str]) -> Option<Bytes> {
    let stated = value(lines, "PE Size")?;
    if let Some(kib) = stated.strip_prefix("(KByte)") {
        return Bytes::KIB.checked_mul(kib.trim().parse().ok()?);
    }
    size::size(stated, None).and_then(size::extent)
}

fn physical(lines: &[&str], evidence: &mut TextEvidence) {
    let group = value(lines, "VG Name").unwrap_or_default();
    if let (Some(bytes), Some(group)) = (extent(lines), reported(evidence, group)) {
        group.extent = bytes;
    }
    let entry = LvmEntry {
        device: value(lines, "PV Name").unwrap_or_default(),
        group,
        uuid: value(lines, "PV UUID").filter(|uuid| !uuid.is_empty()),
        extents: value(lines, "Total PE").and_then(|count| count.parse().ok()),
        ..LvmEntry::default()
    };
    entry::add(&entry, evidence);
}

fn group(lines: &[&str], evidence: &mut TextEvidence) {
    let name = value(lines, "VG Name").unwrap_or_default();
    let Some(group) = reported(evidence, name) else {
        return;
    };
    group.extent = extent(lines).unwrap_or(group.extent);
    if let Some(id) = value(lines, "VG UUID") {
        id.clone_into(&mut group.id);
    }
}

fn logical(lines: &[&str], evidence: &mut TextEvidence) {
    let vg = value(lines, "VG Name").unwrap_or_default();
    let name = value(lines, "LV Name").unwrap_or_default();
    // Older ones print the path: /dev/vg/lv.
    let name = name.rsplit('/').next().unwrap_or(name).to_owned();
    let Some(group) = reported(evidence, vg).filter(|_| !name.is_empty()) else {
        return;
    };
    let segments = segments(lines);
    match group.lvs.iter_mut().find(|lv| lv.name == name) {
        Some(known) if known.segments.is_empty() => known.segments = segments,
        Some(_) => {}
        None => group.lvs.push(GroupLv {
            name,
            visible: true,
            segments,
        }),
    }
}

/// Segments begin with `Logical extents 0 to 15:` (`Logical extent 0 to 15:` in older ones).
fn segments(lines: &[&str]) -> Vec<LvSegment> {
    let begins: Vec<_> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.trim_start().starts_with("Logical extent") && line.ends_with(':'))
        .map(|(at, _)| at)
        .collect();
    let ends = begins.iter().skip(1).copied().chain([lines.len()]);
    begins
        .iter()
        .copied()
        .zip(ends)
        .filter_map(|(start, end)| segment(lines.get(start..end)?))
        .collect()
}

fn segment(lines: &[&str]) -> Option<LvSegment> {
    let (first, last) = span(lines.first()?)?;
    let kind = value(lines, "Type").unwrap_or("linear");
    let kind = match kind {
        "linear" | "striped" => SegmentKind::Striped {
            stripe: value(lines, "Stripe size")
                .and_then(|text| size::size(text, None))
                .and_then(|number| size::unit(number, Bytes::KIB))
                .unwrap_or_default(),
            targets: targets(lines),
        },
        other => SegmentKind::Other {
            kind: other.to_owned(),
            refers: named(lines),
        },
    };
    Some(LvSegment {
        start_extent: first,
        extents: last.checked_sub(first)? + 1,
        kind,
    })
}

/// The two numbers of `… 0 to 15`.
fn span(line: &str) -> Option<(u64, u64)> {
    let (before, after) = line.trim_end_matches(':').split_once(" to ")?;
    let first = before.rsplit(char::is_whitespace).next()?;
    let number = |text: &str| {
        let number = text.trim().parse().ok();
        number.filter(|n| *n <= u64::from(u32::MAX))
    };
    Some((number(first)?, number(after)?))
}

/// `Physical volume /dev/sda` and `Physical extents 0 to 15` by turns.
fn targets(lines: &[&str]) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut device = None;
    for line in lines {
        if let Some(name) = after(line, "Physical volume") {
            device = Some(short(name).to_owned());
        } else if line.trim_start().starts_with("Physical extents")
            && let (Some(name), Some((first, _))) = (device.take(), span(line))
        {
            found.push((name, first));
        }
    }
    found
}

/// Hidden volumes that a segment names.
fn named(lines: &[&str]) -> Vec<String> {
    let names: BTreeSet<_> = lines
        .iter()
        .filter_map(|line| after(line, "Logical volume"))
        .collect();
    names.into_iter().map(str::to_owned).collect()
}

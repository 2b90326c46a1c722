//! Rows of `fdisk -l` without the lines about their disk (`fdisk -l | grep ^/dev`).
//!
//! No line names the unit. The numbers of a row do: sectors are counted a second time behind start
//! and end, and the rounded size, or blocks of 1 KiB, tell how large a sector is.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::TableKind;

use super::super::super::{Text, TextEvidence, TextFormat};
use super::super::{assumed, disk, names, sizes};
use super::head::FdiskHead;
use super::row::{self, FdiskRow};
use super::unit::{Unit, marked};
use crate::error::Result;

/// `fdisk -l | grep /dev`.
pub const FORMAT: TextFormat = TextFormat {
    name: "fdisk-rows",
    command: "rows of fdisk -l",
    sniff: |text| orphans(text).any(|line| row_of(line).is_some()),
    read,
};

const SECTORS: [u64; 2] = [512, 4096];
/// Cylinders of 255 heads and 63 sectors, which nearly all are.
const CYLINDERS: &str = "Units = cylinders of 16065 * 512 = 8225280 bytes";

/// The lines that no line about a disk or a unit precedes: all of a filter's output, or what is left of the first
/// disk where the top was cut off.
fn orphans(text: &Text) -> impl Iterator<Item = &str> {
    let headed =
        |line: &&str| FdiskHead::start(line.trim()).is_some() || Unit::parse(line).is_some();
    text.lines().take_while(move |line| !headed(line))
}

/// Disk, row and unit; the flag says that the size of a sector is not stated.
fn row_of(line: &str) -> Option<(&str, FdiskRow, Unit, bool)> {
    let words: Vec<&str> = line
        .split_whitespace()
        .filter(|word| *word != "*")
        .collect();
    let [name, start, end, count, rest @ ..] = words.as_slice() else {
        return None;
    };
    let device = device(name)?;
    let ((first, _), (last, _), (count, _)) = (marked(start)?, marked(end)?, marked(count)?);
    let span = last.checked_sub(first)?.checked_add(1)?;
    let (unit, unstated) = if span == count {
        let sector = sized(count, rest.first().copied());
        (sectors(sector.unwrap_or(512))?, sector.is_none())
    } else {
        (blocks(span, count)?, false)
    };
    Some((device, FdiskRow::parse(line, device, 1)?, unit, unstated))
}

/// The disk of a partition: a device, or an image, `disk.img1`. Those of a DASD are counted in tracks.
fn device(name: &str) -> Option<&str> {
    if let Some((disk, _)) = name.strip_prefix("/dev/").and_then(names::split) {
        return Some(disk).filter(|disk| !disk.starts_with("dasd"));
    }
    let image = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (image.len() < name.len() && names::is_image(image)).then_some(image)
}

/// The only sector size that makes `count` sectors the rounded size.
fn sized(count: u64, size: Option<&str>) -> Option<u64> {
    let size = sizes::binary(size?)?;
    let fits = |bytes: &&u64| {
        count
            .checked_mul(**bytes)
            .is_some_and(|all| size.low <= all && all <= size.high)
    };
    let mut fitting = SECTORS.iter().filter(fits);
    fitting.next().copied().filter(|_| fitting.next().is_none())
}

/// The unit of start and end where a row counts blocks of 1 KiB.
fn blocks(span: u64, blocks: u64) -> Option<Unit> {
    let sector = SECTORS.iter().find(|bytes| {
        span.checked_mul(**bytes)
            .is_some_and(|all| all / 1024 == blocks)
    });
    if let Some(sector) = sector {
        return sectors(*sector);
    }
    // The first partition leaves a track to the table, the last may end within a cylinder.
    let unit = Unit::parse(CYLINDERS)?;
    let least = (span.checked_sub(1)?).checked_mul(8_225_280)? / 1024;
    let most = span.checked_mul(8_225_280)?.div_ceil(1024);
    (least <= blocks && blocks <= most && blocks != 0).then_some(unit)
}

fn sectors(bytes: u64) -> Option<Unit> {
    Unit::parse(&format!("Units: sectors of 1 * {bytes} = {bytes} bytes"))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut last = String::new();
    let mut numbers = BTreeSet::new();
    for (place, (name, row, unit, unstated)) in orphans(text).filter_map(row_of).enumerate() {
        if name != last {
            name.clone_into(&mut last);
            numbers.clear();
            let said = disk(evidence, name);
            said.table = row.has_byte_type().then_some(TableKind::Dos);
            said.sector = Some(unit.sector).filter(|_| !unstated);
            said.remarks
                .extend(unstated.then(|| assumed("A row of fdisk")));
        }
        let said = row.tell(&FdiskHead::bare(name), unit, place + 1, evidence);
        numbers.extend(said.number.map(u64::from));
    }
    // Behind a filter the warnings come before all rows, on a stream of their own.
    let before = orphans(text).take_while(|line| row_of(line).is_none());
    let warnings: BTreeMap<u64, String> = before.filter_map(row::warning).collect();
    let missing = warnings
        .iter()
        .filter(|(number, _)| !numbers.contains(number));
    row::tell_missing(&last, missing, evidence);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(line: &str) -> Option<(u64, bool)> {
        let (_, _, unit, unstated) = row_of(line)?;
        let first = line.split_whitespace().filter(|word| *word != "*").nth(1)?;
        Some((unit.start(first)?.low, unstated))
    }

    #[test]
    fn the_numbers_of_a_row_tell_its_unit() {
        for (line, expected) in [
            (
                "/dev/sda1  *       2048   1026047   1024000   500M 83 Linux",
                (1 << 20, false),
            ),
            (
                "/dev/sda1         256     76799     76544   299M EFI System",
                (1 << 20, false),
            ),
            (
                "/dev/sda1   *          63      208844      104391   83  Linux",
                (32256, false),
            ),
            (
                "/dev/sda1   *           1          13      104391   83  Linux",
                (512, false),
            ),
            ("/dev/nvme0n1p2 2048 4095 2048 BIOS boot", (1 << 20, true)),
        ] {
            assert_eq!(start(line), Some(expected), "{line}");
        }
        for line in [
            "/dev/sda1 63 100 7 83 Linux",
            "/dev/sda1 1 2",
            "/dev/sda 1 2 2 83 Linux",
            "sda1 1 2 2 x",
        ] {
            assert_eq!(start(line), None, "{line}");
        }
    }
}

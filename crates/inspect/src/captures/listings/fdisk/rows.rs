//! Rows of `fdisk -l` without the lines about their disk (`fdisk -l | grep ^/dev`).
//!
//! No line names the unit. The numbers of a row do: sectors are counted a second time behind start
//! and end, and the rounded size, or blocks of 1 KiB, tell how large a sector is.

use ioalign_core::TableKind;

use super::super::super::{Text, TextEvidence, TextFormat};
use super::super::{assumed, disk, names, sizes};
use super::head::FdiskHead;
use super::row::FdiskRow;
use super::unit::{Unit, marked};
use crate::error::Result;

/// `fdisk -l | grep /dev`.
pub const FORMAT: TextFormat = TextFormat {
    name: "fdisk-rows",
    command: "rows of fdisk -l",
    sniff: |text| {
        !text.any(|line| Unit::parse(line).is_some()) && text.any(|line| row(line).is_some())
    },
    read,
};

const SECTORS: [u64; 2] = [512, 4096];
/// Cylinders of 255 heads and 63 sectors, which nearly all are.
const CYLINDERS: &str = "Units = cylinders of 16065 * 512 = 8225280 bytes";

/// Disk, row and unit; the flag says that the size of a sector is not stated.
fn row(line: &str) -> Option<(&str, FdiskRow, Unit, bool)> {
    let words: Vec<&str> = line
        .split_whitespace()
        .filter(|word| *word != "*")
        .collect();
    let [name, start, end, count, rest @ ..] = words.as_slice() else {
        return None;
    };
    let (device, _) = name.strip_prefix("/dev/").and_then(names::split)?;
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
    for (name, row, unit, unstated) in text.lines().filter_map(row) {
        if name != last {
            name.clone_into(&mut last);
            let said = disk(evidence, name);
            said.table = row.has_byte_type().then_some(TableKind::Dos);
            said.sector = Some(unit.sector).filter(|_| !unstated);
            said.remarks
                .extend(unstated.then(|| assumed("A row of fdisk")));
        }
        row.tell(&FdiskHead::bare(name), unit, evidence);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(line: &str) -> Option<(u64, bool)> {
        let (_, _, unit, unstated) = row(line)?;
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

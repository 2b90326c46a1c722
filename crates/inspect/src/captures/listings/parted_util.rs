//! ESXi `partedUtil getptbl` and `get`: geometry, then a line a partition, in 512-byte sectors.
//!
//! ESXi shows disks with sectors of 4096 bytes as 512e to everything above its storage stack. The
//! output does not name the disk; the command line before it does.

use ioalign_core::{SectorSize, TableKind};

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{claims, partition, roles, sizes, span};
use crate::error::Result;

/// `partedUtil getptbl`.
pub const FORMAT: TextFormat = TextFormat {
    name: "partedutil",
    command: "partedUtil getptbl",
    sniff: |text| {
        let mut before = "";
        text.lines().any(|line| {
            let found = geometry(line).is_some() && is_label(before.trim());
            before = line;
            found || command(line).is_some()
        })
    },
    read,
};

fn is_label(line: &str) -> bool {
    matches!(line, "gpt" | "msdos")
}

/// `partedUtil getptbl "/vmfs/devices/disks/naa.6000…"`: the disk. `setptbl` and `mklabel` print the new table.
fn command(line: &str) -> Option<&str> {
    let (_, arguments) = line.split_once("partedUtil ")?;
    let mut words = arguments.split_whitespace();
    let verb = words.next()?;
    let path = words.next().filter(|_| {
        ["get", "set", "mk"]
            .iter()
            .any(|begin| verb.starts_with(begin))
    })?;
    let path = path.trim_matches(['"', '\'']);
    let name = path.rsplit('/').next()?;
    (path.contains('/') && !name.is_empty()).then_some(name)
}

/// `60801 255 63 976773168`: cylinders, heads, sectors a track, and all sectors.
fn geometry(line: &str) -> Option<u64> {
    let words: Option<Vec<u64>> = line.split_whitespace().map(sizes::whole).collect();
    let [cylinders, heads, track, all] = words?[..] else {
        return None;
    };
    // After `setptbl` the geometry is not known.
    if (cylinders, heads, track, all) == (0, 0, 0, 0) {
        return Some(0);
    }
    let shaped = (1..=255).contains(&heads) && (1..=255).contains(&track);
    let whole = cylinders.checked_mul(heads)?.checked_mul(track)?;
    let near = whole <= all.checked_add(heads.checked_mul(track)?)?;
    (shaped && near && all != 0).then_some(all)
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut name = "disk".to_owned();
    let mut label = None;
    let mut asked = false;
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if let Some(disk) = command(line) {
            disk.replace("\\:", ":").clone_into(&mut name);
            (asked, open) = (true, false);
        } else if is_label(line) {
            label = roles::table(line);
            asked = true;
        } else if let Some(all) = geometry(line).filter(|_| asked) {
            disk(&name, label.take(), all, evidence);
            (asked, open) = (false, true);
        } else if open {
            open = row(line, &name, evidence).is_some();
        }
    }
    Ok(())
}

fn disk(name: &str, table: Option<TableKind>, all: u64, evidence: &mut TextEvidence) {
    let said = super::disk(evidence, &format!("/dev/{name}"));
    said.kind = Some(ioalign_core::Kind::Disk);
    said.table = table;
    said.sector = Some(SectorSize::S512);
    said.size = Number::sectors(all, SectorSize::S512).filter(|_| all != 0);
    said.claims = Some(crate::host::hints::Claims {
        logical: Some(512),
        ..claims(name)
    });
}

/// `1 2048 976771071 AA31E02A400F11DB9590000C2911D1B8 vmfs 0`; `get` has no GUID, an MBR has a
/// decimal type: `1 128 16771859 251 0`.
fn row(line: &str, disk: &str, evidence: &mut TextEvidence) -> Option<()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [number, start, end, kind, ..] = words.as_slice() else {
        return None;
    };
    let (number, start, end) = (
        sizes::whole(number)?,
        sizes::whole(start)?,
        sizes::whole(end)?,
    );
    let said = partition(evidence, disk, &format!("{disk}:{number}"));
    said.number = u32::try_from(number).ok();
    said.sector = Some(SectorSize::S512);
    said.start = Number::sectors(start, SectorSize::S512);
    said.size = span(start, end, said.sector);
    let byte = sizes::whole(kind).filter(|byte| *byte < 256);
    let type_id = byte.map_or_else(|| (*kind).to_owned(), |byte| format!("{byte:02x}"));
    // `get` prints 0 for every type of a GPT.
    if type_id != "00" {
        said.role = roles::of(&type_id);
        said.type_id = Some(type_id);
    }
    Some(())
}

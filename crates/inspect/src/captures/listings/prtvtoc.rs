//! Solaris `prtvtoc`: sectors of the size that its dimensions tell.
//!
//! An EFI label and a SPARC label count from the start of the disk; the label of an x86 disk counts
//! from the start of its fdisk partition, which this program does not print. It is recognised by
//! its slice 8, the boot slice at sector 0 (tag 1), that only x86 has.

use ioalign_core::layer::Kind;
use ioalign_core::{Role, SectorSize, TableKind};

use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, disk, partition, sector, sectors, sizes};
use crate::error::Result;
use crate::tables;

/// `prtvtoc`.
pub const FORMAT: TextFormat = TextFormat {
    name: "prtvtoc",
    command: "prtvtoc",
    sniff: |text| text.any(|line| name(line).is_some() || is_header(line)),
    read,
};

/// `* /dev/rdsk/c0t0d0s2 partition map`: disk, and whether it has an EFI label.
fn name(line: &str) -> Option<(&str, bool)> {
    let line = line.trim().strip_prefix('*')?.trim();
    let rest = line.strip_suffix("partition map")?.trim();
    let (path, efi) = rest
        .strip_suffix("EFI")
        .map_or((rest, false), |path| (path.trim(), true));
    Some((super::solaris(path), efi))
}

fn is_header(line: &str) -> bool {
    let words = line.split_whitespace();
    words.take(7).eq([
        "*",
        "Partition",
        "Tag",
        "Flags",
        "Sector",
        "Count",
        "Sector",
    ])
}

/// The label that is being read.
#[derive(Default)]
struct PrtvtocLabel {
    disk: String,
    efi: bool,
    sector: Option<SectorSize>,
    slices: Vec<[u64; 4]>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut label = PrtvtocLabel::default();
    let mut open = false;
    for line in text.lines() {
        if let Some((disk, efi)) = name(line) {
            label.tell(evidence);
            label = PrtvtocLabel {
                disk: disk.to_owned(),
                efi,
                ..PrtvtocLabel::default()
            };
            open = false;
        } else if line.trim_end().ends_with("bytes/sector") {
            label.sector = sizes::numbers(line).first().copied().and_then(sector);
        } else if is_header(line) {
            open = true;
        } else if let Some(slice) = slice(line).filter(|_| open) {
            label.slices.push(slice);
        }
    }
    label.tell(evidence);
    Ok(())
}

/// `       0      2    00          0    303408    303407   /`: slice, tag, start, count.
fn slice(line: &str) -> Option<[u64; 4]> {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let [slice, tag, flags, start, count, last] = words.as_slice() else {
        return None;
    };
    (flags.len() == 2 && sizes::whole(last).is_some()).then_some(())?;
    Some([
        sizes::whole(slice)?,
        sizes::whole(tag)?,
        sizes::whole(start)?,
        sizes::whole(count)?,
    ])
}

impl PrtvtocLabel {
    fn tell(&self, evidence: &mut TextEvidence) {
        if self.slices.is_empty() {
            return;
        }
        let name = if self.disk.is_empty() {
            "disk"
        } else {
            &self.disk
        };
        let x86 = !self.efi
            && self
                .slices
                .iter()
                .any(|slice| matches!(slice, [8, 1, 0, _]));
        let said = disk(evidence, name);
        said.kind = Some(Kind::Disk);
        said.sector = self.sector;
        said.table = Some(match (self.efi, x86) {
            (true, _) => TableKind::Gpt,
            (false, true) => TableKind::Dos,
            (false, false) => TableKind::VtocSparc,
        });
        if self.sector.is_none() {
            said.remarks.push(assumed("prtvtoc"));
        }
        let parent = super::solaris_parent(evidence, name, x86);
        for slice in &self.slices {
            self.slice(slice, name, &parent, evidence);
        }
    }

    fn slice(
        &self,
        [slice, tag, start, count]: &[u64; 4],
        disk: &str,
        parent: &str,
        evidence: &mut TextEvidence,
    ) {
        let said = partition(evidence, parent, &format!("{disk}s{slice}"));
        let tag = u16::try_from(*tag).unwrap_or(u16::MAX);
        said.number = u32::try_from(*slice).ok();
        said.sector = self.sector;
        said.start = sectors(*start, self.sector);
        said.size = sectors(*count, self.sector);
        said.type_id = Some(format!("0x{tag:02x}"));
        said.role = Some(match tables::slice_type(tag).1 {
            Role::Data if *slice == 2 && *start == 0 && tag == 5 => Role::WholeDisk,
            role => role,
        });
    }
}

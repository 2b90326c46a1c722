//! The lines before the table: the disk, its size, its limits, the kind of its table.

use super::super::super::{Number, TextEvidence};
use super::super::{claims, disk, roles, sector, sizes};
use super::unit::Unit;
use ioalign_core::TableKind;

/// What the lines before the table say.
#[derive(Default)]
pub(super) struct FdiskHead {
    /// As printed: `/dev/sda`, `disk.img`.
    pub(super) disk: String,
    pub(super) unit: Option<Unit>,
    size: Option<u64>,
    model: String,
    /// Logical and physical sector, then minimum and optimal I/O size, as far as seen.
    pairs: Vec<(u64, u64)>,
    table: Option<TableKind>,
    alignment_offset: i64,
    /// Whether a line follows the limits: the kind of the table or its identifier.
    labelled: bool,
    /// Whether an empty line ended the head.
    pub(super) ended: bool,
    lines: usize,
}

/// How translations begin the line of the alignment offset.
const ALIGNMENT: &[&str] = &[
    "Alignment offset",
    "Ausrichtung",
    "Index d'alignement",
    "Décalage",
    "アライメント",
    "对齐",
    "Desplazamiento",
    "Offset di allineamento",
];

impl FdiskHead {
    /// Nothing but the name of the disk.
    pub(super) fn bare(disk: &str) -> Self {
        Self {
            disk: disk.to_owned(),
            ..Self::default()
        }
    }

    /// `Disk /dev/sda: 8589 MB, 8589934592 bytes`, `Disque /dev/sda : …`, `Disk /dev/sda：…`.
    pub(super) fn start(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once(' ')?;
        let end = colon(rest).filter(|_| !rest.starts_with('('))?;
        let name = rest.get(..end)?.trim_end();
        let about = rest.get(end..)?.trim_start_matches([':', '：']);
        let one_word = !name.is_empty() && !name.contains(char::is_whitespace);
        let listed = about.contains([',', '，', '、'])
            && about.trim_start().starts_with(|c: char| c.is_ascii_digit());
        (one_word && listed && !line.contains('=')).then(|| Self {
            disk: name.to_owned(),
            size: bytes(about),
            ..Self::default()
        })
    }

    /// A line after the first.
    pub(super) fn take(&mut self, line: &str) {
        self.lines += 1;
        if let Some(unit) = Unit::parse(line) {
            self.unit = Some(unit);
            return;
        }
        let Some((key, value)) = line.split_once(':').or_else(|| line.split_once('：')) else {
            return;
        };
        let value = value.trim();
        let numbers = sizes::numbers(value);
        // A model may have a stroke too; it stands before the unit.
        let paired = self.unit.is_some() && value.contains('/');
        if let ([first, second], true) = (numbers.as_slice(), paired) {
            if self.pairs.len() < 2 {
                self.pairs.push((*first, *second));
            }
        } else if ALIGNMENT.iter().any(|word| key.starts_with(word)) {
            let bytes = numbers.first().and_then(|bytes| i64::try_from(*bytes).ok());
            self.alignment_offset = bytes.unwrap_or(0);
        } else if self.unit.is_none() && self.lines == 1 && !value.contains(',') {
            value.clone_into(&mut self.model);
        } else {
            self.labelled |= self.pairs.len() == 2 && !self.ended;
            self.table = self.table.or_else(|| roles::table(value));
        }
    }

    /// Adds the disk. `dos`: the table shows types that are bytes.
    pub(super) fn tell(&self, unit: Unit, dos: bool, evidence: &mut TextEvidence) {
        let said = disk(evidence, &self.disk);
        said.size = self.size.map(Number::exact);
        // Since util-linux 2.23 the kind of the table follows the limits, where there is one.
        said.blank = self.pairs.len() == 2 && !self.labelled;
        said.table = self.table.or(dos.then_some(TableKind::Dos));
        said.sector = Some(
            self.pairs
                .first()
                .and_then(|pair| sector(pair.0))
                .unwrap_or(unit.sector),
        );
        if !self.model.is_empty() {
            said.model = Some(self.model.clone());
        }
        let of = |index: usize| self.pairs.get(index).copied();
        if of(0).is_some() {
            said.claims = Some(crate::host::hints::Claims {
                logical: of(0).map(|pair| pair.0),
                physical: of(0).map(|pair| pair.1),
                minimum: of(1).map(|pair| pair.0),
                optimal: of(1).map(|pair| pair.1),
                alignment_offset: self.alignment_offset,
                model: self.model.clone(),
                ..claims(&self.disk)
            });
            said.alignment_offset = Some(self.alignment_offset);
        }
    }
}

/// The colon after the name: one within it, as in `pci-0000:00:1f.2`, has no space after it.
fn colon(text: &str) -> Option<usize> {
    text.find('：').into_iter().chain(text.find(": ")).min()
}

/// The size in bytes: the first part behind the rounded size that is one number and a word. The
/// rounded one may have a comma of its own (`8,5 GiB`).
fn bytes(about: &str) -> Option<u64> {
    let mut parts = about.split([',', '，', '、']).skip(1);
    parts.find_map(|part| match sizes::numbers(part).as_slice() {
        [bytes] if *bytes != 0 && bytes.is_multiple_of(256) => Some(*bytes),
        _ => None,
    })
}

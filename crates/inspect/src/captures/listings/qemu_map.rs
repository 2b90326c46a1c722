//! `qemu-img map --output=json`: where guest data lie in the file, in bytes.
//!
//! What counts is the difference of the two offsets: data that are shifted in the file by something
//! that is no multiple of 4 KiB straddle the blocks of whatever holds it.

use ioalign_core::{Kind, Remark, Severity, rules};
use serde_json::Value;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::json;
use crate::error::Result;

/// `qemu-img map --output=json`.
pub const FORMAT: TextFormat = TextFormat {
    name: "qemu-img-map",
    command: "qemu-img map --output=json",
    sniff: |text| {
        let has = |key: &str| text.any(|line| line.contains(key));
        has("\"depth\":") && has("\"offset\":") && has("\"start\":")
    },
    read,
};

/// The block that nearly all file systems and disks have.
const BLOCK: u64 = 4096;

/// The extents of one image that lie in its own file.
#[derive(Default)]
struct QemuMapExtents {
    bytes: u64,
    shifted: u64,
    /// The first shift that is off the block.
    example: Option<u64>,
    /// The shift of all, while they agree.
    common: Option<u64>,
    varied: bool,
    end: u64,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text, "\"depth\"") {
        let mut extents = QemuMapExtents::default();
        for extent in document.as_array().into_iter().flatten() {
            extents.take(extent);
        }
        if extents.bytes != 0 {
            extents.tell(evidence);
        }
    }
    Ok(())
}

impl QemuMapExtents {
    fn take(&mut self, extent: &Value) {
        let number = |key| json::number(extent, key);
        let (Some(start), Some(length)) = (number("start"), number("length")) else {
            return;
        };
        self.end = self.end.max(start.saturating_add(length));
        let here = number("depth") == Some(0);
        let Some(offset) = number("offset").filter(|_| here) else {
            return;
        };
        let shift = offset.wrapping_sub(start);
        self.bytes = self.bytes.saturating_add(length);
        self.varied |= self.common.is_some_and(|common| common != shift);
        self.common.get_or_insert(shift);
        if !shift.is_multiple_of(BLOCK) {
            self.shifted = self.shifted.saturating_add(length);
            self.example.get_or_insert(shift % BLOCK);
        }
    }

    fn tell(&self, evidence: &mut TextEvidence) {
        let said = evidence.device("image");
        said.kind = Some(Kind::Image);
        said.size = Some(Number::exact(self.end));
        said.facts.push(("mapped", format!("{} B", self.bytes)));
        if let Some(shift) = self.common.filter(|_| !self.varied) {
            said.facts.push(("shift", format!("{shift} B")));
        }
        let Some(example) = self.example else {
            return;
        };
        let why = format!(
            "{} of {} mapped bytes lie {example} B past a 4 KiB boundary of the file, relative to \
             where the guest has them",
            self.shifted, self.bytes
        );
        said.remarks.push(Remark::new(
            rules::IMAGE_DATA_MISALIGNED,
            Severity::Misaligned,
            why,
        ));
    }
}

//! What hardware RAID tools say of a logical drive: level, strip and drives, which make the stripe.
//!
//! A controller's "256 KB" strip is 256 KiB: strips are powers of two.

use ioalign_core::Bytes;

use crate::captures::{TextArray, TextEvidence};

/// Largest strip that a controller offers is 1 MiB; some arrays have more.
const MOST_STRIP: u64 = 64 << 20;

/// A logical drive.
#[derive(Clone, Debug, Default)]
pub(super) struct LogicalDrive {
    /// The disk that the system sees, else a name such as `vd0`.
    pub name: String,
    /// `RAID5`, `5`, `1+0`, `Primary-5, Secondary-0, …`.
    pub level: String,
    pub strip: Option<Bytes>,
    /// Drives of each span.
    pub drives: Option<u32>,
    /// Spans of RAID 10, 50, 60.
    pub spans: Option<u32>,
    /// The whole stripe, where the tool prints it.
    pub stripe: Option<Bytes>,
    /// `4096` where the drive is presented in such sectors.
    pub emulated: Option<bool>,
}

/// Level of a span, and whether spans are striped.
fn level(word: &str) -> Option<(i32, bool)> {
    let word = word.trim();
    if let Some(rest) = word.strip_prefix("Primary-") {
        // MegaCli: RAID 10 is Primary-1, Secondary-0 with several spans or a depth in the qualifier.
        let level = rest.split(',').next()?.trim().parse().ok()?;
        return Some((level, word.contains("Secondary-3")));
    }
    let word = word.trim_start_matches("RAID").trim();
    let digits = word.split_whitespace().next()?;
    Some(match digits {
        "0" => (0, false),
        "1" => (1, false),
        "5" => (5, false),
        "6" | "ADG" => (6, false),
        "10" | "1+0" | "1ADM" => (1, true),
        "50" | "5+0" => (5, true),
        "60" | "6+0" => (6, true),
        _ => return None,
    })
}

impl LogicalDrive {
    /// Data drives of a whole stripe.
    fn data(&self) -> Option<u64> {
        let (level, nested) = level(&self.level)?;
        let (drives, spans) = (
            u64::from(self.drives?),
            u64::from(self.spans.unwrap_or(1).max(1)),
        );
        let each = match level {
            0 => drives,
            1 if nested || drives > 2 => (drives / 2).max(1),
            1 => 1,
            5 => drives.checked_sub(1)?,
            6 => drives.checked_sub(2)?,
            _ => return None,
        };
        each.checked_mul(spans).filter(|data| *data != 0)
    }

    /// The whole stripe: as printed, else strip × data drives.
    pub fn full_stripe(&self) -> Option<Bytes> {
        self.stripe
            .or_else(|| self.strip?.checked_mul(self.data()?))
    }

    /// md's words for it; of nested levels that of a span.
    fn array(&self, tool: &'static str) -> Option<TextArray> {
        let (level, nested) = level(&self.level)?;
        let drives = self
            .drives
            .unwrap_or(0)
            .saturating_mul(self.spans.unwrap_or(1).max(1));
        let several = nested || self.spans.unwrap_or(1) > 1 || drives > 2;
        Some(TextArray {
            level: if level == 1 && several { 10 } else { level },
            chunk: self.strip,
            raid_disks: drives,
            controller: Some(tool),
            full_stripe: self.full_stripe(),
            ..TextArray::default()
        })
    }

    /// Adds it to the evidence, as `tool` says it.
    pub fn add(&self, tool: &'static str, evidence: &mut TextEvidence) {
        if self.name.is_empty() || (self.strip.is_none() && self.level.is_empty()) {
            return;
        }
        let said = evidence.device(&self.name);
        said.array = self.array(tool);
        let mut fact =
            |name, value: Option<String>| said.facts.extend(value.map(|value| (name, value)));
        fact("raid-level", Some(self.level.clone()));
        fact("strip", self.strip.map(|strip| strip.to_string()));
        fact(
            "full-stripe",
            self.full_stripe().map(|stripe| stripe.to_string()),
        );
        fact("drives", self.drives.map(|drives| drives.to_string()));
        fact(
            "spans",
            self.spans
                .filter(|spans| *spans > 1)
                .map(|spans| spans.to_string()),
        );
        fact(
            "emulated",
            self.emulated
                .map(|yes| if yes { "yes" } else { "no" }.to_owned()),
        );
    }
}

/// `256 KB`, `1 MB`, `64KB`, `1.0MB`: always binary.
pub(super) fn strip(text: &str) -> Option<Bytes> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.strip_suffix(".0").unwrap_or(number).parse().ok()?;
    let unit = match unit.trim().to_ascii_uppercase().chars().next() {
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some('B') => 1,
        _ => return None,
    };
    let bytes = number.checked_mul(unit)?;
    (bytes.is_power_of_two() && (512..=MOST_STRIP).contains(&bytes)).then_some(Bytes::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripe(level: &str, drives: u32, spans: u32) -> Option<u64> {
        let drive = LogicalDrive {
            level: level.to_owned(),
            strip: Some(Bytes::new(64 << 10)),
            drives: Some(drives),
            spans: Some(spans),
            ..LogicalDrive::default()
        };
        drive.full_stripe().map(|stripe| stripe.get() >> 10)
    }

    #[test]
    fn stripes_follow_level_and_spans() {
        assert_eq!(stripe("RAID5", 4, 1), Some(192));
        assert_eq!(stripe("RAID6", 10, 1), Some(512));
        assert_eq!(stripe("RAID10", 2, 3), Some(192));
        assert_eq!(stripe("RAID50", 4, 2), Some(384));
        assert_eq!(
            stripe("Primary-5, Secondary-0, RAID Level Qualifier-3", 4, 1),
            Some(192)
        );
        assert_eq!(stripe("RAID5", 0, 1), None);
        assert_eq!(stripe("weird", 4, 1), None);
    }

    #[test]
    fn strips_are_binary() {
        assert_eq!(strip("256 KB"), Some(Bytes::new(256 << 10)));
        assert_eq!(strip("1.0MB"), Some(Bytes::MIB));
        assert_eq!(strip("100 KB"), None);
        assert_eq!(strip("64"), None, "no unit");
    }
}

//! What of a bundle was left out, counted by reason: a hostile one has a million such entries.

use ioalign_core::{Remark, Severity, rules};

/// Why an entry is not in the tree.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    LeadsOut,
    Absolute,
    NotUtf8,
    NoSuchFile,
    NotAFile,
    NoPlace,
}

impl Why {
    const fn says(self) -> &'static str {
        match self {
            Self::LeadsOut => "left out: a name with `..` leads out of the bundle",
            Self::Absolute => "taken from the top of the bundle: the name is absolute",
            Self::NotUtf8 => "left out: the name is not UTF-8",
            Self::NoSuchFile => "left out: a hard link to a file that is not in the bundle",
            Self::NotAFile => "left out: neither a file, a folder nor a link",
            Self::NoPlace => {
                "left out: what it lies in is a file, a link that leads nowhere, or too deep"
            }
        }
    }
}

/// Reasons with their number of entries and the first of them.
#[derive(Debug, Default)]
pub(super) struct Refused {
    reasons: Vec<(Why, u64, String)>,
    /// Files of which only the beginning was kept.
    cut: Vec<(String, u64)>,
    cut_count: u64,
}

/// Names that are shown of files that were cut off.
const SHOWN: usize = 3;
/// Longer names are shown in part.
const LONGEST: usize = 120;

impl Refused {
    pub(super) fn entry(&mut self, why: Why, name: &[u8]) {
        match self.reasons.iter_mut().find(|(known, ..)| *known == why) {
            Some((_, count, _)) => *count += 1,
            None => self.reasons.push((why, 1, shown(name))),
        }
    }

    pub(super) fn cut_off(&mut self, name: &str, len: u64) {
        self.cut_count += 1;
        if self.cut.len() < SHOWN {
            self.cut.push((shown(name.as_bytes()), len));
        }
    }

    /// One remark a reason.
    pub(super) fn remarks(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        for (why, count, first) in &self.reasons {
            let entries = if *count == 1 { "entry" } else { "entries" };
            let why = format!("{count} {entries} {}: {first}", why.says());
            remarks.push(Remark::note(rules::BUNDLE_ENTRY_REFUSED, why));
        }
        if self.cut_count > 0 {
            let names = self
                .cut
                .iter()
                .map(|(name, len)| format!("{name} ({len} bytes)"));
            let names = names.collect::<Vec<_>>().join(", ");
            let why = format!(
                "{} files are too large to be read whole, what was left out is not known: {names}",
                self.cut_count
            );
            remarks.push(Remark::new(
                rules::BUNDLE_FILE_CUT_OFF,
                Severity::Unknown,
                why,
            ));
        }
        remarks
    }
}

fn shown(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name.get(..LONGEST).unwrap_or(name));
    name.escape_debug().to_string()
}

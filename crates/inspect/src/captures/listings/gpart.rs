//! FreeBSD `gpart show`: a line `=>` for the provider, then start, size, index and type in sectors.
//!
//! The size of a sector is not printed. Starts of a table inside a slice count from that slice.

use ioalign_core::Role;

use super::super::{Text, TextEvidence, TextFormat};
use super::{assumed, partition, roles, sectors, sizes};
use crate::error::Result;

/// `gpart show`.
pub const FORMAT: TextFormat = TextFormat {
    name: "gpart",
    command: "gpart show",
    sniff: |text| text.any(|line| Provider::parse(line).is_some()),
    read,
};

/// `=>       40  976773088  ada0  GPT  (466G)`.
struct Provider {
    name: String,
    scheme: String,
}

impl Provider {
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.trim().strip_prefix("=>")?.split_whitespace().collect();
        let [start, size, name, scheme, ..] = words.as_slice() else {
            return None;
        };
        (sizes::whole(start).is_some() && sizes::whole(size).is_some()).then(|| Self {
            name: (*name).to_owned(),
            scheme: (*scheme).to_owned(),
        })
    }

    /// The name of the partition with this index, or the name itself (`gpart show -p`).
    fn partition(&self, index: &str) -> String {
        let Some(number) = sizes::whole(index) else {
            return index.to_owned();
        };
        let letter = u8::try_from(number).ok().filter(|n| (1..=26).contains(n));
        match (self.scheme.as_str(), letter) {
            ("GPT", _) => format!("{}p{number}", self.name),
            ("BSD" | "BSD64" | "VTOC8", Some(n)) => {
                format!("{}{}", self.name, char::from(b'a' + n - 1))
            }
            _ => format!("{}s{number}", self.name),
        }
    }

    fn tell(&self, evidence: &mut TextEvidence) {
        let said = super::disk(evidence, &self.name);
        said.kind.get_or_insert(ioalign_core::layer::Kind::Disk);
        said.table = roles::table(&self.scheme);
        said.remarks.push(assumed("gpart show"));
    }
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut provider: Option<(Provider, usize)> = None;
    for line in text.lines() {
        if let Some(found) = Provider::parse(line) {
            found.tell(evidence);
            provider = Some((found, evidence.devices.len().saturating_sub(1)));
        } else if let Some((provider, place)) = &provider {
            row(line, provider, evidence);
            if line.contains("- free -")
                && let Some(said) = evidence.devices.get_mut(*place)
            {
                // Where free space is shown, the table was read.
                said.blank = true;
            }
        }
    }
    Ok(())
}

/// `       2048    4194304     2  freebsd-swap  (2.0G)`; free space has a dash for an index.
fn row(line: &str, provider: &Provider, evidence: &mut TextEvidence) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [start, count, index, kind, ..] = words.as_slice() else {
        return;
    };
    let (Some(start), Some(count)) = (sizes::whole(start), sizes::whole(count)) else {
        return;
    };
    // What was left out of a paste stands between rows; rows of other programs have no size in brackets.
    if *index == "-" || kind.starts_with(|c: char| c.is_ascii_digit()) || !line.contains('(') {
        return;
    }
    let said = partition(evidence, &provider.name, &provider.partition(index));
    let digits = index.trim_start_matches(|c: char| !c.is_ascii_digit());
    said.number = sizes::whole(digits).and_then(|number| u32::try_from(number).ok());
    said.start = sectors(start, None);
    said.size = sectors(count, None);
    said.role = roles::words(kind).or(Some(Role::Data));
    said.type_id = Some((*kind).to_owned());
}

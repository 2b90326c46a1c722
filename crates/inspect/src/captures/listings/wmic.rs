//! `wmic partition get Name,StartingOffset,Size,…`, as table or list: bytes.
//!
//! Property names are never translated; `Disk #0, Partition #1` is, so that of a name only the two
//! numbers count. They start at 0 and skip what Windows has no partition for.

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{partition, roles, sizes};
use crate::error::Result;

/// `wmic partition get`.
pub const FORMAT: TextFormat = TextFormat {
    name: "wmic",
    command: "wmic partition get",
    sniff: |text| text.any(|line| line.contains("StartingOffset")),
    read,
};

/// One partition, from the lines so far.
#[derive(Default)]
struct WmicEntry {
    place: Option<(u64, u64)>,
    start: Option<u64>,
    size: Option<u64>,
    block: Option<u64>,
    kind: String,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut entry = WmicEntry::default();
    let mut columns: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let pair = line.split_once('=').or_else(|| line.split_once(" : "));
        if let Some((key, value)) = pair {
            if entry.seen(key.trim()) {
                std::mem::take(&mut entry).tell(evidence);
            }
            entry.take(key.trim(), value.trim());
        } else if line.contains("StartingOffset") {
            columns = header(&line.replace(',', " "));
        } else if !columns.is_empty() && !line.trim().is_empty() {
            row(line, &columns).tell(evidence);
        }
    }
    entry.tell(evidence);
    Ok(())
}

/// Columns with the character where each starts.
fn header(line: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in line.split(' ') {
        if !part.is_empty() {
            found.push((at, part.to_owned()));
        }
        at += part.chars().count() + 1;
    }
    found
}

/// A row, by columns; where spaces were lost, by the order of what is left beside the name.
fn row(line: &str, columns: &[(usize, String)]) -> WmicEntry {
    let chars: Vec<char> = line.chars().collect();
    let word = |at: usize| chars.get(at).is_some_and(|c| !c.is_whitespace());
    // Right-aligned numbers reach to the left of their header.
    let cut = columns
        .iter()
        .any(|(from, _)| *from > 0 && word(*from - 1) && word(*from));
    if cut {
        return collapsed(line, columns);
    }
    let mut entry = WmicEntry::default();
    for (index, (from, key)) in columns.iter().enumerate() {
        let to = columns.get(index + 1).map_or(chars.len(), |next| next.0);
        let cell: String = chars
            .get(*from..to.min(chars.len()))
            .unwrap_or_default()
            .iter()
            .collect();
        entry.take(key, cell.trim());
    }
    if entry.place.is_none() || entry.start.is_none() {
        entry = collapsed(line, columns);
    }
    entry
}

fn collapsed(line: &str, columns: &[(usize, String)]) -> WmicEntry {
    let mut entry = WmicEntry::default();
    let Some((from, to)) = name_span(line) else {
        return entry;
    };
    entry.take("Name", line.get(from..to).unwrap_or_default());
    let blank = |c: char| c.is_whitespace() || c == ',';
    let words = |part: Option<&'_ str>| -> Vec<String> {
        let words = part.unwrap_or_default().split(blank);
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (before, after) = (words(line.get(..from)), words(line.get(to..)));
    let keys = columns
        .iter()
        .map(|(_, key)| key.as_str())
        .filter(|key| !is_name(key));
    let cells: Vec<String> = before.into_iter().chain(after).collect();
    let keys: Vec<&str> = keys.collect();
    if keys.len() == cells.len() {
        for (key, cell) in keys.iter().zip(cells) {
            entry.take(key, &cell);
        }
    }
    entry
}

/// `Disk #0, Partition #1` within a line.
fn name_span(line: &str) -> Option<(usize, usize)> {
    let from = line.find("Disk #")?;
    let hash = from + line.get(from..)?.find("Partition #")? + "Partition #".len();
    let digits = line
        .get(hash..)?
        .chars()
        .take_while(char::is_ascii_digit)
        .count();
    (digits > 0).then_some((from, hash + digits))
}

fn is_name(key: &str) -> bool {
    matches!(key, "Name" | "DeviceID" | "Caption" | "Description")
}

impl WmicEntry {
    fn seen(&self, key: &str) -> bool {
        match key {
            "Name" => self.place.is_some(),
            "StartingOffset" => self.start.is_some(),
            "Size" => self.size.is_some(),
            _ => false,
        }
    }

    fn take(&mut self, key: &str, value: &str) {
        match key {
            "Name" | "DeviceID" => {
                if let [disk, part] = sizes::numbers(value).as_slice() {
                    self.place = Some((*disk, *part));
                }
            }
            "StartingOffset" => self.start = sizes::whole(value),
            "Size" => self.size = sizes::whole(value),
            "BlockSize" => self.block = sizes::whole(value),
            "Type" => value.clone_into(&mut self.kind),
            _ => {}
        }
    }

    fn tell(self, evidence: &mut TextEvidence) {
        let Some(start) = self.start else {
            return;
        };
        let (disk, name) = match self.place {
            Some((disk, part)) => (
                format!("PhysicalDrive{disk}"),
                format!("Disk #{disk}, Partition #{part}"),
            ),
            None => ("PhysicalDrive".to_owned(), format!("partition at {start}")),
        };
        let said = partition(evidence, &disk, &name);
        said.start = Some(Number::exact(start));
        said.size = self.size.map(Number::exact);
        said.sector = self.block.and_then(super::sector);
        said.role = roles::words(&self.kind).or_else(|| windows(&self.kind));
        said.type_id = (!self.kind.is_empty()).then_some(self.kind);
    }
}

/// What a Windows type word means where it is no general one.
pub(super) fn windows(kind: &str) -> Option<ioalign_core::Role> {
    match kind.trim_start_matches("GPT: ") {
        "System" => Some(ioalign_core::Role::Esp),
        "Reserved" => Some(ioalign_core::Role::Msr),
        _ => None,
    }
}

//! `nvme id-ns`, as text (also `-H`) and as JSON.
//!
//! The numbers are put back where they stand in the structure, so that the reader of the live
//! structure interprets them: which are counted from 0, and which mean anything.

use ioalign_core::SectorSize;
use serde_json::Value;

use crate::captures::reading::subject::{Subject, header};
use crate::captures::reading::{any_radix, json, pair};
use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};
use crate::host::nvme::{ID_NS_BYTES, IdNs, parse};

/// `nvme id-ns`.
pub const FORMAT: TextFormat = TextFormat {
    name: "nvme-id-ns",
    command: "nvme id-ns",
    sniff,
    read,
};

/// Fields: name, byte in the structure, length (NVM Command Set specification, figure "Identify
/// Namespace Data Structure").
const FIELDS: [(&str, usize, usize); 9] = [
    ("nsfeat", 24, 1),
    ("nlbaf", 25, 1),
    ("flbas", 26, 1),
    ("nabo", 42, 2),
    ("nabspf", 44, 2),
    ("noiob", 46, 2),
    ("npwg", 64, 2),
    ("npwa", 66, 2),
    ("nows", 72, 2),
];
const FORMATS_AT: usize = 128;

/// One output.
struct IdNsOutput {
    device: String,
    bytes: Vec<u8>,
    /// Blocks of the namespace.
    blocks: Option<u64>,
    /// Format of `(in use)`, where FLBAS is not printed.
    used: Option<u8>,
    stated: bool,
}

impl IdNsOutput {
    fn new(device: String) -> Self {
        Self {
            device,
            bytes: vec![0; ID_NS_BYTES],
            blocks: None,
            used: None,
            stated: false,
        }
    }

    /// Puts `value` at its place; values that do not fit are left out.
    fn put(&mut self, at: usize, len: usize, value: u64) {
        let raw = value.to_le_bytes();
        let fits = raw.iter().skip(len).all(|byte| *byte == 0);
        if let (true, Some(source), Some(target)) =
            (fits, raw.get(..len), self.bytes.get_mut(at..at + len))
        {
            target.copy_from_slice(source);
        }
    }

    fn field(&mut self, name: &str, value: u64) {
        if name == "nsze" {
            self.blocks = Some(value);
        } else if let Some((name, at, len)) = FIELDS.iter().find(|(known, _, _)| *known == name) {
            self.put(*at, *len, value);
            self.stated |= *name == "flbas";
        }
    }

    fn format(&mut self, index: u64, metadata: u64, shift: u64, performance: u64) {
        let Some(at) = usize::try_from(index).ok().filter(|n| *n < 64) else {
            return;
        };
        let at = FORMATS_AT + 4 * at;
        self.put(at, 2, metadata);
        self.put(at + 2, 1, shift);
        self.put(at + 3, 1, performance & 3);
        // The count of formats may have been cut off.
        let count = self.bytes.get(25).copied().unwrap_or(0);
        let index = u8::try_from(index).unwrap_or(0);
        self.put(25, 1, u64::from(count.max(index)));
    }

    fn finish(mut self, evidence: &mut TextEvidence) {
        // Without the format in use, the first of the list would be believed.
        if !self.stated && self.used.is_none() {
            return;
        }
        if let Some(used) = self.used.filter(|_| !self.stated) {
            self.put(26, 1, u64::from(used));
        }
        let Some(ns) = parse(&self.bytes) else { return };
        let sector = u32::try_from(ns.logical).ok().and_then(SectorSize::new);
        let said = evidence.device(&self.device);
        said.sector = sector;
        said.size = self
            .blocks
            .zip(sector)
            .and_then(|(count, sector)| Number::sectors(count, sector));
        said.claims = Some(claims(ns));
    }
}

fn claims(ns: IdNs) -> Claims {
    Claims {
        logical: Some(ns.logical),
        transport: Transport::Nvme,
        nvme: Some(ns),
        ..Claims::default()
    }
}

/// `lbaf  0 : …` or `LBA Format  0 : …`: what only this output has.
fn format_line(line: &str) -> Option<(u64, &str)> {
    let (key, value) = pair(line)?;
    let index = key
        .strip_prefix("lbaf")
        .or_else(|| key.strip_prefix("LBA Format"))?;
    Some((index.trim().parse().ok()?, value))
}

fn sniff(text: &Text) -> bool {
    text.any(|line| format_line(line).is_some())
        || (text.any(|line| line.contains("\"flbas\""))
            && text.any(|line| line.contains("\"lbafs\"")))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["id-ns"]);
    let mut open: Option<IdNsOutput> = None;
    for line in text.lines() {
        if header(line).is_some() || line.contains("id-ns") {
            close(open.take(), evidence);
            subject.see(&namespaced(line));
        } else if line.trim_start().starts_with("NVME Identify Namespace") {
            close(open.take(), evidence);
            open = Some(IdNsOutput::new(subject.take()));
        } else {
            // A paste may lack the first line.
            let starts = pair(line).is_some_and(|(key, _)| key == "nsze");
            if starts && open.as_ref().is_none_or(|output| output.blocks.is_some()) {
                close(open.take(), evidence);
                open = Some(IdNsOutput::new(subject.take()));
            }
            // `nvme id-ns | grep` has neither.
            if open.is_none() && is_field(line) {
                open = Some(IdNsOutput::new(subject.take()));
            }
            if let Some(output) = &mut open {
                line_of(output, line);
            }
        }
    }
    close(open, evidence);
    for document in json::documents(text) {
        from_json(&document, &mut subject, evidence);
    }
    Ok(())
}

/// A line that only this output has, or one of its numbers.
fn is_field(line: &str) -> bool {
    let field = |key: &str| FIELDS.iter().any(|(name, _, _)| *name == key);
    format_line(line).is_some()
        || pair(line).is_some_and(|(key, value)| field(key) && any_radix(value).is_some())
}

fn close(output: Option<IdNsOutput>, evidence: &mut TextEvidence) {
    if let Some(output) = output {
        output.finish(evidence);
    }
}

/// `id-ns /dev/nvme0 -n 1` is about `/dev/nvme0n1`.
fn namespaced(line: &str) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let at = words
        .iter()
        .position(|word| word == "-n" || word.starts_with("--namespace-id"));
    let number = at.and_then(|at| {
        let word = words.get(at)?;
        let digits = word.split_once('=').map(|(_, digits)| digits);
        let digits = digits.or_else(|| words.get(at + 1).map(String::as_str))?;
        digits.parse::<u32>().ok()
    });
    if let (Some(number), Some(device)) = (
        number,
        words.iter_mut().find(|word| word.starts_with("/dev/nvme")),
    ) && !device.trim_start_matches("/dev/nvme").contains('n')
    {
        device.push_str(&format!("n{number}"));
    }
    // The option's number is no device.
    words.retain(|word| word.parse::<u32>().is_err());
    words.join(" ")
}

fn line_of(output: &mut IdNsOutput, line: &str) {
    if let Some((index, value)) = format_line(line) {
        return lba_format(output, index, value);
    }
    if let Some((key, value)) = pair(line)
        && let Some(number) = any_radix(value)
    {
        output.field(key, number);
    }
}

/// `ms:0 lbads:12 rp:0x1 (in use)` or `Metadata Size: 0 bytes - Data Size: 4096 bytes - Relative
/// Performance: 0x1 Better (in use)`.
fn lba_format(output: &mut IdNsOutput, index: u64, value: &str) {
    let after = |key: &str| any_radix(value.split_once(key)?.1);
    let shift = match after("lbads:") {
        Some(shift) => Some(shift),
        None => after("Data Size:")
            .filter(|bytes| bytes.is_power_of_two())
            .map(|bytes| u64::from(bytes.trailing_zeros())),
    };
    let metadata = after("ms:")
        .or_else(|| after("Metadata Size:"))
        .unwrap_or(0);
    let performance = after("rp:").or_else(|| after("Performance:")).unwrap_or(0);
    if let Some(shift) = shift {
        output.format(index, metadata, shift, performance);
    }
    if value.contains("(in use)") {
        output.used = u8::try_from(index).ok();
    }
}

fn from_json(document: &Value, subject: &mut Subject<'_>, evidence: &mut TextEvidence) {
    if document.get("lbafs").is_none() || document.get("flbas").is_none() {
        return;
    }
    let mut output = IdNsOutput::new(subject.take());
    output.blocks = json::number(document, "nsze");
    for (name, _, _) in FIELDS {
        if let Some(value) = json::number(document, name) {
            output.field(name, value);
        }
    }
    for (index, row) in json::list(document, "lbafs").iter().enumerate() {
        let number = |key: &str| json::number(row, key).unwrap_or(0);
        output.format(index as u64, number("ms"), number("ds"), number("rp"));
    }
    output.finish(evidence);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_come_from_their_option() {
        for (line, wanted) in [
            (
                "# nvme id-ns /dev/nvme0 -n 1",
                "# nvme id-ns /dev/nvme0n1 -n",
            ),
            ("nvme id-ns -H /dev/nvme1n2", "nvme id-ns -H /dev/nvme1n2"),
            (
                "nvme id-ns /dev/nvme0 --namespace-id=3",
                "nvme id-ns /dev/nvme0n3 --namespace-id=3",
            ),
        ] {
            assert_eq!(namespaced(line), wanted);
        }
    }
}

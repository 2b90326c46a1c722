//! LVM backup files: the text metadata, which the reader of PVs understands already.

use crate::captures::{Text, TextEvidence};
use crate::error::Result;
use crate::volumes::group_of_text;

use super::MOST_GROUPS;

/// The group's keys are within this many lines of its name.
const HEAD: usize = 12;

pub(super) fn sniff(text: &Text) -> bool {
    !starts(&lines(text)).is_empty()
}

fn lines(text: &Text) -> Vec<&str> {
    text.lines().collect()
}

/// Lines that open a group: `name {`, soon followed by an id and an extent size.
fn starts(lines: &[&str]) -> Vec<usize> {
    let opens = |line: &str| {
        let name = line.trim_end().strip_suffix('{').map(str::trim);
        name.is_some_and(|name| !name.is_empty() && !name.contains(char::is_whitespace))
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if opens(line) && is_group(lines.get(at + 1..).unwrap_or_default()) {
            found.push(at);
        }
    }
    found
}

fn is_group(below: &[&str]) -> bool {
    let has = |key: &str| {
        below
            .iter()
            .take(HEAD)
            .take_while(|line| !line.trim_end().ends_with('{'))
            .any(|line| line.trim_start().starts_with(key))
    };
    has("id = ") && has("extent_size = ")
}

/// A damaged group is passed over with a remark: the others may be whole.
pub(super) fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let lines = lines(text);
    let starts = starts(&lines);
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    for (start, end) in starts.iter().copied().zip(ends).take(MOST_GROUPS) {
        let body = lines.get(start..end).unwrap_or_default().join("\n");
        match group_of_text(body.as_bytes()) {
            // Sequence number 0 marks groups that reports make up.
            Ok(mut group) => {
                group.seqno = group.seqno.max(1);
                evidence.groups.push(group);
            }
            Err(error) => evidence.remarks.push(super::join::damaged(&error)),
        }
    }
    Ok(())
}

//! `dmsetup table` and `dmsetup info -c`, `dmsetup ls`: mappings, and the numbers that they name
//! their devices by. All numbers of a table count 512-byte sectors.

use crate::captures::reading::columns::TableColumns;
use crate::captures::reading::subject::Subject;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::{DevNo, dm};

/// `dmsetup table`, of all devices or of one.
pub const TABLE: TextFormat = TextFormat {
    name: "dmsetup-table",
    command: "dmsetup table",
    sniff: |text| text.any(|line| mapping(line).is_some() || bare(line)),
    read: read_tables,
};

/// `dmsetup info -c` and `dmsetup ls`: major and minor numbers of names, and where it is shown the UUID, which says
/// who made a mapping.
pub const INFO: TextFormat = TextFormat {
    name: "dmsetup-info",
    command: "dmsetup info -c",
    sniff: |text| text.any(is_heading) || text.any(|line| listed(line).is_some()),
    read: read_info,
};

/// All tables of a host.
const MOST_BYTES: usize = 8 << 20;

/// `name: 0 8192 linear 8:1 2048` as name and rest.
fn mapping(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim().split_once(": ")?;
    (bare(rest) && !name.contains(char::is_whitespace)).then_some((name, rest))
}

/// `0 8192 linear 8:1 2048`.
fn bare(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let mut number = || words.next().is_some_and(|word| word.parse::<u64>().is_ok());
    number() && number() && words.next().is_some_and(|word| dm::TARGETS.contains(&word))
}

fn read_tables(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["dmsetup"]);
    let mut current = String::new();
    for line in text.lines() {
        if let Some((name, rest)) = mapping(line) {
            push(name, rest, evidence);
        } else if bare(line) {
            if current.is_empty() {
                current = subject.take();
            }
            push(
                current
                    .trim_start_matches("/dev/")
                    .trim_start_matches("mapper/"),
                line,
                evidence,
            );
        } else {
            current.clear();
            subject.see(&line.replace(" table ", " "));
        }
    }
    Ok(())
}

/// Keys, which `--showkeys` prints, are not kept.
fn push(name: &str, rest: &str, evidence: &mut TextEvidence) {
    if name.is_empty() || evidence.dm_table.len() + name.len() + rest.len() > MOST_BYTES {
        return;
    }
    let mut words: Vec<_> = rest.split_whitespace().collect();
    if words.get(2) == Some(&"crypt")
        && let Some(key) = words.get_mut(4)
    {
        *key = "-";
    }
    evidence
        .dm_table
        .push_str(&format!("{name}: {}\n", words.join(" ")));
}

/// `Name  Maj Min Stat Open Targ Event  UUID`.
fn is_heading(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().take(3).collect();
    words == ["Name", "Maj", "Min"]
}

/// `vg-lv (254:0)` of `dmsetup ls`, with a tab, `(254, 0)` in older ones.
fn listed(line: &str) -> Option<(&str, DevNo)> {
    let (name, rest) = line.trim().split_once('\t')?;
    let (major, minor) = rest
        .trim()
        .strip_prefix('(')?
        .strip_suffix(')')?
        .split_once([':', ','])?;
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let (major, minor) = (number(major)?, number(minor)?);
    Some((name.trim(), DevNo { major, minor }))
}

fn read_info(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut open: Option<TableColumns> = None;
    for line in text.lines() {
        if is_heading(line) {
            open = Some(TableColumns::new(line, &[]));
            continue;
        }
        let row = open
            .as_ref()
            .map(|columns| columns.row(line))
            .unwrap_or_default();
        let number = |key: &str| row.get(key)?.parse::<u32>().ok();
        if let (Some(name), Some(major), Some(minor)) =
            (row.get("Name"), number("Maj"), number("Min"))
        {
            add(
                name,
                DevNo { major, minor },
                row.get("UUID").map(String::as_str),
                evidence,
            );
        } else if let Some((name, number)) = listed(line) {
            add(name, number, None, evidence);
        } else {
            open = None;
        }
    }
    Ok(())
}

fn add(name: &str, devno: DevNo, uuid: Option<&str>, evidence: &mut TextEvidence) {
    let said = evidence.device(&format!("mapper/{name}"));
    said.devno = Some(devno);
    said.dm_uuid = uuid.map(str::to_owned).or(said.dm_uuid.take());
}

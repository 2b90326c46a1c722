//! `blockdev --getss --getpbsz --getalignoff … /dev/sda`: one number a line, in the order of the options.

use super::super::{Text, TextEvidence, TextFormat};
use super::attributes::{AttributePlace, AttributeTable, MOST_AWAITED};
use crate::error::Result;

/// `blockdev --getpbsz` and its like.
pub const FORMAT: TextFormat = TextFormat {
    name: "blockdev-get",
    command: "blockdev --get…",
    sniff: |text| text.any(|line| !asked(line).is_empty()),
    read,
};

/// Options that print a line, with column and unit.
const OPTIONS: &[(&str, Option<&'static str>, u64)] = &[
    ("--getss", Some("LOG-SEC"), 1),
    ("--getpbsz", Some("PHY-SEC"), 1),
    ("--getiomin", Some("MIN-IO"), 1),
    ("--getioopt", Some("OPT-IO"), 1),
    ("--getalignoff", Some("ALIGNMENT"), 1),
    ("--getsize64", Some("SIZE"), 1),
    ("--getsz", Some("SIZE"), 512),
    ("--getsize", Some("SIZE"), 512),
    ("--getbsz", None, 1),
    ("--getro", None, 1),
    ("--getra", None, 1),
    ("--getfra", None, 1),
    ("--getmaxsect", None, 1),
    ("--getdiscardzeroes", None, 1),
    ("--getdiskseq", None, 1),
    ("--getzonesz", None, 1),
];

/// The longest name of a device that is taken for one.
const LONGEST_NAME: usize = 255;

/// What a command line asks for: all options of one device, then of the next. A line of many options and many devices
/// would ask for their product: what is over the limit is left out.
fn asked(line: &str) -> Vec<AttributePlace> {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| !is_blockdev(word));
    words.next();
    let words: Vec<&str> = words
        .take_while(|word| !matches!(*word, ";" | "|" | "&&"))
        .collect();
    let device = |word: &&&str| {
        word.starts_with("/dev/")
            && word.len() <= LONGEST_NAME
            && !word.contains(['*', '?', '[', '{', '$'])
    };
    let options: Vec<_> = words
        .iter()
        .filter_map(|word| OPTIONS.iter().find(|(name, _, _)| name == word))
        .collect();
    let devices = words.iter().filter(device);
    devices
        .flat_map(|device| {
            options.iter().map(|(_, column, unit)| AttributePlace {
                device: device.trim_end_matches(['`', '\'', '"', ')']).to_owned(),
                column: *column,
                unit: *unit,
            })
        })
        .take(MOST_AWAITED)
        .collect()
}

fn is_blockdev(word: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word);
    word.trim_start_matches(['$', '#', '`', '(']) == "blockdev"
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut table = AttributeTable::default();
    for line in text.lines() {
        table.asks_or_answers(asked(line), line);
    }
    table.tell(evidence);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_many_options_and_devices_is_bounded() {
        let line = format!(
            "blockdev {}{}",
            "--getss ".repeat(5000),
            "/dev/sda ".repeat(5000)
        );
        assert_eq!(asked(&line).len(), MOST_AWAITED);
        let long = format!("blockdev --getss /dev/{}", "a".repeat(5000));
        assert!(asked(&long).is_empty());
    }
}

//! The pages as one text without pointers, and back.
//!
//! Eight pointers a rule would be set right at every start of a position-independent program, also by
//! the runs that show no page: two thousand of six thousand, on seven pages of memory that are copied
//! for it. So the compiler joins the texts, and who wants a page takes them apart.

use super::{Group, Rule};
use crate::finding::Severity;

/// Before the title of a group.
const GROUP: &str = "\u{1d}";
/// All severities, by their number in the text.
const SEVERITIES: [(&str, Severity); 7] = [
    ("0", Severity::Unknown),
    ("1", Severity::Ok),
    ("2", Severity::Note),
    ("3", Severity::Suboptimal),
    ("4", Severity::Misaligned),
    ("5", Severity::DataRisk),
    ("6", Severity::Broken),
];

/// Bytes of the joined texts, each with a NUL at its end.
pub const fn len(groups: &[Group]) -> usize {
    write(groups, &mut [])
}

/// The joined texts.
pub const fn join<const LEN: usize>(groups: &[Group]) -> [u8; LEN] {
    let mut out = [0; LEN];
    write(groups, &mut out);
    out
}

const fn write(mut groups: &[Group], out: &mut [u8]) -> usize {
    let mut at = 0;
    while let [group, rest @ ..] = groups {
        at = put(out, at, &[GROUP, group.title]);
        let mut rules = group.rules;
        while let [rule, rest @ ..] = rules {
            at = put(out, at, &[number(rule.severity), rule.id]);
            let page = texts(rule);
            let mut texts = page.as_slice();
            while let [text, rest @ ..] = texts {
                at = put(out, at, &[text]);
                texts = rest;
            }
            rules = rest;
        }
        groups = rest;
    }
    at
}

const fn texts(rule: &Rule) -> [&'static str; 6] {
    [
        rule.title,
        rule.means,
        rule.costs,
        rule.source,
        rule.fix,
        rule.ignore,
    ]
}

const fn number(severity: Severity) -> &'static str {
    match severity {
        Severity::Unknown => "0",
        Severity::Ok => "1",
        Severity::Note => "2",
        Severity::Suboptimal => "3",
        Severity::Misaligned => "4",
        Severity::DataRisk => "5",
        Severity::Broken => "6",
    }
}

/// Writes the parts at `at`, where there is room for anything, and says where the next text comes.
const fn put(out: &mut [u8], mut at: usize, mut parts: &[&str]) -> usize {
    while let [part, rest @ ..] = parts {
        if !out.is_empty() {
            let (_, place) = out.split_at_mut(at);
            let (place, _) = place.split_at_mut(part.len());
            place.copy_from_slice(part.as_bytes());
        }
        at += part.len();
        parts = rest;
    }
    at + 1
}

/// Takes the texts apart.
pub fn split(joined: &'static [u8]) -> Vec<Group> {
    let joined = std::str::from_utf8(joined).unwrap_or_default();
    let groups = joined.split(GROUP).skip(1);
    groups.filter_map(group).collect()
}

fn group(text: &'static str) -> Option<Group> {
    let mut texts = text.split_terminator('\0');
    let title = texts.next()?;
    let rules: Vec<Rule> = std::iter::from_fn(|| rule(&mut texts)).collect();
    Some(Group {
        title,
        rules: rules.leak(),
    })
}

fn rule(texts: &mut impl Iterator<Item = &'static str>) -> Option<Rule> {
    let (number, id) = texts.next()?.split_at_checked(1)?;
    let (_, severity) = SEVERITIES.iter().find(|(known, _)| *known == number)?;
    Some(Rule {
        id,
        severity: *severity,
        title: texts.next()?,
        means: texts.next()?,
        costs: texts.next()?,
        source: texts.next()?,
        fix: texts.next()?,
        ignore: texts.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{GROUPS, groups};
    use super::*;

    #[test]
    fn what_was_joined_is_taken_apart() {
        assert_eq!(groups().count(), GROUPS.len());
        for (group, source) in groups().zip(&GROUPS) {
            assert_eq!(group.title, source.title);
            assert_eq!(group.rules, source.rules);
        }
        for (name, severity) in SEVERITIES {
            assert_eq!(number(severity), name);
        }
    }
}

//! The unit in which each disk is really written.

use ioalign_core::Bytes;
use ioalign_core::write_unit::{UnitEvidence, UnitUse, WriteUnit};

use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;
use crate::words::kinds;

/// Columns of the word before it, as before a finding.
const HANG: usize = 12;
/// Columns of a size: `128 KiB`.
const SIZE: usize = 8;
/// Columns of the name of a program: `partitions`.
const PROGRAM: usize = 12;

/// A paragraph for each disk: the verdict, what it rests on, and what programs get.
pub fn put(page: &mut TextPage<'_>, target: &Target) {
    if target.write_units.is_empty() {
        return;
    }
    if target.findings.is_empty() {
        page.blank();
    }
    // Drives of one kind are one paragraph.
    for alike in target.write_units.chunk_by(alike) {
        if let [first, others @ ..] = alike {
            one(page, first, others);
        }
    }
    page.blank();
}

fn alike(one: &WriteUnit, other: &WriteUnit) -> bool {
    (&one.evidence, &one.uses, &one.why) == (&other.evidence, &other.uses, &other.why)
}

fn one(page: &mut TextPage<'_>, unit: &WriteUnit, others: &[WriteUnit]) {
    let mut names = unit.layer.clone();
    for other in others {
        names.push_str(", ");
        names.push_str(&other.layer);
    }
    let head = TextSpan::new(Style::Strong, format!("{:<HANG$}", "write unit"));
    let said = match unit.unit_bytes {
        Some(bytes) => format!(
            "{} on {}, confidence {}: {}.",
            Bytes::new(bytes),
            names,
            kinds::confidence(unit.confidence),
            unit.why
        ),
        None => format!("not known on {names}: {}.", unit.why),
    };
    page.put("", "", HANG, &[head, TextSpan::plain(said)]);
    for evidence in &unit.evidence {
        source(page, evidence);
    }
    for r#use in &unit.uses {
        program(page, r#use);
    }
    for step in &unit.r#do {
        line(page, 2, step);
    }
}

fn source(page: &mut TextPage<'_>, evidence: &UnitEvidence) {
    let size = evidence
        .bytes
        .map_or_else(|| "none".to_owned(), |bytes| Bytes::new(bytes).to_string());
    let text = format!("{size:>SIZE$}  {}: {}", evidence.source, evidence.means);
    line(page, SIZE + 2, &text);
}

fn program(page: &mut TextPage<'_>, r#use: &UnitUse) {
    let mut parts = r#use.settings.iter().chain([&r#use.why]);
    if let Some(first) = parts.next() {
        line(
            page,
            PROGRAM + 2,
            &format!("{:<PROGRAM$}{first}", r#use.r#for),
        );
    }
    let indent = " ".repeat(HANG + PROGRAM);
    for part in parts {
        page.put(&indent, &indent, 2, &[TextSpan::plain(part)]);
    }
}

fn line(page: &mut TextPage<'_>, hang: usize, text: &str) {
    let indent = " ".repeat(HANG);
    page.put(&indent, &indent, hang, &[TextSpan::plain(text)]);
}

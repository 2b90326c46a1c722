//! `check --json`: the schema `ioalign.check/1`, kept in `docs/schema/check-1.schema.json`.
//!
//! Bytes are integers, names end in their unit, `null` means not known. Keys come in a fixed
//! order. Names are those of the disk, unshortened; what could act on a terminal is escaped.

pub mod defects;
mod finding;
mod grid;
mod layer;
pub mod read;
mod target;

use std::collections::HashSet;
use std::fmt::Write as _;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::model::Report;
use crate::options::Options;

/// Room for the report of one target: a text that grows is copied at each doubling.
const USUAL_BYTES: usize = 16 << 10;

/// Names the verb and the version of its output.
pub const SCHEMA: &str = "ioalign.check/1";

/// The whole document, indented, with a line feed at the end.
pub fn render(report: &Report, _options: &Options) -> String {
    pretty(&Document::of(report))
}

/// Any document, in the same way.
pub fn pretty(document: &impl Serialize) -> String {
    // Cannot fail: every key is a string and nothing does I/O.
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    let _ = serde_json::to_writer_pretty(&mut bytes, document);
    bytes.push(b'\n');
    escape_invisible(String::from_utf8(bytes).unwrap_or_default())
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    tool: &'a str,
    machine: Machine<'a>,
    targets: Vec<target::TargetJson<'a>>,
    summary: Summary,
}

impl<'a> Document<'a> {
    fn of(report: &'a Report) -> Self {
        Self {
            schema: SCHEMA,
            tool: &report.tool,
            machine: Machine(&report.machine),
            targets: report.targets.iter().map(target::of).collect(),
            summary: Summary::of(report),
        }
    }
}

/// Name and value pairs as an object in display order; a repeated name keeps its first value.
struct Machine<'a>(&'a [(String, String)]);

impl Serialize for Machine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seen = HashSet::new();
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.iter().filter(|(name, _)| seen.insert(name)) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Summary {
    targets: usize,
    errors: usize,
    verdict: &'static str,
    by_verdict: ByVerdict,
    elapsed_us: u64,
}

/// Targets by verdict; their sum is the number of targets.
#[derive(Default, Serialize)]
#[serde(rename_all = "kebab-case")]
struct ByVerdict {
    broken: usize,
    data_risk: usize,
    misaligned: usize,
    suboptimal: usize,
    note: usize,
    ok: usize,
    unknown: usize,
}

impl Summary {
    fn of(report: &Report) -> Self {
        let mut by_verdict = ByVerdict::default();
        for target in &report.targets {
            *by_verdict.slot(target.verdict) += 1;
        }
        Self {
            targets: report.targets.len(),
            errors: report.errors(),
            verdict: report.verdict().name(),
            by_verdict,
            elapsed_us: report
                .targets
                .iter()
                .fold(0, |sum, t| u64::saturating_add(sum, t.elapsed_us)),
        }
    }
}

impl ByVerdict {
    const fn slot(&mut self, verdict: ioalign_core::Severity) -> &mut usize {
        use ioalign_core::Severity as S;
        match verdict {
            S::Broken => &mut self.broken,
            S::DataRisk => &mut self.data_risk,
            S::Misaligned => &mut self.misaligned,
            S::Suboptimal => &mut self.suboptimal,
            S::Note => &mut self.note,
            S::Ok => &mut self.ok,
            S::Unknown => &mut self.unknown,
        }
    }
}

/// Escapes DEL, C1 controls and bidirectional overrides, which JSON allows in plain and a
/// terminal would obey. They can only stand inside strings: all structure is ASCII.
pub fn escape_invisible(json: String) -> String {
    if json.bytes().all(|byte| byte < 0x7f) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

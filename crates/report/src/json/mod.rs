//! `check --json`: the schema `ioalign.check/1`, kept in `docs/schema/check-1.schema.json`.
//!
//! Bytes are integers, names end in their unit, `null` means not known. Keys come in a fixed
//! order. Names are those of the disk, unshortened; what could act on a terminal is escaped.

pub mod defects;
mod finding;
mod grid;
mod layer;
mod layers;
pub mod read;
mod summary;
mod target;
mod visible;

use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use ioalign_core::machine::Machine;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use self::summary::ReportSummary;
pub use self::visible::Visible;
use crate::model::{Report, Target};
use crate::options::RenderOptions;

/// Room for the report of one target: a text that grows is copied at each doubling.
const USUAL_BYTES: usize = 16 << 10;

/// Names the verb and the version of its output.
pub const SCHEMA: &str = "ioalign.check/1";

/// The whole document, indented, with a line feed at the end.
pub fn render(report: &Report, _options: &RenderOptions) -> String {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    // Cannot fail: every key is a string, and memory takes all.
    let _ = write(&mut bytes, report, report.targets.iter());
    String::from_utf8(bytes).unwrap_or_default()
}

/// Any document, in the same way.
pub fn pretty(document: &impl Serialize) -> String {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    let mut out = Visible(&mut bytes);
    // Cannot fail: every key is a string, and memory takes all.
    let _ = serde_json::to_writer_pretty(&mut out, document);
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

/// The same, target by target: at most one of them is held here. All of `head` except its targets is
/// written.
///
/// # Errors
///
/// The errors of `out`.
pub fn write<T: Borrow<Target>>(
    out: impl Write,
    head: &Report,
    targets: impl Iterator<Item = T>,
) -> io::Result<()> {
    let summary = RefCell::default();
    let document = WrittenReport {
        schema: SCHEMA,
        tool: &head.tool,
        machine: head.machine.as_ref(),
        policy: head.policy.as_deref(),
        targets: Targets {
            coming: Cell::new(Some(targets)),
            summary: &summary,
        },
        summary: &summary,
    };
    let mut out = Visible(out);
    serde_json::to_writer_pretty(&mut out, &document)?;
    out.write_all(b"\n")
}

/// In the order in which it is written: the summary is right when the last target is.
#[derive(Serialize)]
#[serde(bound = "")]
struct WrittenReport<'a, I: Iterator<Item: Borrow<Target>>> {
    schema: &'static str,
    tool: &'a str,
    machine: Option<&'a Machine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a str>,
    targets: Targets<'a, I>,
    summary: &'a RefCell<ReportSummary>,
}

/// Targets that are asked for one by one, while they are written.
struct Targets<'a, I> {
    coming: Cell<Option<I>>,
    summary: &'a RefCell<ReportSummary>,
}

impl<I: Iterator<Item: Borrow<Target>>> Serialize for Targets<'_, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for target in self.coming.take().into_iter().flatten() {
            let target = target.borrow();
            self.summary.borrow_mut().add(target);
            list.serialize_element(&target::of(target))?;
        }
        list.end()
    }
}

//! The formats of traces: one small file each, ending in a [`TraceFormat`], and the list of them here.
//!
//! A format says how its bytes are cut into chunks, and parses a chunk into [`TraceRecords`] without
//! knowing what came before, so that chunks can be parsed side by side. A format whose lines depend
//! on earlier ones says so by [`Parse::split`], and is parsed by one processor.

pub mod alibaba;
pub mod biosnoop;
pub mod blkalgn;
pub mod blkparse;
pub mod blktrace;
pub mod bpftrace;
pub mod csv;
pub mod cydonia;
mod events;
pub mod fields;
pub mod fio_iolog;
pub mod fio_latency;
pub mod fiu;
pub mod ftrace;
pub mod msr;
pub mod oracle_general;
mod packed;
pub mod parquet;
pub mod perf;
mod scsi;
pub mod simulators;
pub mod spc;
pub mod systor;
pub mod tencent;
mod text;
pub mod vscsi;
pub mod vscsi_text;

use crate::error::Result;
use crate::record::TraceRecords;

/// How the bytes of a format are cut into chunks that parse by themselves.
#[derive(Copy, Clone, Debug)]
pub enum Framing {
    /// After a line end.
    Lines,
    /// By the lengths of records: how many bytes of a buffer are whole records. Zero where not even
    /// the first is whole.
    Records(fn(&[u8]) -> usize),
}

/// The meaning of the numbers of a format, shown with the summary, because formats differ and may
/// be wrong.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FormatFacts {
    /// Unit of times: `ns since the start of the trace`.
    pub time: &'static str,
    /// Unit of offsets: `512-byte sectors of the whole disk`.
    pub offset: &'static str,
    /// Unit of lengths.
    pub len: &'static str,
    /// Codes of operations: `0 read, 1 write`.
    pub op: &'static str,
    /// The source of latencies: `D to C`, `response time`, or `none`.
    pub latency: &'static str,
}

/// Facts from the operator that a format leaves open.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Unit of offsets, in bytes (`--offset-unit 512`).
    pub offset_unit: Option<u32>,
    /// Unit of lengths, in bytes, where it is another (`--length-unit 1`).
    pub length_unit: Option<u32>,
    /// Unit of times, in nanoseconds (`--time-unit ms`).
    pub time_unit: Option<u64>,
    /// Unit of latencies, in nanoseconds, where it is not that of times (`--latency-unit us`).
    pub latency_unit: Option<u64>,
    /// The device of a trace that names none: the file, where there are several.
    pub device: Option<String>,
    /// Columns of a table, `time=0,op=1,offset=2,len=3`, or blkparse's `-f` (`--columns`).
    pub columns: Option<String>,
}

/// One thing that the operator can say of a trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TraceHint {
    /// Unit of offsets.
    OffsetUnit,
    /// Unit of lengths.
    LengthUnit,
    /// Unit of times.
    TimeUnit,
    /// Unit of latencies.
    LatencyUnit,
    /// Columns of a table.
    Columns,
}

impl TraceHint {
    /// The option of the command line.
    pub const fn option(self) -> &'static str {
        match self {
            Self::OffsetUnit => "--offset-unit",
            Self::LengthUnit => "--length-unit",
            Self::TimeUnit => "--time-unit",
            Self::LatencyUnit => "--latency-unit",
            Self::Columns => "--columns",
        }
    }
}

impl Hints {
    /// All that the operator says.
    fn given(&self) -> impl Iterator<Item = TraceHint> {
        let all = [
            (TraceHint::OffsetUnit, self.offset_unit.is_some()),
            (TraceHint::LengthUnit, self.length_unit.is_some()),
            (TraceHint::TimeUnit, self.time_unit.is_some()),
            (TraceHint::LatencyUnit, self.latency_unit.is_some()),
            (TraceHint::Columns, self.columns.is_some()),
        ];
        all.into_iter()
            .filter_map(|(hint, given)| given.then_some(hint))
    }
}

/// Parses chunks of one trace.
pub trait Parse: Send {
    /// Adds what the chunk says. The chunk ends where [`Framing`] says; the last chunk of a file
    /// may end anywhere.
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords);

    /// Another parser of the same trace, for another processor; `None` where a chunk cannot be
    /// understood without those before it.
    fn split(&self) -> Option<Parser>;

    /// The meaning of the numbers in this trace.
    fn facts(&self) -> FormatFacts;
}

/// A parser of any format.
pub type Parser = Box<dyn Parse>;

/// A format of traces.
pub struct TraceFormat {
    /// As `--as` and reports name it.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Whether a trace that begins so is of this format. `head` is the first 64 KiB at most. No
    /// false alarms on the other formats.
    pub sniff: fn(head: &[u8]) -> bool,
    /// How it is cut.
    pub framing: Framing,
    /// What it leaves open, so that the operator may say it.
    pub takes: &'static [TraceHint],
    /// It comes from the kernel's block layer, which has moved I/O of a partition to its disk before any event is
    /// written, whichever device the event names.
    pub whole_disk: bool,
    /// A parser for a trace that begins with `head`.
    pub parser: fn(head: &[u8], hints: &Hints) -> Result<Parser>,
}

/// All formats; the first that recognises a trace reads it.
pub const FORMATS: &[&TraceFormat] = &[
    &parquet::FORMAT,
    &blktrace::FORMAT,
    &blktrace::context::FORMAT,
    &blkparse::FORMAT,
    &ftrace::FORMAT,
    &perf::FORMAT,
    &biosnoop::FORMAT,
    &blkalgn::FORMAT,
    &bpftrace::FORMAT,
    &fio_iolog::TWO,
    &fio_iolog::THREE,
    &fio_latency::FORMAT,
    &vscsi::ONE,
    &vscsi::TWO,
    &oracle_general::FORMAT,
    &vscsi_text::FORMAT,
    &msr::FORMAT,
    &alibaba::FORMAT,
    &tencent::FORMAT,
    &cydonia::FORMAT,
    &systor::FORMAT,
    &spc::FORMAT,
    &fiu::FORMAT,
    &simulators::MQSIM,
    &simulators::DISKSIM,
    &simulators::REPLAYER,
    &simulators::UNCLEAR,
    &csv::FORMAT,
];

/// The format that `head` is in.
pub fn detect(head: &[u8]) -> Option<&'static TraceFormat> {
    FORMATS.iter().copied().find(|format| (format.sniff)(head))
}

/// The format with this name.
pub fn named(name: &str) -> Option<&'static TraceFormat> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The format that the operator's columns are for: blkparse's `-f` has percent signs.
pub fn implied(hints: &Hints) -> Option<&'static TraceFormat> {
    let columns = hints.columns.as_deref()?;
    Some(if columns.contains('%') {
        &blkparse::FORMAT
    } else {
        &csv::FORMAT
    })
}

/// All formats that can be asked for.
pub fn askable() -> impl Iterator<Item = &'static TraceFormat> {
    let only_asks = simulators::UNCLEAR.name;
    FORMATS
        .iter()
        .copied()
        .filter(move |format| format.name != only_asks)
}

/// Their names, for messages.
pub fn names() -> String {
    let names: Vec<_> = askable().map(|format| format.name).collect();
    names.join(", ")
}

/// The option that the operator gave and that says nothing about any of these formats, whose units or
/// columns are known.
pub fn unused(formats: &[&TraceFormat], hints: &Hints) -> Option<&'static str> {
    let useless = |hint: &TraceHint| !formats.iter().any(|format| format.takes.contains(hint));
    hints.given().find(useless).map(TraceHint::option)
}

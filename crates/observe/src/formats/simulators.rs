//! The traces of disk simulators: five numbers a line: time, device, start, size, 1 for a read.
//!
//! | | time | start, size | last | source |
//! | --- | --- | --- | --- | --- |
//! | MQSim, SSDSim | ns, whole | 512-byte sectors | 0, 1 | MQSim's README |
//! | DiskSim | ms, with a fraction | 512-byte sectors | flags, hexadecimal; bit 0: read | its `iotrace_ascii` reader |
//! | replayer of FEMU's author | ms, with a fraction | bytes | 0, 1 | its traces |
//!
//! Which it is shows in the numbers; where it does not, it is asked.

use super::fields::FieldCursor;
use super::text::{self, LineFormat, ParsedLine, TextParser, UNKNOWN};
use super::{FormatFacts, Framing, Hints, Parser, TraceFormat, TraceHint};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::{ChunkNames, Io, Op, TraceRecord};

/// MQSim and SSDSim.
pub const MQSIM: TraceFormat = TraceFormat {
    name: "mqsim",
    title: "MQSim and SSDSim trace",
    sniff: |head| shape(head) == Some(SimulatorShape::Known(Simulator::Mqsim)),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit, TraceHint::TimeUnit],
    whole_disk: false,
    parser: |_, hints| parser(Simulator::Mqsim, hints),
};

/// DiskSim.
pub const DISKSIM: TraceFormat = TraceFormat {
    name: "disksim",
    title: "DiskSim ASCII trace",
    sniff: |head| shape(head) == Some(SimulatorShape::Known(Simulator::Disksim)),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit, TraceHint::TimeUnit],
    whole_disk: false,
    parser: |_, hints| parser(Simulator::Disksim, hints),
};

/// The replayer.
pub const REPLAYER: TraceFormat = TraceFormat {
    name: "replayer",
    title: "replayer trace, ms and bytes",
    sniff: |head| shape(head) == Some(SimulatorShape::Known(Simulator::Replayer)),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit, TraceHint::TimeUnit],
    whole_disk: false,
    parser: |_, hints| parser(Simulator::Replayer, hints),
};

/// Five numbers a line that can be any of them.
pub const UNCLEAR: TraceFormat = TraceFormat {
    name: "simulator",
    title: "trace of a disk simulator, which one is asked",
    sniff: |head| shape(head) == Some(SimulatorShape::Unclear),
    framing: Framing::Lines,
    takes: &[TraceHint::OffsetUnit, TraceHint::TimeUnit],
    whole_disk: false,
    parser: |_, _| {
        let what = "Five numbers a line, as several simulators have them: say --as mqsim (ns, \
                    sectors), --as disksim (ms, sectors) or --as replayer (ms, bytes); other units \
                    with --time-unit and --offset-unit";
        Err(ObserveError::new(ObserveErrorKind::Ask, what))
    },
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Simulator {
    Mqsim,
    Disksim,
    Replayer,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum SimulatorShape {
    Known(Simulator),
    Unclear,
}

/// Rows whose numbers are all whole sectors by chance are fewer than this.
const ENOUGH: usize = 64;

fn shape(head: &[u8]) -> Option<SimulatorShape> {
    let table = SimulatorTable {
        unit: 1,
        flags: false,
        ..SimulatorTable::of(Simulator::Disksim)
    };
    if !text::is_table(head, &table) {
        return None;
    }
    let mut names = ChunkNames::default();
    let rows = text::first_lines(head).filter_map(|line| table.parse(line, &mut names));
    let (mut fraction, mut bytes, mut count) = (false, true, 0);
    for record in rows {
        fraction |= record.io.time % 1_000_000 != 0;
        bytes &= record.io.offset % 512 == 0 && record.io.len % 512 == 0;
        count += 1;
    }
    Some(match (fraction, bytes) {
        (true, false) => SimulatorShape::Known(Simulator::Disksim),
        (false, false) => SimulatorShape::Known(Simulator::Mqsim),
        (true, true) if count >= ENOUGH => SimulatorShape::Known(Simulator::Replayer),
        _ => SimulatorShape::Unclear,
    })
}

// Called through the table of formats, which can fail.
#[allow(clippy::unnecessary_wraps)]
fn parser(simulator: Simulator, hints: &Hints) -> Result<Parser> {
    let mut table = SimulatorTable::of(simulator);
    table.time_unit = hints.time_unit.unwrap_or(table.time_unit);
    table.unit = hints.offset_unit.unwrap_or(table.unit);
    Ok(Box::new(TextParser(table)))
}

#[derive(Copy, Clone)]
struct SimulatorTable {
    /// Nanoseconds of one unit of time.
    time_unit: u64,
    /// Bytes of one unit of start and size.
    unit: u32,
    /// The last number is a word of flags in hexadecimal.
    flags: bool,
}

impl SimulatorTable {
    const fn of(simulator: Simulator) -> Self {
        let (time_unit, unit) = match simulator {
            Simulator::Mqsim => (1, 512),
            Simulator::Disksim => (1_000_000, 512),
            Simulator::Replayer => (1_000_000, 1),
        };
        let flags = matches!(simulator, Simulator::Disksim);
        Self {
            time_unit,
            unit,
            flags,
        }
    }

    /// The last number. DiskSim looks at one bit of it for this, and at others for what waits on the I/O.
    #[inline]
    fn op(self, word: &[u8]) -> Option<Op> {
        match word {
            b"0" => Some(Op::Write),
            b"1" => Some(Op::Read),
            _ if self.flags => {
                let word = word.strip_prefix(b"0x").unwrap_or(word);
                let flags = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
                Some(if flags & 1 == 1 { Op::Read } else { Op::Write })
            }
            _ => None,
        }
    }

    #[inline]
    fn parse(self, line: &[u8], names: &mut ChunkNames) -> Option<TraceRecord> {
        let mut cursor = FieldCursor::new(line);
        let time = cursor.blanks().decimal(self.time_unit)?;
        let device = cursor.word();
        let start = cursor.blanks().number()?;
        let size = cursor.blanks().number()?;
        let op = self.op(cursor.word())?;
        if !cursor.ended() || !device.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let unit = u64::from(self.unit);
        let io = Io {
            time: i64::try_from(time).ok()?,
            offset: start.checked_mul(unit)?,
            len: u32::try_from(size.checked_mul(unit)?).ok()?,
            device: names.device_name(device),
            op,
            ..UNKNOWN
        };
        Some(TraceRecord::whole(io))
    }
}

impl LineFormat for SimulatorTable {
    #[inline]
    fn row(&self, line: &[u8], names: &mut ChunkNames) -> ParsedLine {
        if text::is_heading(line, &[]) {
            return ParsedLine::Other;
        }
        self.parse(line, names).map_or(
            ParsedLine::Bad("not five numbers, the last 0 or 1"),
            ParsedLine::Io,
        )
    }

    fn facts(&self) -> FormatFacts {
        let unit = match self.unit {
            1 => "bytes",
            512 => "512-byte sectors",
            _ => "blocks, as given",
        };
        FormatFacts {
            time: match self.time_unit {
                1 => "ns",
                1_000 => "us",
                1_000_000 => "ms",
                _ => "as given",
            },
            offset: unit,
            len: unit,
            op: if self.flags {
                "bit 0 of the flags: 1 read, 0 write"
            } else {
                "1 read, 0 write"
            },
            latency: "none",
        }
    }
}

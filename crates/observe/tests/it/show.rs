//! Records as short lines, so that expected ones can be written by hand:
//! `D 241205 32256+4096 write 8:16 5821/fio 1000` is kind, ns, bytes, operation, device, process and
//! latency in ns.

use ioalign_observe::formats::{self, Hints};
use ioalign_observe::{RecordKind, TraceRecords};

/// What the format makes of the text.
pub fn parse(format: &str, hints: &Hints, bytes: &[u8]) -> TraceRecords {
    let format = formats::named(format).unwrap();
    let mut parser = (format.parser)(bytes, hints).unwrap();
    let mut out = TraceRecords::default();
    parser.parse(bytes, &mut out);
    out
}

/// Why the format refuses the text.
pub fn refusal(format: &str, hints: &Hints, bytes: &[u8]) -> ioalign_observe::ObserveError {
    let format = formats::named(format).unwrap();
    match (format.parser)(bytes, hints) {
        Ok(_) => panic!("{} takes it", format.name),
        Err(error) => error,
    }
}

/// All rows, in short.
pub fn lines(records: &TraceRecords) -> Vec<String> {
    let names = &records.names;
    let line = |row: &ioalign_observe::TraceRecord| {
        let io = row.io;
        let kind = match row.kind {
            RecordKind::Whole => "W",
            RecordKind::Queue => "Q",
            RecordKind::Issue => "D",
            RecordKind::Complete => "C",
            RecordKind::Requeue => "R",
        };
        let device = &names.devices()[io.device as usize];
        let process = &names.processes()[io.process as usize..];
        let process = process.first().cloned().unwrap_or_default();
        let latency = match io.latency {
            u64::MAX => String::new(),
            ns => format!(" {ns}"),
        };
        format!(
            "{kind} {} {}+{} {} {device} {}/{}{latency}",
            io.time,
            io.offset,
            io.len,
            io.op.name(),
            process.pid,
            process.name
        )
    };
    records.rows.iter().map(line).collect()
}

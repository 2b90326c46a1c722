//! Records of one size, one after the other, that name neither device nor process.

use crate::record::{Io, TraceRecord, TraceRecords};

/// Takes the whole records of a chunk; `read` makes the I/O of one. A record that it does not know is skipped and
/// counted, for the reason `not`.
pub(super) fn take(
    chunk: &[u8],
    size: usize,
    device: &str,
    out: &mut TraceRecords,
    not: &'static str,
    read: impl Fn(&[u8]) -> Option<Io>,
) {
    out.extent += chunk.len() as u64;
    let device = out.names.device_name(device.as_bytes());
    let process = out.names.process(0, b"");
    let mut at = 0;
    for record in chunk.chunks(size) {
        match read(record) {
            Some(io) => out.rows.push(TraceRecord::whole(Io {
                device,
                process,
                ..io
            })),
            None => out.skipped.add(at, record, not),
        }
        at += record.len() as u64;
    }
}

use super::*;

fn record(act: u32, category: u32, time: u64, sector: u64, bytes: u32, big: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |value: u64, width: usize| {
        let le = value.to_le_bytes();
        let mut field = le[..width].to_vec();
        if big {
            field.reverse();
        }
        out.extend(field);
    };
    put(0x6561_7407, 4);
    put(0, 4);
    put(time, 8);
    put(sector, 8);
    put(u64::from(bytes), 4);
    put(u64::from(act | category << 16), 4);
    put(42, 4);
    put(8 << 20 | 16, 4);
    put(1, 4);
    put(0, 2);
    put(0, 2);
    out
}

fn parse(bytes: &[u8]) -> TraceRecords {
    let mut out = TraceRecords::default();
    BlktraceReader.parse(bytes, &mut out);
    out
}

#[test]
fn both_byte_orders_give_the_same() {
    let little = parse(&record(7, 2, 5, 63, 4096, false));
    let big = parse(&record(7, 2, 5, 63, 4096, true));
    assert_eq!(little.rows, big.rows);
    let io = little.rows[0].io;
    assert_eq!((io.offset, io.len, io.time), (32256, 4096, 5));
    assert_eq!(little.names.devices()[0].to_string(), "8:16");
}

/// A flush request has the bit of reads beside its own, an empty write that asks for one that of writes.
#[test]
fn empty_requests_with_the_flush_bit_are_flushes() {
    let ops = |category, bytes| {
        let plain = parse(&record(7, category, 1, 8, bytes, false)).rows[0]
            .io
            .op;
        let other = parse(&record(7, category, 1, 8, bytes, true)).rows[0].io.op;
        assert_eq!(plain, other);
        plain
    };
    assert_eq!([ops(5, 0), ops(6, 0), ops(4, 0)], [Op::Flush; 3]);
    assert_eq!(
        [ops(6, 4096), ops(2, 0), ops(1, 512)],
        [Op::Write, Op::Write, Op::Read]
    );
}

#[test]
fn garbage_between_records_is_one_bad_row() {
    let mut bytes = record(7, 1, 1, 8, 512, false);
    bytes.extend([0xee; 100]);
    bytes.extend(record(8, 1, 2, 8, 512, false));
    let records = parse(&bytes);
    assert_eq!((records.rows.len(), records.skipped.rows), (2, 1));
}

#[test]
fn a_cut_record_is_counted() {
    let bytes = record(7, 1, 1, 8, 512, false);
    assert_eq!(parse(&bytes[..47]).skipped.rows, 1);
    assert_eq!(layout::whole(&bytes[..47]), 0);
}

/// Version 8: `struct blk_io_trace2` of Linux 6.19.
fn record_eight(action: u64, time: u64, sector: u64, bytes: u32, pdu: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0x6561_7408_u32.to_le_bytes());
    out.extend(0_u32.to_le_bytes());
    out.extend(time.to_le_bytes());
    out.extend(sector.to_le_bytes());
    out.extend(bytes.to_le_bytes());
    out.extend(42_u32.to_le_bytes());
    out.extend(action.to_le_bytes());
    out.extend((259_u32 << 20 | 3).to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    out.extend(u16::try_from(pdu.len()).unwrap().to_le_bytes());
    out.extend([0; 12]);
    out.extend(pdu);
    out
}

#[test]
fn version_eight() {
    let write = |act: u64, stage: u64| act | (2 | 1 << stage) << 16;
    let zone_append = 1_u64 << 32;
    let zone_reset = 1_u64 << 33;
    let mut bytes = record_eight(1 << 26, 0, 0, 0, b"fio job\0\0\0\0\0\0\0\0\0");
    bytes.extend(record_eight(write(7, 6), 5, 63, 4096, &[]));
    bytes.extend(record_eight(
        write(7, 6) | zone_append,
        6,
        1 << 20,
        8192,
        &[],
    ));
    bytes.extend(record_eight(8 | zone_append, 7, 1 << 21, 8192, &[]));
    bytes.extend(record_eight(write(7, 6) | zone_reset, 8, 1 << 20, 0, &[]));
    bytes.extend(record_eight(write(8, 7) | 0x100, 9, 63, 4096, &[7; 8]));
    let records = parse(&bytes);
    assert_eq!(layout::whole(&bytes), bytes.len());
    assert_eq!(
        (records.rows.len(), records.other, records.skipped.rows),
        (4, 2, 0)
    );
    let ops: Vec<_> = records
        .rows
        .iter()
        .map(|row| (row.kind, row.io.op))
        .collect();
    use crate::record::Op::{Other, Write};
    let issue = |op| (RecordKind::Issue, op);
    assert_eq!(
        ops,
        [
            issue(Write),
            issue(Write),
            issue(Other),
            (RecordKind::Complete, Write)
        ]
    );
    assert_eq!(records.names.devices()[0].to_string(), "259:3");
    assert_eq!(&*records.names.stated[0].1, "fio job");
}

#[test]
fn both_versions_in_one_stream() {
    let mut bytes = record(7, 2, 5, 63, 4096, true);
    bytes.extend(record_eight(7 | 2 << 16, 5, 63, 4096, &[]));
    bytes.extend(record(7, 2, 5, 63, 4096, false));
    let records = parse(&bytes);
    assert_eq!((records.rows.len(), records.skipped.rows), (3, 0));
    assert!(records.rows.iter().all(|row| row.io.offset == 63 * 512));
}

#[test]
fn payloads_are_no_records() {
    // A remap has the previous place in its payload, big-endian on any machine.
    let mut remap = record(15, 2, 1, 2048 + 63, 4096, false);
    remap[46] = 16;
    remap.extend([0; 16]);
    remap.extend(record(7, 2, 2, 2048 + 63, 4096, false));
    let records = parse(&remap);
    assert_eq!(
        (records.rows.len(), records.other, records.skipped.rows),
        (1, 1, 0)
    );
}

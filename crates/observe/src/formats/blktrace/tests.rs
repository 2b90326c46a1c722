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

fn parse(bytes: &[u8]) -> Records {
    let mut out = Records::default();
    Reader.parse(bytes, &mut out);
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

//! Damage: bits flipped and bytes cut at random, and the cases that break parsers.

use ioalign_observe::TraceRecords;
use ioalign_observe::formats::{self, Framing, Hints};
use ioalign_testkit::Random;

use crate::damage::{damage, run};
use crate::samples;
use crate::show::{lines, parse};

#[test]
fn damaged_traces_of_every_format() {
    let mut random = Random(4);
    for sample in samples::all() {
        for _ in 0..300 {
            let mut bytes = sample.bytes.clone();
            damage(&mut bytes, &mut random);
            run(&bytes, &sample.hints);
        }
    }
}

#[test]
fn every_length_of_every_format() {
    for sample in samples::all() {
        for len in 0..sample.bytes.len().min(600) {
            let format = formats::named(sample.format).unwrap();
            if let Ok(mut parser) = (format.parser)(&sample.bytes, &sample.hints) {
                parser.parse(&sample.bytes[..len], &mut TraceRecords::default());
            }
            (format.sniff)(&sample.bytes[..len]);
        }
    }
}

#[test]
fn damaged_columns() {
    let mut random = Random(44);
    for seed in [
        "time=0,op=1,offset=2,len=3,read=0",
        "%5T.%9t %p [%C] %a %S + %n\\n",
    ] {
        for _ in 0..500 {
            let mut spec = seed.as_bytes().to_vec();
            damage(&mut spec, &mut random);
            let hints = Hints {
                offset_unit: Some(512),
                time_unit: Some(1),
                columns: Some(String::from_utf8_lossy(&spec).into_owned()),
                ..Hints::default()
            };
            run(samples::CSV.as_bytes(), &hints);
            run(samples::BLKPARSE.as_bytes(), &hints);
        }
    }
}

#[test]
fn a_bad_row_is_counted_with_its_line() {
    for sample in samples::all() {
        let format = formats::named(sample.format).unwrap();
        if !matches!(format.framing, Framing::Lines) {
            continue;
        }
        let good = parse(sample.format, &sample.hints, &sample.bytes);
        for bad in [&b"\0\0\0\0"[..], b"\xff\xfe\xfd 8,16", b"8,16 1", b"{]"] {
            let bytes = [&sample.bytes, bad, b"\n", &sample.bytes].concat();
            let mut parser = (format.parser)(&sample.bytes, &sample.hints).unwrap();
            let mut records = TraceRecords::default();
            parser.parse(&bytes, &mut records);
            let skipped = &records.skipped;
            assert_eq!(skipped.rows, 1, "{}: {bad:?}", sample.format);
            assert_eq!(skipped.first[0].place, good.extent + 1, "{}", sample.format);
            assert_eq!(records.rows.len(), good.rows.len() * 2, "{}", sample.format);
        }
    }
}

#[test]
fn numbers_past_their_range_are_bad_rows() {
    let max = "18446744073709551615";
    let rows = [
        ("blkparse", format!("8,16 1 1 0.1 5 D W {max} + 8 [fio]\n")),
        ("blkparse", format!("8,16 1 1 {max}.1 5 D W 8 + 8 [fio]\n")),
        (
            "perf",
            format!("fio 1 [000] 1.5: block:block_rq_issue: 8,16 W 0 () {max} + 8 [fio]\n"),
        ),
        (
            "ftrace",
            format!("fio-1 [000] 1.5: block_rq_issue: 8,16 W 0 () {max} + 8 [fio]\n"),
        ),
        (
            "msr",
            format!("128166372003061629,hm,1,Read,1,{max},2500\n"),
        ),
        ("msr", format!("{max},hm,1,Read,1,512,2500\n")),
        ("alibaba", format!("0,R,1,4096,{max}\n")),
        ("tencent", format!("1538323200,{max},8,0,1\n")),
        ("systor17", format!("{max}.5,0.1,R,0,1,1\n")),
        ("spc", format!("0,{max},512,r,1.5\n")),
        ("vscsi-text", format!("1,4096,1,write,{max},1\n")),
        ("fio-lat", format!("{max}, 1, 0, 512, 1, 0\n")),
        ("disksim", format!("1.5 0 {max} 8 1\n")),
    ];
    for (format, row) in rows {
        let hints = samples::offset_unit(512);
        let records = parse(format, &hints, row.as_bytes());
        assert_eq!(
            (records.rows.len(), records.skipped.rows),
            (0, 1),
            "{format}: {row}"
        );
    }
    // 2^63 bytes and more are an offset like any other.
    let records = parse(
        "alibaba",
        &Hints::default(),
        format!("0,R,{max},1,1\n").as_bytes(),
    );
    assert_eq!(records.rows[0].io.offset, u64::MAX);
}

#[test]
fn many_devices_stay_bounded() {
    let text: String = (0..1_000_000_u32)
        .map(|n| format!("{n},R,0,512,1\n"))
        .collect();
    let records = parse("alibaba", &Hints::default(), text.as_bytes());
    assert_eq!(records.rows.len(), 1_000_000);
    assert_eq!(records.names.devices().len(), 1 << 16);
    let other = ioalign_observe::record::ChunkNames::other_device();
    assert_eq!(records.rows[999_999].io.device, other);
}

#[test]
fn devices_in_any_order_keep_their_names() {
    let ids = [1, 2, 1, 3, 1025, 1, 2049, 1025, 2];
    let text: String = ids.iter().map(|id| format!("{id},R,0,512,1\n")).collect();
    let records = parse("alibaba", &Hints::default(), text.as_bytes());
    let named: Vec<_> = lines(&records)
        .iter()
        .map(|l| l.split(' ').nth(4).unwrap().to_owned())
        .collect();
    assert_eq!(named, ids.map(|id| id.to_string()));
}

#[test]
fn line_ends_of_windows_and_none_at_the_end() {
    for sample in samples::all() {
        let Ok(text) = String::from_utf8(sample.bytes.clone()) else {
            continue;
        };
        if text.contains('\0') {
            continue;
        }
        let plain = lines(&parse(sample.format, &sample.hints, text.as_bytes()));
        let windows = text.replace('\n', "\r\n");
        let found = lines(&parse(sample.format, &sample.hints, windows.as_bytes()));
        assert_eq!(found, plain, "{}", sample.format);
        let found = lines(&parse(
            sample.format,
            &sample.hints,
            text.trim_end().as_bytes(),
        ));
        assert_eq!(found, plain, "{}", sample.format);
    }
}

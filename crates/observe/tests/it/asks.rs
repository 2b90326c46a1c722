//! Where a trace leaves something open, it is asked or refused with what to type.

use ioalign_observe::error::ObserveErrorKind;
use ioalign_observe::formats::{self, Hints};

use crate::samples::{self, offset_unit};
use crate::show::{lines, parse, refusal};

fn columns(columns: &str) -> Hints {
    Hints {
        columns: Some(columns.to_owned()),
        ..Hints::default()
    }
}

fn asks(format: &str, hints: &Hints, text: &str, says: &str) {
    let error = refusal(format, hints, text.as_bytes());
    assert_eq!(error.kind(), ObserveErrorKind::Ask, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

fn refuses(format: &str, hints: &Hints, text: &str, says: &str) {
    let error = refusal(format, hints, text.as_bytes());
    assert_eq!(error.kind(), ObserveErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn sectors_or_bytes_of_tencent() {
    let few = "1538323200,512,4096,0,1063\n";
    asks("tencent", &Hints::default(), few, "--offset-unit 1");
    let offset = |unit| {
        parse("tencent", &offset_unit(unit), few.as_bytes()).rows[0]
            .io
            .offset
    };
    assert_eq!((offset(1), offset(512)), (512, 512 * 512));
    let many = few.repeat(64);
    let records = parse("tencent", &Hints::default(), many.as_bytes());
    assert_eq!(
        records.rows[0].io.len, 4096,
        "64 rows of whole sectors are bytes"
    );
    let format = formats::named("tencent").unwrap();
    let facts = (format.parser)(many.as_bytes(), &Hints::default())
        .unwrap()
        .facts();
    assert_eq!(facts.offset, "bytes (not sectors as published)");
}

#[test]
fn simulators_alike() {
    let unclear = "1000 0 512 4096 1\n";
    assert_eq!(
        formats::detect(unclear.as_bytes()).unwrap().name,
        "simulator"
    );
    asks("simulator", &Hints::default(), unclear, "--as mqsim");
    let rows = |format| lines(&parse(format, &Hints::default(), unclear.as_bytes()));
    assert_eq!(rows("mqsim"), ["W 1000 262144+2097152 read 0 0/"]);
    assert_eq!(rows("replayer"), ["W 1000000000 512+4096 read 0 0/"]);
}

#[test]
fn units_of_blkalgn() {
    asks(
        "blkalgn",
        &Hints::default(),
        samples::BLKALGN,
        "--offset-unit 512",
    );
    let small = parse("blkalgn", &offset_unit(512), samples::BLKALGN.as_bytes());
    assert_eq!(small.rows[0].io.offset, 1024 * 512);
}

#[test]
fn what_tells_nothing_of_alignment() {
    let bpftrace =
        "TIME(ms)     DISK             COMM             PID    LAT(ms)\n611 sda bash 4179 10\n";
    assert_eq!(
        formats::detect(bpftrace.as_bytes()).unwrap().name,
        "biosnoop"
    );
    refuses(
        "biosnoop",
        &Hints::default(),
        bpftrace,
        "neither sector nor size",
    );
    let without = "1, 250000, 1, 4096, 0x0000\n2, 300000, 0, 4096, 0x0000\n";
    assert_eq!(formats::detect(without.as_bytes()).unwrap().name, "fio-lat");
    refuses("fio-lat", &Hints::default(), without, "log_offset=1");
    refuses(
        "fio-lat",
        &Hints::default(),
        "1, 250, 1, 4096\n",
        "log_offset=1",
    );
    refuses(
        "fio-lat",
        &Hints::default(),
        "500, 250000, 1, 0, 0, 0\n",
        "log_avg_msec",
    );
}

#[test]
fn columns_of_blkparse() {
    let text = "0.000241205, 5821, web server 1, D, 63, 8, 4096\n0.5, 0, swapper, C, 63, 8, 4096\n";
    let hints = columns("%5T.%9t, %p, %C, %a, %S, %n, %N\\n");
    let records = parse("blkparse", &hints, text.as_bytes());
    assert_eq!(
        lines(&records)[0],
        "D 241205 32256+4096 other 0:0 5821/web server 1"
    );
    assert_eq!(records.rows.len(), 2);
    assert_eq!(formats::implied(&hints).unwrap().name, "blkparse");
    refuses("blkparse", &columns("%T %a %n"), text, "%S (sector)");
    refuses("blkparse", &columns("%q"), text, "not a letter");
    let hints = columns("%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]\n");
    let records = parse("blkparse", &hints, samples::BLKPARSE.as_bytes());
    let default = parse("blkparse", &Hints::default(), samples::BLKPARSE.as_bytes());
    assert_eq!(
        lines(&records)[..2],
        lines(&default)[..2],
        "the default form by its letters"
    );
}

#[test]
fn columns_of_a_table() {
    let table = "1.5;0;8;16\n2;1;16;8\n";
    asks("csv", &Hints::default(), table, "--columns");
    let spec = "time=0,op=1,offset=2,len=3";
    let hints = |spec: &str| Hints {
        time_unit: Some(1_000_000),
        offset_unit: Some(512),
        columns: Some(spec.to_owned()),
        ..Hints::default()
    };
    asks("csv", &hints(spec), table, "read=0,write=1");
    asks(
        "csv",
        &hints("time=0,op=1,offset=2"),
        table,
        "len=COLUMN is missing",
    );
    asks(
        "csv",
        &hints("time=0,op=1,offset=2,size=3"),
        table,
        "`size` is none of",
    );
    asks(
        "csv",
        &hints("time=x,op=1,offset=2,len=3"),
        table,
        "no column `x`",
    );
    asks(
        "csv",
        &columns(&format!("{spec},read=0,write=1")),
        table,
        "--time-unit",
    );
    let records = parse(
        "csv",
        &hints(&format!("{spec},read=1,write=0")),
        table.as_bytes(),
    );
    let rows = [
        "W 1500000 4096+8192 write table 0/",
        "W 2000000 8192+4096 read table 0/",
    ];
    assert_eq!(lines(&records), rows);
}

#[test]
fn columns_by_name_and_blanks() {
    let table = "when kind where howmuch\n1 R 8 512\n2  W 16   512\n";
    let hints = Hints {
        time_unit: Some(1),
        offset_unit: Some(1),
        columns: Some("time=when,op=kind,offset=where,len=howmuch".to_owned()),
        ..Hints::default()
    };
    let records = parse("csv", &hints, table.as_bytes());
    assert_eq!(
        lines(&records),
        ["W 1 8+512 read table 0/", "W 2 16+512 write table 0/"]
    );
    assert_eq!((records.other, records.skipped.rows), (1, 0));
}

#[test]
fn a_heading_without_units_is_asked() {
    let table = "time,op,lba,len\n1,R,8,512\n";
    asks("csv", &Hints::default(), table, "--time-unit");
    let hints = Hints {
        time_unit: Some(1000),
        ..Hints::default()
    };
    asks("csv", &hints, table, "--offset-unit");
}

#[test]
fn other_units_of_time() {
    let hints = Hints {
        time_unit: Some(1_000_000),
        ..Hints::default()
    };
    let records = parse("fio-iolog3", &hints, samples::IOLOG3.as_bytes());
    assert_eq!(records.rows[0].io.time, 878_000_000);
}

/// CloudPhysics' traces as a table: SCSI commands, offsets in blocks and lengths in bytes.
#[test]
fn codes_alone_go_with_the_columns_of_the_heading() {
    let table = "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633899,28,6656,63\n";
    let hints = |columns: Option<&str>| Hints {
        time_unit: Some(1_000_000_000),
        offset_unit: Some(512),
        length_unit: Some(1),
        columns: columns.map(str::to_owned),
        ..Hints::default()
    };
    asks(
        "csv",
        &hints(None),
        table,
        "read=CODE,write=CODE to --columns",
    );
    let hints = hints(Some("read=28,write=2a"));
    let expected = [
        "W 5633898000000000 21981565440+512 write table 0/",
        "W 5633899000000000 32256+6656 read table 0/",
    ];
    assert_eq!(lines(&parse("csv", &hints, table.as_bytes())), expected);
}

//! The forms that a format takes: options of its tool, versions, what surrounds the rows.

use ioalign_observe::formats::{self, Hints};

use crate::samples::offset_unit;
use crate::show::{lines, parse};

fn rows(format: &str, text: &str) -> Vec<String> {
    let records = parse(format, &Hints::default(), text.as_bytes());
    assert_eq!(records.skipped.first, [], "{format}");
    let found = formats::detect(text.as_bytes()).map(|format| format.name);
    assert_eq!(found, Some(format));
    lines(&records)
}

#[test]
fn columns_of_ftrace() {
    let issue = "1.5: block_rq_issue: 8,16 RA 8192 () 128 + 16 be,0,4 [fio]";
    let expected = ["D 1500000000 65536+8192 read 8:16 5821/fio"];
    for before in [
        "fio-5821 [001] d..1.",
        "fio-5821 [001]",
        "fio-5821 (-------) [001] d...",
        "a b-5821 ( 5820) [001]",
    ] {
        assert_eq!(
            rows("ftrace", &format!("  {before} {issue}\n")),
            expected,
            "{before}"
        );
    }
}

#[test]
fn fields_of_old_and_new_kernels() {
    let line = |event: &str| format!("fio-7 [001] .... 2.000001: {event}\n");
    let row = |event: &str| rows("ftrace", &line(event));
    // Before 5.11 the bytes of what file systems issue are 0; before 6.11 there is no priority.
    let old = row("block_rq_issue: 8,0 W 0 () 2056 + 8 [kworker/0:1H]");
    assert_eq!(old, ["D 2000001000 1052672+4096 write 8:0 7/kworker/0:1H"]);
    let flush = row("block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 [x]");
    assert_eq!(flush, ["D 2000001000 0+0 flush 8:0 7/x"]);
    let pass = row("block_rq_issue: 8,0 N 96 (12 00 00 00 60 00) 0 + 0 none,0,0 [x]");
    assert_eq!(pass, ["D 2000001000 0+96 other 8:0 7/x"]);
    let bio = row("block_bio_complete: 253,0 WS 63 + 8 [0]");
    assert_eq!(bio, ["C 2000001000 32256+4096 write 253:0 0/"]);
    let requeue = row("block_rq_requeue: 8,0 DS () 63 + 8 be,0,4 [0]");
    assert_eq!(requeue, ["R 2000001000 32256+4096 discard 8:0 0/"]);
}

#[test]
fn what_ftrace_says_of_losses() {
    let text = "CPU:1 [LOST 12 EVENTS]\nCPU:0 [LOST EVENTS]\nCPU 1: [5 EVENTS DROPPED]\n##### CPU 1 buffer started ####\n";
    let records = parse("ftrace", &Hints::default(), text.as_bytes());
    assert_eq!(
        (records.dropped, records.other, records.skipped.rows),
        (18, 1, 0)
    );
}

#[test]
fn clocks_that_count_ticks() {
    let text = "fio-7 [001] .... 1234567: block_rq_issue: 8,0 W 4096 () 8 + 8 [fio]\n";
    let bad = parse("ftrace", &Hints::default(), text.as_bytes());
    assert!(bad.skipped.first[0].why.contains("trace_clock"));
    let hints = Hints {
        time_unit: Some(1),
        ..Hints::default()
    };
    assert_eq!(
        parse("ftrace", &hints, text.as_bytes()).rows[0].io.time,
        1_234_567
    );
}

#[test]
fn columns_of_perf() {
    let event = "block:block_rq_issue: 8,16 R 4096 () 8 + 8 0x2,0,4 [fio]";
    let expect = |before: &str, process: &str| {
        let expected = format!("D 1500000000 4096+4096 read 8:16 {process}");
        assert_eq!(
            rows("perf", &format!("{before}  {event}\n")),
            [expected],
            "{before}"
        );
    };
    expect("1.500000:", "0/fio");
    expect("  fio 77 1.500000000:", "77/fio");
    expect("  fio 77/78 [003] 1.500000:", "77/fio");
    expect("  fio [003] 1.500000:", "0/fio");
    let text = format!("fio {event}\n");
    let records = parse("perf", &Hints::default(), text.as_bytes());
    assert!(records.skipped.first[0].why.contains("-F +time"));
}

#[test]
fn stacks_and_other_events_of_perf() {
    let text = "fio 7 [0] 1.5: block:block_plug: [fio]\n\tffffffff8133 blk_plug ([kernel.kallsyms])\n\nfio 7 [0] 1.6: sched:sched_switch: x\n";
    let records = parse("perf", &Hints::default(), text.as_bytes());
    assert_eq!((records.other, records.skipped.rows), (4, 0));
}

#[test]
fn options_of_biosnoop() {
    let heading =
        "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   P QUE(ms) LAT(ms)\n";
    let row = |row: &str| rows("biosnoop", &format!("{heading}{row}\n"));
    let expected = ["W 999000000 4096+4096 read sda 12/x 1000000"];
    assert_eq!(
        row("1.000000    x              12      sda       R 8          4096      1.00"),
        expected
    );
    assert_eq!(
        row("1.000000    x              12      sda       R 8          4096    S   10.25    1.00"),
        expected
    );
    assert_eq!(
        row("1.000000    x              12      sda       R 8          4096    R    1.00"),
        expected
    );
    // libbpf-tools: letters of RWBS, and -1 where the queue time is not known.
    let row = row("1.0 md raid1 w 12 nvme0n1 FWS 8 4096  -1.000   1.000");
    assert_eq!(
        row,
        ["W 999000000 4096+4096 write nvme0n1 12/md raid1 w 1000000"]
    );
}

#[test]
fn blkalgn_with_write_amplification() {
    let text = "DISK       OPS      LEN      LBA        PID        COMM             ALGN     IOWAF    WWAF\n\
                nvme0n1    Write    4096     63         9          job 7            4096     4.0      1.5\n";
    let records = parse("blkalgn", &offset_unit(512), text.as_bytes());
    assert_eq!(lines(&records), ["W 0 32256+4096 write nvme0n1 9/job 7"]);
}

#[test]
fn generations_of_fio_logs() {
    let row = |line: &str| rows("fio-lat", &format!("{line}\n{line}\n"))[0].clone();
    let expected = "W 9000000 32256+4096 write fio 0/ 1000000";
    assert_eq!(
        row("10, 1000000, 1, 4096, 32256"),
        expected,
        "before priorities"
    );
    assert_eq!(
        row("10, 1000000, 1, 4096, 32256, 1"),
        expected,
        "priority of 3.17"
    );
    assert_eq!(
        row("10, 1000000, 1, 4096, 32256, 0x4007"),
        expected,
        "priority of 3.30"
    );
    assert_eq!(
        row("10, 1000000, 1, 4096, 32256, 0, 9000000"),
        expected,
        "issue time"
    );
}

#[test]
fn blanks_in_file_names_of_fio() {
    let text = "fio version 3 iolog\n5 /a file/b read 512 4096\n6 x datasync 0 0\n7 x wait 10 0\n";
    let expected = ["W 5000 512+4096 read /a file/b 0/", "W 6000 0+0 flush x 0/"];
    assert_eq!(rows("fio-iolog3", text), expected);
}

#[test]
fn headings_of_copies() {
    let msr = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,1,Read,512,4096,1\n";
    assert_eq!(rows("msr", msr).len(), 1);
    let alibaba = "device_id,opcode,offset,length,timestamp\n3,W,512,4096,5\n";
    assert_eq!(rows("alibaba", alibaba), ["W 5000 512+4096 write 3 0/"]);
    let tencent = "Timestamp,Offset,Size,IOType,VolumeID\n5,63,8,1,3\n";
    assert_eq!(
        rows("tencent", tencent),
        ["W 5000000000 32256+4096 write 3 0/"]
    );
    // Times that begin at 0 instead of 1601.
    assert_eq!(
        rows("msr", "20,h,0,Write,512,4096,1\n"),
        ["W 2000 512+4096 write h,0 0/ 100"]
    );
}

#[test]
fn commands_of_vscsi_by_code() {
    let text = "1,4096,1,0x2A,63,5\n2,0,0,0x35,0,6\n3,8,1,inquiry,0,7\n";
    let expected = [
        "W 5000 32256+4096 write vscsi 0/",
        "W 6000 0+0 flush vscsi 0/",
        "W 7000 0+8 other vscsi 0/",
    ];
    assert_eq!(rows("vscsi-text", text), expected);
}

#[test]
fn times_between_events_of_blkparse() {
    let text = "  8,16 1 1 0.5 5821 D W 63 + 8 (   93847) [fio]\n  8,16 1 1 0.6 0 A W 63 + 8 <- (8,17) 0\n";
    assert_eq!(
        rows("blkparse", text),
        ["D 500000000 32256+4096 write 8:16 5821/fio"]
    );
}

#[test]
fn a_stream_that_begins_with_a_loss() {
    let records = crate::samples::ftrace_blk();
    let bytes = [b"CPU:0 [LOST 9 EVENTS]\n", &records[..]].concat();
    assert_eq!(formats::detect(&bytes).unwrap().name, "ftrace-blk");
    let found = parse("ftrace-blk", &Hints::default(), &bytes);
    assert_eq!(
        (found.rows.len(), found.dropped, found.skipped.rows),
        (2, 12, 0)
    );
    let bytes = [b"CPU:0 [LOST 9 EVENTS]\n", &crate::samples::blktrace()[..]].concat();
    assert_eq!(formats::detect(&bytes).unwrap().name, "blktrace");
    assert_eq!(parse("blktrace", &Hints::default(), &bytes).dropped, 9);
}

#[test]
fn tables_with_all_separators() {
    for separator in [",", ";", "\t", "|"] {
        let text =
            "timestamp_ns,op,sector,bytes\n5,Read,63,4096\n6,TRIM,8,512\n".replace(',', separator);
        let expected = [
            "W 5 32256+4096 read table 0/",
            "W 6 4096+512 discard table 0/",
        ];
        assert_eq!(rows("csv", &text), expected, "{separator:?}");
    }
}

#[test]
fn tables_of_spreadsheets() {
    let text = "\u{feff}time_s,type,offset_bytes,len,latency_s\r\n1.5E+0,R,512,4096,\r\n2,W,0,512,0.001\r\n";
    let expected = [
        "W 1500000000 512+4096 read table 0/",
        "W 2000000000 0+512 write table 0/ 1000000",
    ];
    assert_eq!(rows("csv", text), expected);
    let short = parse(
        "csv",
        &Hints::default(),
        format!("{text}3,W,0\r\n").as_bytes(),
    );
    assert_eq!((short.rows.len(), short.skipped.rows), (2, 1));
}

/// DiskSim's reader takes the last number as flags in hexadecimal and bit 0 of them for a read; the others
/// say who waits.
#[test]
fn flags_of_disksim() {
    let text =
        "0.5 0 63 8 1\n1.5 0 63 8 0\n2.5 0 63 8 3\n3.5 0 63 8 1a\n4.5 0 63 8 0x41\n5.5 0 63 8 g\n";
    let found = parse("disksim", &Hints::default(), text.as_bytes());
    let ops: Vec<_> = found.rows.iter().map(|row| row.io.op.name()).collect();
    assert_eq!(ops, ["read", "write", "read", "write", "read"]);
    assert_eq!(found.skipped.rows, 1);
    // Where flags are no flags, they are codes.
    let found = parse("mqsim", &Hints::default(), b"5 0 63 8 3\n");
    assert_eq!((found.rows.len(), found.skipped.rows), (0, 1));
}

/// "some unknown transactions and irregular response times are included" (its README).
#[test]
fn responses_that_are_none() {
    let text = "Timestamp,Response,IOType,LUN,Offset,Size\n1.5,-0.000001,R,0,512,512\n1.6,,W,0,0,512\n1.7,0.001,,0,0,512\n";
    let expected = [
        "W 1500000000 512+512 read 0 0/",
        "W 1600000000 0+512 write 0 0/",
        "W 1700000000 0+512 other 0 0/ 1000000",
    ];
    assert_eq!(rows("systor17", text), expected);
}

/// As the comments of public converters quote it: without number signs.
#[test]
fn headings_of_vscsi_without_signs() {
    let text = "Vscsi Cmd Trace. (Trace Format Version 1)\nSerial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)\n2148401256,4096,1,read,12312,4332930811158\n";
    let expected = ["W 4332930811158000 6303744+4096 read vscsi 0/"];
    assert_eq!(rows("vscsi-text", text), expected);
}

/// Published outputs have lines without a disk: what was passed through or flushed.
#[test]
fn lines_of_biosnoop_without_a_disk() {
    let text = "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n\
        0.000000    ?              0              R 0          8         4.04\n\
        3.740882    jbd2/sda1-8    184    sda     W 2694656    12288     6.72\n\
        5.000000    kworker/23:1   9126           R 18446744073709551615 0         0.61\n\
        5.500000    kworker/23:1   9126   sda     R 18446744073709551615 0         0.50\n";
    let expected = [
        "W 3734162000 1379663872+12288 write sda 184/jbd2/sda1-8 6720000",
        "W 5499500000 0+0 flush sda 9126/kworker/23:1 500000",
    ];
    assert_eq!(rows("biosnoop", text), expected);
}

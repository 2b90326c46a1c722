//! What every sample holds, written by hand.

use crate::samples;
use crate::show;

fn expect(format: &str, rows: &[&str], other: u64, dropped: u64) {
    let all = samples::all();
    let sample = all.iter().find(|sample| sample.format == format).unwrap();
    let records = show::parse(format, &sample.hints, &sample.bytes);
    assert_eq!(show::lines(&records), rows, "{format}");
    assert_eq!(records.skipped.first, [], "{format}");
    assert_eq!(
        (records.other, records.dropped),
        (other, dropped),
        "{format}"
    );
}

#[test]
fn kernel_binary() {
    let rows = [
        "D 5 32256+4096 write 8:16 42/",
        "C 1005 32256+4096 write 8:16 42/",
    ];
    expect("blktrace", &rows, 0, 0);
    expect("ftrace-blk", &rows, 0, 3);
}

#[test]
fn kernel_text() {
    let rows = [
        "Q 0 32256+4096 write 8:16 5821/fio",
        "D 241205 32256+4096 write 8:16 5821/kworker/u4:1 x",
        "C 1000341205 32256+4096 write 8:16 0/",
    ];
    expect("blkparse", &rows, 3, 0);
    let rows = [
        "D 1234567890000 32256+4096 write 8:16 5821/fio",
        "C 1234568890000 32256+4096 write 8:16 0/",
    ];
    expect("ftrace", &rows, 4, 4);
    let rows = [
        "D 1234567890000 32256+4096 write 8:16 5821/fio",
        "Q 1234567891000 65536+8192 read 8:16 5822/web server 1",
        "C 1234568890000 32256+4096 write 8:16 0/",
    ];
    expect("perf", &rows, 0, 17);
    let rows = [
        "D 1000 32256+4096 write 8:16 5821/web server 1",
        "C 2500 32256+4096 write 8:16 0/",
    ];
    expect("bpftrace", &rows, 2, 12);
}

#[test]
fn bcc_tools() {
    let rows = [
        "W 3589000 6703390720+4096 write xvda1 1950/supervise 740000",
        "W 102829000 32256+512 read xvda1 1951/Web Content 2 1500000",
    ];
    expect("biosnoop", &rows, 1, 0);
    let rows = [
        "W 0 4194304+16384 write nvme9n1 1234/web server 1",
        "W 0 28672+4096 read nvme9n1 1235/fio",
    ];
    expect("blkalgn", &rows, 4, 0);
}

#[test]
fn fio() {
    let rows = [
        "W 0 32256+4096 write /dev/sdb 0/",
        "W 0 0+1048576 discard /dev/sdb 0/",
        "W 0 0+0 flush /dev/sdb 0/",
    ];
    expect("fio-iolog2", &rows, 5, 0);
    expect("fio-iolog3", &["W 878000 512+16384 read /dev/sdb 0/"], 4, 0);
    let rows = [
        "W 750000 32256+4096 write fio 0/ 250000",
        "W 1500000 1+8192 read fio 0/ 500000",
    ];
    expect("fio-lat", &rows, 0, 0);
}

#[test]
fn vmware() {
    let rows = [
        "W 10000 32256+4096 write vscsi 0/",
        "W 11000 4096+4096 read vscsi 0/",
        "W 12000 0+4096 flush vscsi 0/",
    ];
    expect("vscsi1", &rows, 0, 0);
    expect("vscsi2", &["W 10000 32256+4096 read vscsi 0/ 250000"], 0, 0);
    let rows = [
        "W 2756778716647000 12312981504+4096 write vscsi 0/",
        "W 2756783857269000 32256+512 read vscsi 0/",
    ];
    expect("vscsi-text", &rows, 2, 0);
}

#[test]
fn public_traces() {
    let rows = [
        "W 1172163600306162900 383496192+32768 read hm,1 0/ 250000",
        "W 1172163601638215500 32256+4096 write hm,1 0/ 391700",
    ];
    expect("msr", &rows, 0, 0);
    let rows = [
        "W 1577808000000626000 126703644672+4096 read 0 0/",
        "W 1577808000000700000 32256+8192 write 419 0/",
    ];
    expect("alibaba", &rows, 0, 0);
    let rows = [
        "W 1538323200000000000 6610407424+65536 read 1063 0/",
        "W 1538323201000000000 32256+4096 write 1064 0/",
    ];
    expect("tencent", &rows, 0, 0);
    let rows = [
        "W 1456095145133076000 899056122368+131072 read 0 0/ 806000",
        "W 1456095145233076000 0+0 other 3 0/",
        "W 1456095145333076000 32256+4096 write 3 0/ 1000000",
    ];
    expect("systor17", &rows, 1, 0);
    let rows = [
        "W 0 155426304+3584 write 0 0/",
        "W 26214000 32256+4096 read 1 0/",
    ];
    expect("spc", &rows, 0, 0);
    let rows = [
        "W 89966104454294 462983966720+4096 write 6:0 4892/web server 1",
        "W 89966104454295 32256+4096 read 8:16 4893/fio",
    ];
    expect("fiu", &rows, 0, 0);
}

#[test]
fn simulators_and_tables() {
    expect(
        "mqsim",
        &[
            "W 1000 32256+4096 write 0 0/",
            "W 2500 2097152+4096 read 1 0/",
        ],
        0,
        0,
    );
    let rows = [
        "W 500000 32256+4096 write 0 0/",
        "W 13191135 2097152+2560 read 30 0/",
    ];
    expect("disksim", &rows, 0, 0);
    let rows = [
        "W 10000 32256+4096 read sda 7/ 250000",
        "W 20000 0+512 write sd,b 7/",
    ];
    expect("csv", &rows, 1, 0);
}

#[test]
fn bytes_of_the_replayer() {
    let text = samples::replayer();
    let records = show::parse("replayer", &Default::default(), text.as_bytes());
    assert_eq!(show::lines(&records)[1], "W 1250000 512+4096 read 0 0/");
    assert_eq!(records.rows.len(), 64);
}

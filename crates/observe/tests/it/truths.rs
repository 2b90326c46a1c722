//! Traces as people have them, each with what it must be called, written before the trace was read.

use ioalign_core::GridClaim;
use ioalign_core::grid::profile as grids_named;
use ioalign_core::profile::{AlignmentState, Profile};
use ioalign_observe::formats::Hints;
use ioalign_observe::{TraceProgress, TraceSettings, summarize};

/// blktrace's actions with their category bits, as the kernel writes them.
const QUEUE: u32 = 1 | 1 << 20;
const ISSUE: u32 = 7 | 1 << 22;
const COMPLETE: u32 = 8 | 1 << 23;
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;

/// One record of version 7.
fn record(action: u32, time: u64, sector: u64, bytes: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0x6561_7407_u32.to_le_bytes());
    out.extend(0_u32.to_le_bytes());
    out.extend(time.to_le_bytes());
    out.extend(sector.to_le_bytes());
    for word in [bytes, action, 42, 8 << 20 | 16, 0, 0] {
        out.extend(u32::to_le_bytes(word));
    }
    out
}

fn read(settings: &TraceSettings, bytes: &[u8]) -> Profile {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, bytes).unwrap();
    let found = summarize(&[path], settings, &TraceProgress::default()).unwrap();
    found.into_profile()
}

/// Several files, by name.
fn together(settings: &TraceSettings, files: &[(&str, Vec<u8>)]) -> Profile {
    let folder = tempfile::TempDir::new().unwrap();
    let put = |(name, bytes): &(&str, Vec<u8>)| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let paths: Vec<_> = files.iter().map(put).collect();
    let found = summarize(&paths, settings, &TraceProgress::default()).unwrap();
    found.into_profile()
}

fn plain(bytes: &[u8]) -> Profile {
    read(&TraceSettings::default(), bytes)
}

fn on_grids(grids: Vec<GridClaim>) -> TraceSettings {
    let mut settings = TraceSettings::default();
    settings.analysis.grids.extend(grids);
    settings
}

fn ios(profile: &Profile, op: &str) -> u64 {
    let of =
        |device: &ioalign_core::profile::DeviceProfile| device.by_op.get(op).map_or(0, |op| op.ios);
    profile.devices.iter().map(of).sum()
}

/// Rows of an Alibaba trace.
fn rows(op: char, starts: impl Iterator<Item = u64>, len: u64) -> String {
    let row = |(n, start)| {
        format!(
            "3,{op},{start},{len},{}\n",
            1_577_808_000_000_000_u64 + n * 1000
        )
    };
    (0_u64..).zip(starts).map(row).collect()
}

#[test]
fn reads_off_a_declared_volume_block_are_misaligned() {
    let settings = on_grids(grids_named("zfs-8k").unwrap());
    let off = || (0..1000).map(|n| n * 81920 + 4096);
    for len in [8192, 4096] {
        let found = read(&settings, rows('R', off(), len).as_bytes()).alignment;
        assert_eq!(found.state, AlignmentState::Misaligned, "{len}");
        let on = found.on_grid.unwrap();
        assert_eq!((on.size_bytes, on.offset_bytes), (8192, Some(4096)));
        assert!((on.start_off_ratio - 1.0).abs() < 1e-9);
    }
    let found = plain(rows('R', off(), 8192).as_bytes()).alignment;
    assert_eq!(
        (found.state, found.on_grid),
        (AlignmentState::Aligned, None)
    );
    let on = read(
        &settings,
        rows('R', (0..1000).map(|n| n * 8192), 8192).as_bytes(),
    );
    assert_eq!(on.alignment.state, AlignmentState::Aligned);
}

#[test]
fn a_stripe_that_is_crossed_is_suboptimal() {
    let grid: GridClaim = "192k:stripe:preference".parse().unwrap();
    let across = rows(
        'W',
        (0..500).map(|n| n * (192 << 10) + (128 << 10)),
        192 << 10,
    );
    let found = read(&on_grids(vec![grid.clone()]), across.as_bytes()).alignment;
    assert_eq!(found.state, AlignmentState::Suboptimal);
    let small = rows('W', (0..500).map(|n| n * 40960), 4096);
    let found = read(&on_grids(vec![grid]), small.as_bytes()).alignment;
    assert_eq!(
        (found.state, found.on_grid),
        (AlignmentState::Aligned, None)
    );
}

/// `fsync` after each write, as Linux 6.18 traces it: the file system's empty write with the flush bit, the flush that
/// the driver gets in its place, its end, and the end of the empty write, which has lost its bits.
#[test]
fn flushes_of_blktrace_are_no_reads() {
    let mut trace = Vec::new();
    for n in 0..200_u64 {
        let (time, sector) = (n * 1_000_000, 2048 + n * 8);
        trace.extend(record(ISSUE | WRITE, time, sector, 4096));
        trace.extend(record(COMPLETE | WRITE, time + 100_000, sector, 4096));
        trace.extend(record(QUEUE | WRITE | FLUSH, time + 200_000, 0, 0));
        trace.extend(record(ISSUE | READ | FLUSH, time + 210_000, 0, 0));
        trace.extend(record(COMPLETE | READ | FLUSH, time + 300_000, 0, 0));
        trace.extend(record(COMPLETE | WRITE, time + 310_000, 0, 0));
    }
    let found = plain(&trace);
    assert_eq!(
        (
            ios(&found, "read"),
            ios(&found, "write"),
            ios(&found, "flush")
        ),
        (0, 200, 200)
    );
    assert_eq!(found.unpaired, ioalign_core::profile::Unpaired::default());
    assert_eq!(
        (found.alignment.state, found.alignment.ios),
        (AlignmentState::Aligned, 200)
    );
}

/// A device of device-mapper: only arrivals.
#[test]
fn empty_writes_of_blkparse_are_flushes() {
    let mut text = String::new();
    for n in 0..100 {
        let sector = 63 + n * 8;
        text += &format!("253,0 1 {n} 0.{n:03}000001 5 Q W {sector} + 8 [fio]\n");
        text += &format!("253,0 1 {n} 0.{n:03}100001 0 C W {sector} + 8 [0]\n");
        text += &format!("253,0 1 {n} 0.{n:03}200001 5 Q FWFS [jbd2/dm-0-8]\n");
        text += &format!("253,0 1 {n} 0.{n:03}300001 0 C WFS 0 [0]\n");
    }
    let found = plain(text.as_bytes());
    assert_eq!((ios(&found, "write"), ios(&found, "flush")), (100, 100));
    assert_eq!(found.unpaired.without_issue, 0);
    assert_eq!(
        found.devices[0].by_op["write"].alignment.offset_bytes,
        Some(3584)
    );
}

/// The same events as ftrace prints them.
#[test]
fn flushes_of_ftrace_have_no_place() {
    let mut text = String::from("# tracer: nop\n");
    for n in 0..150 {
        let at = |us: u32| format!("  fio-5 [001] ..... 12.{n:03}{us:03}: ");
        text += &format!(
            "{}block_rq_issue: 8,16 WS 4096 () {} + 8 [fio]\n",
            at(1),
            n * 8
        );
        text += &format!(
            "{}block_rq_complete: 8,16 WS () {} + 8 [0]\n",
            at(90),
            n * 8
        );
        text += &format!(
            "{}block_rq_issue: 8,16 FF 0 () 18446744073709551615 + 0 [kworker/1:1H]\n",
            at(100)
        );
        text += &format!(
            "{}block_rq_complete: 8,16 FF () 18446744073709551615 + 0 [0]\n",
            at(150)
        );
        text += &format!(
            "{}block_rq_complete: 8,16 WS () {} + 0 [0]\n",
            at(160),
            n * 8 + 8
        );
    }
    let found = plain(text.as_bytes());
    assert_eq!((ios(&found, "write"), ios(&found, "flush")), (150, 150));
    assert_eq!(found.unpaired.without_issue, 0);
}

fn named(format: &str, offset_unit: Option<u32>) -> TraceSettings {
    TraceSettings {
        format: Some(format.to_owned()),
        hints: Hints {
            offset_unit,
            ..Hints::default()
        },
        ..TraceSettings::default()
    }
}

/// A guest behind sector 63, in the columns that Cydonia reads.
#[test]
fn cydonias_columns() {
    let row = |n: u64| {
        format!(
            "{},{},{},8192\n",
            n * 250,
            63 + n * 16,
            if n.is_multiple_of(4) { 'r' } else { 'w' }
        )
    };
    let text: String = (0..400).map(row).collect();
    for settings in [TraceSettings::default(), named("cydonia", None)] {
        let found = read(&settings, text.as_bytes());
        assert_eq!(found.files[0].format, "cydonia");
        assert_eq!((ios(&found, "read"), ios(&found, "write")), (100, 300));
        assert_eq!(found.alignment.offset_bytes, Some(3584));
        assert_eq!(found.duration_us, 399 * 250);
    }
}

/// Objects are sectors only where that is said.
#[test]
fn oracle_general_of_cloud_physics() {
    let request = |n: u64| {
        let mut out = u32::try_from(n / 50).unwrap().to_le_bytes().to_vec();
        out.extend((63 + n * 8).to_le_bytes());
        out.extend(4096_u32.to_le_bytes());
        out.extend((-1_i64).to_le_bytes());
        out
    };
    let bytes: Vec<u8> = (0..500).flat_map(request).collect();
    let found = read(&named("oraclegeneral", Some(512)), &bytes);
    assert_eq!(
        (ios(&found, "read"), found.alignment.offset_bytes),
        (500, Some(3584))
    );
    assert_eq!(found.duration_us, 9_000_000);
    let blocks = read(&named("oraclegeneral", Some(4096)), &bytes);
    assert_eq!(blocks.alignment.state, AlignmentState::Aligned);
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, &bytes).unwrap();
    let asked = summarize(
        &[path],
        &TraceSettings::default(),
        &TraceProgress::default(),
    );
    let asked = asked.map(|_| ()).unwrap_err().to_string();
    assert!(
        asked.contains("--as oraclegeneral --offset-unit 512"),
        "{asked}"
    );
}

/// Seconds, sectors, and codes as published.
#[test]
fn tencents_columns() {
    let row = |n: u64| {
        format!(
            "{},{},{},{},1063\n",
            1_538_323_200 + n / 100,
            63 + n * 33,
            16,
            n % 2
        )
    };
    let text: String = (0..1000).map(row).collect();
    let found = read(&named("tencent", None), text.as_bytes());
    assert_eq!((ios(&found, "read"), ios(&found, "write")), (500, 500));
    let write = &found.devices[0].by_op["write"];
    assert_eq!(write.size_histogram[0].bytes, 8192);
    assert_eq!(
        (found.alignment.state, found.alignment.offset_bytes),
        (AlignmentState::Misaligned, None)
    );
}

/// Times in seconds beside latencies in microseconds, as many exporters write them.
#[test]
fn latencies_in_a_unit_of_their_own() {
    let row = |n: u64| format!("{}.5,R,{},4096,250\n", n, n * 4096);
    let text: String = (0..200).map(row).collect();
    let mut settings = TraceSettings::default();
    settings.hints.columns = Some("time=0,op=1,offset=2,len=3,latency=4".to_owned());
    settings.hints.time_unit = Some(1_000_000_000);
    settings.hints.offset_unit = Some(1);
    settings.hints.latency_unit = Some(1000);
    let found = read(&settings, text.as_bytes());
    let latency = found.devices[0].by_op["read"].latency_us.unwrap();
    assert!((latency.mean - 250.0).abs() < 1e-6, "{latency:?}");
    assert_eq!(found.files[0].latency_source, "us");
}

fn message(text: &str) -> Vec<u8> {
    let mut out = record(2 | 1 << 26, 0, 0, 0);
    let len = u16::try_from(text.len()).unwrap();
    out[46..48].copy_from_slice(&len.to_le_bytes());
    out.extend(text.as_bytes());
    out
}

/// The wall clock at time 0.
fn started(seconds: u32) -> Vec<u8> {
    let mut out = record(1 | 1 << 26, 0, 0, 0);
    out[46..48].copy_from_slice(&8_u16.to_le_bytes());
    out.extend(seconds.to_le_bytes());
    out.extend(0_u32.to_le_bytes());
    out
}

fn writes() -> Vec<u8> {
    let io = |n: u64| {
        let sector = 63 + n * 8;
        let issue = record(ISSUE | WRITE, n * 1000, sector, 4096);
        [
            issue,
            record(COMPLETE | WRITE, n * 1000 + 500, sector, 4096),
        ]
        .concat()
    };
    (0..200).flat_map(io).collect()
}

/// `watch --record`, killed: no last message, and the last record in part.
#[test]
fn a_killed_record_says_so() {
    let whole = [started(5), message("ioalign: events follow"), writes()].concat();
    let ended = [whole.clone(), message("ioalign: 400 events, 7 dropped")].concat();
    let found = plain(&ended);
    assert_eq!(
        (found.files[0].cut_off.as_deref(), found.dropped),
        (None, 7)
    );
    for cut in [0, 20] {
        let found = plain(&whole[..whole.len() - cut]);
        let why = found.files[0].cut_off.as_deref().unwrap();
        assert!(why.contains("killed"), "{why}");
        assert_eq!(ios(&found, "write"), 200);
    }
    // blktrace's own records never have such messages.
    assert_eq!(plain(&writes()).files[0].cut_off, None);
}

#[test]
fn different_clocks_are_not_merged_silently() {
    let settings = TraceSettings::default();
    let of = |seconds| [started(seconds), writes()].concat();
    let doubt = |a: Vec<u8>, b: Vec<u8>| together(&settings, &[("a.0", a), ("b.0", b)]).clock_doubt;
    assert_eq!(doubt(of(1000), of(1000)), None);
    assert_eq!(doubt(of(1000), writes()), None);
    assert!(
        doubt(of(1000), of(1700)).unwrap().contains("11.7 min")
            || doubt(of(1000), of(1700)).unwrap().contains("700 s")
    );
    // Since the start of a trace, and since 1970.
    let rows = |from: u64| -> Vec<u8> {
        let row = |n: u64| format!("3,W,{},4096,{}\n", n * 4096, from + n * 1000);
        (0..200).map(row).collect::<String>().into_bytes()
    };
    assert!(doubt(writes(), rows(1_577_808_000_000_000)).is_some());
    // Two parts of one trace, an hour of a week.
    assert_eq!(doubt(rows(0), rows(60_000_000)), None);
    assert!(
        doubt(rows(0), rows(86_400_000_000))
            .unwrap()
            .contains("begins")
    );
}

/// A trace of vscsiStats is of one virtual disk, and does not name it.
#[test]
fn disks_of_vscsistats_are_apart() {
    let rows = |first: u64| -> Vec<u8> {
        let head = "#Vscsi Cmd Trace. (Trace Format Version 1)\n#Serial Number,IO Data Length,Num SG Entries,\
                    Command Type,LBN,Time Stamp (microseconds)\n";
        let row = |n: u64| format!("{n},4096,1,write,{},{}\n", first + n * 8, n * 100);
        let rows: String = (0..200).map(row).collect();
        [head, &rows].concat().into_bytes()
    };
    let found = together(
        &TraceSettings::default(),
        &[("scsi0:0.csv", rows(0)), ("scsi0:1.csv", rows(63))],
    );
    let names: Vec<_> = found
        .devices
        .iter()
        .map(|one| (&*one.device, one.alignment.offset_bytes))
        .collect();
    assert_eq!(names, [("scsi0:0.csv", None), ("scsi0:1.csv", Some(3584))]);
    assert_eq!(plain(&rows(0)).devices[0].device, "vscsi");
    // Both in one file, one after the other.
    let both = plain(&[rows(0), rows(63)].concat());
    let names: Vec<_> = both
        .devices
        .iter()
        .map(|one| (&*one.device, one.alignment.offset_bytes))
        .collect();
    assert_eq!(names, [("vscsi", None), ("vscsi, disk 2", Some(3584))]);
}

/// Overwrites of 1 MiB at +1536 through a page cache, as ftrace shows them below it: a page of each is read, and
/// everything is written later, in whole pages.
#[test]
fn a_page_cache_that_completes_pages_is_read_modify_write() {
    let mut text = String::from("# tracer: nop\n");
    let mut us = 0;
    let mut io = |op: &str, sector: u64, sectors: u64| {
        us += 400;
        let at = |us: u64| {
            format!(
                "  dd-5 [000] ..... {}.{:06}: ",
                us / 1_000_000,
                us % 1_000_000
            )
        };
        let bytes = sectors * 512;
        text += &format!(
            "{}block_rq_issue: 7,2 {op} {bytes} () {sector} + {sectors} [dd]\n",
            at(us)
        );
        text += &format!(
            "{}block_rq_complete: 7,2 {op} () {sector} + {sectors} [0]\n",
            at(us + 200)
        );
    };
    for n in 0..=600 {
        io("R", n * 2048, 8);
    }
    for n in 0..1200 {
        io("W", n * 1024, 1024);
    }
    let found = plain(text.as_bytes());
    assert_eq!(
        (found.alignment.state, ios(&found, "read")),
        (AlignmentState::Aligned, 601)
    );
    let above = found.devices[0].read_before_overwrite.unwrap();
    assert!(above.seen, "{above:?}");
    assert_eq!(
        (
            above.read_pages,
            above.overwritten_pages,
            above.reread_pages
        ),
        (601, 600, 0)
    );
    // The same writes, and reads of what is not written.
    let apart = text.replace(" R 4096 () ", " R 4096 () 9");
    assert!(
        !plain(apart.as_bytes()).devices[0]
            .read_before_overwrite
            .unwrap()
            .seen
    );
}

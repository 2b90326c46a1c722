//! What a device can free of its discards, against what was asked for and what its file lost.

use std::fs;
use std::os::unix::fs::MetadataExt;

use ioalign_core::discard::DiscardSplit;
use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{Memory, PROGRAM, Watching, permitted};

/// A loop device over memory frees pages.
const UNIT: u64 = 4096;
/// Each discard has a slot of its own, so that none touches what another frees.
const SLOT: u64 = 64 << 10;

/// Starts and lengths, all in sectors: on boundaries, off them, within one unit, up to the next one.
fn pieces() -> Vec<(u64, u64)> {
    let odd = [
        (0, 8),
        (0, 64),
        (1, 7),
        (1, 6),
        (1, 8),
        (3, 3),
        (5, 16),
        (8, 9),
        (7, 1),
        (63, 64),
        (2, 100),
    ];
    let all = (0_u64..).zip(odd.into_iter().cycle()).take(99);
    all.map(|(slot, (start, len))| (slot * SLOT + start * 512, len * 512))
        .collect()
}

fn discard(device: &str, pieces: &[(u64, u64)]) {
    for (start, len) in pieces {
        let (start, len) = (start.to_string(), len.to_string());
        tool("blkdiscard", &["-f", "-o", &start, "-l", &len, device]);
    }
}

fn allocated(disk: &Memory) -> u64 {
    fs::metadata(&disk.file).unwrap().blocks() * 512
}

/// Heads, tails and whole units of all pieces, on a device that begins `phase` bytes before a boundary.
fn expected(pieces: &[(u64, u64)], phase: u64) -> [u64; 3] {
    let splits = pieces
        .iter()
        .map(|(start, len)| DiscardSplit::of(*start, *len, UNIT, phase));
    splits.fold([0; 3], |[whole, lost, bytes], one| {
        let ends = one.head + one.tail;
        [whole + one.whole, lost + ends, bytes + one.whole + ends]
    })
}

fn counted(profile: &Value) -> [u64; 3] {
    let found = &profile["devices"][0]["discards"];
    let of = |key: &str| found[key].as_u64().unwrap();
    [
        of("whole_bytes"),
        of("head_bytes") + of("tail_bytes"),
        of("bytes"),
    ]
}

#[test]
fn what_is_counted_is_what_the_file_loses() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("discards", 16);
    fs::write(&disk.file, vec![7; 16 << 20]).unwrap();
    let pieces = pieces();
    let before = allocated(&disk);
    let watch = Watching::start(&[disk.name(), "--json"]);
    discard(disk.device.text(), &pieces);
    let profile = watch.profile();
    let found = &profile["devices"][0]["discards"];
    assert_eq!(counted(&profile), expected(&pieces, 0), "{found}");
    assert_eq!(found["granularity_bytes"], UNIT);
    assert_eq!(found["alignment_bytes"], 0);
    assert_eq!(before - allocated(&disk), found["whole_bytes"], "{found}");
    // The kernel cuts each at the first boundary and joins it again: one request each.
    let split = |(start, len): &(u64, u64)| DiscardSplit::of(*start, *len, UNIT, 0);
    let without = pieces.iter().filter(|piece| split(piece).whole == 0);
    assert_eq!(found["discards"], pieces.len());
    assert_eq!(found["nothing_freed"], without.count());
}

/// On a loop device that begins inside its file the boundaries are those of the file.
#[test]
fn a_loop_device_inside_its_file_is_counted_by_the_file() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("discards-inside", 16);
    fs::write(&disk.file, vec![7; 16 << 20]).unwrap();
    let inside = Loop::new(&disk.file, &["--offset", "512"]);
    let pieces = pieces();
    let before = allocated(&disk);
    let watch = Watching::start(&[inside.name(), "--json"]);
    discard(inside.text(), &pieces);
    let profile = watch.profile();
    let found = &profile["devices"][0]["discards"];
    assert_eq!(found["alignment_bytes"], UNIT - 512);
    assert_eq!(counted(&profile), expected(&pieces, UNIT - 512), "{found}");
    assert_eq!(before - allocated(&disk), found["whole_bytes"], "{found}");
}

/// Random trims of fio, in two watches: their merged profile is that of one watch over both; plain tracepoints count
/// the same, and what reads and writes alone is not spoken of.
#[test]
fn trims_of_fio_are_counted_by_every_means_and_merged() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("trims", 64);
    let file = format!("--filename={}", disk.device.text());
    let trim = |seed: &str| {
        let seed = format!("--randseed={seed}");
        let load = [
            "--name=t",
            "--rw=randtrim",
            "--bs=24k",
            "--blockalign=1536",
            "--number_ios=200",
        ];
        let more = ["--direct=1", "--ioengine=psync", "--size=48m", &file, &seed];
        tool("fio", &[&load[..], &more].concat());
    };
    let watched = |more: &[&str], seeds: &[&str]| {
        let watch = Watching::start(&[&[disk.name(), "--json"], more].concat());
        seeds.iter().for_each(|seed| trim(seed));
        watch.profile()
    };
    let folder = tempfile::tempdir().unwrap();
    let kept = ["1", "2"].map(|seed| {
        let path = folder.path().join(seed);
        fs::write(&path, watched(&[], &[seed]).to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let merged = tool(PROGRAM, &["trace", "merge", "--json", &kept[0], &kept[1]]);
    let merged: Value = serde_json::from_str(&merged).unwrap();
    let whole = watched(&[], &["1", "2"]);
    let discards = |profile: &Value| profile["devices"][0]["discards"].clone();
    assert_eq!(discards(&whole)["discards"], 400);
    assert_eq!(discards(&whole)["bytes"], 400 * 24 * 1024);
    assert!(discards(&whole)["head_bytes"].as_u64() > Some(0), "{whole}");
    assert_eq!(discards(&merged), discards(&whole));
    let plain = watched(&["--by", "tracepoint"], &["1", "2"]);
    // It may miss some, which is said: of what it counts it knows all.
    let trims = &plain["devices"][0]["by_op"]["discard"];
    assert_eq!(discards(&plain)["discards"], trims["ios"]);
    let of = |key: &str| discards(&plain)[key].as_u64().unwrap();
    assert_eq!(
        of("whole_bytes") + of("head_bytes") + of("tail_bytes"),
        trims["bytes"]
    );
    let watch = Watching::start(&[disk.name()]);
    tool(
        "fio",
        &[
            "--name=r",
            "--rw=randread",
            "--bs=4k",
            "--number_ios=50",
            "--size=1m",
            &file,
        ],
    );
    let text = watch.end();
    assert!(!text.contains("whole units"), "{text}");
}

//! The merged profile of parts is that of one run over all of them, and what is not is named.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ioalign_core::profile::{DeviceProfile, DiscardCounts, OpProfile, Profile};
use ioalign_observe::analyse::AnalysisSettings;
use ioalign_observe::merge::{MergeSettings, merge};
use ioalign_observe::{TraceProgress, TraceSettings, summarize};
use proptest::prelude::*;
use serde_json::Value;

/// A row of a table.
#[derive(Clone, Debug)]
struct Row {
    time: i64,
    op: &'static str,
    offset: u64,
    len: u32,
    latency: Option<u64>,
    device: usize,
    process: u32,
}

const OPS: [&str; 3] = ["read", "write", "discard"];
const HEADING: &str = "time_ns,op,offset_bytes,length_bytes,latency_ns,device,pid\n";

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let pause = prop_oneof![4 => 0..300_000_i64, 1 => 0..40_000_000_i64];
    let latency = prop_oneof![1 => Just(None), 9 => (1..4_000_000_u64).prop_map(Some)];
    let len = prop_oneof![
        Just(512_u32),
        Just(4096),
        Just(8192),
        Just(65536),
        Just(520)
    ];
    let row = (
        pause,
        0..3_usize,
        0..4000_u64,
        len,
        latency,
        0..3_usize,
        1..5_u32,
    );
    (0..90_000_000_i64, proptest::collection::vec(row, 1..160)).prop_map(|(first, rows)| {
        let mut time = first;
        let made = rows
            .into_iter()
            .map(|(pause, op, place, len, latency, device, process)| {
                time += pause;
                Row {
                    time,
                    op: OPS[op],
                    offset: place * 512,
                    len,
                    latency,
                    device,
                    process,
                }
            });
        made.collect()
    })
}

fn table(rows: &[&Row]) -> String {
    let line = |row: &&Row| {
        let latency = row
            .latency
            .map(|nanos| nanos.to_string())
            .unwrap_or_default();
        let Row {
            time,
            op,
            offset,
            len,
            device,
            process,
            ..
        } = row;
        format!("{time},{op},{offset},{len},{latency},sd{device},{process}\n")
    };
    let lines: String = rows.iter().map(line).collect();
    format!("{HEADING}{lines}")
}

fn settings() -> TraceSettings {
    TraceSettings {
        analysis: AnalysisSettings {
            burst_gap: 1_000_000,
            samplers: vec![1_000_000, 20_000_000],
            mergeable: true,
            ..AnalysisSettings::default()
        },
        devices_by_file: true,
        ..TraceSettings::default()
    }
}

fn profile(files: &[PathBuf]) -> Profile {
    summarize(files, &settings(), &TraceProgress::default())
        .unwrap()
        .into_profile()
}

/// The values of a profile, without those that are named.
fn values(mut profile: Profile, inexact: &BTreeSet<String>) -> Value {
    profile.source.clear();
    profile.inexact.clear();
    let mut all = serde_json::to_value(&profile).unwrap();
    for device in all["devices"].as_array_mut().unwrap() {
        device.as_object_mut().unwrap().remove("part");
        for path in inexact {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            match &mut device[first] {
                Value::Object(ops) if first == "by_op" => {
                    ops.values_mut().for_each(|op| op[rest] = Value::Null)
                }
                Value::Array(grids) if !rest.is_empty() => {
                    grids.iter_mut().for_each(|grid| grid[rest] = Value::Null)
                }
                Value::Object(of) if !rest.is_empty() => {
                    drop(of.insert(rest.to_owned(), Value::Null))
                }
                whole => *whole = Value::Null,
            }
        }
    }
    all
}

/// Fails at the first value that is another.
fn differ(at: &str, found: &Value, wanted: &Value) {
    match (found, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(
                a.keys().eq(b.keys()),
                "{at}: {:?} and {:?}",
                a.keys(),
                b.keys()
            );
            a.iter()
                .for_each(|(key, value)| differ(&format!("{at}.{key}"), value, &b[key]));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            a.iter()
                .zip(b)
                .enumerate()
                .for_each(|(i, (a, b))| differ(&format!("{at}[{i}]"), a, b));
        }
        _ => assert_eq!(found, wanted, "{at}"),
    }
}

/// Merges the parts that `part` makes, in two ways, and compares; returns the named values.
fn compare(rows: &[Row], parts: usize, part: impl Fn(usize, &Row) -> usize) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for number in 0..parts {
        let mine = rows
            .iter()
            .enumerate()
            .filter(|(at, row)| part(*at, row) == number);
        let mine: Vec<_> = mine.map(|(_, row)| row).collect();
        if !mine.is_empty() {
            let path = folder.path().join(format!("{number}.csv"));
            std::fs::write(&path, table(&mine)).unwrap();
            files.push(path);
        }
    }
    let whole = profile(&files);
    let of_parts: Vec<_> = files
        .iter()
        .map(|file| profile(std::slice::from_ref(file)))
        .collect();
    // Through JSON, as `trace merge` reads them.
    let read =
        |profile: &Profile| serde_json::from_str(&serde_json::to_string(profile).unwrap()).unwrap();
    let of_parts: Vec<Profile> = of_parts.iter().map(read).collect();
    let merged = merge(of_parts.clone(), MergeSettings::default());
    // As a tree, from the end.
    let keep = MergeSettings {
        mergeable: true,
        ..MergeSettings::default()
    };
    let mut tree = of_parts
        .into_iter()
        .rev()
        .reduce(|a, b| merge(vec![b, a], keep))
        .unwrap();
    tree = merge(vec![tree], MergeSettings::default());
    let named: BTreeSet<String> = merged.inexact.iter().map(|one| one.value.clone()).collect();
    let left_out = |profile: &Profile| values(profile.clone(), &named);
    differ("merged", &left_out(&merged), &left_out(&whole));
    differ("tree", &left_out(&tree), &left_out(&whole));
    named
}

const OF_ORDER: [&str; 4] = [
    "by_op.sequential_ratio",
    "grids.latency_ratio",
    "grids.read_before_write",
    "read_before_overwrite",
];
const OF_OVERLAP: [&str; 2] = ["inter_arrival", "queue_depth.max"];

fn within(named: &BTreeSet<String>, allowed: &[&str]) {
    let more: Vec<_> = named
        .iter()
        .filter(|one| !allowed.contains(&one.as_str()))
        .collect();
    assert!(more.is_empty(), "{more:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn parts_by_device_are_the_whole_and_nothing_is_inexact(rows in rows()) {
        within(&compare(&rows, 3, |_, row| row.device), &[]);
    }

    #[test]
    fn parts_by_time_are_the_whole(rows in rows(), parts in 2..4_usize) {
        let most = rows.len().div_ceil(parts);
        let named = compare(&rows, parts, |at, _| at / most);
        // I/Os in flight at a border make parts overlap.
        within(&named, &[&OF_ORDER[..], &OF_OVERLAP].concat());
    }

    #[test]
    fn parts_by_time_with_pauses_follow_each_other(rows in rows()) {
        let mut rows = rows;
        let half = rows.len() / 2;
        rows.iter_mut().skip(half).for_each(|row| row.time += 4_000_000);
        within(&compare(&rows, 2, |at, _| usize::from(at >= half)), &OF_ORDER);
    }

    #[test]
    fn parts_by_processor_are_the_whole(rows in rows(), seed in any::<u64>()) {
        let of = |at: usize| (seed.rotate_left(u32::try_from(at % 64).unwrap()) % 3) as usize;
        let named = compare(&rows, 3, |at, _| of(at));
        within(&named, &[&OF_ORDER[..], &OF_OVERLAP].concat());
    }

    #[test]
    fn parts_by_file_are_the_whole(rows in rows(), split in 1..40_u32) {
        // A file has some processes of all devices for some time.
        let named = compare(&rows, 4, |at, row| {
            usize::from(row.process % 2 == 0) + 2 * usize::from(at > split as usize)
        });
        within(&named, &[&OF_ORDER[..], &OF_OVERLAP].concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// Kept for a merge or not, all values are the same where the trace begins with a sample.
    #[test]
    fn one_run_is_the_same_with_what_a_merge_needs(rows in rows()) {
        let mut rows = rows;
        let first = rows[0].time;
        rows.iter_mut().for_each(|row| row.time -= first);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.csv");
        std::fs::write(&path, table(&rows.iter().collect::<Vec<_>>())).unwrap();
        let kept = profile(std::slice::from_ref(&path));
        let mut plain = settings();
        plain.analysis.mergeable = false;
        let plain = summarize(&[path], &plain, &TraceProgress::default()).unwrap().into_profile();
        prop_assert!(kept.devices.iter().all(|device| device.part.is_some()));
        differ("kept", &values(kept, &BTreeSet::new()), &values(plain, &BTreeSet::new()));
    }
}

#[test]
fn pairs_across_parts_and_profiles_without_parts_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let events = [
        "8,0 0 1 0.000000000 7 D R 8 + 8 [fio]\n8,0 0 2 0.100000000 7 D W 80 + 8 [fio]\n",
        "8,0 1 1 0.000500000 7 C R 8 + 8 [0]\n8,0 1 2 0.100700000 7 C W 80 + 8 [0]\n8,0 1 3 0.2 7 D R 8 + 8 [fio]\n",
    ];
    let mut parts = Vec::new();
    for (number, text) in events.iter().enumerate() {
        let path = folder.path().join(format!("{number}.txt"));
        std::fs::write(&path, text).unwrap();
        parts.push(profile(&[path]));
    }
    let named = |profiles: &[Profile]| -> BTreeSet<String> {
        let merged = merge(profiles.to_vec(), MergeSettings::default());
        merged.inexact.into_iter().map(|one| one.value).collect()
    };
    assert!(named(&parts).contains("by_op.latency_us"));
    parts[1].devices[0].part = None;
    assert!(named(&parts).is_superset(&["samplers".to_owned(), "bursts".to_owned()].into()));
}

/// A device with one operation, and what is known of its discards.
fn with_discards(op: &str, discards: Option<DiscardCounts>) -> Profile {
    let counted = OpProfile {
        ios: 3,
        ..OpProfile::default()
    };
    let device = DeviceProfile {
        device: "sda".to_owned(),
        by_op: [(op.to_owned(), counted)].into(),
        discards,
        ..DeviceProfile::default()
    };
    Profile {
        devices: vec![device],
        ..Profile::default()
    }
}

#[test]
fn discards_add_up_where_the_unit_is_one() {
    let counts = |granularity_bytes: u64, n: u64| DiscardCounts {
        granularity_bytes,
        alignment_bytes: 512,
        discards: 3 * n,
        bytes: 10 * n,
        whole_bytes: 5 * n,
        head_bytes: 3 * n,
        tail_bytes: 2 * n,
        nothing_freed: n,
    };
    let known = |unit: u64| with_discards("discard", Some(counts(unit, 1)));
    let merged = |parts: Vec<Profile>| {
        let merged = merge(parts, MergeSettings::default());
        let named = merged.inexact.iter().any(|one| one.value == "discards");
        (merged.devices[0].discards, named)
    };
    assert_eq!(merged(vec![known(4096)]), (Some(counts(4096, 1)), false));
    let both = vec![known(4096), known(4096)];
    assert_eq!(merged(both), (Some(counts(4096, 2)), false));
    let units = vec![known(4096), known(65536)];
    assert_eq!(merged(units), (None, true));
    for parts in [
        vec![known(4096), with_discards("read", None)],
        vec![with_discards("read", None), known(4096)],
    ] {
        assert_eq!(merged(parts), (Some(counts(4096, 1)), false));
    }
    for parts in [
        vec![known(4096), with_discards("discard", None)],
        vec![with_discards("discard", None), known(4096)],
    ] {
        assert_eq!(merged(parts), (None, true));
    }
}

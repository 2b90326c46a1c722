//! `ioalign watch` on Linux 6.1 in a microVM: requests, bios, plain tracepoints and text.

use std::path::Path;

use serde_json::Value;

use super::guest;

fn read(folder: &Path, name: &str) -> Value {
    let json = std::fs::read_to_string(folder.join(name).with_extension("json")).unwrap();
    let said = std::fs::read_to_string(folder.join(name).with_extension("txt")).unwrap_or_default();
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{name}: {error}: {said}"))
}

/// I/Os, bytes, I/Os with latency, starts by sector, on the grid of 8 KiB.
fn counted(profile: &Value, device: &str, op: &str) -> String {
    let devices = profile["devices"].as_array().unwrap();
    let device = devices
        .iter()
        .find(|one| one["device"] == device)
        .unwrap_or_else(|| panic!("{device}: {profile}"));
    let counters = &device["by_op"][op];
    let grids = device["grids"].as_array().unwrap();
    let grid = grids
        .iter()
        .find(|grid| grid["op"] == op && grid["size_bytes"] == 8192)
        .unwrap();
    format!(
        "{} {} {} {} {} {} {}",
        counters["ios"],
        counters["bytes"],
        counters["latency_us"]["ios"],
        counters["start_mod_4096"],
        grid["start_off_grid"],
        grid["straddling"],
        grid["cells_touched"],
    )
}

#[test]
fn an_older_kernel_counts_the_same() {
    needs!(Packages, Guest);
    let folder = tempfile::tempdir().unwrap();
    let said = guest::run("lab/live/watch.sh", folder.path());
    assert!(!said.contains("@@failed"), "{said}");
    let folder = folder.path().join("watch");
    let typed = read(&folder, "typed");
    assert_eq!(typed["dropped"], 0);
    // Each is of one control group, and of no file.
    for rows in ["groups", "files"] {
        let ios: u64 = typed["devices"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|device| device[rows].as_array().unwrap())
            .map(|row| row["ios"].as_u64().unwrap())
            .sum();
        assert_eq!(ios, typed["events"], "{rows}");
    }
    // 100 blocks of 8 KiB from sector 63 on: all off, all in two cells. 20 of 1536 bytes from sector 21
    // on: one begins at a multiple of 8 KiB, three lie in two cells.
    assert_eq!(
        counted(&typed, "nullb0", "write"),
        "120 849920 120 [3,2,2,3,2,3,3,102] 119 103 223"
    );
    assert_eq!(
        counted(&typed, "dm-0", "write"),
        "100 819200 100 [100,0,0,0,0,0,0,0] 0 0 100"
    );
    assert_eq!(
        counted(&typed, "nullb0", "read"),
        "50 204800 50 [50,0,0,0,0,0,0,0] 25 0 50"
    );
    assert_eq!(
        counted(&typed, "ram0", "read"),
        "30 368640 30 [30,0,0,0,0,0,0,0] 15 0 60"
    );
    // What the driver gives back and gets again is one I/O.
    let busy = read(&folder, "busy");
    let counters = &busy["devices"][0]["by_op"]["write"];
    assert_eq!(counters["ios"], 60, "{busy}");
    assert_eq!(counters["latency_us"]["ios"], 60);
    let back = busy["unpaired"]["requeued"].as_u64().unwrap();
    assert!(back > 0, "no request was given back");
    assert_eq!(busy["devices"][0]["grids"][0]["start_off_grid"], 30);
    let recorded = read(&folder, "busy-trace");
    assert_eq!(recorded["unpaired"]["requeued"], back);
    assert_eq!(recorded["devices"][0]["by_op"]["write"]["ios"], 60);
    for way in ["busy-plain", "busy-text"] {
        let busy = read(&folder, way);
        let counters = &busy["devices"][0]["by_op"]["write"];
        assert_eq!(
            (&counters["ios"], &counters["bytes"]),
            (&60.into(), &491_520.into()),
            "{way}: {busy}"
        );
        assert!(busy["unpaired"]["requeued"].as_u64() > Some(0), "{way}");
    }
    // Every other way of looking sees the same of the disk below.
    let trace = read(&folder, "trace");
    for op in ["read", "write"] {
        let truth = counted(&typed, "nullb0", op);
        assert_eq!(
            counted(&read(&folder, "plain"), "nullb0", op),
            truth,
            "plain tracepoints"
        );
        assert_eq!(
            counted(&read(&folder, "text"), "nullb0", op),
            truth,
            "the text of tracefs"
        );
        assert_eq!(counted(&trace, number(&trace), op), truth, "the record");
        for name in ["parquet", "blk"] {
            let trace = read(&folder, name);
            assert_eq!(counted(&trace, number(&trace), op), truth, "{name}");
        }
    }
}

/// The disk below, as a record names it: it alone has reads and writes.
fn number(trace: &Value) -> &str {
    let devices = trace["devices"].as_array().unwrap();
    let with_both = devices
        .iter()
        .find(|device| device["by_op"].as_object().unwrap().len() == 2);
    with_both.unwrap()["device"].as_str().unwrap()
}

//! `measure compare`.

use super::{SIZE, arms, compared, measure};

const QUICK: &str = "--time 300ms --depth 1";

#[test]
fn every_arm_has_levels_and_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("compare t.dat --size {SIZE} --offsets 0,512,1536 {QUICK}");
    let value = compared(folder.path(), &line);
    assert_eq!(
        arms(&value),
        [("aligned", 0), ("+512", 512), ("+1536", 1536)]
    );
    let cell = &value["cells"][0];
    assert_eq!(
        (&cell["op"], &cell["block_bytes"]),
        (&"read".into(), &4096.into())
    );
    let levels = cell["levels"].as_array().unwrap();
    assert!(
        levels
            .iter()
            .all(|level| level["latency_p50_us"].as_f64().unwrap() > 0.0)
    );
    let medians = cell["estimates"].as_array().unwrap().iter();
    assert_eq!(
        medians
            .filter(|one| one["metric"] == "latency_median")
            .count(),
        2
    );
    assert!(cell["placebo"]["ratio"].as_f64().is_some());
}

#[test]
fn reads_by_default_and_both_depths() {
    let folder = tempfile::tempdir().unwrap();
    let value = compared(
        folder.path(),
        &format!("compare t.dat --size {SIZE} --time 100ms"),
    );
    let cells = value["cells"].as_array().unwrap();
    let kinds: Vec<_> = cells
        .iter()
        .map(|cell| (&cell["op"], &cell["queue_depth"]))
        .collect();
    assert_eq!(
        kinds,
        [(&"read".into(), &1.into()), (&"read".into(), &16.into())]
    );
    assert_eq!(arms(&value).len(), 4);
}

#[test]
fn a_file_that_it_made_is_written_with_leave() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("compare t.dat --size {SIZE} --write {QUICK} --offsets 0,512 --sizes 64k");
    let value = compared(folder.path(), &line);
    let ops: Vec<_> = value["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| &cell["op"])
        .collect();
    assert_eq!(ops, ["read", "write"]);
    let again = compared(folder.path(), &line);
    assert_eq!(again["cells"].as_array().unwrap().len(), 2);
}

#[test]
fn the_writes_of_fio_at_1536_in_one_command() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        "compare t.dat --size 32M --write --workload fio-1m-writes --offsets 0,1536 --time 400ms";
    let value = compared(folder.path(), line);
    let cell = &value["cells"][0];
    assert_eq!(
        (&cell["block_bytes"], &cell["workers"]),
        (&(1 << 20).into(), &4.into())
    );
    assert_eq!(cell["op"], "write");
    // A build without optimisation makes data so slowly that no round need be complete.
    assert_eq!(arms(&value), [("aligned", 0), ("+1536", 1536)]);
    assert!(cell["ios"].as_u64().unwrap() > 0);
}

#[test]
fn two_targets() {
    let folder = tempfile::tempdir().unwrap();
    let made = format!("compare b.dat --size {SIZE} {QUICK}");
    compared(folder.path(), &made);
    let line = format!("compare a.dat --size {SIZE} --vs b.dat {QUICK}");
    let value = compared(folder.path(), &line);
    assert_eq!(arms(&value), [("a.dat", 0), ("b.dat", 0)]);
    assert_eq!(value["arms"][1]["target"], "b.dat");
}

#[test]
fn text_and_rows() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("compare t.dat --size {SIZE} --offsets 0,512 {QUICK}");
    let text = String::from_utf8(measure(folder.path(), &line).stdout).unwrap();
    for part in [
        "t.dat",
        "4 KiB random read, 1 in flight",
        "median latency",
        "placebo",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let rows = measure(folder.path(), &format!("{line} --format csv"));
    let rows = String::from_utf8(rows.stdout).unwrap();
    assert!(rows.starts_with("target,block_bytes,op,"), "{rows}");
    let quiet = measure(folder.path(), &format!("{line} -q"));
    assert!(String::from_utf8(quiet.stdout).unwrap().lines().count() <= 2);
}

//! `measure compare`.

use ioalign_testkit::Loop;

use serde_json::Value;

use super::{SIZE, arms, compared, measure, notes, stated};

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

/// A page of 4 KiB is the least that such a disk takes: the offsets of the default are counted in its sectors.
#[test]
fn a_default_run_on_sectors_of_4_kib() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk");
    let file = std::fs::File::create(&image).unwrap();
    file.set_len(16 << 20).unwrap();
    let disk = Loop::new(&image, &["-b", "4096"]);
    let line = format!("compare {} --time 100ms", disk.text());
    let value = compared(folder.path(), &line);
    let offsets: Vec<_> = arms(&value).iter().map(|arm| arm.1).collect();
    assert_eq!(offsets, [0, 4096, 3 * 4096, 63 * 4096]);
    assert!(notes(&value).contains("+512, +1536, +32256 cannot be reached"));
    // What was typed is meant.
    let typed = measure(folder.path(), &format!("{line} --offsets 0,512"));
    assert_eq!(typed.status.code(), Some(64), "{typed:?}");
    let line = format!(
        "matrix {} --ramp 0 --time 60ms --patterns random",
        disk.text()
    );
    let value = compared(folder.path(), &line);
    let cells = value["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 7, "{cells:?}");
    assert!(notes(&value).contains("1 KiB random read is left out"));
}

#[test]
fn what_was_not_written_and_how_long_it_takes_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("compare t.dat --size {SIZE} --time 100ms --depth 1 --offsets 0,512");
    let output = measure(folder.path(), &line);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("writes were not measured"), "{text}");
    assert!(
        text.contains("--write measures them (and --destroy-data TARGET"),
        "{text}"
    );
    let said = stated(&output);
    assert!(said.contains("1 cell: at most about 0.1 s"), "{said}");
    let value = compared(folder.path(), &format!("{line} --write"));
    assert!(!notes(&value).contains("not measured"));
    let value = compared(folder.path(), &format!("{line} --ops read"));
    assert!(!notes(&value).contains("not measured"));
}

/// The region of equivalence is so wide that an answer comes at once.
#[test]
fn a_quick_answer_shares_its_time_among_the_cells() {
    let folder = tempfile::tempdir().unwrap();
    let wide = "--rope 90% --no-saturate --offsets 0,512";
    let made = format!("run t.dat --size {SIZE} --time 10ms --ramp 0");
    assert!(measure(folder.path(), &made).status.success());
    let output = measure(folder.path(), &format!("compare t.dat --quick {wide}"));
    assert!(
        stated(&output).contains("2 cells of at most 4 s: at most about 8 s"),
        "{output:?}"
    );
    let value = compared(folder.path(), &format!("matrix t.dat --quick {wide}"));
    let cells = value["cells"].as_array().unwrap();
    let sizes: Vec<_> = cells.iter().map(|cell| &cell["block_bytes"]).collect();
    assert_eq!(sizes, [&Value::from(4096), &Value::from(65536)]);
    let notes = notes(&value);
    assert!(notes.contains("--quick leaves out 1 KiB, 8 KiB"), "{notes}");
    assert!(notes.contains("sequential order"), "{notes}");
    let typed = measure(folder.path(), "compare t.dat --quick --time 1s");
    assert_eq!(typed.status.code(), Some(64), "{typed:?}");
    // A name that leads nowhere is no wish for a gibibyte.
    for verb in ["compare", "matrix"] {
        let output = measure(folder.path(), &format!("{verb} none.dat --quick"));
        assert_eq!(output.status.code(), Some(65), "{output:?}");
        assert!(!folder.path().join("none.dat").exists());
    }
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
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let rows = measure(folder.path(), &format!("{line} --format csv"));
    let rows = String::from_utf8(rows.stdout).unwrap();
    assert!(rows.starts_with("target,block_bytes,op,"), "{rows}");
    let quiet = measure(folder.path(), &format!("{line} -q"));
    assert!(String::from_utf8(quiet.stdout).unwrap().lines().count() <= 2);
}

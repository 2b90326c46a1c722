//! `--before`: the same cells again.

use std::path::{Path, PathBuf};

use ioalign_testkit::Loop;
use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{SIZE, arms, compared, measure, stated};

const QUICK: &str = "--time 200ms --depth 1 --offsets 0,512";

fn keep(folder: &Path, value: &Value) {
    std::fs::write(folder.join("before.json"), value.to_string()).unwrap();
}

#[test]
fn a_file_has_numbers_of_two_times() {
    let folder = tempfile::tempdir().unwrap();
    let then = compared(
        folder.path(),
        &format!("compare t.dat --size {SIZE} {QUICK} --sizes 8k"),
    );
    keep(folder.path(), &then);
    let value = compared(
        folder.path(),
        "compare t.dat --before before.json --time 200ms",
    );
    assert_eq!(arms(&value), arms(&then));
    assert_eq!(value["cells"][0]["block_bytes"], 8192);
    let before = &value["before"];
    assert_eq!(before["interleaved"], false);
    let changes = before["changes"].as_array().unwrap();
    let median = changes
        .iter()
        .find(|one| one["metric"] == "latency_median")
        .unwrap();
    assert_eq!(
        median["before"],
        then["cells"][0]["levels"][0]["latency_p50_us"]
    );
    assert_eq!(
        median["after"],
        value["cells"][0]["levels"][0]["latency_p50_us"]
    );
}

/// The same file, on a machine that was so busy the first time that every level was 3.5 times what it is now.
#[test]
fn levels_of_an_unchanged_target_have_no_word_and_no_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "compare t.dat --size {SIZE} --time 300ms --depth 1 --offsets 0,4096 --no-saturate"
    );
    let mut then = compared(folder.path(), &line);
    for level in then["cells"][0]["levels"].as_array_mut().unwrap() {
        let median = level["latency_p50_us"].as_f64().unwrap();
        level["latency_p50_us"] = (median * 3.5).into();
    }
    keep(folder.path(), &then);
    let again = "compare t.dat --before before.json --time 300ms --no-saturate";
    let value = compared(folder.path(), again);
    let changes = value["before"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 2, "{changes:?}");
    for change in changes {
        assert_eq!(change["verdict"], "undecided", "{change}");
        assert!(change["ratio_low"].is_null() && change["ratio_high"].is_null());
    }
    let output = measure(folder.path(), again);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("undecided: nothing says whether"), "{text}");
    let (_, table) = text.split_once("Against before.json").unwrap();
    let (table, _) = table.split_once("4 KiB random read, ").unwrap();
    for word in ["slower", "faster", "%"] {
        assert!(!table.contains(word), "{word}: {table}");
    }
}

#[test]
fn the_second_run_is_like_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "compare t.dat --size {SIZE} {QUICK} --write --ops write --cold --buffered --compressible 50%"
    );
    let then = compared(folder.path(), &line);
    keep(folder.path(), &then);
    let again = "compare t.dat --before before.json --write --time 200ms";
    let value = compared(folder.path(), again);
    assert_eq!(value["conditions"], then["conditions"]);
    assert_eq!(value["conditions"]["cold"], true);
    assert_eq!(value["conditions"]["data"]["compressible_ratio"], 0.5);
    // What is typed otherwise is reported.
    let value = compared(folder.path(), &format!("{again} --compressible 0"));
    let notes = value["notes"].to_string();
    assert!(
        notes.contains("not as in before.json: what is written"),
        "{notes}"
    );
}

#[test]
fn what_is_no_comparison_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("compare t.dat --size {SIZE} --before before.json");
    for (content, word) in [
        ("", "no comparison"),
        ("{}", "no comparison"),
        (
            "{\"schema\":\"ioalign.check/1\",\"tool\":\"\",\"machine\":{},\"targets\":[]}",
            "no comparison",
        ),
    ] {
        std::fs::write(folder.path().join("before.json"), content).unwrap();
        let output = measure(folder.path(), &line);
        assert_eq!(output.status.code(), Some(65), "{content}: {output:?}");
        assert!(
            stated(&output).contains(word),
            "{content}: {}",
            stated(&output)
        );
    }
}

/// The first partition of a loop device; all is released when this goes.
struct Partition {
    whole: Loop,
    node: PathBuf,
    made: bool,
}

impl Partition {
    /// Where sfdisk lays it: at this sector.
    fn new(disk: &Path, sector: u64) -> Self {
        let script = format!(
            "echo 'start={sector}, size=20480' | sfdisk --quiet --no-reread {}",
            disk.display()
        );
        tool("sh", &["-c", &script]);
        let whole = Loop::new(disk, &[]);
        let node = PathBuf::from(format!("{}p1", whole.text()));
        let made = !node.exists();
        let partition = Self { whole, node, made };
        // Not every kernel reads tables by itself.
        tool("partx", &["--update", partition.whole.text()]);
        if made && !partition.node.exists() {
            partition.make_node();
        }
        partition
    }

    /// Without udev nobody else does.
    fn make_node(&self) {
        let name = self.node.file_name().unwrap().to_str().unwrap();
        let number = std::fs::read_to_string(format!("/sys/class/block/{name}/dev")).unwrap();
        let (major, minor) = number.trim().split_once(':').unwrap();
        tool("mknod", &[self.node.to_str().unwrap(), "b", major, minor]);
    }
}

impl Drop for Partition {
    fn drop(&mut self) {
        if self.made {
            let _ = std::fs::remove_file(&self.node);
        }
    }
}

/// Partitions of loop devices need root.
#[test]
fn a_partition_that_moved_is_compared_with_its_old_place_in_one_run() {
    needs!(Packages, Root);
    assert!(
        rustix::process::geteuid().is_root(),
        "this test makes loop devices: it needs root"
    );
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    std::fs::File::create(&disk)
        .unwrap()
        .set_len(32 << 20)
        .unwrap();
    let old = Partition::new(&disk, 63);
    let then = compared(
        folder.path(),
        &format!("compare {} {QUICK}", old.node.display()),
    );
    assert_eq!(then["arms"][0]["start_bytes"], 32256);
    // Not aligned, and not called so.
    assert_eq!(arms(&then), [("+0", 0), ("+512", 512)]);
    keep(folder.path(), &then);
    drop(old);
    let new = Partition::new(&disk, 2048);
    let line = format!(
        "compare {} --before before.json --time 1s",
        new.node.display()
    );
    let value = compared(folder.path(), &line);
    // 1 MiB and 32256 bytes have the phase of sector 63.
    assert_eq!(arms(&value), [("before", 32256), ("now", 0)]);
    assert_eq!(value["arms"][1]["start_bytes"], 1 << 20);
    assert_eq!(value["before"]["interleaved"], true);
    assert_eq!(value["before"]["start_bytes"], 32256);
    let estimate = &value["cells"][0]["estimates"][0];
    assert_eq!(
        (&estimate["arm"], &estimate["baseline"]),
        (&"now".into(), &"before".into())
    );
}

//! `ioalign lab`: experiments in a guest of their own, and the ways in which they fail.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use ioalign_testkit::device::MountGuard;
use ioalign_testkit::run::wait_until;
use serde_json::Value;

use super::{PROGRAM, schema};

/// The caches of other runs are left alone, and leave these alone.
fn lab(cache: &Path, arguments: &[&str]) -> Command {
    named_lab(Path::new(PROGRAM), cache, arguments)
}

fn named_lab(program: &Path, cache: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .arg("lab")
        .args(arguments)
        .env("XDG_CACHE_HOME", cache);
    command
}

fn json(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// Runs the small size; all that was predicted has to be so. The program has another name, as a downloaded one may have.
fn quick(name: &str) -> Value {
    let cache = tempfile::tempdir().unwrap();
    let program = cache.path().join("ioalign-linux-x86_64");
    std::fs::copy(PROGRAM, &program).unwrap();
    let arguments = ["run", name, "--quick", "--json"];
    let mut command = named_lab(&program, cache.path(), &arguments);
    let output = command.output().unwrap();
    let document = json(&output);
    schema::valid(&document, "lab-1.schema.json");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{document:#}\n{said}");
    assert_eq!(document["timing"], "virtual");
    assert_eq!(document["accelerator"], "tcg");
    document
}

/// Predicted and counted, within a point.
fn straddles(document: &Value) -> f64 {
    let predicted = document["predicted_straddle_ratio"].as_f64().unwrap();
    let watched = document["watched_straddle_ratio"].as_f64().unwrap();
    assert!((predicted - watched).abs() <= 0.01, "{predicted} {watched}");
    predicted
}

#[test]
fn scenarios_of_raid_10_are_as_predicted() {
    needs!(Packages, Guest);
    let document = quick("raid10-six-scenarios");
    assert_eq!(straddles(&document), 0.25);
    for one in document["summary"].as_array().unwrap() {
        let gain = one["gain_ratio"].as_f64().unwrap();
        assert!((1.15..1.30).contains(&gain), "{one}");
    }
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 4);
    for cell in cells {
        let of = |key: &str| cell[key].as_f64().unwrap();
        let fewest = if cell["op"] == "read" { 1.0 } else { 2.0 };
        let more = of("disk_ios_per_io") / fewest - 1.0;
        assert!(
            (more - of("watched_straddle_ratio")).abs() < 0.005,
            "{cell}"
        );
    }
}

#[test]
fn a_guest_in_a_host_is_as_predicted() {
    needs!(Packages, Guest);
    let document = quick("guest-in-host");
    assert_eq!(straddles(&document), 0.25);
    let gain = document["summary"][0]["gain_ratio"].as_f64().unwrap();
    assert!((1.12..1.30).contains(&gain), "{gain}");
}

#[test]
fn a_disk_with_a_bogus_hint_is_as_predicted() {
    needs!(Packages, Guest);
    let document = quick("bogus-opt-io");
    assert_eq!(straddles(&document), 1.0);
    // Nothing is charged there.
    let gain = document["summary"][0]["gain_ratio"].as_f64().unwrap();
    assert!((0.98..1.02).contains(&gain), "{gain}");
}

#[test]
fn names_and_experiments_are_listed() {
    let cache = tempfile::tempdir().unwrap();
    let output = lab(cache.path(), &["list", "--json"]).output().unwrap();
    let list = json(&output);
    let names: Vec<_> = list["experiments"].as_array().unwrap().iter().collect();
    assert!(
        names
            .iter()
            .any(|one| one["name"] == "raid10-six-scenarios")
    );
    assert!(
        names
            .iter()
            .all(|one| one["about"].is_string() && one["quick_seconds"].is_u64())
    );
    let output = lab(cache.path(), &["run", "raid11"]).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("raid5-small-writes"));
}

/// An experiment that fails in its own way: what is said of it, and the code.
fn fails(cache: &Path, text: &str, arguments: &[&str], path: Option<&Path>) -> String {
    let file = cache.join("own.toml");
    std::fs::write(&file, text).unwrap();
    let mut command = lab(cache, &["run", file.to_str().unwrap()]);
    command.args(arguments);
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(65), "{said}");
    assert!(!is_running(cache), "{said}");
    said
}

/// Whether a process still has a file of this folder on its command line.
fn is_running(cache: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    let cache = cache.to_str().unwrap();
    lines.any(|line| {
        let line = String::from_utf8_lossy(&line);
        line.contains("qemu") && line.contains(cache)
    })
}

const OWN: &str = "about = \"own\"\nseeds = [1]\nseconds = 1\nquick = { takes_seconds = 1 }\n\
    guest = { disks = \"spindles 1 5000\", modules = [\"null_blk\"], programs = [\"sfdisk\"], memory_mib = 1024 }\n\
    [[arm]]\nname = \"one\"\nlayers = [\"partition 63\"]\nverdict = \"ok\"\n";

#[test]
fn guests_that_fail_say_why_and_leave_nothing() {
    needs!(Packages, Guest);
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path();
    let text = OWN.replace("partition 63", "sandwich");
    let said = fails(cache, &text, &[], None);
    assert!(said.contains("layer_sandwich"), "{said}");
    let said = fails(
        cache,
        &OWN.replace("null_blk\"]", "no_such_blk\"]"),
        &[],
        None,
    );
    assert!(said.contains("has no module no_such_blk"), "{said}");
    let said = fails(cache, OWN, &["--timeout", "1s"], None);
    assert!(said.contains("1 s"), "{said}");
    let said = fails(cache, &OWN.replace("1024", "100"), &[], None);
    assert!(said.contains("end of its console"), "{said}");
    let said = fails(
        cache,
        &OWN.replace("sfdisk\"]", "no-such-program\"]"),
        &[],
        None,
    );
    assert!(said.contains("no-such-program"), "{said}");
    let said = fails(cache, OWN, &[], Some(&without("qemu-system-x86_64", cache)));
    assert!(said.contains("qemu-system-x86_64 is missing"), "{said}");
    let kept: Vec<_> = std::fs::read_dir(cache.join("ioalign/lab/runs"))
        .unwrap()
        .collect();
    assert!(kept.is_empty(), "{kept:?}");
}

/// A folder with what a guest needs of this machine, without one program.
fn without(program: &str, folder: &Path) -> PathBuf {
    let path = folder.join("path");
    std::fs::create_dir(&path).unwrap();
    for folder in ["/usr/bin", "/usr/sbin"] {
        for file in std::fs::read_dir(folder).unwrap().flatten() {
            if file.file_name() != program {
                let _ = std::os::unix::fs::symlink(file.path(), path.join(file.file_name()));
            }
        }
    }
    path
}

#[test]
fn an_interrupted_run_leaves_no_guest() {
    needs!(Packages, Guest);
    let folder = tempfile::tempdir().unwrap();
    for signal in ["INT", "KILL"] {
        let mut run = lab(folder.path(), &["run", "raid10-six-scenarios", "--quick"]);
        let mut child = run
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("QEMU runs", || is_running(folder.path()));
        send(signal, &child);
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), (signal == "INT").then_some(130));
        wait_until("QEMU ends", || !is_running(folder.path()));
    }
}

/// Two loads of a second.
const LOADS: &str = "[[load]]\nname = \"reads, {depth}\"\nop = \"read\"\n\
    run = \"measure read random 4k {depth} {seconds} {seed}\"\neach = { depth = [\"1\", \"2\"] }\n";

#[test]
fn a_run_that_was_stopped_goes_on_behind_its_last_cell() {
    needs!(Packages, Guest);
    for signal in ["INT", "KILL"] {
        goes_on_after(signal);
    }
}

fn goes_on_after(signal: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, format!("{OWN}{LOADS}")).unwrap();
    let run = || lab(folder.path(), &["run", file.to_str().unwrap()]);
    let mut child = run()
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stderr.take().unwrap());
    let mut lines = said.lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line.contains("reads, 1, seed 1")));
    send(signal, &child);
    let said: Vec<_> = lines.collect();
    assert_eq!(
        child.wait().unwrap().code(),
        (signal == "INT").then_some(130)
    );
    let kept = said
        .iter()
        .any(|line| line.contains("finished cells are kept"));
    assert_eq!(kept, signal == "INT", "{said:?}");
    wait_until("QEMU ends", || !is_running(folder.path()));
    let output = run().output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("booting, 1 loads"), "{said}");
    assert!(
        said.contains("reads, 2, seed 1") && !said.contains("reads, 1,"),
        "{said}"
    );
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("reads, 1") && said.contains("reads, 2"),
        "{said}"
    );
    let output = run().output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("done before"));
}

fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &id])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn a_full_disk_is_named_and_nothing_is_left() {
    needs!(Packages, Guest, Root);
    let folder = tempfile::tempdir().unwrap();
    let point = folder.path().join("small");
    let small = MountGuard::new(&["-t", "tmpfs", "-o", "size=4m", "none"], &point);
    let said = fails(&point, OWN, &[], None);
    assert!(said.contains("No space left on device"), "{said}");
    assert!(said.contains(point.to_str().unwrap()), "{said}");
    let cache = point.join("ioalign/lab");
    let left: Vec<_> = std::fs::read_dir(&cache)
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .filter(|name| name != "runs")
        .collect();
    assert!(left.is_empty(), "{left:?}");
    drop(small);
}

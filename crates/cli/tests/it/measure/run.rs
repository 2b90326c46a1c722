//! `measure run`: what it says was sent is what was sent.

use serde_json::Value;

use super::{SIZE, document, measure, valid};

fn load(folder: &std::path::Path, arguments: &str) -> Value {
    let output = measure(folder, &format!("run {arguments} --json"));
    document(&output, "load-1.schema.json", &[0])
}

#[test]
fn the_profile_counts_what_the_report_counts() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "blender-70-30 t.dat --size {SIZE} --write --offset 512 --ramp 0 --time 300ms --profile-out p.json"
    );
    let value = load(folder.path(), &line);
    let ops = &value["steps"][0]["by_op"];
    let profile = std::fs::read(folder.path().join("p.json")).unwrap();
    let profile: Value = serde_json::from_slice(&profile).unwrap();
    valid(&profile, "profile.json");
    assert_eq!(profile["source"], "measure");
    let device = &profile["devices"][0];
    assert_eq!(device["device"], "t.dat");
    for op in ["read", "write"] {
        let (sent, counted) = (&ops[op], &device["by_op"][op]);
        assert_eq!(
            (&sent["ios"], &sent["bytes"]),
            (&counted["ios"], &counted["bytes"]),
            "{op}"
        );
        // All of them begin one sector past a block.
        assert_eq!(counted["start_mod_4096"][1], sent["ios"], "{op}");
        assert!(sent["latency_us"]["mean"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(device["processes"][0]["name"], "ioalign");
    assert_eq!(device["alignment"]["state"], "misaligned");
}

#[test]
fn a_job_file_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let job = "name = \"pages and log\"\n[all]\nramp = \"0\"\nrun = \"150ms\"\n\
               [[step]]\nname = \"pages\"\nsizes = \"16k\"\ndepth = 8\n\
               [[step]]\nname = \"log\"\nsizes = \"4k\"\nop = \"write\"\npattern = \"sequential\"\n\
               fsync_every_writes = 4\n";
    std::fs::write(folder.path().join("job.toml"), job).unwrap();
    let value = load(
        folder.path(),
        &format!("job.toml t.dat --size {SIZE} --write"),
    );
    let steps = value["steps"].as_array().unwrap();
    assert_eq!(value["job"], "pages and log");
    assert_eq!(steps.len(), 2);
    assert!(steps[0]["by_op"]["write"].is_null() && steps[1]["by_op"]["read"].is_null());
    let writes = steps[1]["by_op"]["write"]["ios"].as_u64().unwrap();
    let flushes = steps[1]["flushes"].as_u64().unwrap();
    assert!(
        writes / 4 <= flushes + 1 && flushes <= writes / 4 + 1,
        "{writes} {flushes}"
    );
}

#[test]
fn a_report_like_that_of_fio() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("run t.dat --size {SIZE} --ramp 0 --time 200ms");
    let output = measure(folder.path(), &line);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "4 KiB random read, 16 in flight",
        "I/Os/s",
        "99.9 %",
        "processor",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
}

#[test]
fn a_folder_is_many_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    let value = load(folder.path(), "files --size 16M --ramp 0 --time 100ms");
    assert!(value["steps"][0]["by_op"]["read"]["ios"].as_u64().unwrap() > 0);
    let files = std::fs::read_dir(folder.path().join("files"))
        .unwrap()
        .count();
    assert_eq!(files, 64);
}

#[test]
fn what_is_typed_wins_over_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "sysbench-fileio t.dat --size {SIZE} --write --ramp 0 --time 50ms --sizes 4k:70,16k:30 --op read-70 \
         --pattern zipf:1.1 --align 16k --offset 512 --depth 4 --workers 2 --fsync 8 --rate 4000"
    );
    let value = load(folder.path(), &line.replace('\\', ""));
    for step in value["steps"].as_array().unwrap() {
        let workload = &step["workload"];
        assert_eq!(workload["sizes"][1]["bytes"], 16384);
        assert_eq!(workload["sizes"][1]["weight"], 30);
        assert_eq!(workload["read_ratio"], 0.7);
        assert_eq!(workload["pattern"]["zipf"]["theta"], 1.1);
        assert_eq!(
            (&workload["align_bytes"], &workload["offset_bytes"]),
            (&16384.into(), &512.into())
        );
        assert_eq!(
            (&workload["queue_depth"], &workload["workers"]),
            (&4.into(), &2.into())
        );
        assert_eq!(
            (&workload["fsync_every_writes"], &workload["rate_iops"]),
            (&8.into(), &4000.0.into())
        );
        // 200 in 50 ms, and what may be made up for.
        let ios = |op: &str| step["by_op"][op]["ios"].as_u64().unwrap_or(0);
        assert!(ios("read") + ios("write") < 1000, "{step}");
    }
    let output = measure(
        folder.path(),
        "run t.dat --sizes 4k:70,16k:30 --rate 1000 --align 16k --ramp 0 --time 10ms",
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let title = "4 KiB (70 %) and 16 KiB (30 %) random read, 16 in flight, at multiples of 16 KiB";
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(title) && words.contains("at most 1,000 I/Os/s"),
        "{text}"
    );
    // The machine, as every report has it.
    assert!(text.lines().nth(1).unwrap().contains("load "), "{text}");
}

/// How often a load is compared. A direct write to a page that another program is reading right then becomes several by
/// way of the page cache: then the round says nothing.
const ROUNDS: usize = 8;
/// I/Os in flight.
const DEPTH: u64 = 4;
/// The longest I/O.
const LONGEST: u64 = 24576;

/// I/Os and bytes that the kernel counted: reads are the first four words, writes the next. It merges an I/O with the
/// one before where they touch, and counts such apart.
fn counted(name: &str, op: &str) -> (u64, u64) {
    let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let words = text.split_whitespace();
    let all: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    let at = if op == "read" { 0 } else { 4 };
    (all[at] + all[at + 1], all[at + 2] * 512)
}

/// I/Os and bytes that the kernel counted beside those of a profile.
fn beside(device: &ioalign_testkit::Loop, folder: &std::path::Path, op: &str) -> (u64, u64) {
    let before = counted(device.name(), op);
    let line = format!(
        "{0} --write --destroy-data {0} --sizes 4k:60,24k:40 --op {op} --offset 512 --depth {DEPTH} --ramp 0 \
         --time 500ms --profile-out {op}.json",
        device.text()
    );
    load(folder, &line);
    let after = counted(device.name(), op);
    let path = folder.join(format!("{op}.json"));
    let profile: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let said = |key: &str| profile["devices"][0]["by_op"][op][key].as_u64().unwrap();
    let (ios, bytes) = (after.0 - before.0, after.1 - before.1);
    assert!(
        ios >= said("ios") && bytes >= said("bytes"),
        "{op}: the kernel counted {ios} of {bytes} bytes: {profile}"
    );
    (ios - said("ios"), bytes - said("bytes"))
}

/// Needs root. The profile has what completed in its time, the kernel also what was in flight at the end.
#[test]
fn the_profile_is_what_the_kernel_saw() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    std::fs::write(&path, vec![0; 16 << 20]).unwrap();
    let device = ioalign_testkit::Loop::new(&path, &[]);
    // Others read the device too: udev, and tests that check this machine. What they read is in memory from here on, as
    // long as it is open and not written.
    let mut cached = std::fs::File::open(device.path()).unwrap();
    std::io::copy(&mut cached, &mut std::io::sink()).unwrap();
    for op in ["read", "write"] {
        let mut rounds = (0..ROUNDS).map(|_| beside(&device, folder.path(), op));
        let in_flight = |(ios, bytes): (u64, u64)| ios <= DEPTH && bytes <= DEPTH * LONGEST;
        assert!(
            rounds.any(in_flight),
            "{op}: more than were in flight in every round"
        );
    }
}

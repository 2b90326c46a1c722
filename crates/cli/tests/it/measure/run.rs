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
        text.lines().all(|line| line.chars().count() <= 80),
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

/// What the kernel counted of a device, which no other program uses meanwhile.
fn counted(name: &str) -> [u64; 4] {
    let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let all: Vec<u64> = text
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    // Reads, their sectors, writes, theirs.
    [all[0], all[2], all[4], all[6]]
}

/// Needs root. The profile has what completed in its time, the kernel also what was in flight at the end.
#[test]
fn the_profile_is_what_the_kernel_saw() {
    const DEPTH: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    std::fs::File::create(&path)
        .unwrap()
        .set_len(16 << 20)
        .unwrap();
    let disk = ioalign_testkit::Loop::new(&path, &[]);
    let device = disk.path().display().to_string();
    let name = device.trim_start_matches("/dev/");
    // Looked at before by whoever looks at new devices.
    ioalign_testkit::run::tool("blockdev", &["--getsize64", &device]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    let before = counted(name);
    let line = format!(
        "{device} --write --destroy-data {device} --sizes 4k:60,24k:40 --op read-70 --offset 512 \
         --depth {DEPTH} --ramp 0 --time 500ms --profile-out p.json"
    );
    load(folder.path(), &line.replace('\\', ""));
    let after = counted(name);
    let profile = std::fs::read(folder.path().join("p.json")).unwrap();
    let profile: Value = serde_json::from_slice(&profile).unwrap();
    let ops = &profile["devices"][0]["by_op"];
    for (op, at) in [("read", 0), ("write", 2)] {
        let told = |key: &str| ops[op][key].as_u64().unwrap();
        let [ios, sectors] = [at, at + 1].map(|at| after[at] - before[at]);
        let more = [ios - told("ios"), sectors * 512 - told("bytes")];
        assert!(
            more[0] <= DEPTH && more[1] <= DEPTH * 24576,
            "{op}: {more:?} of {ios}"
        );
    }
}

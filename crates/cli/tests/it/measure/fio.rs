//! Jobs of fio, by fio itself.

use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{document, measure, stated};

#[test]
fn fio_runs_what_is_emitted() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.dat");
    std::fs::write(&file, vec![7; 8 << 20]).unwrap();
    let line = format!(
        "run blender-70-30 {} --emit-fio --offset 512 --ramp 0 --time 300ms --depth 8",
        file.display()
    );
    let emitted = measure(folder.path(), &line);
    assert_eq!(emitted.status.code(), Some(0), "{emitted:?}");
    let job = folder.path().join("job.fio");
    std::fs::write(&job, &emitted.stdout).unwrap();
    let text = tool("fio", &["--output-format=json", job.to_str().unwrap()]);
    let answer: Value = serde_json::from_str(text.get(text.find('{').unwrap()..).unwrap()).unwrap();
    let ran = &answer["jobs"][0];
    let [reads, writes] = ["read", "write"].map(|op| ran[op]["total_ios"].as_f64().unwrap());
    assert!(reads > writes && writes > 0.0, "{reads} {writes}");
    assert_eq!(ran["error"], 0);
    // And back again.
    let taken = measure(
        folder.path(),
        "run --from-fio job.fio --write --destroy-data t.dat --json",
    );
    let value = document(&taken, "load-1.schema.json", &[0]);
    let workload = &value["steps"][0]["workload"];
    assert_eq!(
        (&workload["queue_depth"], &workload["offset_bytes"]),
        (&8.into(), &512.into())
    );
    assert_eq!(workload["run_ms"], 300);
}

fn job(folder: &std::path::Path, keys: &str) {
    let text = format!(
        "[global]\ndirect=1\nruntime=100ms\ntime_based\nnorandommap\nfilename=t.dat\nsize=4m\n{keys}\n"
    );
    std::fs::write(folder.join("job.fio"), text).unwrap();
}

#[test]
fn what_is_not_taken_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let keys = "ioengine=libaio\nbs=8k ; a comment\nrw=randread\n[one]\niodepth=4\nlog_avg_msec=10\nwrite_bw_log=x\n\
                [two]\nstonewall\nnumjobs=2\t# another";
    job(folder.path(), keys);
    let output = measure(folder.path(), "run --from-fio job.fio --json");
    let value = document(&output, "load-1.schema.json", &[0]);
    let steps = value["steps"].as_array().unwrap();
    assert_eq!(
        (steps.len(), &steps[1]["workload"]["workers"]),
        (2, &2.into())
    );
    for words in [
        "one: write_bw_log=x: no log is written",
        "ioengine=libaio: io_uring takes its place",
    ] {
        assert!(
            stated(&output).contains(words),
            "{words}: {}",
            stated(&output)
        );
    }
    assert!(
        !stated(&output).contains("two: numjobs"),
        "{}",
        stated(&output)
    );
}

#[test]
fn another_job_is_refused_unless_lenient() {
    let folder = tempfile::tempdir().unwrap();
    job(
        folder.path(),
        "ioengine=psync\n[one]\nrw=randtrim\nlatency_target=1000",
    );
    let output = measure(folder.path(), "run --from-fio job.fio");
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    for words in [
        "this would be another job",
        "one: rw=randtrim: only reads and writes are sent",
        "one: latency_target=1000",
        "--lenient",
    ] {
        assert!(
            stated(&output).contains(words),
            "{words}: {}",
            stated(&output)
        );
    }
    assert!(!folder.path().join("t.dat").exists());
    let output = measure(folder.path(), "run --from-fio job.fio --lenient --json");
    let value = document(&output, "load-1.schema.json", &[0]);
    assert!(
        value["notes"].to_string().contains("rw=randtrim"),
        "{value}"
    );
    let alone = measure(folder.path(), "run t.dat --lenient");
    assert_eq!(alone.status.code(), Some(64));
}

/// The two together show what would run, and run nothing.
#[test]
fn a_job_of_fio_is_emitted_as_it_would_run() {
    let folder = tempfile::tempdir().unwrap();
    job(
        folder.path(),
        "ioengine=libaio\n[one]\nrw=randread\niodepth=4",
    );
    let output = measure(folder.path(), "run --from-fio job.fio --emit-fio");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stated(&output).contains("io_uring takes its place"));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "[one]",
        "ioengine=io_uring",
        "iodepth=4",
        "filename=t.dat",
        "size=4194304",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(!folder.path().join("t.dat").exists());
    // What comes out goes in again without a word.
    std::fs::write(folder.path().join("again.fio"), &text).unwrap();
    let output = measure(
        folder.path(),
        "run --from-fio again.fio --emit-fio other.dat",
    );
    assert_eq!(stated(&output), "");
    let again = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        again
            .replace("other.dat", "t.dat")
            .lines()
            .skip(1)
            .collect::<Vec<_>>(),
        text.lines().skip(1).collect::<Vec<_>>()
    );
}

#[test]
fn the_paper_uses_twenty_gibibytes() {
    let folder = tempfile::tempdir().unwrap();
    let emit = |name: &str| {
        let line = format!("run iometer-vmfs {name} --emit-fio");
        String::from_utf8(measure(folder.path(), &line).stdout).unwrap()
    };
    assert!(emit("there-is-none").contains("size=21474836480\n"));
    let file = std::fs::File::create(folder.path().join("t.dat")).unwrap();
    file.set_len(1 << 30).unwrap();
    assert!(
        !emit("t.dat").contains("size="),
        "it has no more than 1 GiB"
    );
}

#[test]
fn a_job_that_there_is_none_of_lists_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let line = "run blender-70-3 t.dat --size 8M";
    let output = measure(folder.path(), line);
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    assert!(
        stated(&output).contains("iometer-vmfs"),
        "{}",
        stated(&output)
    );
    assert!(!folder.path().join("blender-70-3").exists());
}

//! Jobs of fio, by fio itself.

use ioalign_testkit::run::tool;
use serde_json::Value;

use super::{document, measure, told};

#[test]
fn fio_runs_what_is_emitted() {
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

#[test]
fn what_is_not_taken_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let job = "[global]\nioengine=libaio\ndirect=1\nbs=8k\nrw=randread\nruntime=100ms\ntime_based\n\
               filename=t.dat\nsize=4m\n[one]\niodepth=4\nlatency_target=1000\n[two]\nstonewall\nnumjobs=2\n";
    std::fs::write(folder.path().join("job.fio"), job).unwrap();
    let output = measure(folder.path(), "run --from-fio job.fio --json");
    let value = document(&output, "load-1.schema.json", &[0]);
    let steps = value["steps"].as_array().unwrap();
    assert_eq!(
        (steps.len(), &steps[1]["workload"]["workers"]),
        (2, &2.into())
    );
    for words in [
        "one: latency_target=1000: not known here",
        "ioengine=libaio: io_uring takes its place",
    ] {
        assert!(told(&output).contains(words), "{words}: {}", told(&output));
    }
}

//! Jobs that go to fio and come back; real fio is the judge of what is written.

use std::collections::BTreeSet;
use std::path::Path;

use ioalign_core::workload::{Data, Pattern, SizeShare, Workload};
use ioalign_measure::jobs::fio::{self, FioSettings, FioTarget};
use ioalign_measure::jobs::{self, LoadJob, NAMED};
use ioalign_testkit::run::tool;
use proptest::prelude::*;

fn emitted(job: &LoadJob, file: &Path) -> String {
    let files = [file];
    let target = FioTarget {
        files: &files,
        folder: false,
        file_bytes: None,
    };
    let settings = FioSettings {
        size_bytes: Some(64 << 20),
        ..FioSettings::default()
    };
    fio::emit(job, &target, &settings)
}

/// `fio --parse-only` reads every key and its value, and runs nothing.
fn accepted(text: &str, folder: &Path) {
    let file = folder.join("job.fio");
    std::fs::write(&file, text).unwrap();
    tool("fio", &["--parse-only", file.to_str().unwrap()]);
}

#[test]
fn fio_takes_every_named_job() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    for one in NAMED {
        let job = jobs::named(one.name).unwrap();
        accepted(&emitted(&job, &folder.path().join("disk")), folder.path());
    }
}

/// Steps of one name would be one job in fio's report.
#[test]
fn sections_have_names_of_their_own() {
    for one in NAMED {
        let job = jobs::named(one.name).unwrap();
        let text = emitted(&job, Path::new("disk"));
        let names: Vec<_> = text.lines().filter(|line| line.starts_with('[')).collect();
        let unique: BTreeSet<_> = names.iter().collect();
        assert_eq!(names.len(), job.steps.len() + 1);
        assert_eq!(unique.len(), names.len(), "{names:?}");
    }
}

/// Eight workers begin at eighths of the 64 MiB, on whole blocks; and that comes back without a word.
#[test]
fn workers_of_a_walk_have_parts_of_their_own() {
    let job = jobs::named("sysbench-fileio").unwrap();
    let text = emitted(&job, Path::new("disk"));
    for line in ["offset_increment=8388608", "offset_increment=16777216"] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    let back = fio::read("x", &text).unwrap();
    assert_eq!((back.not_taken, back.refused), (vec![], vec![]));
    for (there, here) in back.job.steps.iter().zip(&job.steps) {
        let kind = |step: &Workload| (step.sizes.clone(), step.workers, step.fsync_every_writes);
        assert_eq!(kind(there), kind(here));
    }
    // In thirds of what is no multiple of three blocks.
    let three = Workload {
        workers: 3,
        pattern: Pattern::Sequential,
        ..Workload::default()
    };
    let text = emitted(&LoadJob::of(three), Path::new("disk"));
    let third = (64 << 20) / 3 / 4096 * 4096;
    assert!(
        text.contains(&format!("offset_increment={third}\n")),
        "{text}"
    );
}

#[test]
fn fio_takes_all_that_a_workload_can_be() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let workload = Workload {
        name: "all".to_owned(),
        sizes: vec![
            SizeShare {
                bytes: 4096,
                weight: 2,
            },
            SizeShare {
                bytes: 8192,
                weight: 1,
            },
        ],
        read_ratio: 0.7,
        pattern: Pattern::Zipf { theta: 1.1 },
        offset_bytes: 512,
        align_bytes: Some(4096),
        queue_depth: 16,
        batch: Some(16),
        workers: 3,
        fsync_every_writes: Some(32),
        atomic: false, // fio 3.33 knows no mark: its `atomic` is an open flag that Linux never had
        rate_iops: Some(3000.0),
        ramp_ms: 500,
        run_ms: 2500,
        data: Data {
            compressible_ratio: 0.5,
            duplicate_ratio: 0.3,
            pattern_hex: Some("deadbeef".to_owned()),
            refill: true,
        },
    };
    let text = emitted(&LoadJob::of(workload.clone()), &folder.path().join("disk"));
    accepted(&text, folder.path());
    for line in [
        "bssplit=4096/67:8192/33",
        "rate_iops=700,300",
        "offset=512",
        "runtime=2500ms",
        "iodepth_batch=16",
        "iodepth_batch_complete_max=16",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    let back = fio::read("all", &text).unwrap();
    let mut expected = workload;
    expected.sizes[0].weight = 67;
    expected.sizes[1].weight = 33;
    assert_eq!(back.job.steps, [expected]);
    assert!(back.not_taken.is_empty(), "{back:?}");
}

#[test]
fn what_is_not_taken_is_said() {
    let text = "[global]\nioengine=libaio\ndirect=1\nbs=4k\nfilename=/dev/sdb\nlatency_target=5ms\n\
                [a]\nrw=randrw\nrwmixread=70\niodepth=32\nruntime=20\ntime_based\n\
                [b]\nrw=write:8k\nzero_buffers\nbuffer_pattern=0x00\nruntime=1m\n";
    let taken = fio::read("x", text).unwrap();
    let [a, b] = taken.job.steps.as_slice() else {
        panic!("{taken:?}")
    };
    assert_eq!((a.queue_depth, a.run_ms, b.run_ms), (32, 20_000, 60_000));
    assert!((a.read_ratio - 0.7).abs() < 1e-9);
    assert_eq!(taken.files, [Path::new("/dev/sdb")]);
    let said = |lines: &[String], key: &str| lines.iter().any(|line| line.contains(key));
    for key in [
        "ioengine",
        "b: zero_buffers",
        "b: buffer_pattern=0x00: zeros are never written",
    ] {
        assert!(said(&taken.not_taken, key), "{key}: {taken:?}");
    }
    for key in ["latency_target", "b: rw=write:8k", "b: stonewall"] {
        assert!(said(&taken.refused, key), "{key}: {taken:?}");
    }
}

/// Of fio's keys, as its manual has them: one at once if nothing is said.
#[test]
fn batches_are_those_of_fio() {
    let batch = |keys: &str| {
        let text =
            format!("[a]\nioengine=io_uring\ndirect=1\nruntime=1\ntime_based\niodepth=16\n{keys}");
        let taken = fio::read("x", &text).unwrap();
        (taken.job.steps[0].at_once(), taken.not_taken)
    };
    assert_eq!(batch(""), (1, vec![]));
    let both = "iodepth_batch=8\niodepth_batch_complete_max=8\n";
    assert_eq!(batch(both), (8, vec![]));
    for whole in ["iodepth_batch_submit=64\n", "iodepth_batch=0\n"] {
        let (at_once, not_taken) = batch(whole);
        assert_eq!((at_once, not_taken.len()), (16, 1), "{not_taken:?}");
    }
    let (_, not_taken) = batch("iodepth_batch_complete_min=4\n");
    assert!(not_taken[0].contains("waits for one"), "{not_taken:?}");
}

#[test]
fn sections_that_do_not_go_together() {
    let wrong = |text: &str| fio::read("x", text).unwrap_err();
    assert!(wrong("[a]\nfilename=x\n[b]\nfilename=y\n").contains("[b] names another file"));
    assert!(wrong("[a]\ndirect=1\n[b]\ndirect=0\n").contains("[b]"));
    assert!(wrong("").contains("no section"));
}

/// As fio lays files out: names lie in the folder, and share the size.
#[test]
fn files_are_those_of_fio() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let text = format!(
        "[global]\ndirectory={at}\nsize=8m\nrw=read\n[a]\nfilename=one:two\\:2\nruntime=1\ntime_based\n"
    );
    let file = folder.path().join("job.fio");
    std::fs::write(&file, &text).unwrap();
    tool("fio", &["--create_only=1", file.to_str().unwrap()]);
    let taken = fio::read("x", &text).unwrap();
    assert_eq!(taken.files.len(), 2);
    for path in &taken.files {
        let made = path.metadata().unwrap_or_else(|_| panic!("{path:?}"));
        assert_eq!(Some(made.len()), taken.settings.size_bytes, "{path:?}");
    }
    // And back again: the same files, the same size of all.
    let files: Vec<_> = taken.files.iter().map(AsRef::as_ref).collect();
    let target = FioTarget {
        files: &files,
        folder: false,
        file_bytes: None,
    };
    let again = fio::read("x", &fio::emit(&taken.job, &target, &taken.settings)).unwrap();
    assert_eq!(
        (again.files, again.settings.size_bytes),
        (taken.files, Some(4 << 20))
    );
}

proptest! {
    #[test]
    fn what_goes_to_fio_comes_back(
        kib in 1_u64..256, depth in 1_u32..128, workers in 1_u32..16, percent in 0_u32..=100,
        random: bool, offset in 0_u64..100, run_ms in 1_u64..100_000, compressible in 0_u32..=100,
    ) {
        let workload = Workload {
            name: "step".to_owned(),
            sizes: vec![SizeShare::only(kib << 10)],
            read_ratio: f64::from(percent) / 100.0,
            pattern: if random { Pattern::Random } else { Pattern::Sequential },
            offset_bytes: offset * 512,
            queue_depth: depth,
            workers,
            run_ms,
            ramp_ms: 0,
            data: Data {
                compressible_ratio: f64::from(compressible) / 100.0,
                pattern_hex: (compressible > 0).then(|| "ab".to_owned()),
                ..Data::default()
            },
            ..Workload::default()
        };
        let text = emitted(&LoadJob::of(workload.clone()), Path::new("disk"));
        let back = fio::read("step", &text).unwrap();
        prop_assert_eq!(&back.job.steps, &[workload]);
    }

    #[test]
    fn no_text_stops_the_reader(text in "(\\[[a-z]{0,3}\\]?\n|[a-z_]{1,8}=?[0-9a-z%:/,\"]{0,8}\n|.{0,20}\n){0,12}") {
        let _ = fio::read("x", &text);
        let _ = jobs::parse(&text);
    }
}

#[test]
fn a_mark_comes_back_as_it_went() {
    let marked = Workload {
        name: "marked".to_owned(),
        read_ratio: 0.0,
        atomic: true,
        ..Workload::default()
    };
    let text = emitted(&LoadJob::of(marked), Path::new("disk"));
    assert!(text.lines().any(|line| line == "atomic=1"), "{text}");
    assert!(fio::read("marked", &text).unwrap().job.steps[0].atomic);
}

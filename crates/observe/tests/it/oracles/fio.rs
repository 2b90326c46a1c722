//! fio's own logs of a job on a file: what they hold is what its report counts.

use std::path::Path;
use std::process::Command;

use ioalign_observe::{TraceProgress, TraceSettings, summarize};

use super::{profile, run, totals, totals_of_fio};

fn job(folder: &Path, extra: &[&str]) {
    let mut fio = Command::new("fio");
    fio.current_dir(folder).args([
        "--name=job",
        "--filename=data",
        "--size=16M",
        "--rw=randrw",
        "--bssplit=512/20:4k/50:12k/30",
        "--blockalign=512",
        "--norandommap=1",
        "--number_ios=1000",
        "--ioengine=psync",
        "--output-format=json",
        "--output=report",
    ]);
    run(fio.args(extra));
}

#[test]
fn logs_hold_what_fio_reports() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    job(
        folder.path(),
        &[
            "--write_iolog=iolog",
            "--write_lat_log=log",
            "--log_offset=1",
        ],
    );
    let expected = totals_of_fio(&at("report"));
    assert_eq!(expected.values().map(|(ios, _)| ios).sum::<u64>(), 1000);
    let iolog = profile(&[at("iolog")], &TraceSettings::default());
    assert_eq!(totals(&iolog, None), expected);
    let latencies = profile(&[at("log_clat.1.log")], &TraceSettings::default());
    assert_eq!(totals(&latencies, None), expected);
    // Both logs speak of the same I/Os: alignment is the same in both.
    for op in expected.keys() {
        let starts = |profile: &ioalign_core::profile::Profile| {
            profile.devices[0].by_op[op].start_pow2_histogram.clone()
        };
        assert_eq!(starts(&iolog), starts(&latencies), "{op}");
        let latency = latencies.devices[0].by_op[op].latency_us.unwrap();
        assert_eq!(latency.ios, expected[op].0);
    }
}

#[test]
fn a_log_without_offsets_is_refused_with_the_option() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    job(folder.path(), &["--write_lat_log=log"]);
    let log = folder.path().join("log_lat.1.log");
    let error =
        summarize(&[log], &TraceSettings::default(), &TraceProgress::default()).unwrap_err();
    assert!(error.to_string().contains("log_offset=1"), "{error}");
}

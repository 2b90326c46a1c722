//! A load on a target, for measurements of the engine itself:
//! `load TARGET [block=4096] [depth=1] [workers=1] [read=1] [ms=2000] [ramp=200] [batch=N] [wait=N] [refill=1] [offset=0] [pattern=random]
//! [rate=N] [fsync=N] [size=N] [seed=1] [api=uring|sync] [iopoll=1] [sqpoll=1] [buffered=1] [destroy=1]`.
//! With `emit=1` it prints the same as a job of fio, and runs nothing.
//! Prints one line: IOPS, µs of processor time an I/O, and latencies.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use ioalign_core::workload::{Data, Pattern, SizeShare, Workload};
use ioalign_device::{Target, TargetRequest};
use ioalign_measure::engine::{Api, EngineOptions};
use ioalign_measure::jobs::{LoadJob, fio};
use ioalign_measure::load;

pub fn main() {
    let mut words = std::env::args().skip(2);
    let path = PathBuf::from(words.next().expect("load TARGET [name=value]…"));
    let pairs: HashMap<String, String> = words
        .map(|word| {
            word.split_once('=')
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .expect("name=value")
        })
        .collect();
    let text = |name: &str| pairs.get(name).map(String::as_str);
    let number =
        |name: &str, otherwise: u64| text(name).map_or(otherwise, |text| text.parse().unwrap());
    let real = |name: &str| text(name).map(|text| text.parse::<f64>().unwrap());
    let workload = Workload {
        name: "load".to_owned(),
        sizes: vec![SizeShare::only(number("block", 4096))],
        read_ratio: real("read").unwrap_or(1.0),
        pattern: match text("pattern") {
            Some("sequential") => Pattern::Sequential,
            Some("zipf") => Pattern::Zipf { theta: 0.99 },
            _ => Pattern::Random,
        },
        offset_bytes: number("offset", 0),
        queue_depth: u32::try_from(number("depth", 1)).unwrap(),
        batch: text("batch").map(|text| text.parse().unwrap()),
        workers: u32::try_from(number("workers", 1)).unwrap(),
        fsync_every_writes: text("fsync").map(|text| text.parse().unwrap()),
        rate_iops: real("rate"),
        data: Data {
            refill: number("refill", 1) != 0,
            ..Data::default()
        },
        ramp_ms: number("ramp", 200),
        run_ms: number("ms", 2000),
        ..Workload::default()
    };
    if text("emit").is_some() {
        let files = [path.as_path()];
        let target = fio::FioTarget {
            files: &files,
            file_bytes: None,
            folder: false,
        };
        let settings = fio::FioSettings {
            seed: Some(number("seed", 1)),
            ..fio::FioSettings::default()
        };
        print!("{}", fio::emit(&LoadJob::of(workload), &target, &settings));
        return;
    }
    let want = TargetRequest {
        write: workload.writes(),
        destroy: text("destroy").map(|_| path.clone()),
        size_bytes: text("size").map(|text| text.parse().unwrap()),
        direct: text("buffered").is_none(),
        ..TargetRequest::default()
    };
    let options = EngineOptions {
        api: text("api").map(|api| if api == "sync" { Api::Sync } else { Api::Uring }),
        iopoll: text("iopoll").is_some(),
        sqpoll: text("sqpoll").is_some(),
        seed: number("seed", 1),
        write: workload.writes(),
        wait_for: u32::try_from(number("wait", 1)).unwrap(),
        ..EngineOptions::default()
    };
    match Target::open(&path, &want).and_then(|target| {
        target
            .notes()
            .iter()
            .for_each(|note| eprintln!("note: {note}"));
        load::run(&[Arc::new(target)], &workload, &options, None, &mut |_| {
            ControlFlow::Continue(())
        })
    }) {
        Ok(report) => show(&report),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(65);
        }
    }
}

fn show(report: &load::LoadReport) {
    report
        .notes
        .iter()
        .for_each(|note| eprintln!("note: {note}"));
    let part = |name: &str, op: &load::OpReport| {
        let at =
            |quantile| std::time::Duration::from_nanos(op.latency_ns.value_at_quantile(quantile));
        println!(
            "{name} ios {} iops {:.0} MB/s {:.1} p50 {:?} p99 {:?} max {:?}",
            op.ios,
            op.iops,
            op.bytes_per_s / 1e6,
            at(0.5),
            at(0.99),
            at(1.0)
        );
    };
    for (name, op) in [
        ("read", &report.read),
        ("write", &report.write),
        ("flush", &report.flush),
    ] {
        if op.ios != 0 {
            part(name, op);
        }
    }
    println!(
        "cpu_us_per_io {:.3} user {:?} system {:?} elapsed {:?} errors {} partial {:?}",
        report.cpu_per_io_us().unwrap_or(0.0),
        report.user,
        report.system,
        report.elapsed,
        report.errors,
        report.partial
    );
}

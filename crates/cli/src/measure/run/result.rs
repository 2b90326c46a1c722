//! The result of a load, in the words of its report.

use ioalign_core::load::{LoadLatency, LoadStep, Percentile, Second, SentOperation};
use ioalign_core::units::ratio;
use ioalign_core::workload::Workload;
use ioalign_measure::load::{Histogram, LoadReport, LoadSample, OpReport};

/// The percentiles that fio prints.
const PERCENTILES: [f64; 7] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999];

/// One step of a job.
pub fn step(workload: &Workload, report: &LoadReport) -> LoadStep {
    let ops = [("read", &report.read), ("write", &report.write)];
    let used = ops.into_iter().filter(|(_, op)| op.ios > 0);
    let wall = report.elapsed.as_secs_f64();
    let of_wall = |seconds: f64| (wall > 0.0).then(|| seconds / wall);
    LoadStep {
        workload: Workload {
            queue_depth: report.queue_depth,
            batch: Some(workload.at_once().min(report.queue_depth)),
            ..workload.clone()
        },
        by_op: used.map(|(name, op)| (name.to_owned(), sent(op))).collect(),
        duration_s: wall,
        user_ratio: of_wall(report.user.as_secs_f64()),
        system_ratio: of_wall(report.system.as_secs_f64()),
        flushes: report.flush.ios,
        errors: report.errors,
        seconds: report.samples.iter().map(second).collect(),
        partial: report.partial.clone(),
    }
}

fn sent(op: &OpReport) -> SentOperation {
    SentOperation {
        ios: op.ios,
        bytes: op.bytes,
        iops: op.iops,
        bytes_per_s: op.bytes_per_s,
        latency_us: (!op.latency_ns.is_empty()).then(|| latency(&op.latency_ns)),
    }
}

fn latency(all: &Histogram<u64>) -> LoadLatency {
    let us = |nanos: u64| ratio(nanos, 1000);
    let percentile = |percent| Percentile {
        percent,
        us: us(all.value_at_percentile(percent)),
    };
    LoadLatency {
        min: us(all.min()),
        mean: all.mean() / 1e3,
        stddev: all.stdev() / 1e3,
        max: us(all.max()),
        percentiles: PERCENTILES.map(percentile).to_vec(),
    }
}

fn mean_us(sample: &LoadSample) -> Option<f64> {
    let ios = sample.read.ios + sample.write.ios;
    let nanos = sample.read.latency_ns + sample.write.latency_ns;
    (ios > 0).then(|| ratio(nanos, ios) / 1e3)
}

fn second(sample: &LoadSample) -> Second {
    Second {
        at_s: sample.end.as_secs_f64(),
        reads: sample.read.ios,
        writes: sample.write.ios,
        bytes: sample.read.bytes + sample.write.bytes,
        latency_us: mean_us(sample),
    }
}

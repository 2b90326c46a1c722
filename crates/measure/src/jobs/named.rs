//! Workloads that are known by name: those of published tests, with their own numbers.

use ioalign_core::workload::{Data, Pattern, SizeShare, Workload};

use super::LoadJob;

const MINUTE_MS: u64 = 60_000;

/// A job of the list.
#[derive(Copy, Clone, Debug)]
pub struct NamedJob {
    /// The word on the command line.
    pub name: &'static str,
    steps: fn() -> Vec<Workload>,
    size_bytes: Option<u64>,
}

/// All of them.
pub const NAMED: &[NamedJob] = &[
    // VMFS partition alignment: 1 to 128 KiB, read and write, random and sequential, 16 in flight
    NamedJob {
        name: "iometer-vmfs",
        steps: iometer_vmfs,
        // four times the cache of the paper's array
        size_bytes: Some(20 << 30),
    },
    // four jobs of sequential 1 MiB writes, data that compresses by half
    NamedJob {
        name: "fio-1m-writes",
        steps: fio_1m_writes,
        size_bytes: None,
    },
    // pages of 16 KiB, sequential and random, read and written by 1, 4 and 8 threads
    NamedJob {
        name: "sysbench-fileio",
        steps: sysbench_fileio,
        size_bytes: None,
    },
    // 4 KiB random, 70 % read, 64 in flight: many guests on one datastore
    NamedJob {
        name: "blender-70-30",
        steps: blender,
        size_bytes: None,
    },
    // 4 KiB random reads by 16 workers: as many as there can be
    NamedJob {
        name: "iops-16-workers",
        steps: iops_16_workers,
        size_bytes: None,
    },
];

/// The job with this name.
pub fn named(name: &str) -> Option<LoadJob> {
    let found = NAMED.iter().find(|one| one.name == name)?;
    Some(LoadJob {
        name: found.name.to_owned(),
        steps: (found.steps)(),
        size_bytes: found.size_bytes,
    })
}

/// Sizes of the VMFS paper, in KiB.
const VMFS_KIB: [u64; 8] = [1, 4, 8, 16, 32, 64, 72, 128];

fn iometer_vmfs() -> Vec<Workload> {
    let mut all = Vec::new();
    for (pattern, read_ratio) in [
        (Pattern::Random, 1.0),
        (Pattern::Random, 0.0),
        (Pattern::Sequential, 1.0),
        (Pattern::Sequential, 0.0),
    ] {
        all.extend(VMFS_KIB.map(|kib| Workload {
            queue_depth: 16,
            ramp_ms: MINUTE_MS,
            run_ms: 4 * MINUTE_MS,
            ..workload_of(kib << 10, read_ratio, pattern)
        }));
    }
    all
}

fn fio_1m_writes() -> Vec<Workload> {
    vec![Workload {
        workers: 4,
        run_ms: 30_000,
        data: Data {
            compressible_ratio: 0.5,
            ..Data::default()
        },
        ..workload_of(1 << 20, 0.0, Pattern::Sequential)
    }]
}

fn sysbench_fileio() -> Vec<Workload> {
    let mut all = Vec::new();
    for (pattern, read_ratio) in [
        (Pattern::Sequential, 1.0),
        (Pattern::Sequential, 0.0),
        (Pattern::Random, 1.0),
        (Pattern::Random, 0.0),
    ] {
        all.extend([1, 4, 8].map(|workers| Workload {
            workers,
            // sysbench flushes after a hundred requests.
            fsync_every_writes: (read_ratio < 1.0).then_some(100),
            ..workload_of(16 << 10, read_ratio, pattern)
        }));
    }
    all
}

fn blender() -> Vec<Workload> {
    vec![Workload {
        queue_depth: 64,
        ramp_ms: 60 * MINUTE_MS,
        run_ms: 60 * MINUTE_MS,
        ..workload_of(4096, 0.7, Pattern::Random)
    }]
}

fn iops_16_workers() -> Vec<Workload> {
    vec![Workload {
        queue_depth: 16,
        workers: 16,
        run_ms: 30_000,
        ..workload_of(4096, 1.0, Pattern::Random)
    }]
}

fn workload_of(bytes: u64, read_ratio: f64, pattern: Pattern) -> Workload {
    Workload {
        name: format!("{}k-{}", bytes >> 10, word(read_ratio, pattern)),
        sizes: vec![SizeShare::only(bytes)],
        read_ratio,
        pattern,
        ..Workload::default()
    }
}

fn word(read_ratio: f64, pattern: Pattern) -> String {
    let op = match read_ratio {
        r if r >= 1.0 => "read",
        r if r <= 0.0 => "write",
        _ => "mixed",
    };
    format!("{}-{op}", pattern.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_of_the_paper() {
        let job = named("iometer-vmfs").unwrap();
        assert_eq!(job.steps.len(), 32);
        let sizes: Vec<_> = job
            .steps
            .iter()
            .take(8)
            .map(Workload::largest_bytes)
            .collect();
        assert_eq!(
            sizes,
            [1024, 4096, 8192, 16384, 32768, 65536, 73728, 131_072]
        );
        for step in &job.steps {
            assert_eq!((step.queue_depth, step.workers), (16, 1));
            assert_eq!((step.ramp_ms, step.run_ms), (60_000, 240_000));
        }
    }

    #[test]
    fn every_name_is_found() {
        for one in NAMED {
            assert!(!named(one.name).unwrap().steps.is_empty(), "{}", one.name);
        }
        assert!(named("unknown").is_none());
        let blender = &named("blender-70-30").unwrap().steps[0];
        assert_eq!((blender.queue_depth, blender.largest_bytes()), (64, 4096));
        assert!((blender.read_ratio - 0.7).abs() < 1e-9);
        assert_eq!(named("sysbench-fileio").unwrap().steps.len(), 12);
    }
}

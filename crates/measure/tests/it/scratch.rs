//! Targets and loads for tests.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ioalign_core::workload::{SizeShare, Workload};
use ioalign_device::{Target, TargetRequest};
use ioalign_measure::Result;
use ioalign_measure::engine::EngineOptions;
use ioalign_measure::load::{self, LoadReport};

pub const MIB: u64 = 1 << 20;

/// A file or folder of the engine's own, through the page cache where `direct` is off.
pub fn scratch(path: &Path, bytes: u64, write: bool, direct: bool) -> Arc<Target> {
    let want = TargetRequest {
        write,
        size_bytes: Some(bytes),
        direct,
        ..TargetRequest::default()
    };
    Arc::new(Target::open(path, &want).unwrap())
}

/// A device, whatever is on it.
pub fn device(path: &Path, write: bool) -> Arc<Target> {
    let want = TargetRequest {
        write,
        destroy: Some(path.to_owned()),
        direct: true,
        ..TargetRequest::default()
    };
    Arc::new(Target::open(path, &want).unwrap())
}

/// Blocks of 4 KiB for some milliseconds.
pub fn workload(read_ratio: f64, run_ms: u64) -> Workload {
    Workload {
        sizes: vec![SizeShare::only(4096)],
        read_ratio,
        queue_depth: 4,
        ramp_ms: 0,
        run_ms,
        ..Workload::default()
    }
}

/// Writes are allowed.
pub fn options() -> EngineOptions {
    EngineOptions {
        write: true,
        ..EngineOptions::default()
    }
}

/// To its end.
pub fn run(targets: &[Arc<Target>], workload: &Workload) -> Result<LoadReport> {
    load::run(targets, workload, &options(), None, &mut |_| {
        ControlFlow::Continue(())
    })
}

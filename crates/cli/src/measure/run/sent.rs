//! `--profile-out`: what was sent, counted by the code that counts traces.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use ioalign_device::Target;
use ioalign_measure::load::{SentIo, Tap};
use ioalign_observe::TraceSettings;
use ioalign_observe::pipeline::DeviceStream;
use ioalign_observe::record::{Io, Op};

use crate::look;
use crate::output_file::Destination;

/// Takes I/Os from all workers.
pub struct SentCollector(Mutex<DeviceStream>);

impl SentCollector {
    /// Several targets are one device: the load treats them as one.
    pub fn new(targets: &[Arc<Target>]) -> Self {
        let names: Vec<_> = targets
            .iter()
            .map(|target| target.path().display().to_string())
            .collect();
        Self(Mutex::new(DeviceStream::new(
            &TraceSettings::default(),
            &names.join(" + "),
            "ioalign",
        )))
    }

    /// The profile, in JSON.
    pub fn write(self, to: &Destination<'_>) -> Result<()> {
        let stream = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let profile = stream.finish("measure");
        to.write(|file| look::json_to(file, &profile))
    }
}

impl Tap for SentCollector {
    fn sent(&self, _worker: u32, ios: &[SentIo]) {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stream.push(ios.iter().map(io));
    }
}

fn io(sent: &SentIo) -> Io {
    Io {
        time: i64::try_from(sent.time_ns).unwrap_or(i64::MAX),
        offset: sent.offset_bytes,
        latency: sent.latency_ns,
        len: sent.bytes,
        op: if sent.write { Op::Write } else { Op::Read },
        ..Io::default()
    }
}

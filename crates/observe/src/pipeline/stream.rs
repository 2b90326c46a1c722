//! I/Os that a program sends itself, counted as they complete.

use ioalign_core::profile::Profile;

use super::{TraceMachine, TraceSettings};
use crate::record::{ChunkNames, Io, TraceRecord};

/// One device's I/Os on their way to a profile.
pub struct DeviceStream {
    machine: TraceMachine,
    rows: Vec<TraceRecord>,
}

impl DeviceStream {
    /// Nothing sent yet.
    pub fn new(settings: &TraceSettings, device: &str, process: &str) -> Self {
        let mut machine = TraceMachine::new(settings);
        let mut names = ChunkNames::default();
        names.device_name(device.as_bytes());
        names.process(std::process::id(), process.as_bytes());
        machine.directory.learn(&names);
        Self {
            machine,
            rows: Vec::new(),
        }
    }

    /// Takes I/Os of one thread in the order of completion; those of several threads may overlap in time.
    pub fn push(&mut self, ios: impl IntoIterator<Item = Io>) {
        self.rows.clear();
        self.rows.extend(ios.into_iter().map(TraceRecord::whole));
        self.machine.push(&self.rows);
    }

    /// The profile of the sent I/O. `source` is its origin in the profile.
    pub fn finish(self, source: &str) -> Profile {
        let mut profile = self.machine.finish(&[]);
        source.clone_into(&mut profile.source);
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Op;

    #[test]
    fn threads_may_overlap() {
        let mut stream = DeviceStream::new(&TraceSettings::default(), "/dev/sdb", "test");
        let io = |time, offset| Io {
            time,
            offset,
            latency: 1000,
            len: 4096,
            op: Op::Write,
            ..Io::default()
        };
        stream.push((0..100).map(|n| io(n * 2000, 512)));
        stream.push((0..100).map(|n| io(n * 2000 + 1, 8192)));
        let profile = stream.finish("measure");
        assert_eq!((profile.source.as_str(), profile.events), ("measure", 200));
        let device = &profile.devices[0];
        assert_eq!(device.device, "/dev/sdb");
        assert_eq!(device.by_op["write"].start_mod_4096[1], 100);
    }
}

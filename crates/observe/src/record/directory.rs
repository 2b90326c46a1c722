//! The devices and processes of all chunks and files, under one number each.

use std::collections::HashMap;

use super::{ChunkNames, TraceDevice, TraceProcess, TraceRecords};

/// Devices past this number share one entry: a host has hundreds, a cloud trace thousands.
pub const MOST_DEVICES: usize = 4096;
/// Processes past this number share one entry.
pub const MOST_PROCESSES: usize = 16384;

/// All names seen so far.
#[derive(Debug, Default)]
pub struct NameDirectory {
    devices: Vec<TraceDevice>,
    device_index: HashMap<TraceDevice, u32>,
    processes: Vec<TraceProcess>,
    process_index: HashMap<TraceProcess, u32>,
    names_by_pid: HashMap<u32, Box<str>>,
}

/// Maps the numbers of one chunk to those of the directory.
#[derive(Debug, Default)]
pub struct Translation {
    devices: Vec<u32>,
    processes: Vec<u32>,
}

impl NameDirectory {
    /// Adds the names of a chunk.
    pub fn learn(&mut self, names: &ChunkNames) -> Translation {
        for (pid, name) in &names.stated {
            if self.names_by_pid.len() < MOST_PROCESSES {
                self.names_by_pid.insert(*pid, name.clone());
            }
        }
        let devices = names.devices().iter().map(|d| self.device(d));
        let devices = devices.collect();
        let processes = names.processes().iter().map(|p| self.process(p));
        Translation {
            devices,
            processes: processes.collect(),
        }
    }

    fn device(&mut self, device: &TraceDevice) -> u32 {
        if let Some(number) = self.device_index.get(device) {
            return *number;
        }
        let number = next(self.devices.len(), MOST_DEVICES);
        if self.devices.len() < MOST_DEVICES {
            self.devices.push(device.clone());
            self.device_index.insert(device.clone(), number);
        }
        number
    }

    fn process(&mut self, process: &TraceProcess) -> u32 {
        if let Some(number) = self.process_index.get(process) {
            return *number;
        }
        let number = next(self.processes.len(), MOST_PROCESSES);
        if self.processes.len() < MOST_PROCESSES {
            self.processes.push(process.clone());
            self.process_index.insert(process.clone(), number);
        }
        number
    }

    /// Number of devices with an entry of their own.
    pub const fn device_count(&self) -> usize {
        self.devices.len()
    }

    /// The device with this number; `None` for those past the limit.
    pub fn device_of(&self, number: u32) -> Option<&TraceDevice> {
        self.devices.get(usize::try_from(number).ok()?)
    }

    /// Pid and name of a process. The name may come from a record of its own.
    pub fn process_of(&self, number: u32) -> Option<(u32, &str)> {
        let process = self.processes.get(usize::try_from(number).ok()?)?;
        let stated = || self.names_by_pid.get(&process.pid).map(|name| &**name);
        let name = Some(&*process.name).filter(|name| !name.is_empty());
        Some((process.pid, name.or_else(stated).unwrap_or("")))
    }
}

/// The number of the next entry; the last one is shared by all that do not fit.
fn next(len: usize, most: usize) -> u32 {
    u32::try_from(len.min(most)).unwrap_or(u32::MAX)
}

impl Translation {
    /// Gives records the numbers of the directory.
    pub fn apply(&self, records: &mut TraceRecords) {
        let rows = &mut records.rows;
        let devices = plain(&self.devices);
        if devices && plain(&self.processes) {
            return;
        }
        if devices {
            for row in rows {
                row.io.process = translated_number(&self.processes, row.io.process, MOST_PROCESSES);
            }
            return;
        }
        for row in rows {
            row.io.device = translated_number(&self.devices, row.io.device, MOST_DEVICES);
            row.io.process = translated_number(&self.processes, row.io.process, MOST_PROCESSES);
        }
    }
}

/// Whether every number stays what it is.
fn plain(all: &[u32]) -> bool {
    all.iter().zip(0..).all(|(to, from)| *to == from)
}

#[inline]
fn translated_number(all: &[u32], number: u32, other: usize) -> u32 {
    let known = usize::try_from(number).ok().and_then(|n| all.get(n));
    known.copied().unwrap_or_else(|| next(other, other))
}

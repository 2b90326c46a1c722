//! The devices and processes of all chunks and files, under one number each.

use std::collections::HashMap;

use crate::record::{Device, Names, Process, Records};

/// More devices than this share one entry: a host has hundreds, a cloud trace thousands.
pub const MOST_DEVICES: usize = 4096;
/// More processes than this share one entry.
pub const MOST_PROCESSES: usize = 16384;

/// Everything that was named so far.
#[derive(Debug, Default)]
pub struct Directory {
    devices: Vec<Device>,
    device_index: HashMap<Device, u32>,
    processes: Vec<Process>,
    process_index: HashMap<Process, u32>,
    names_by_pid: HashMap<u32, Box<str>>,
}

/// Maps the numbers of one chunk to the directory.
#[derive(Debug, Default)]
pub struct Translation {
    devices: Vec<u32>,
    processes: Vec<u32>,
}

impl Directory {
    /// Takes up the names of a chunk.
    pub fn learn(&mut self, names: &Names) -> Translation {
        for (pid, name) in &names.told {
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

    fn device(&mut self, device: &Device) -> u32 {
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

    fn process(&mut self, process: &Process) -> u32 {
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

    /// How many devices have a name of their own.
    pub const fn device_count(&self) -> usize {
        self.devices.len()
    }

    /// The device; `None` for those past the limit.
    pub fn device_of(&self, number: u32) -> Option<&Device> {
        self.devices.get(usize::try_from(number).ok()?)
    }

    /// Pid and name of the process; the name may have come separately from the I/O.
    pub fn process_of(&self, number: u32) -> Option<(u32, &str)> {
        let process = self.processes.get(usize::try_from(number).ok()?)?;
        let told = || self.names_by_pid.get(&process.pid).map(|name| &**name);
        let name = Some(&*process.name).filter(|name| !name.is_empty());
        Some((process.pid, name.or_else(told).unwrap_or("")))
    }
}

/// The number of the next entry; the last one is shared by all that do not fit.
fn next(len: usize, most: usize) -> u32 {
    u32::try_from(len.min(most)).unwrap_or(u32::MAX)
}

impl Translation {
    /// Gives records the numbers of the directory.
    pub fn apply(&self, records: &mut Records) {
        let rows = &mut records.rows;
        let devices = plain(&self.devices);
        if devices && plain(&self.processes) {
            return;
        }
        if devices {
            for row in rows {
                row.io.process = of(&self.processes, row.io.process, MOST_PROCESSES);
            }
            return;
        }
        for row in rows {
            row.io.device = of(&self.devices, row.io.device, MOST_DEVICES);
            row.io.process = of(&self.processes, row.io.process, MOST_PROCESSES);
        }
    }
}

/// Whether every number stays what it is.
fn plain(all: &[u32]) -> bool {
    all.iter().zip(0..).all(|(to, from)| *to == from)
}

#[inline]
fn of(all: &[u32], number: u32, other: usize) -> u32 {
    let known = usize::try_from(number).ok().and_then(|n| all.get(n));
    known.copied().unwrap_or_else(|| next(other, other))
}

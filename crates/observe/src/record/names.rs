//! Devices and processes as small numbers, so that a record is 48 bytes and comparing is cheap.
//!
//! Every chunk numbers its own, because chunks are parsed side by side; the consumer translates.

use std::collections::HashMap;

/// More devices than this in one chunk are lumped together, as [`ChunkNames::other_device`].
const MOST: usize = 1 << 16;

/// The numbers of the pids seen last: a trace changes between a few from row to row.
#[derive(Debug)]
struct Pids([Option<(u32, u32)>; 64]);

impl Default for Pids {
    fn default() -> Self {
        Self([None; 64])
    }
}

impl Pids {
    #[inline]
    fn get(&self, pid: u32) -> Option<u32> {
        match self.0.get(pid as usize % 64) {
            Some(Some((known, index))) if *known == pid => Some(*index),
            _ => None,
        }
    }

    fn put(&mut self, pid: u32, index: u32) {
        if let Some(slot) = self.0.get_mut(pid as usize % 64) {
            *slot = Some((pid, index));
        }
    }
}

/// Names of devices that are found without a search.
const SEEN: usize = 1 << 13;

/// The place of a name among those seen last: identifiers are short and differ at their ends.
#[inline]
fn slot(name: &[u8]) -> usize {
    let end = name.len().saturating_sub(8);
    let tail = name.get(end..).unwrap_or_default();
    let word = tail.iter().fold(0_u64, |w, b| w << 8 | u64::from(*b));
    let mixed = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51;
    usize::try_from(mixed).unwrap_or(0) & (SEEN - 1)
}

/// The name of a device in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TraceDevice {
    /// By number, as the kernel does.
    Number {
        /// The driver.
        major: u32,
        /// The device of that driver.
        minor: u32,
    },
    /// By name, or by any identifier of the format.
    Name(Box<str>),
}

impl std::fmt::Display for TraceDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number { major, minor } => write!(f, "{major}:{minor}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// Who issues I/O, as far as the trace says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TraceProcess {
    /// Process or thread number; 0 where the trace has none.
    pub pid: u32,
    /// Its name; empty where not known yet.
    pub name: Box<str>,
}

/// The devices and processes of one chunk, numbered in order of appearance.
#[derive(Debug, Default)]
pub struct ChunkNames {
    devices: Vec<TraceDevice>,
    device_index: HashMap<TraceDevice, u32>,
    last_number: Option<(u32, u32, u32)>,
    /// The names of devices seen last, by [`slot`]; empty where devices have numbers.
    seen: Vec<Option<u32>>,
    processes: Vec<TraceProcess>,
    process_index: HashMap<TraceProcess, u32>,
    pids: Pids,
    /// Process names that the trace gives apart from I/O: pid and name.
    pub stated: Vec<(u32, Box<str>)>,
}

impl ChunkNames {
    /// The devices, by number.
    pub fn devices(&self) -> &[TraceDevice] {
        &self.devices
    }

    /// The processes, by number.
    pub fn processes(&self) -> &[TraceProcess] {
        &self.processes
    }

    /// The number of a device that is known as `major:minor`.
    #[inline]
    pub fn device_number(&mut self, major: u32, minor: u32) -> u32 {
        match self.last_number {
            Some((a, b, index)) if (a, b) == (major, minor) => index,
            _ => self.other_number(major, minor),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_number(&mut self, major: u32, minor: u32) -> u32 {
        let index = self.device(TraceDevice::Number { major, minor });
        self.last_number = Some((major, minor, index));
        index
    }

    /// The number of a device that is known by name.
    pub fn device_name(&mut self, name: &[u8]) -> u32 {
        // Traces of clouds change the device from row to row: no allocation and one comparison then.
        let slot = slot(name);
        if let Some(Some(index)) = self.seen.get(slot)
            && let Some(TraceDevice::Name(known)) = self.devices.get(*index as usize)
            && known.as_bytes() == name
        {
            return *index;
        }
        let index = self.device(TraceDevice::Name(String::from_utf8_lossy(name).into()));
        self.seen.resize(SEEN, None);
        if let Some(seen) = self.seen.get_mut(slot) {
            *seen = Some(index);
        }
        index
    }

    fn device(&mut self, device: TraceDevice) -> u32 {
        if let Some(index) = self.device_index.get(&device) {
            return *index;
        }
        if self.devices.len() >= MOST {
            return Self::other_device();
        }
        let index = u32::try_from(self.devices.len()).unwrap_or(u32::MAX);
        self.devices.push(device.clone());
        self.device_index.insert(device, index);
        index
    }

    /// The entry for devices past the limit.
    pub const fn other_device() -> u32 {
        u32::MAX
    }

    /// The number of a process known by its pid alone.
    #[inline]
    pub fn pid(&mut self, pid: u32) -> u32 {
        if let Some(index) = self.pids.get(pid) {
            return index;
        }
        self.other_pid(pid)
    }

    /// The number of a process known by its pid alone, where it was met not long ago.
    #[inline]
    pub fn known_pid(&self, pid: u32) -> Option<u32> {
        self.pids.get(pid)
    }

    #[cold]
    #[inline(never)]
    fn other_pid(&mut self, pid: u32) -> u32 {
        let index = self.process(pid, b"");
        self.pids.put(pid, index);
        index
    }

    /// The number of a process.
    pub fn process(&mut self, pid: u32, name: &[u8]) -> u32 {
        if let Some(index) = self.pids.get(pid)
            && let Some(known) = self.processes.get(index as usize)
            && known.name.as_bytes() == name
        {
            return index;
        }
        let index = self.new_process(pid, name);
        self.pids.put(pid, index);
        index
    }

    fn new_process(&mut self, pid: u32, name: &[u8]) -> u32 {
        let process = TraceProcess {
            pid,
            name: String::from_utf8_lossy(name).into(),
        };
        if let Some(index) = self.process_index.get(&process) {
            return *index;
        }
        if self.processes.len() >= MOST {
            return u32::MAX;
        }
        let index = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        self.processes.push(process.clone());
        self.process_index.insert(process, index);
        index
    }

    /// Forgets all; the space stays.
    pub fn clear(&mut self) {
        self.devices.clear();
        self.device_index.clear();
        self.last_number = None;
        self.seen.clear();
        self.processes.clear();
        self.process_index.clear();
        self.pids = Pids::default();
        self.stated.clear();
    }
}

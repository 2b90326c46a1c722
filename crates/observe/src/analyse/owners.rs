//! I/O by process: counters by process and operation, bounded.

use std::collections::HashMap;

use ioalign_core::profile::ProcessProfile;

use super::op::power_of;
use crate::record::{Io, NameDirectory, Op};

/// Places of the table that is asked first; a power of two.
const NEAR: usize = 64;
/// Processes that the profile lists; the rest is added up as one.
pub const LISTED: usize = 256;

/// The counters of one process.
#[derive(Clone)]
struct OwnerCounters {
    process: u32,
    op: Op,
    ios: u64,
    bytes: u64,
    length_off: u64,
    starts: [u64; 64],
}

impl OwnerCounters {
    const fn new(process: u32, op: Op) -> Self {
        Self {
            process,
            op,
            ios: 0,
            bytes: 0,
            length_off: 0,
            starts: [0; 64],
        }
    }

    #[inline]
    fn add(&mut self, io: &Io) {
        self.ios += 1;
        self.bytes += u64::from(io.len);
        self.length_off += u64::from(!io.len.is_multiple_of(4096));
        if let Some(count) = self.starts.get_mut(power_of(io.offset)) {
            *count += 1;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.length_off += other.length_off;
        for (mine, its) in self.starts.iter_mut().zip(&other.starts) {
            *mine += its;
        }
    }

    fn profile(&self, pid: u32, name: &str) -> ProcessProfile {
        ProcessProfile {
            pid,
            name: name.to_owned(),
            op: self.op.name().to_owned(),
            ios: self.ios,
            bytes: self.bytes,
            length_off_4096_ios: self.length_off,
            start_pow2_histogram: self.starts.to_vec(),
        }
    }
}

/// The processes of one device.
pub struct DeviceOwners {
    all: Vec<OwnerCounters>,
    index: HashMap<(u32, Op), usize>,
    /// The indexes of recent ones in `all`: usually the same few processes issue I/O.
    near: [u32; NEAR],
    most: usize,
}

impl DeviceOwners {
    /// At most `most`; past them, one entry an operation for all others.
    pub fn new(most: usize) -> Self {
        Self {
            all: Vec::new(),
            index: HashMap::new(),
            near: [0; NEAR],
            most,
        }
    }

    #[inline]
    pub fn add(&mut self, io: &Io) {
        let place = (io.process as usize * Op::ALL.len() + io.op as usize) % NEAR;
        let near = self.near.get(place).copied().unwrap_or(0);
        if let Some(owner) = self.all.get_mut(near as usize)
            && owner.process == io.process
            && owner.op == io.op
        {
            return owner.add(io);
        }
        self.add_far(io, place);
    }

    fn add_far(&mut self, io: &Io, place: usize) {
        let (_, index) = self.place_of(io.process, io.op);
        if let (Some(near), Ok(index)) = (self.near.get_mut(place), u32::try_from(index)) {
            *near = index;
        }
        if let Some(owner) = self.all.get_mut(index) {
            owner.add(io);
        }
    }

    /// The entry of a process, and its index.
    fn place_of(&mut self, process: u32, op: Op) -> (u32, usize) {
        let full = self.all.len() >= self.most;
        let known = self.index.get(&(process, op)).copied();
        let process = if full && known.is_none() {
            u32::MAX
        } else {
            process
        };
        let next = self.all.len();
        let index = known.unwrap_or_else(|| *self.index.entry((process, op)).or_insert(next));
        if index == next {
            // By a quarter: they are large, and most devices have few.
            if self.all.len() == self.all.capacity() {
                self.all.reserve_exact(1 + self.all.len() / 4);
            }
            self.all.push(OwnerCounters::new(process, op));
        }
        (process, index)
    }

    /// All of them with names, most I/Os first; those past the list are added up.
    pub fn profile(&self, directory: &NameDirectory) -> Vec<ProcessProfile> {
        let named = self.all.iter().map(|owner| {
            let (pid, name) = directory
                .process_of(owner.process)
                .unwrap_or((0, "(others)"));
            owner.profile(pid, name)
        });
        let mut all: Vec<_> = named.collect();
        all.sort_by(|a, b| (b.ios, a.pid, &a.name, &a.op).cmp(&(a.ios, b.pid, &b.name, &b.op)));
        let rest = all.split_off(all.len().min(LISTED));
        all.extend(others(&rest));
        all
    }
}

/// One entry an operation.
pub fn others(rest: &[ProcessProfile]) -> Vec<ProcessProfile> {
    let of = |op: Op| {
        let mut sum = OwnerCounters::new(u32::MAX, op);
        for one in rest.iter().filter(|one| one.op == op.name()) {
            let mut other = OwnerCounters::new(u32::MAX, op);
            (other.ios, other.bytes) = (one.ios, one.bytes);
            other.length_off = one.length_off_4096_ios;
            for (to, from) in other.starts.iter_mut().zip(&one.start_pow2_histogram) {
                *to = *from;
            }
            sum.merge(&other);
        }
        (sum.ios > 0).then(|| sum.profile(0, "(others)"))
    };
    Op::ALL.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_lost() {
        let mut owners = DeviceOwners::new(300);
        for i in 0..10_000_u32 {
            let io = Io {
                process: i % 1000,
                op: if i % 3 == 0 { Op::Read } else { Op::Write },
                len: 4096,
                offset: u64::from(i) * 512,
                ..Io::default()
            };
            owners.add(&io);
        }
        let all = owners.profile(&NameDirectory::default());
        assert!(all.len() <= LISTED + Op::ALL.len());
        assert_eq!(all.iter().map(|one| one.ios).sum::<u64>(), 10_000);
        let starts: u64 = all.iter().flat_map(|one| &one.start_pow2_histogram).sum();
        assert_eq!(starts, 10_000);
    }
}

//! All counters at one moment.

use std::collections::BTreeMap;

use aya::Ebpf;
use aya::maps::{Array, HashMap, MapError, PerCpuArray, PerCpuHashMap};

use super::counters::OpCounters;
use super::layout::{COUNTS, LATENCY, LOST, OPS, OTHERS, OWNER, PLACED, PLAIN, PLAIN_IOS, STATE};
use crate::error::{Error, ErrorKind, Result};
use crate::record::Op;

/// All counters since the watch began, or of an interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// By slot: in the order of the devices that were given.
    pub devices: Vec<DeviceTotals>,
    /// Whose I/O it is, most first; empty where that is not counted.
    pub owners: Vec<Owner>,
    /// Runs of the programs that the kernel left out, as one was running on that processor.
    pub missed: u64,
}

/// The counters of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceTotals {
    /// Read, write, discard.
    pub ops: Vec<OpCounters>,
    pub(super) plain: Vec<u64>,
}

/// What one process does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The device's place.
    pub slot: usize,
    /// The operation.
    pub op: Op,
    /// The process.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those whose length is no multiple of 4 KiB.
    pub length_off: u64,
    /// Starts by power of two.
    pub starts: Vec<u64>,
}

impl DeviceTotals {
    pub(super) fn plain(&self, at: usize) -> u64 {
        self.plain.get(at).copied().unwrap_or(0)
    }

    /// I/Os of all operations.
    pub fn ios(&self) -> u64 {
        let placed: u64 = self.ops.iter().map(OpCounters::ios).sum();
        let others = self.plain.get(PLAIN_IOS..OPS).unwrap_or_default();
        placed + others.iter().sum::<u64>()
    }

    /// Reads, writes and discards whose completion was seen.
    pub fn completed(&self) -> u64 {
        self.ops.iter().map(OpCounters::timed).sum()
    }

    /// Reads, writes and discards that were issued, and whose completion was not seen: still in flight, or
    /// completed while the kernel left the program out.
    pub fn unfinished(&self) -> u64 {
        let issued: u64 = self.ops.iter().map(OpCounters::ios).sum();
        issued.saturating_sub(self.completed() + self.untimed())
    }

    /// Completions of I/O that was issued before the watch began.
    pub fn unmatched(&self) -> u64 {
        self.plain(super::layout::UNMATCHED)
    }

    /// Requests that the driver gave back.
    pub fn requeued(&self) -> u64 {
        self.plain(super::layout::REQUEUED)
    }

    /// Completions of a part.
    pub fn partial(&self) -> u64 {
        self.plain(super::layout::PARTIAL)
    }

    /// I/Os without latency, because there was no room to remember when they were issued.
    pub fn untimed(&self) -> u64 {
        self.plain(super::layout::UNTIMED)
    }

    fn since(&self, earlier: &Self) -> Self {
        let ops = self.ops.iter().zip(&earlier.ops);
        let plain = self.plain.iter().zip(&earlier.plain);
        Self {
            ops: ops.map(|(now, then)| now.since(then)).collect(),
            plain: plain.map(|(now, then)| now.saturating_sub(*then)).collect(),
        }
    }
}

impl Totals {
    /// What was added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let devices = self.devices.iter().zip(&earlier.devices);
        Self {
            devices: devices.map(|(now, then)| now.since(then)).collect(),
            owners: self.owners.clone(),
            missed: self.missed.saturating_sub(earlier.missed),
        }
    }

    /// Events that were lost, of every kind.
    pub fn dropped(&self) -> u64 {
        let ring: u64 = self.devices.iter().map(|device| device.plain(LOST)).sum();
        ring + self.missed
    }

    /// Reads the maps: `devices` slots with `grids` histograms each.
    pub(super) fn read(bpf: &Ebpf, devices: usize, grids: usize, owners: bool) -> Result<Self> {
        let maps = Maps::new(bpf)?;
        let mut all = Self::default();
        for slot in 0..u32::try_from(devices).unwrap_or(0) {
            all.devices.push(maps.device(slot, grids)?);
        }
        maps.odd_sizes(&mut all.devices)?;
        if owners {
            all.owners = maps.owners()?;
        }
        Ok(all)
    }
}

struct Maps<'a> {
    /// What of `counts` is not all 0: most operations of most devices rest.
    touched: Vec<u8>,
    counts: PerCpuArray<&'a aya::maps::MapData, [u64; COUNTS]>,
    latency: PerCpuArray<&'a aya::maps::MapData, [u64; LATENCY]>,
    straddling: PerCpuArray<&'a aya::maps::MapData, [u64; LATENCY]>,
    plain: PerCpuArray<&'a aya::maps::MapData, [u64; PLAIN]>,
    odd: HashMap<&'a aya::maps::MapData, [u32; 2], u64>,
    owners: PerCpuHashMap<&'a aya::maps::MapData, [u32; 2], [u64; OWNER]>,
}

#[allow(clippy::needless_pass_by_value)] // map_err hands it over
pub(super) fn failed(error: MapError) -> Error {
    Error::new(ErrorKind::Io, format!("Cannot read the counters: {error}"))
}

impl<'a> Maps<'a> {
    fn new(bpf: &'a Ebpf) -> Result<Self> {
        let map = |name: &str| {
            let what = || Error::new(ErrorKind::Malformed, format!("The program has no {name}"));
            bpf.map(name).ok_or_else(what)
        };
        // Every conversion compares the sizes of key and value with those in the object.
        let state = Array::<_, [u8; STATE]>::try_from(map(".bss")?).map_err(failed)?;
        Ok(Self {
            touched: state.get(&0, 0).map_err(failed)?.to_vec(),
            counts: PerCpuArray::try_from(map("counts")?).map_err(failed)?,
            latency: PerCpuArray::try_from(map("latency")?).map_err(failed)?,
            straddling: PerCpuArray::try_from(map("straddling")?).map_err(failed)?,
            plain: PerCpuArray::try_from(map("plain")?).map_err(failed)?,
            odd: HashMap::try_from(map("odd_sizes")?).map_err(failed)?,
            owners: PerCpuHashMap::try_from(map("owners")?).map_err(failed)?,
        })
    }

    fn device(&self, slot: u32, grids: usize) -> Result<DeviceTotals> {
        let mut ops = Vec::with_capacity(PLACED);
        for op in 0..u32::try_from(PLACED).unwrap_or(0) {
            ops.push(self.op(slot * 3 + op, grids)?);
        }
        let mut plain = vec![0; PLAIN];
        for one in self.plain.get(&slot, 0).map_err(failed)?.iter() {
            for (mine, more) in plain.iter_mut().zip(one) {
                *mine += more;
            }
        }
        Ok(DeviceTotals { ops, plain })
    }

    fn op(&self, key: u32, grids: usize) -> Result<OpCounters> {
        let mut all = OpCounters::new(grids);
        let place = usize::try_from(key).unwrap_or(usize::MAX);
        if self.touched.get(place).is_none_or(|touched| *touched == 0) {
            return Ok(all);
        }
        for one in self.counts.get(&key, 0).map_err(failed)?.iter() {
            all.merge(one);
        }
        for one in self.latency.get(&key, 0).map_err(failed)?.iter() {
            all.latency.merge(one);
        }
        for (steps, grid) in all.slow.iter_mut().zip(0_u32..) {
            let key = key * u32::try_from(grids).unwrap_or(1) + grid;
            for one in self.straddling.get(&key, 0).map_err(failed)?.iter() {
                steps.merge(one);
            }
        }
        Ok(all)
    }

    fn odd_sizes(&self, devices: &mut [DeviceTotals]) -> Result<()> {
        for entry in self.odd.iter() {
            let ([key, len], ios) = entry.map_err(failed)?;
            let (key, off) = (key >> 1, key & 1 != 0);
            let (slot, op) = (key / 3, key % 3);
            let device = usize::try_from(slot)
                .ok()
                .and_then(|slot| devices.get_mut(slot));
            let op = device.and_then(|device| device.ops.get_mut(usize::try_from(op).ok()?));
            if let Some(op) = op {
                op.odd.insert((len, off), ios);
            }
        }
        Ok(())
    }

    fn owners(&self) -> Result<Vec<Owner>> {
        let mut all: BTreeMap<[u32; 2], Owner> = BTreeMap::new();
        for entry in self.owners.iter() {
            // An entry may be thrown out while the table is read.
            let Ok((key, values)) = entry else { continue };
            for one in values.iter() {
                if let Some(owner) = owner(key, one) {
                    merge(all.entry(key).or_insert_with(|| owner.empty()), &owner);
                }
            }
        }
        let mut all: Vec<_> = all.into_values().collect();
        all.sort_by_key(|owner| (std::cmp::Reverse(owner.ios), owner.pid));
        Ok(all)
    }
}

fn owner([key, pid]: [u32; 2], words: &[u64; OWNER]) -> Option<Owner> {
    let [ios, bytes, first, second, length_off, starts @ ..] = words;
    let name = [first.to_ne_bytes(), second.to_ne_bytes()].concat();
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let number = usize::try_from(key).ok()?;
    (*ios > 0).then(|| Owner {
        slot: number / OPS,
        op: Op::ALL.get(number % OPS).copied().unwrap_or_default(),
        pid,
        name: match pid {
            OTHERS => "(others)".to_owned(),
            _ => String::from_utf8_lossy(name).into_owned(),
        },
        ios: *ios,
        bytes: *bytes,
        length_off: *length_off,
        starts: starts.to_vec(),
    })
}

fn merge(into: &mut Owner, more: &Owner) {
    into.ios += more.ios;
    into.bytes += more.bytes;
    into.length_off += more.length_off;
    for (mine, more) in into.starts.iter_mut().zip(&more.starts) {
        *mine += more;
    }
}

impl Owner {
    fn empty(&self) -> Self {
        Self {
            ios: 0,
            bytes: 0,
            length_off: 0,
            starts: vec![0; self.starts.len()],
            ..self.clone()
        }
    }
}

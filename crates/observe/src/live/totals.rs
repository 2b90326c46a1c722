//! All counters at one moment.

use aya::Ebpf;
use aya::maps::{Array, HashMap, MapError, PerCpuArray, PerCpuHashMap};
use ioalign_core::profile::{DiscardCounts, ReadBeforeOverwrite};

use super::counters::OpCounters;
use super::device::WatchedDevice;
use super::files::{FILE_NAME, FileNames, path};
use super::layout::{
    COUNTS, DISCARDS, LATENCY, LOST, NEAR, OPS, OVERWRITTEN, OWNER, PLACED, PLAIN, PLAIN_IOS,
    SHARE, STATE,
};
use super::options::WatchOptions;
use super::owners::{Owner, Owners};
use super::shares::{OwnedShare, ShareSums, owner};
use crate::analyse::latency::Histogram;
use crate::analyse::{is_large, is_small};
use crate::error::{ObserveError, ObserveErrorKind, Result};

/// All counters since the watch began, or of an interval.
#[derive(Clone, Debug, Default)]
pub struct WatchTotals {
    /// By slot: in the order of the devices that were given.
    pub devices: Vec<DeviceTotals>,
    /// The processes, most I/O first; empty if they are not counted.
    pub owners: Vec<Owner>,
    /// The control groups, most I/O first; empty if they are not counted.
    pub groups: Vec<OwnedShare>,
    /// The files, most I/O first; empty if they are not counted.
    pub files: Vec<OwnedShare>,
    /// Their names at their first I/O, and whether these begin at the top of a file system.
    pub(super) file_names: FileNames,
    /// Runs of the programs that the kernel left out, as one was running on that processor.
    pub missed: u64,
}

/// The counters of one device.
#[derive(Clone, Debug)]
pub struct DeviceTotals {
    /// Read, write, discard.
    pub ops: Vec<OpCounters>,
    pub(super) plain: Vec<u64>,
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

    /// Requests that were merged from parts of files that are counted alone and of others, which are not counted.
    pub fn mixed(&self) -> u64 {
        self.plain(super::layout::MIXED)
    }

    /// Small reads beside large writes; `None` without either.
    pub fn read_before_overwrite(&self) -> Option<ReadBeforeOverwrite> {
        let [reads, writes, ..] = self.ops.as_slice() else {
            return None;
        };
        let mut found = ReadBeforeOverwrite {
            overwritten_pages: self.plain(OVERWRITTEN),
            overwriting_pages: self.plain(OVERWRITTEN + 1),
            reread_pages: self.plain(OVERWRITTEN + 2),
            ..ReadBeforeOverwrite::default()
        };
        for size in reads.sizes().iter().filter(|size| is_small(size.bytes)) {
            found.small_reads += size.ios;
            found.read_pages += size.ios * size.bytes.div_ceil(4096);
        }
        let writes = writes.sizes();
        let large = writes.iter().filter(|size| is_large(size.bytes));
        found.large_writes = large.map(|size| size.ios).sum();
        (found.small_reads > 0 && found.large_writes > 0).then(|| found.judged())
    }

    /// What the device can free of its discards; `None` without any, or where its unit is not known.
    pub fn discards(&self, device: &WatchedDevice) -> Option<DiscardCounts> {
        let unit = device.discard?;
        let [discards, bytes, heads, tails, lost] =
            [0, 1, 2, 3, 4].map(|at| self.plain(DISCARDS + at));
        (discards > 0).then_some(DiscardCounts {
            granularity_bytes: unit.unit,
            alignment_bytes: unit.phase,
            discards,
            bytes,
            whole_bytes: bytes.saturating_sub(heads.saturating_add(tails)),
            head_bytes: heads,
            tail_bytes: tails,
            nothing_freed: lost,
        })
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

impl WatchTotals {
    /// The difference to `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let devices = self.devices.iter().zip(&earlier.devices);
        Self {
            devices: devices.map(|(now, then)| now.since(then)).collect(),
            owners: self.owners.clone(),
            groups: self.groups.clone(),
            files: self.files.clone(),
            file_names: self.file_names.clone(),
            missed: self.missed.saturating_sub(earlier.missed),
        }
    }

    /// Events that were lost, of every kind.
    pub fn dropped(&self) -> u64 {
        let ring: u64 = self.devices.iter().map(|device| device.plain(LOST)).sum();
        ring + self.missed
    }

    /// Reads the maps: a slot for each device, with `grids` histograms.
    pub(super) fn read(bpf: &Ebpf, options: &WatchOptions, grids: usize) -> Result<Self> {
        let maps = Maps::new(bpf)?;
        let mut all = Self::default();
        for slot in 0..u32::try_from(options.devices.len()).unwrap_or(0) {
            all.devices.push(maps.device(slot, grids)?);
        }
        maps.odd_sizes(&mut all.devices)?;
        if options.owners {
            all.owners = maps.owners()?;
        }
        if options.groups {
            all.groups = sums(&maps.groups);
        }
        if options.tells_files() {
            all.files = sums(&maps.files);
            all.file_names = maps.file_names();
        }
        Ok(all)
    }
}

type ShareMap<'a> = PerCpuHashMap<&'a aya::maps::MapData, [u64; 3], [u64; SHARE]>;

struct Maps<'a> {
    /// The parts of `counts` that are not all 0: most operations of most devices are idle.
    touched: Vec<u8>,
    counts: PerCpuArray<&'a aya::maps::MapData, [u64; COUNTS]>,
    latency: PerCpuArray<&'a aya::maps::MapData, [u64; LATENCY]>,
    straddling: PerCpuArray<&'a aya::maps::MapData, [u64; LATENCY]>,
    plain: PerCpuArray<&'a aya::maps::MapData, [u64; PLAIN]>,
    odd: HashMap<&'a aya::maps::MapData, [u32; 2], u64>,
    near: PerCpuArray<&'a aya::maps::MapData, [u64; OWNER + 1]>,
    owners: PerCpuHashMap<&'a aya::maps::MapData, [u32; 2], [u64; OWNER]>,
    groups: ShareMap<'a>,
    files: ShareMap<'a>,
    file_names: HashMap<&'a aya::maps::MapData, [u64; 2], [u8; FILE_NAME]>,
}

#[allow(clippy::needless_pass_by_value)] // map_err hands it over
pub(super) fn failed(error: MapError) -> ObserveError {
    ObserveError::new(
        ObserveErrorKind::Io,
        format!("Cannot read the counters: {error}"),
    )
}

impl<'a> Maps<'a> {
    fn new(bpf: &'a Ebpf) -> Result<Self> {
        let map = |name: &str| {
            let what = || {
                ObserveError::new(
                    ObserveErrorKind::Malformed,
                    format!("The program has no {name}"),
                )
            };
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
            near: PerCpuArray::try_from(map("near")?).map_err(failed)?,
            owners: PerCpuHashMap::try_from(map("owners")?).map_err(failed)?,
            groups: PerCpuHashMap::try_from(map("groups")?).map_err(failed)?,
            files: PerCpuHashMap::try_from(map("files")?).map_err(failed)?,
            file_names: HashMap::try_from(map("file_names")?).map_err(failed)?,
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
        all.spread();
        self.latencies(key, &mut all)?;
        Ok(all)
    }

    /// I/Os that straddle on the first grid are separate from the rest; those on other grids are in
    /// both.
    fn latencies(&self, key: u32, all: &mut OpCounters) -> Result<()> {
        for apart in 0..2 {
            for one in self
                .latency
                .get(&(key * 2 + apart), 0)
                .map_err(failed)?
                .iter()
            {
                add_processor(&mut all.latency, one);
                if let (1, Some(first)) = (apart, all.slow.first_mut()) {
                    add_processor(first, one);
                }
            }
        }
        let more = u32::try_from(all.slow.len().saturating_sub(1)).unwrap_or(0);
        for (steps, grid) in all.slow.iter_mut().skip(1).zip(0_u32..) {
            for one in self
                .straddling
                .get(&(key * more + grid), 0)
                .map_err(failed)?
                .iter()
            {
                add_processor(steps, one);
            }
        }
        Ok(())
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
        let mut all = Owners::default();
        for at in 0..NEAR {
            for one in self.near.get(&at, 0).map_err(failed)?.iter() {
                let [whose, words @ ..] = one;
                all.add(halves(*whose), words);
            }
        }
        for entry in self.owners.iter() {
            // An entry may be thrown out while the table is read.
            let Ok((key, values)) = entry else { continue };
            for one in values.iter() {
                all.add(key, one);
            }
        }
        Ok(all.sorted())
    }

    fn file_names(&self) -> FileNames {
        let all = self.file_names.iter().flatten();
        let named = all.map(|([number, rest], name)| (owner(number, rest), path(&name)));
        named.collect()
    }
}

/// A table of shares, over all processors.
fn sums(map: &ShareMap<'_>) -> Vec<OwnedShare> {
    let mut all = ShareSums::default();
    for (key, values) in map.iter().flatten() {
        for one in values.iter() {
            all.add(key, one);
        }
    }
    all.sorted()
}

/// The `struct owner_key` that a word is.
fn halves(word: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = word.to_ne_bytes();
    [[a, b, c, d], [e, f, g, h]].map(u32::from_ne_bytes)
}

/// Adds the `struct latencies` of one processor.
fn add_processor(all: &mut Histogram, words: &[u64; LATENCY]) {
    let [sum, max, counts @ ..] = words;
    all.add_counts(counts, *sum, *max);
}

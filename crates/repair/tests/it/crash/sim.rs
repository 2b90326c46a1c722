//! A disk that loses power: every write since the last flush may be there, or not, or in part, in any
//! order.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use ioalign_repair::Disk;
use ioalign_testkit::Random;

const SECTOR: usize = 512;

/// Counts writes and flushes of all devices of a machine, and goes out after some of them.
#[derive(Debug)]
pub struct Power {
    left: Cell<u64>,
    pub events: Cell<u64>,
}

impl Power {
    pub fn lasting(events: u64) -> Rc<Self> {
        Rc::new(Self {
            left: Cell::new(events),
            events: Cell::new(0),
        })
    }

    pub fn is_out(&self) -> bool {
        self.left.get() == 0
    }

    /// False for the event at which it goes out, and all later ones.
    fn event(&self) -> bool {
        self.events.set(self.events.get() + 1);
        self.left.set(self.left.get().saturating_sub(1));
        !self.is_out()
    }
}

fn out() -> io::Error {
    io::Error::other("no power")
}

/// What becomes of the writes since the last flush.
#[derive(Clone, Copy, Debug)]
pub enum Loss {
    /// None of them is there.
    Dropped,
    /// All of them.
    Kept,
    /// The last one alone.
    Last,
    /// Each one or not, in any order, sector by sector; a few sectors are neither old nor new.
    Torn,
    /// The program was killed and the machine runs on: they are still in its cache.
    Killed,
}

#[derive(Clone, Debug)]
pub struct SimDisk {
    pub view: Vec<u8>,
    pub durable: Vec<u8>,
    pending: Vec<(usize, Vec<u8>)>,
    /// Whether the last of them was under way when power went out.
    in_flight: bool,
    logical: u64,
    /// Sectors that cannot be read until they are written: on the medium, and as the cache sees it.
    pub bad: BTreeSet<usize>,
    bad_view: BTreeSet<usize>,
    power: Rc<Power>,
}

impl SimDisk {
    pub fn new(bytes: Vec<u8>, logical: u64, power: &Rc<Power>) -> Self {
        Self {
            view: bytes.clone(),
            durable: bytes,
            pending: Vec::new(),
            in_flight: false,
            logical,
            bad: BTreeSet::new(),
            bad_view: BTreeSet::new(),
            power: Rc::clone(power),
        }
    }

    /// With sectors that cannot be read.
    pub fn with_bad(mut self, bad: BTreeSet<usize>) -> Self {
        self.bad_view.clone_from(&bad);
        self.bad = bad;
        self
    }

    /// The same disk in a machine that was started again.
    pub fn restart(&mut self, loss: Loss, random: &mut Random, power: &Rc<Power>) {
        self.power = Rc::clone(power);
        let mut pending = std::mem::take(&mut self.pending);
        if matches!(loss, Loss::Killed) {
            self.pending = pending;
            self.cut_short();
            return;
        }
        match loss {
            Loss::Dropped => pending.clear(),
            Loss::Last => drop(pending.drain(..pending.len().saturating_sub(1))),
            Loss::Torn => shuffle(&mut pending, random),
            Loss::Kept | Loss::Killed => {}
        }
        let often = *random.pick(&[1, 2, 5]);
        for (at, bytes) in pending {
            if !matches!(loss, Loss::Torn) {
                self.land(at, &bytes);
            } else if random.below(3) > 0 {
                for (index, sector) in bytes.chunks(SECTOR).enumerate() {
                    match random.below(often + 1) {
                        0 => {}
                        1 if random.below(40) == 0 => self.shear(at + index * SECTOR, sector),
                        _ => self.land(at + index * SECTOR, sector),
                    }
                }
            }
        }
        self.in_flight = false;
        self.view.clone_from(&self.durable);
        self.bad_view.clone_from(&self.bad);
    }

    /// Power went out within a sector: it is neither old nor new.
    fn shear(&mut self, at: usize, sector: &[u8]) {
        let sheared: Vec<u8> = sector.iter().map(|byte| byte ^ 0xa5).collect();
        self.land(at, &sheared);
    }

    /// Of the write in which a program was killed, half is in the cache.
    fn cut_short(&mut self) {
        if !std::mem::take(&mut self.in_flight) {
            return;
        }
        let (at, mut bytes) = self.pending.pop().unwrap();
        bytes.truncate(bytes.len() / 2 / SECTOR * SECTOR);
        heal(&mut self.bad_view, at, bytes.len());
        self.view[at..at + bytes.len()].copy_from_slice(&bytes);
        self.pending.push((at, bytes));
    }

    fn land(&mut self, at: usize, bytes: &[u8]) {
        self.durable[at..at + bytes.len()].copy_from_slice(bytes);
        heal(&mut self.bad, at, bytes.len());
    }

    fn place(&self, at: u64, length: usize) -> std::ops::Range<usize> {
        let at = usize::try_from(at).unwrap();
        assert!(at + length <= self.view.len(), "{length} bytes at {at}");
        let logical = usize::try_from(self.logical).unwrap();
        assert!(at.is_multiple_of(logical) && length.is_multiple_of(logical));
        at..at + length
    }
}

fn heal(bad: &mut BTreeSet<usize>, at: usize, length: usize) {
    bad.retain(|sector| !(at..at + length).contains(&(sector * SECTOR)));
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for at in (1..items.len()).rev() {
        items.swap(at, random.below(at + 1));
    }
}

/// What a program would read on it, to look at and not to write.
pub struct Peek<'a>(pub &'a [u8]);

impl Disk for Peek<'_> {
    fn size_bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn logical_bytes(&self) -> u64 {
        1
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let at = usize::try_from(at).unwrap();
        bytes.copy_from_slice(&self.0[at..at + bytes.len()]);
        Ok(())
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Disk for SimDisk {
    fn size_bytes(&self) -> u64 {
        self.view.len() as u64
    }

    fn logical_bytes(&self) -> u64 {
        self.logical
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        if self.power.is_out() {
            return Err(out());
        }
        let place = self.place(at, bytes.len());
        let sectors = place.start / SECTOR..place.end.div_ceil(SECTOR);
        if self.bad_view.range(sectors).next().is_some() {
            return Err(io::Error::from_raw_os_error(5));
        }
        bytes.copy_from_slice(&self.view[place]);
        Ok(())
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if self.power.is_out() {
            return Err(out());
        }
        let place = self.place(at, bytes.len());
        self.pending.push((place.start, bytes.to_vec()));
        if !self.power.event() {
            self.in_flight = true;
            return Err(out());
        }
        heal(&mut self.bad_view, place.start, bytes.len());
        self.view[place].copy_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.power.is_out() || !self.power.event() {
            return Err(out());
        }
        for (at, bytes) in std::mem::take(&mut self.pending) {
            self.land(at, &bytes);
        }
        Ok(())
    }
}

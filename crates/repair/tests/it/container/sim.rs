//! An image file in a machine that loses power.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use ioalign_repair::Disk;
use ioalign_repair::container::Store;
use ioalign_testkit::Random;

pub const SECTOR: usize = 512;

/// What was done to a file since its last flush.
#[derive(Clone)]
enum Event {
    Write(usize, Vec<u8>),
    Len(usize),
}

/// A file in a machine that can lose power.
#[derive(Clone, Default)]
pub struct State {
    pub view: Vec<u8>,
    pub durable: Vec<u8>,
    pending: Vec<Event>,
    /// Writes and flushes that are left.
    pub left: u64,
}

impl State {
    fn event(&mut self) -> io::Result<()> {
        self.left = self.left.saturating_sub(1);
        match self.left {
            0 => Err(io::Error::other("no power")),
            _ => Ok(()),
        }
    }

    fn land(&mut self, at: usize, bytes: &[u8]) {
        if self.durable.len() < at + bytes.len() {
            self.durable.resize(at + bytes.len(), 0);
        }
        self.durable[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Power is back; each event since the last flush has happened or not.
    pub fn restart(&mut self, random: &mut Random, events: u64) {
        let mut pending = std::mem::take(&mut self.pending);
        for at in (1..pending.len()).rev() {
            pending.swap(at, random.below(at + 1));
        }
        for event in pending {
            // In a thousand: none, half, most, nearly all, and all of its sectors.
            let lands = *random.pick(&[0, 500, 850, 999, 1000, 1000]);
            self.settle(event, || random.below(1000) < lands);
        }
        self.view.clone_from(&self.durable);
        self.left = events;
    }

    /// How much was done since the last flush.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Power is back; of what was done since the last flush, these have happened.
    pub fn lose(&mut self, lands: impl Fn(usize) -> bool) {
        for (index, event) in std::mem::take(&mut self.pending).into_iter().enumerate() {
            self.settle(event, || lands(index));
        }
        self.view.clone_from(&self.durable);
        self.left = u64::MAX;
    }

    /// An event happens, sector by sector.
    fn settle(&mut self, event: Event, mut lands: impl FnMut() -> bool) {
        match event {
            Event::Len(bytes) if lands() && bytes > self.durable.len() => {
                self.durable.resize(bytes, 0);
            }
            Event::Len(_) => {}
            Event::Write(at, bytes) => {
                for (index, sector) in bytes.chunks(SECTOR).enumerate() {
                    if lands() {
                        self.land(at + index * SECTOR, sector);
                    }
                }
            }
        }
    }
}

#[derive(Clone, Default)]
pub struct SimStore(pub Rc<RefCell<State>>);

impl SimStore {
    /// A file of these bytes, all of them durable, and power for this many events.
    pub fn of(bytes: &[u8], left: u64) -> Self {
        let state = State {
            view: bytes.to_vec(),
            durable: bytes.to_vec(),
            left,
            ..State::default()
        };
        Self(Rc::new(RefCell::new(state)))
    }
}

pub fn number(n: u64) -> usize {
    usize::try_from(n).unwrap()
}

impl Disk for SimStore {
    fn size_bytes(&self) -> u64 {
        self.0.borrow().view.len() as u64
    }

    fn logical_bytes(&self) -> u64 {
        1
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let state = self.0.borrow();
        let part = state.view.get(number(at)..number(at) + bytes.len());
        bytes.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        let at = number(at);
        assert!(
            at + bytes.len() <= state.view.len(),
            "the file was made longer"
        );
        state.pending.push(Event::Write(at, bytes.to_vec()));
        state.event()?;
        state.view[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        state.event()?;
        for event in std::mem::take(&mut state.pending) {
            match event {
                Event::Write(at, bytes) => state.land(at, &bytes),
                Event::Len(bytes) => state.durable.resize(bytes, 0),
            }
        }
        Ok(())
    }
}

impl Store for SimStore {
    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        assert!(bytes >= state.view.len() as u64, "never shorter");
        state.pending.push(Event::Len(number(bytes)));
        state.event()?;
        state.view.resize(number(bytes), 0);
        Ok(())
    }
}

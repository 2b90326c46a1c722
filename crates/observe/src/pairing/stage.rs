//! Which event makes an I/O: its arrival in the block layer, or its way to the driver.
//!
//! The driver's view is the one that alignment is about. Devices without requests of their own (md,
//! dm) only have arrivals; which a device is, is seen in the first records that speak of it.

use std::collections::HashSet;

use crate::record::{Io, RecordKind, TraceRecord};

/// The stage at which I/Os are counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CountedStage {
    /// As they arrive (blktrace Q): before merging, with the issuer's name.
    Queue,
    /// As the driver gets them (blktrace D): after merging.
    Issue,
}

/// Places of arrivals remembered, so that an issue gets its issuer's name. A power of two.
const REMEMBERED: usize = 1 << 12;

/// The stage of every device.
pub struct Stages {
    asked: Option<CountedStage>,
    known: HashSet<u32>,
    queue: HashSet<u32>,
    last: Option<(u32, bool)>,
    arrivals: Box<[(u32, u32, u64); REMEMBERED]>,
}

impl Stages {
    pub fn new(asked: Option<CountedStage>) -> Self {
        Self {
            asked,
            known: HashSet::new(),
            queue: HashSet::new(),
            last: None,
            arrivals: Box::new([(u32::MAX, 0, 0); REMEMBERED]),
        }
    }

    /// Whether arrivals are the I/Os of this device, whose first records are among these.
    #[inline]
    pub fn counts_queue(&mut self, device: u32, records: &[TraceRecord]) -> bool {
        match (self.asked, self.last) {
            (Some(stage), _) => stage == CountedStage::Queue,
            (None, Some((last, answer))) if last == device => answer,
            (None, _) => self.look(device, records),
        }
    }

    fn look(&mut self, device: u32, records: &[TraceRecord]) -> bool {
        if !self.known.contains(&device) {
            self.learn(device, records);
        }
        let answer = self.queue.contains(&device);
        self.last = Some((device, answer));
        answer
    }

    fn learn(&mut self, device: u32, records: &[TraceRecord]) {
        let mut of_device = records.iter().filter(|record| record.io.device == device);
        self.known.insert(device);
        if of_device.all(|record| record.kind != RecordKind::Issue) {
            self.queue.insert(device);
        }
    }

    /// Keeps who issued what arrives here.
    #[inline]
    pub fn remember(&mut self, io: &Io) {
        if let Some(slot) = self.arrivals.get_mut(place(io)) {
            *slot = (io.device, io.process, io.offset);
        }
    }

    /// Who issued it.
    #[inline]
    pub fn recall(&self, io: &Io) -> Option<u32> {
        let (device, process, offset) = *self.arrivals.get(place(io))?;
        ((device, offset) == (io.device, io.offset)).then_some(process)
    }
}

#[inline]
fn place(io: &Io) -> usize {
    let mixed = (io.offset >> 9).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    usize::try_from(mixed).unwrap_or(0) & (REMEMBERED - 1)
}

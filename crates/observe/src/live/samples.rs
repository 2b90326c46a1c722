//! Some of the I/Os that straddle, one by one: whose they are and which boundaries they cross.

use aya::maps::{MapData, RingBuf};

use super::attach::Watch;
use super::ring::{RingEvent, RingEventKind};
use crate::error::{ObserveError, ObserveErrorKind, Result};
use crate::record::Op;

/// A straddling I/O, as it was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StraddleSample {
    /// The device's place.
    pub slot: usize,
    /// The operation.
    pub op: Op,
    /// Its start, in bytes.
    pub offset: u64,
    /// Its bytes.
    pub len: u32,
    /// Its process.
    pub pid: u32,
    /// The name of that process.
    pub name: String,
    /// A bit for each grid of the device on which it straddles.
    pub grids: u32,
}

/// Samples on their way.
pub struct Samples(RingBuf<MapData>);

impl Samples {
    /// The samples that `watch` uses.
    pub fn start(watch: &mut Watch) -> Result<Self> {
        let ring = watch.ring();
        ring.map(Self).ok_or_else(|| {
            ObserveError::new(ObserveErrorKind::Unsupported, "There is no ring of events")
        })
    }

    /// The samples since the last call.
    pub fn drain(&mut self) -> Vec<StraddleSample> {
        let mut all = Vec::new();
        while let Some(item) = self.0.next() {
            all.extend(RingEvent::read(&item).and_then(|event| sample(&event)));
        }
        all
    }
}

fn sample(event: &RingEvent) -> Option<StraddleSample> {
    let name = event.comm.split(|byte| *byte == 0).next();
    let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
    (event.happened == RingEventKind::Straddle).then(|| StraddleSample {
        slot: usize::try_from(event.slot).unwrap_or(usize::MAX),
        op: event.op,
        offset: event.sector << 9,
        len: event.bytes,
        pid: event.pid,
        name,
        grids: event.crossed,
    })
}

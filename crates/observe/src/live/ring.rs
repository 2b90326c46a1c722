//! An event as the ring carries it (`struct event` in `bpf/watch.bpf.c`).

use super::layout::EVENT;
use crate::record::Op;

/// The event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RingEventKind {
    Issue,
    Complete,
    Requeue,
    /// One of those that straddle, at issue.
    Straddle,
}

/// One event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RingEvent {
    pub time: u64,
    pub sector: u64,
    pub bytes: u32,
    pub slot: u32,
    pub pid: u32,
    pub happened: RingEventKind,
    pub op: Op,
    pub cpu: u16,
    pub error: u32,
    pub crossed: u32,
    pub comm: [u8; 16],
}

impl RingEvent {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<EVENT>()?;
        let word = |at: usize| Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?));
        Some(Self {
            time: long(0)?,
            sector: long(8)?,
            bytes: word(16)?,
            slot: word(20)?,
            pid: word(24)?,
            happened: match bytes.get(28)? {
                0 => RingEventKind::Issue,
                1 => RingEventKind::Complete,
                2 => RingEventKind::Requeue,
                3 => RingEventKind::Straddle,
                _ => return None,
            },
            op: *Op::ALL.get(usize::from(*bytes.get(29)?))?,
            cpu: u16::from_ne_bytes(*bytes.get(30..)?.first_chunk()?),
            error: word(32)?,
            crossed: word(36)?,
            comm: *bytes.get(40..)?.first_chunk()?,
        })
    }
}

//! Disks that work in units: flash, each unit on a channel, with a buffer for writes.

use std::collections::VecDeque;

use super::planned::{QueueMoment, forget};
use super::waiting::QueuedIo;
use super::{DiskQueues, QueueOrder};
use crate::disk::FlashDisk;
use crate::engine::calendar::EventTurn;
use crate::geometry::DiskIo;

/// What a disk is made of that works in units.
#[derive(Debug)]
pub struct DiskUnits {
    bytes: u64,
    buffer_ns: u64,
    /// Of each disk the units that its buffer has room for.
    room: Vec<u64>,
    /// Of each channel the ends of the writes that are in the buffer.
    held: Vec<VecDeque<u64>>,
}

impl DiskUnits {
    pub fn of(flash: &FlashDisk, disks: usize) -> Self {
        let units = flash.buffer_bytes / flash.unit_bytes;
        Self {
            bytes: flash.unit_bytes,
            buffer_ns: flash.buffer_ns,
            room: vec![units; disks],
            held: vec![VecDeque::new(); disks * flash.channels as usize],
        }
    }

    /// Takes room in the buffer of a disk for a write on one of its channels, if there is some.
    fn takes(&mut self, disk: u32, channels: u32, number: u32, now: EventTurn) -> bool {
        let room = &mut self.room[disk as usize];
        *room += forget(&mut self.held[number as usize], number, now);
        if *room == 0 {
            // What is on flash by now has left the buffer.
            for number in disk * channels..(disk + 1) * channels {
                *room += forget(&mut self.held[number as usize], number, now);
            }
        }
        let takes = *room > 0;
        *room -= u64::from(takes);
        takes
    }
}

impl DiskQueues {
    /// The units that an I/O touches, each on its channel. A write that finds room in the buffer of
    /// the disk is complete when it is there.
    pub(super) fn add_units(&mut self, io: DiskIo) -> EventTurn {
        let mut last = EventTurn::FIRST;
        let (Some(units), QueueOrder::Planned(queues)) = (&mut self.units, &mut self.order) else {
            return last;
        };
        let moment = QueueMoment {
            turn: self.calendar.current(),
            number: self.moment,
        };
        let first = io.disk * self.channels;
        let channel = io.at / units.bytes % u64::from(self.channels);
        let mut number = first + u32::try_from(channel).unwrap_or(0);
        let (mut at, end) = (io.at, io.at + io.len);
        let mut len = units.bytes - at % units.bytes;
        while at < end {
            len = len.min(end - at);
            let queued = QueuedIo {
                at,
                len,
                write: io.write,
                counts: false,
                known: (),
            };
            let on_flash = queues.add(number, queued, moment).turn;
            if io.write && units.takes(io.disk, self.channels, number, moment.turn) {
                units.held[number as usize].push_back(on_flash.time());
                last = last.max(self.calendar.after(units.buffer_ns));
            } else {
                last = last.max(on_flash);
            }
            at += len;
            len = units.bytes;
            number += 1;
            if number == first + self.channels {
                number = first;
            }
        }
        last
    }
}

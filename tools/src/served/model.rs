//! The law of a device as the model of a served one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ioalign_export::ArrayRequest;
use ioalign_export::server::ServiceModel;
use ioalign_testkit::served::{DeviceLaw, ServedIo, Servers};

/// Ends of I/Os that the next one may follow.
const REMEMBERED: usize = 64;

/// Servers, and what they are at.
pub struct LawModel {
    servers: Servers,
    /// When an I/O is complete, and its tag.
    under_way: BinaryHeap<Reverse<(u64, u64)>>,
    /// Where I/Os ended of late.
    ends: VecDeque<u64>,
}

impl LawModel {
    pub fn new(law: DeviceLaw) -> Self {
        Self {
            servers: Servers::new(law),
            under_way: BinaryHeap::new(),
            ends: VecDeque::new(),
        }
    }

    fn is_sequential(&mut self, request: ArrayRequest) -> bool {
        let followed = self.ends.iter().position(|end| *end == request.at);
        if let Some(followed) = followed {
            self.ends.remove(followed);
        } else if self.ends.len() == REMEMBERED {
            self.ends.pop_front();
        }
        self.ends.push_back(request.at + request.len);
        followed.is_some()
    }
}

impl ServiceModel for LawModel {
    fn send(&mut self, now_ns: u64, request: ArrayRequest, tag: u64, done: &mut Vec<u64>) {
        self.advance(now_ns, done);
        let io = ServedIo {
            write: request.write,
            offset: request.at,
            bytes: request.len,
            sequential: self.is_sequential(request),
        };
        let end_us = self.servers.take(&io, now_ns as f64 / 1e3, 1.0);
        self.under_way.push(Reverse(((end_us * 1e3) as u64, tag)));
    }

    fn advance(&mut self, now_ns: u64, done: &mut Vec<u64>) {
        while self.next_ns().is_some_and(|next| next <= now_ns) {
            done.extend(self.under_way.pop().map(|Reverse((_, tag))| tag));
        }
    }

    fn next_ns(&self) -> Option<u64> {
        self.under_way.peek().map(|Reverse((end, _))| *end)
    }
}

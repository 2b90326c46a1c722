//! Reads that follow each other, and what is read ahead of them.

use std::collections::VecDeque;

/// Streams that are followed at the same time.
const STREAMS: usize = 32;
/// Reads in order before anything is read ahead.
const IN_ORDER: u32 = 2;

/// What a read meets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StreamAnswer {
    /// Nothing: it goes to the disks.
    Miss,
    /// All of it was read ahead.
    Ready,
    /// It is being read ahead.
    Waits,
}

/// A window that is read ahead.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ReadAhead {
    pub stream: usize,
    pub at: u64,
    pub len: u64,
}

#[derive(Debug, Default)]
struct ReadStream {
    /// Where the next read begins.
    next: u64,
    in_order: u32,
    /// The end of what is here, and of what was asked for.
    ready: u64,
    asked: u64,
    /// The windows between the two: their ends, and whether they are here.
    windows: VecDeque<(u64, bool)>,
    waiting: Vec<(u64, usize)>,
    used: u64,
}

/// All of them.
#[derive(Debug)]
pub struct ReadStreams {
    streams: Vec<ReadStream>,
    ahead: u64,
    capacity: u64,
    clock: u64,
}

impl ReadStreams {
    pub const fn new(ahead: u64, capacity: u64) -> Self {
        Self {
            streams: Vec::new(),
            ahead,
            capacity,
            clock: 0,
        }
    }

    /// A read of `slot`; adds to `wanted` what is to be read ahead.
    pub fn read(
        &mut self,
        (at, len): (u64, u64),
        slot: usize,
        wanted: &mut Vec<ReadAhead>,
    ) -> StreamAnswer {
        if self.ahead == 0 {
            return StreamAnswer::Miss;
        }
        self.clock += 1;
        let Some(index) = self.streams.iter().position(|one| one.next == at) else {
            self.begin(at + len);
            return StreamAnswer::Miss;
        };
        let (ahead, capacity) = (self.ahead, self.capacity);
        let stream = &mut self.streams[index];
        let end = at + len;
        stream.next = end;
        stream.used = self.clock;
        stream.in_order += 1;
        if stream.in_order < IN_ORDER {
            return StreamAnswer::Miss;
        }
        if stream.in_order == IN_ORDER {
            (stream.ready, stream.asked) = (at, at);
        }
        let until = (end + ahead).min(capacity);
        while stream.asked < until {
            // Windows end at multiples of their size, as caches read whole elements, wherever the stream began.
            let window = ((stream.asked / ahead + 1) * ahead).min(capacity);
            wanted.push(ReadAhead {
                stream: index,
                at: stream.asked,
                len: window - stream.asked,
            });
            stream.windows.push_back((window, false));
            stream.asked = window;
        }
        if end <= stream.ready {
            return StreamAnswer::Ready;
        }
        stream.waiting.push((end, slot));
        StreamAnswer::Waits
    }

    /// A window is here: adds the requests that waited for it.
    pub fn arrived(&mut self, ahead: ReadAhead, answered: &mut Vec<usize>) {
        let Some(stream) = self.streams.get_mut(ahead.stream) else {
            return;
        };
        let end = ahead.at + ahead.len;
        for window in stream.windows.iter_mut().filter(|one| one.0 == end) {
            window.1 = true;
        }
        while let Some((end, true)) = stream.windows.front().copied() {
            stream.windows.pop_front();
            stream.ready = end;
        }
        let ready = stream.ready;
        stream.waiting.retain(|(end, slot)| {
            if *end <= ready {
                answered.push(*slot);
            }
            *end > ready
        });
    }

    /// What is written is read again: the stream there begins once more.
    pub fn is_written(&mut self, at: u64, len: u64) {
        for stream in &mut self.streams {
            let inside = at < stream.ready && at + len > stream.next;
            if inside && stream.windows.is_empty() && stream.waiting.is_empty() {
                stream.in_order = 0;
            }
        }
    }

    /// A new stream in place of the one that was read from least recently.
    fn begin(&mut self, next: u64) {
        let stream = ReadStream {
            next,
            used: self.clock,
            ..ReadStream::default()
        };
        if self.streams.len() < STREAMS {
            self.streams.push(stream);
            return;
        }
        let idle = self.streams.iter_mut();
        let idle = idle.filter(|one| one.windows.is_empty() && one.waiting.is_empty());
        if let Some(oldest) = idle.min_by_key(|one| one.used) {
            *oldest = stream;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_read_in_order_is_read_ahead() {
        let mut streams = ReadStreams::new(1000, 10_000);
        let mut wanted = Vec::new();
        let read =
            |streams: &mut ReadStreams, at, wanted: &mut Vec<_>| streams.read((at, 100), 7, wanted);
        assert_eq!(read(&mut streams, 0, &mut wanted), StreamAnswer::Miss);
        assert_eq!(read(&mut streams, 100, &mut wanted), StreamAnswer::Miss);
        assert!(wanted.is_empty());
        assert_eq!(read(&mut streams, 200, &mut wanted), StreamAnswer::Waits);
        let windows: Vec<_> = wanted.iter().map(|one| (one.at, one.len)).collect();
        assert_eq!(windows, [(200, 800), (1000, 1000)]);
        let mut answered = Vec::new();
        streams.arrived(wanted[1], &mut answered);
        assert!(answered.is_empty(), "the first window is missing");
        streams.arrived(wanted[0], &mut answered);
        assert_eq!(answered, [7]);
        wanted.clear();
        assert_eq!(read(&mut streams, 300, &mut wanted), StreamAnswer::Ready);
        assert!(wanted.is_empty());
        assert_eq!(read(&mut streams, 9000, &mut wanted), StreamAnswer::Miss);
    }
}

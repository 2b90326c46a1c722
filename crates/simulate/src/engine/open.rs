//! An open array: requests come when they come, in a time that the caller has.
//!
//! The closed loop of the parent module sends by itself. Here the caller does, as with a device: the same disks and
//! queues, asked what is complete by a given time. What follows from a completion (the writes behind
//! the reads of a small write, the next I/O of a queue) begins at the time of the completion, not at that of the
//! question, so late questions do not slow the disks down.

use super::DiskScheduler;
use super::calendar::{CalendarEvent, QueuedPart};
use super::progress::RequestProgress;
use super::queues::DiskQueues;
use crate::disk::DiskModel;
use crate::geometry::ArrayGeometry;
use crate::requests::ArrayRequest;

/// An array that is sent requests one by one. Times are nanoseconds of the caller's clock, and never go back.
#[derive(Debug)]
pub struct OpenArray {
    queues: DiskQueues,
    requests: Vec<RequestProgress>,
    /// How the caller names each of them.
    tags: Vec<u64>,
    free: Vec<usize>,
}

impl OpenArray {
    /// An idle array; the seed is that of disks with chance in them.
    pub fn new(geometry: &ArrayGeometry, disk: &DiskModel, seed: u64) -> Self {
        Self {
            queues: DiskQueues::new(geometry, 1, (disk, DiskScheduler::Arrival), seed),
            requests: Vec::new(),
            tags: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Bytes that requests can reach.
    pub const fn capacity(&self) -> u64 {
        self.queues.geometry().capacity()
    }

    /// Takes a request that comes now, within the capacity. What is complete by now is added to `done`.
    pub fn send(&mut self, now_ns: u64, request: ArrayRequest, tag: u64, done: &mut Vec<u64>) {
        self.advance(now_ns, done);
        let index = self.free.pop().unwrap_or_else(|| {
            self.requests.push(RequestProgress::default());
            self.tags.push(0);
            self.requests.len() - 1
        });
        self.tags[index] = tag;
        self.requests[index].begin(&mut self.queues, request, index, true);
        if self.requests[index].is_complete() {
            self.complete(index, done);
        }
        self.queues.settle();
    }

    /// Adds the tags of the requests that are complete by now to `done`, in the order in which they are.
    pub fn advance(&mut self, now_ns: u64, done: &mut Vec<u64>) {
        while self.next_ns().is_some_and(|next| next <= now_ns) {
            match self.queues.next_event() {
                Some(CalendarEvent::Part(part)) => self.finished(part, done),
                Some(_) => {}
                None => break,
            }
            self.queues.settle();
        }
        self.queues.wait_until(now_ns);
    }

    /// When the next I/O of a disk is complete, if one is under way. Not each one completes a request.
    pub fn next_ns(&self) -> Option<u64> {
        self.queues.next_ns()
    }

    fn finished(&mut self, part: QueuedPart, done: &mut Vec<u64>) {
        let index = part.slot as usize;
        if self.requests[index].finished(&mut self.queues, part, true) {
            self.complete(index, done);
        }
    }

    fn complete(&mut self, index: usize, done: &mut Vec<u64>) {
        done.push(self.tags[index]);
        self.free.push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description;
    use crate::engine::{SimulationRun, run};
    use crate::requests::RequestStream;
    use ioalign_core::workload::{Pattern, SizeShare, Workload};

    const START: u64 = 32256;
    const IOS: u64 = 2000;

    /// What a client does that keeps a queue full and needs no time itself: nanoseconds until all are complete.
    fn closed_by_hand(geometry: &ArrayGeometry, disk: &DiskModel, workload: &Workload) -> u64 {
        let mut open = OpenArray::new(geometry, disk, 42);
        let mut stream = RequestStream::new(workload, geometry.capacity() - START, 42).unwrap();
        let (mut now, mut sent, mut complete) = (0, 0, 0);
        let (mut done, mut wanted) = (Vec::new(), u64::from(workload.queue_depth));
        loop {
            while sent < wanted.min(IOS) {
                let mut request = stream.next(0);
                request.at += START;
                open.send(now, request, sent, &mut done);
                sent += 1;
            }
            now = open.next_ns().unwrap();
            open.advance(now, &mut done);
            complete += done.len() as u64;
            wanted += done.len() as u64;
            done.clear();
            if complete == IOS {
                assert_eq!(open.requests.len() as u64, u64::from(workload.queue_depth));
                return now;
            }
        }
    }

    #[test]
    fn a_client_that_keeps_a_queue_full_sees_the_closed_loop() {
        // Times at random: no two I/Os are complete at once, of which either could be the first.
        let uneven = DiskModel::Uniform {
            seek_ns: (1_000_000, 3_000_000),
            revolution_ns: 4_000_000,
            fixed_ns: 100_000,
        };
        for (array, write) in [
            ("raid10:4x64k", false),
            ("raid10:4x64k", true),
            ("raid5:4x64k", true),
            ("raid6:6x32k", true),
            ("single", false),
        ] {
            for queue_depth in [1, 8] {
                let workload = Workload {
                    read_ratio: if write { 0.0 } else { 1.0 },
                    sizes: vec![SizeShare::only(16384)],
                    pattern: Pattern::Random,
                    queue_depth,
                    ..Workload::default()
                };
                let shape = description::named(array).unwrap().shape;
                let geometry = ArrayGeometry::new(shape).unwrap();
                let closed = SimulationRun {
                    geometry: &geometry,
                    disk: &uneven,
                    workload: &workload,
                    start_bytes: START,
                    ios: IOS,
                    warm_up: 0,
                    seed: 42,
                };
                let closed = run(&closed).unwrap().elapsed_ns;
                let open = closed_by_hand(&geometry, &uneven, &workload);
                assert_eq!(open, closed, "{array} {write} {queue_depth}");
            }
        }
    }

    #[test]
    fn a_late_question_slows_no_disk_down() {
        let array = description::named("single").unwrap();
        let geometry = ArrayGeometry::new(array.shape).unwrap();
        let mut open = OpenArray::new(&geometry, &array.disk, 1);
        let mut done = Vec::new();
        let request = |at| ArrayRequest {
            at,
            len: 4096,
            write: false,
        };
        for tag in 0..3 {
            open.send(0, request(tag * 8192), tag, &mut done);
        }
        assert!(done.is_empty());
        // 5 ms each: the second one began at 5 ms, though the first question came at 12 ms.
        open.advance(12_000_000, &mut done);
        assert_eq!(
            (done.as_slice(), open.next_ns()),
            (&[0, 1][..], Some(15_000_000))
        );
        // An idle disk begins when the request comes.
        open.advance(100_000_000, &mut done);
        open.send(100_000_000, request(0), 3, &mut done);
        assert_eq!(
            (done.as_slice(), open.next_ns()),
            (&[0, 1, 2][..], Some(105_000_000))
        );
    }
}

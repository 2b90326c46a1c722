//! I/Os in real time: each is answered when the model says that it is complete, and has its effect then.
//!
//! Whoever brings an I/O, or waits for the next completion, asks the model what is complete by now and answers it.
//! Between completions a thread of its own waits. The model's time is that of the clock, but what follows
//! from a completion begins at its time, so a thread that wakes late delays one answer and no disk.

mod model;

use std::collections::HashMap;
use std::io;
use std::num::NonZeroU64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ioalign_simulate::requests::ArrayRequest;

pub use model::{ServiceModel, StartedArray};

use crate::media::{BlockFault, Media, PowerLoss, WriteInFlight};

/// As long as nothing is due.
const IDLE: Duration = Duration::from_secs(3600);
const IDLE_NS: u64 = u64::MAX;

/// An I/O of a client.
#[derive(Debug)]
pub enum BlockIo {
    /// A read.
    Read {
        /// Where.
        at: u64,
        /// How much.
        len: u32,
    },
    /// A write.
    Write {
        /// Where.
        at: u64,
        /// What.
        data: Vec<u8>,
        /// FUA: it survives a loss of power once it is complete.
        durable: bool,
    },
    /// Zeros that are written, and take the time of a write.
    Zero {
        /// Where.
        at: u64,
        /// How many.
        len: u32,
        /// FUA.
        durable: bool,
    },
}

/// Where the answer to an I/O goes. It is given once, from any thread.
pub trait BlockAnswer: Send {
    /// The data of a read, nothing for a write, or why not.
    fn give(self: Box<Self>, outcome: Result<Vec<u8>, BlockFault>);
}

/// A device whose I/Os take as long as a model says.
pub struct BlockServer {
    media: Media,
    begun: Instant,
    queue: Mutex<ServedQueue>,
    /// Something is due earlier than the thread knows.
    earlier: Condvar,
}

struct ServedQueue {
    model: Box<dyn ServiceModel>,
    waiting: HashMap<u64, WaitingIo>,
    next_tag: u64,
    done: Vec<u64>,
    /// When the thread wakes by itself.
    wakes_ns: u64,
    is_on: bool,
    stops: bool,
}

struct WaitingIo {
    io: BlockIo,
    answer: Box<dyn BlockAnswer>,
}

impl BlockServer {
    /// Serves the media by a model, until [`BlockServer::stop`].
    pub fn start(
        model: Box<dyn ServiceModel>,
        media: Media,
    ) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let server = Arc::new(Self {
            media,
            begun: Instant::now(),
            queue: Mutex::new(ServedQueue {
                model,
                waiting: HashMap::new(),
                next_tag: 0,
                done: Vec::new(),
                wakes_ns: IDLE_NS,
                is_on: true,
                stops: false,
            }),
            earlier: Condvar::new(),
        });
        let waiting = Arc::clone(&server);
        let thread = std::thread::Builder::new().name("ioalign-clock".to_owned());
        let thread = thread.spawn(move || waiting.wait())?;
        Ok((server, thread))
    }

    /// How large the device is.
    pub const fn bytes(&self) -> u64 {
        self.media.bytes()
    }

    /// Takes an I/O. It is answered at once if it is out of place, or its time is up already.
    pub fn submit(&self, io: BlockIo, answer: Box<dyn BlockAnswer>) {
        let request = io.request();
        if request.len == 0 {
            return answer.give(Ok(Vec::new()));
        }
        if let Err(fault) = self.media.check(request.at, request.len) {
            return answer.give(Err(fault));
        }
        let mut queue = self.queue();
        if !queue.is_on {
            drop(queue);
            return answer.give(Err(BlockFault::PowerOff));
        }
        let tag = queue.next_tag;
        queue.next_tag += 1;
        queue.waiting.insert(tag, WaitingIo { io, answer });
        let ServedQueue { model, done, .. } = &mut *queue;
        model.send(self.now_ns(), request, tag, done);
        // What takes no time is complete now.
        model.advance(self.now_ns(), done);
        let ready = queue.ready();
        let next = queue.model.next_ns().unwrap_or(IDLE_NS);
        if next < queue.wakes_ns {
            self.earlier.notify_one();
        }
        drop(queue);
        self.answer(ready);
    }

    /// Makes everything that is complete survive a loss of power.
    pub fn flush(&self) -> Result<(), BlockFault> {
        self.media.flush()
    }

    /// Makes a hole of a range, which is read as zeros. It takes no time: nothing is written.
    pub fn punch(&self, at: u64, len: u64, durable: bool) -> Result<(), BlockFault> {
        self.media.zero(at, len, durable)
    }

    /// Cuts the power: I/Os in flight fail, and those from now on, until it is on again.
    pub fn power_off(&self) -> Result<PowerLoss, BlockFault> {
        let mut lost = Vec::new();
        let loss = self.media.power_off(|| {
            let mut queue = self.queue();
            queue.is_on = false;
            let mut all: Vec<_> = std::mem::take(&mut queue.waiting).into_iter().collect();
            all.sort_unstable_by_key(|(tag, _)| *tag);
            let mut writes = Vec::new();
            for (_, WaitingIo { io, answer }) in all {
                // Zeros that are cut leave nothing.
                if let BlockIo::Write { at, data, .. } = io {
                    writes.push(WriteInFlight { at, data });
                }
                lost.push(answer);
            }
            writes
        });
        for answer in lost {
            answer.give(Err(BlockFault::PowerOff));
        }
        loss
    }

    /// Switches it on again.
    pub fn power_on(&self) {
        self.media.power_on();
        self.queue().is_on = true;
    }

    /// Lets the thread end. I/Os that wait fail, and those that come.
    pub fn stop(&self) {
        let mut queue = self.queue();
        (queue.stops, queue.is_on) = (true, false);
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        self.earlier.notify_all();
        for (_, io) in waiting {
            io.answer.give(Err(BlockFault::PowerOff));
        }
    }

    fn queue(&self) -> MutexGuard<'_, ServedQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Answers what becomes due, until it is to stop.
    fn wait(&self) {
        // The kernel may be 50 µs late otherwise; where it refuses, it is.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut queue = self.queue();
        while !queue.stops {
            let now = self.now_ns();
            let ServedQueue { model, done, .. } = &mut *queue;
            model.advance(now, done);
            let ready = queue.ready();
            if !ready.is_empty() {
                drop(queue);
                self.answer(ready);
                queue = self.queue();
                continue;
            }
            let next = queue.model.next_ns();
            queue.wakes_ns = next.unwrap_or(IDLE_NS);
            let wait = next.map_or(IDLE, |next| Duration::from_nanos(next.saturating_sub(now)));
            let (woken, _) = self
                .earlier
                .wait_timeout(queue, wait)
                .unwrap_or_else(PoisonError::into_inner);
            queue = woken;
            // Until it waits again it looks at the clock by itself.
            queue.wakes_ns = 0;
        }
    }

    /// I/Os have their effect here, when they are complete.
    fn answer(&self, ready: Vec<WaitingIo>) {
        for WaitingIo { io, answer } in ready {
            answer.give(self.perform(&io));
        }
    }

    fn perform(&self, io: &BlockIo) -> Result<Vec<u8>, BlockFault> {
        match io {
            BlockIo::Read { at, len } => {
                let mut data = vec![0; usize::try_from(*len).unwrap_or(usize::MAX)];
                self.media.read(*at, &mut data)?;
                Ok(data)
            }
            BlockIo::Write { at, data, durable } => {
                self.media.write(*at, data, *durable)?;
                Ok(Vec::new())
            }
            BlockIo::Zero { at, len, durable } => {
                self.media.zero(*at, (*len).into(), *durable)?;
                Ok(Vec::new())
            }
        }
    }
}

impl ServedQueue {
    /// What is complete, in order. What a loss of power took is not there any more.
    fn ready(&mut self) -> Vec<WaitingIo> {
        let done = self.done.drain(..);
        done.filter_map(|tag| self.waiting.remove(&tag)).collect()
    }
}

impl BlockIo {
    fn request(&self) -> ArrayRequest {
        let (at, len, write) = match self {
            Self::Read { at, len } => (*at, u64::from(*len), false),
            Self::Write { at, data, .. } => (*at, data.len() as u64, true),
            Self::Zero { at, len, .. } => (*at, u64::from(*len), true),
        };
        ArrayRequest { at, len, write }
    }
}

impl std::fmt::Debug for BlockServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockServer")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

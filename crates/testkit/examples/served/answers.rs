//! Answers that wait until their time has come.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::num::NonZeroU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use fuser::{ReplyData, ReplyWrite};

/// As long as nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// What is to be answered, and when.
pub struct ServedAnswer {
    pub at: Instant,
    pub reply: Reply,
}

/// The answer itself.
pub enum Reply {
    Read(ReplyData, Vec<u8>),
    Write(ReplyWrite, u32),
}

impl Reply {
    fn send(self) {
        match self {
            Self::Read(reply, data) => reply.data(&data),
            Self::Write(reply, bytes) => reply.written(bytes),
        }
    }
}

/// A thread that gives each answer in its time, until the sender is gone.
pub fn start() -> Sender<ServedAnswer> {
    let (later, due) = channel();
    std::thread::spawn(move || give(&due));
    later
}

fn give(due: &Receiver<ServedAnswer>) {
    // The kernel may be 50 µs late otherwise; where it refuses, it is.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let mut waiting: BinaryHeap<Reverse<ServedAnswer>> = BinaryHeap::new();
    loop {
        let now = Instant::now();
        while waiting.peek().is_some_and(|Reverse(first)| first.at <= now) {
            if let Some(Reverse(first)) = waiting.pop() {
                first.reply.send();
            }
        }
        let wait = waiting.peek().map_or(IDLE, |Reverse(first)| first.at - now);
        match due.recv_timeout(wait) {
            Ok(answer) => waiting.push(Reverse(answer)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl PartialEq for ServedAnswer {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for ServedAnswer {}

impl Ord for ServedAnswer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at)
    }
}

impl PartialOrd for ServedAnswer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

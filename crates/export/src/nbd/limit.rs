//! How much of a client is under way: it waits with its next request until there is room.

use std::sync::{Condvar, Mutex, PoisonError};

/// Requests of one client.
const MOST_REQUESTS: u32 = 1024;
/// Their data, coming or going: at least twice the largest request.
const MOST_BYTES: u64 = 64 << 20;

/// What is under way.
#[derive(Debug, Default)]
pub struct ClientLimit {
    /// Requests and bytes.
    held: Mutex<(u32, u64)>,
    less: Condvar,
}

impl ClientLimit {
    /// Waits until there is room, and takes it.
    pub fn take(&self, bytes: u64) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |held: &mut (u32, u64)| {
            held.0 >= MOST_REQUESTS || (held.0 > 0 && held.1.saturating_add(bytes) > MOST_BYTES)
        };
        let held = self.less.wait_while(held, full);
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        *held = (held.0 + 1, held.1.saturating_add(bytes));
    }

    /// Gives it back.
    pub fn give_back(&self, bytes: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        *held = (held.0.saturating_sub(1), held.1.saturating_sub(bytes));
        self.less.notify_one();
    }

    /// Waits until nothing is under way.
    pub fn wait_for_all(&self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.less.wait_while(held, |held| held.0 > 0));
    }
}

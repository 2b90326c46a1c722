//! Servers, each of which serves one part after the other.

use super::{DeviceLaw, ServedIo};

/// When each server is free; times in µs since the start.
#[derive(Clone, Debug)]
pub struct Servers {
    law: DeviceLaw,
    free: Vec<f64>,
}

impl Servers {
    /// All of them idle.
    pub fn new(law: DeviceLaw) -> Self {
        let free = vec![0.0; law.servers.max(1)];
        Self { law, free }
    }

    /// Takes an I/O that arrives now, every part of it `factor` times as long as the law has it, and says when it is
    /// complete. Parts wait in the order in which they come.
    pub fn take(&mut self, io: &ServedIo, now_us: f64, factor: f64) -> f64 {
        let mut complete = now_us;
        for part in self.law.parts(io) {
            let server = part.server.unwrap_or_else(|| self.next_free());
            let free = &mut self.free[server];
            *free = free.max(now_us) + part.us * factor;
            complete = complete.max(*free);
        }
        complete
    }

    fn next_free(&self) -> usize {
        let all = self.free.iter().enumerate();
        let least = all.min_by(|a, b| a.1.total_cmp(b.1));
        least.map_or(0, |(server, _)| server)
    }
}

//! How long a worker sends, and what it did.

/// The work of a worker.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct WorkerSpan {
    /// The sum over workers.
    pub(super) elapsed_ns: u64,
    /// The usual time of a queue, from the queues of a run; also the sum over workers.
    pub(super) usual_ns: u64,
    pub(super) ios: u64,
    pub(super) cpu_ns: u64,
    pub(super) workers: u64,
}

impl WorkerSpan {
    /// Both at the same time.
    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            elapsed_ns: self.elapsed_ns + other.elapsed_ns,
            usual_ns: self.usual_ns + other.usual_ns,
            ios: self.ios + other.ios,
            cpu_ns: self.cpu_ns + other.cpu_ns,
            workers: self.workers + other.workers,
        }
    }

    /// The mean over workers.
    pub(super) const fn elapsed_ns(&self) -> u64 {
        self.a_worker(self.elapsed_ns)
    }

    /// The mean over workers.
    pub(super) const fn usual_ns(&self) -> u64 {
        self.a_worker(self.usual_ns)
    }

    const fn a_worker(&self, sum: u64) -> u64 {
        match self.workers {
            0 => 0,
            workers => sum / workers,
        }
    }

    /// Queues that one worker sent one after the other, as one of them: its mean time, and the usual one.
    pub(super) fn of_queues(queues: &mut [Self]) -> Self {
        queues.sort_unstable_by_key(|queue| queue.elapsed_ns);
        let middle = queues.get(queues.len() / 2).copied().unwrap_or_default();
        let sum: u64 = queues.iter().map(|queue| queue.elapsed_ns).sum();
        Self {
            elapsed_ns: sum / (queues.len() as u64).max(1),
            usual_ns: middle.elapsed_ns,
            ..middle
        }
    }
}

/// How long a queue is kept full.
#[derive(Copy, Clone, Debug)]
pub(super) enum Until {
    /// The number of I/Os.
    Sent(u64),
    /// A time of the clock.
    Time(u64),
}

impl Until {
    pub(super) const fn wants(self, sent: u64, now_ns: u64) -> bool {
        match self {
            Self::Sent(ios) => sent < ios,
            Self::Time(end_ns) => now_ns < end_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_run_the_median_does_not_know_of_a_wait() {
        let queue = |elapsed_ns| WorkerSpan {
            elapsed_ns,
            ios: 4,
            workers: 1,
            ..WorkerSpan::default()
        };
        let mut run = [10, 11, 900, 12, 67].map(queue);
        let whole = WorkerSpan::of_queues(&mut run);
        assert_eq!((whole.usual_ns(), whole.elapsed_ns()), (12, 200));
        assert_eq!((whole.ios, whole.workers), (4, 1));
        let two = whole.with(WorkerSpan::of_queues(&mut [queue(14)]));
        assert_eq!((two.usual_ns(), two.elapsed_ns(), two.ios), (13, 107, 8));
    }
}

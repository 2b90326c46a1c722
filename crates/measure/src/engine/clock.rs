//! Time: of the wall, and of the processor by thread.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds since the machine started.
#[inline]
pub(crate) fn now_ns() -> u64 {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// Nanoseconds of processor time of this thread, user and system.
pub(crate) fn thread_ns() -> u64 {
    nanos(clock_gettime(ClockId::ThreadCPUTime))
}

/// The same of all threads of the process, those with which the kernel goes on for `io_uring` among them.
pub(super) fn process_ns() -> u64 {
    nanos(clock_gettime(ClockId::ProcessCPUTime))
}

#[inline]
const fn nanos(time: Timespec) -> u64 {
    // Both clocks start at 0 and run forwards.
    time.tv_sec
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.tv_nsec.cast_unsigned())
}

/// Processor time of this thread.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct CpuTimes {
    /// In user mode.
    pub(crate) user_ns: u64,
    /// In the kernel.
    pub(crate) system_ns: u64,
}

impl CpuTimes {
    /// Until now.
    pub(crate) fn of_thread() -> Self {
        // SAFETY: `rusage` is plain numbers, for which zeros are a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live value of the type that the call fills.
        let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0;
        if failed {
            return Self::default();
        }
        let nanos = |time: libc::timeval| {
            let micros = time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned();
            micros * 1000
        };
        Self {
            user_ns: nanos(usage.ru_utime),
            system_ns: nanos(usage.ru_stime),
        }
    }

    /// From an earlier time to this.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }
}

//! The rate of the host's time-stamp counter, which an emulated guest sees as its own.
//!
//! A microvm has no timer to calibrate it with, so the kernel has to be given it; a wrong value makes
//! guest time run fast or slow, a missing one can hang the boot.

/// kHz, measured over 50 ms; `None` on other processors.
#[cfg(target_arch = "x86_64")]
pub fn khz() -> Option<u64> {
    use std::time::{Duration, Instant};
    let (started, first) = (Instant::now(), counter());
    std::thread::sleep(Duration::from_millis(50));
    let (elapsed, last) = (started.elapsed(), counter());
    let ticks = u128::from(last.wrapping_sub(first));
    u64::try_from(ticks * 1_000_000 / elapsed.as_nanos().max(1)).ok()
}

#[cfg(target_arch = "x86_64")]
fn counter() -> u64 {
    // SAFETY: rdtsc reads a register; every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Other processors emulate the guest's counter from the clock.
#[cfg(not(target_arch = "x86_64"))]
pub const fn khz() -> Option<u64> {
    None
}

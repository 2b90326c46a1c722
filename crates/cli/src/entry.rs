//! How the process starts.
//!
//! With glibc not through the start-up code of the standard library: it reads `/proc/self/maps` to
//! find the end of the stack, for a kinder message when that overflows. That is a tenth of the time
//! in which a small program starts (benches/results). What else it does for a program is done here:
//! no descriptor of the first three is closed, a broken pipe is an error and not a signal, and a
//! panic ends with 101. An overflow of the stack still meets the guard page and ends by SIGSEGV.

use std::ffi::{CStr, c_char, c_int};
use std::panic::catch_unwind;

/// What a Rust program ends with after a panic.
const PANICKED: c_int = 101;

/// Called by the C library. It has given the arguments to the standard library before.
#[unsafe(no_mangle)]
extern "C" fn main(_argc: c_int, _argv: *const *const c_char) -> c_int {
    open_standard_streams();
    // SAFETY: changes how one signal is handled; there are no other threads yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    catch_unwind(super::run).map_or(PANICKED, |exit| c_int::from(exit.code()))
}

/// A file opened later must not become standard output or standard error.
fn open_standard_streams() {
    const NULL: &CStr = c"/dev/null";
    for fd in 0..=2 {
        // SAFETY: asks for the flags of a descriptor, which may be closed.
        let closed = unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1;
        // SAFETY: the path ends with a NUL. The lowest free descriptor is `fd`.
        if closed && unsafe { libc::open(NULL.as_ptr(), libc::O_RDWR) } != fd {
            std::process::abort();
        }
    }
}

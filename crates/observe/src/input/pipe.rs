//! Pipes, terminals and the like, which may have nothing to read for hours: their reader looks up now
//! and then whether it is to stop.

use std::fs::File;
use std::io::{Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// How often it looks.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// A stream that can be ended.
pub struct StoppablePipe {
    file: File,
    stop: Arc<AtomicBool>,
}

impl StoppablePipe {
    pub fn new(file: File, stop: &Arc<AtomicBool>) -> Self {
        let stop = Arc::clone(stop);
        Self { file, stop }
    }

    /// Whether there is something to read, be it an end or an error; false: it is to stop.
    fn wait(&self) -> Result<bool> {
        while !self.stop.load(Ordering::Relaxed) {
            let mut on = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut on, Some(&LOOK)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }
}

impl Read for StoppablePipe {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self.wait()? {
            true => self.file.read(out),
            false => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::thread;

    #[test]
    fn a_pipe_that_says_nothing_ends_when_told() {
        let (read, mut write) = std::io::pipe().unwrap();
        write.write_all(b"all of it").unwrap();
        let stop = Arc::default();
        let mut pipe = StoppablePipe::new(File::from(OwnedFd::from(read)), &stop);
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            pipe.read_to_end(&mut all).unwrap();
            all
        });
        while rustix::io::ioctl_fionread(&write).is_ok_and(|left| left > 0) {
            thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(reader.join().unwrap(), b"all of it");
        // Still open: nothing but the mark has ended it.
        drop(write);
    }
}

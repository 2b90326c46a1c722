//! A closed batch: all of it is sent, and all of it is waited for.

use std::time::Duration;

use super::clock::now_ns;
use super::failure::failure;
use super::files::Files;
use super::lane::gone;
use super::patience::Patience;
use super::queue::Queue;
use super::queued_io::{Completion, QueuedIo};
use crate::{Error, Result};

/// Sends these I/Os, whose slots are their places in the list, and waits for all of them: nanoseconds from the first
/// one sent to the last one completed. After a failure of the queue what is in flight is left to the kernel.
pub(super) fn complete(
    queue: &mut Option<Queue>,
    files: &Files,
    ios: &[QueuedIo],
    stall: Duration,
) -> Result<u64> {
    let open = queue.as_mut().ok_or_else(gone)?;
    ios.iter().for_each(|io| open.push(*io));
    let start = now_ns();
    let mut patience = Patience::new(stall, start);
    let all = u32::try_from(ios.len()).unwrap_or(u32::MAX);
    let (mut done, mut failed) = (0, None);
    loop {
        let open = queue.as_mut().ok_or_else(gone)?;
        let entered = open.enter(all - done, None);
        let mut more = 0;
        open.reap(|Completion { slot, result }| {
            more += 1;
            if let Some(io) = ios.get(slot as usize) {
                failed = failed.take().or_else(|| failure(files, io, result));
            }
        });
        let now = now_ns();
        done += more;
        let trouble = match entered {
            Err(error) => Err(Error::io("the queue of I/O failed", error)),
            Ok(()) => patience.look(now, more != 0),
        };
        if let Err(error) = trouble {
            if let Some(queue) = queue.take() {
                queue.abandon();
            }
            return Err(error);
        }
        if done >= all {
            return failed.map_or(Ok(now.saturating_sub(start)), Err);
        }
    }
}

//! How figures are shown, and for how long.

use std::io::IsTerminal;
use std::time::Duration;

use super::tick::Clock;
use crate::args::WatchArgs;

/// How long the program may be left alone that remembers moments.
pub const POLL: Duration = Duration::from_secs(1);
/// Processes of the full screen.
const TOP: usize = 5;
/// Bytes of the ring that single I/Os come through.
const SAMPLES_RING: u32 = 1 << 20;

/// How figures are shown.
#[derive(Copy, Clone, Debug)]
pub struct WatchMode {
    /// On a full screen.
    pub screen: bool,
    /// With the figures of each interval.
    pub intervals: bool,
    /// Processes that are shown.
    pub top: usize,
    /// Control groups that are shown.
    pub groups: usize,
    /// Files that are shown.
    pub files: usize,
    /// The end of a burst.
    pub gap: Option<Duration>,
}

impl WatchMode {
    /// As the arguments say.
    pub fn of(arguments: &WatchArgs) -> Self {
        let quiet = !arguments.assert.is_empty() || !arguments.command.is_empty();
        let lines = arguments.line || arguments.json || arguments.straddling.is_some() || quiet;
        let screen = !lines && std::io::stdout().is_terminal();
        let usual = if screen { TOP } else { 0 };
        Self {
            screen,
            // The figures of intervals would stand between the lines of the command.
            intervals: !arguments.json && (arguments.line || !quiet),
            top: arguments.top.unwrap_or(usual),
            groups: arguments.groups.unwrap_or(0),
            files: arguments.files.unwrap_or(0),
            gap: arguments.burst_gap.0,
        }
    }

    /// Bytes of the ring of events.
    pub fn ring(self, arguments: &WatchArgs) -> Option<u32> {
        let samples = arguments.straddling.map(|_| SAMPLES_RING);
        arguments
            .record
            .as_ref()
            .map(|_| arguments.ring)
            .or(samples)
    }
}

/// To the end of the interval, or of the watch.
pub fn wait(clock: &Clock, arguments: &WatchArgs) -> Duration {
    let left = arguments
        .duration
        .map(|all| all.saturating_sub(clock.elapsed()));
    arguments.interval.min(left.unwrap_or(Duration::MAX))
}

/// Whether the end that was asked for has come.
pub fn over(clock: &Clock, arguments: &WatchArgs, count: u64) -> bool {
    arguments.count.is_some_and(|all| count >= all)
        || arguments.duration.is_some_and(|all| clock.elapsed() >= all)
}

//! Bursts of a device that is watched.

use std::fmt::Write;

use ioalign_core::profile::Bursts;
use ioalign_core::units::ratio;
use ioalign_core::watch_document::WatchedBursts;

use crate::words::numbers::{rate, thousands, time};

/// A sample that shows less than a burst moved by this factor is named.
const UNDERSTATED: f64 = 1.1;

/// In a few words.
pub fn in_words(all: &Bursts) -> String {
    let speed = all
        .throughput_bytes_per_s
        .map_or_else(String::new, |speed| format!(", {} in them", rate(speed)));
    match all.count {
        0 => "no burst so far".to_owned(),
        1 => format!("1 burst of {}{speed}", time(all.longest_us)),
        count => format!(
            "{} bursts, {} in all, longest {}{speed}",
            thousands(count),
            time(all.duration_us),
            time(all.longest_us)
        ),
    }
}

/// For the summary.
pub fn put(page: &mut String, bursts: &WatchedBursts) {
    let total = &bursts.total;
    let gap = time(ratio(total.gap_us, 1));
    let _ = writeln!(page, "\n  {}; {gap} without I/O end one", in_words(total));
    let largest = bursts.largest.iter().max_by_key(|burst| burst.bytes);
    if let Some(burst) = largest {
        let _ = write!(
            page,
            "  largest: {} I/Os in {}, {}",
            thousands(burst.ios),
            time(burst.duration_us),
            rate(burst.throughput_bytes_per_s.unwrap_or(0.0))
        );
        let hidden = burst
            .sampled
            .iter()
            .filter(|one| one.understated_ratio > UNDERSTATED);
        for sampled in hidden {
            let _ = write!(
                page,
                "; sampled every {} s: {}",
                sampled.interval_us / 1_000_000,
                rate(sampled.throughput_bytes_per_s)
            );
        }
        page.push('\n');
    }
    if bursts.unseen_ios > 0 {
        let _ = writeln!(
            page,
            "  {} that took more than 3 s are in none",
            thousands(bursts.unseen_ios)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_few_words() {
        assert_eq!(in_words(&Bursts::default()), "no burst so far");
        let all = Bursts {
            count: 2,
            duration_us: 1_500_000.0,
            longest_us: 1_000_000.0,
            throughput_bytes_per_s: Some(4e8),
            ..Bursts::default()
        };
        assert_eq!(
            in_words(&all),
            "2 bursts, 1.5 s in all, longest 1 s, 381 MiB/s in them"
        );
    }
}

//! Bursts, as the screen and the summary tell of them.

use std::io::{self, Write};

use ioalign_core::profile::{Burst, Bursts};

use super::numbers::{grouped, time};

/// In a few words.
pub fn bursts(all: &Bursts) -> String {
    let speed = all.throughput_bytes_per_s.map_or_else(String::new, |rate| {
        format!(", {:.1} MB/s in them", rate / 1e6)
    });
    match all.count {
        0 => "no burst so far".to_owned(),
        1 => format!("1 burst of {}{speed}", time(all.longest_us)),
        count => format!(
            "{} bursts, {} in all, longest {}{speed}",
            grouped(count),
            time(all.duration_us),
            time(all.longest_us)
        ),
    }
}

/// The bursts in the summary; `unseen` I/Os are in none.
pub fn write(
    (kept, all): &(Vec<Burst>, Bursts),
    unseen: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    #[allow(clippy::cast_precision_loss)] // display values
    let gap = time(all.gap_us as f64);
    writeln!(out, "\n  {}; {gap} without I/O end one", bursts(all))?;
    let largest = kept.iter().max_by_key(|burst| burst.bytes);
    if let Some(burst) = largest {
        let rate = burst.throughput_bytes_per_s.unwrap_or(0.0) / 1e6;
        write!(
            out,
            "  largest: {} I/Os in {}, {rate:.1} MB/s",
            grouped(burst.ios),
            time(burst.duration_us)
        )?;
        for sampled in burst
            .sampled
            .iter()
            .filter(|one| one.understated_ratio > 1.1)
        {
            let shown = sampled.throughput_bytes_per_s / 1e6;
            write!(
                out,
                "; sampled every {} s: {shown:.1}",
                sampled.interval_us / 1_000_000
            )?;
        }
        writeln!(out)?;
    }
    if unseen > 0 {
        writeln!(
            out,
            "  {} that took more than 3 s are in none",
            grouped(unseen)
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_words() {
        assert_eq!(bursts(&Bursts::default()), "no burst so far");
        let all = Bursts {
            count: 2,
            duration_us: 1_500_000.0,
            longest_us: 1_000_000.0,
            throughput_bytes_per_s: Some(4e8),
            ..Bursts::default()
        };
        assert_eq!(
            bursts(&all),
            "2 bursts, 1.50 s in all, longest 1.00 s, 400.0 MB/s in them"
        );
    }
}

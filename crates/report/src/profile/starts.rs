//! Starts by the largest power of two that they are a multiple of, as bars.

use ioalign_core::Bytes;
use ioalign_core::profile::DeviceProfile;

use super::heading;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{bar, share, thousands};

/// Everything from 1 MiB on is one row.
const LAST: usize = 20;
const BAR: usize = 36;

pub fn bars(page: &mut TextPage, device: &DeviceProfile) {
    let mut counts = [0_u64; LAST + 1];
    for op in device.by_op.values() {
        for (power, ios) in op.start_pow2_histogram.iter().enumerate() {
            if let Some(count) = counts.get_mut(power.min(LAST)) {
                *count += ios;
            }
        }
    }
    let total: u64 = counts.iter().sum();
    let most = counts.iter().copied().max().unwrap_or(0);
    let Some(first) = counts.iter().position(|ios| *ios > 0) else {
        return;
    };
    let last = counts.iter().rposition(|ios| *ios > 0).unwrap_or(LAST);
    heading(page, "Starts are multiples of, and of nothing larger");
    for (power, ios) in counts.iter().enumerate().take(last + 1).skip(first) {
        row(page, power, *ios, most, total);
    }
}

fn row(page: &mut TextPage, power: usize, ios: u64, most: u64, total: u64) {
    let size = Bytes::new(1 << power).to_string();
    let size = if power == LAST {
        format!("{size} +")
    } else {
        size
    };
    let style = if power < 12 { Style::Bad } else { Style::Good };
    let sign = if page.options().ascii { "#" } else { "█" };
    let drawn = bar(ios, most, BAR, sign);
    let space = " ".repeat(BAR - drawn.chars().count().min(BAR));
    let numbers = format!("{:>9}  {:>14}", share(ios, total), thousands(ios));
    let body = [
        TextSpan::plain(format!("  {size:>9}  ")),
        TextSpan::new(style, drawn),
        TextSpan::plain(format!("{space}{numbers}")),
    ];
    page.line(&body);
}

//! `--straddling N`: single I/Os that cross a boundary, in lines.

use std::io::{self, Write};

use ioalign_observe::live::{StraddleSample, WatchedDevice};

use super::numbers::{printable, size};

/// Bytes of the ring that they come through.
pub const RING: u32 = 1 << 20;

/// A line each.
pub fn write(
    samples: &[StraddleSample],
    devices: &[WatchedDevice],
    out: &mut impl Write,
) -> io::Result<()> {
    for sample in samples {
        if let Some(device) = devices.get(sample.slot) {
            writeln!(out, "{}", line(sample, device))?;
        }
    }
    Ok(())
}

fn line(sample: &StraddleSample, device: &WatchedDevice) -> String {
    let crossed = device.grids.iter().zip(0_u32..);
    let crossed = crossed.filter(|(_, bit)| sample.grids & (1 << bit) != 0);
    let names: Vec<_> = crossed
        .map(|(grid, _)| format!("{} {}", size(grid.size.get()), grid.kind))
        .collect();
    format!(
        "{:<8} {:<8}sector {} + {}, {} ({}) crosses {}",
        device.name,
        sample.op.name(),
        sample.offset / 512,
        sample.len / 512,
        printable(&sample.name),
        sample.pid,
        names.join(", ")
    )
}

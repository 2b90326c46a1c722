//! `--quick`: an answer within ten seconds, and what it leaves out.

use ioalign_core::Bytes;
use ioalign_core::workload::Pattern;

use crate::args::CellArgs;

/// Two seconds are left for opening, looking around and the report.
const ALL_CELLS_MS: u64 = 8000;
/// How much of the target is used.
pub const TARGET_SIZE: u64 = 1 << 30;
/// A page, and what a database or a guest reads at once.
pub const SIZES: [u64; 2] = [4096, 65536];

/// The time limit of each of this many cells.
pub fn time_ms(cells: usize) -> u64 {
    ALL_CELLS_MS / u64::try_from(cells.max(1)).unwrap_or(u64::MAX)
}

/// The part of a matrix that is not measured by default.
pub fn left_out(typed: &CellArgs, sizes: &[u64]) -> Option<String> {
    let mut all = Vec::new();
    if typed.sizes.is_empty() {
        let more = sizes.iter().filter(|size| !SIZES.contains(size));
        all.push(
            more.map(|size| Bytes::new(*size).to_string())
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
    if typed.patterns.is_empty() {
        all.push(format!("{} order", Pattern::Sequential.word()));
    }
    (!all.is_empty()).then(|| {
        format!(
            "--quick leaves out {}; --ramp 1s --time 10s measures all of it",
            all.join(", and ")
        )
    })
}

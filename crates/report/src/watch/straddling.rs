//! Single I/Os that cross a boundary.

use ioalign_core::watch_document::StraddlingIo;

use crate::words::clean;

/// A line: where it is, whose it is, and what it crosses.
pub fn straddling(io: &StraddlingIo) -> String {
    let crossed: Vec<_> = io
        .crossed
        .iter()
        .map(|(size, kind)| format!("{size} {kind}"))
        .collect();
    format!(
        "{:<8} {:<8}sector {} + {}, {} ({}) crosses {}\n",
        io.device,
        io.op,
        io.offset / 512,
        io.len / 512,
        clean(&io.process),
        io.pid,
        crossed.join(", ")
    )
}

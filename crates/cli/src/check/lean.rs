//! The facts that the table of many targets needs of each, and no more.
//!
//! Ten thousand targets with their arithmetic, costs and maps are 92 MiB; the table shows a verdict,
//! a format, a name and an offset of each. So the rest is dropped as soon as a target is judged.

use std::sync::atomic::{AtomicUsize, Ordering};

use ioalign_core::{Finding, Layer, Stack};
use ioalign_report::{ReportFormat, Target};

use crate::args::CheckArgs;
use crate::exit::ExitMode;

/// This many targets are kept completely: a few are shown in full instead of as a table, and the
/// number of images in a folder is known only at the end.
const WHOLE: usize = 16;

/// Decides which targets are kept whole.
pub struct Diet {
    wanted: bool,
    seen: AtomicUsize,
}

impl Diet {
    /// Whether the arguments allow it: every output except the plain table shows all facts.
    pub fn new(arguments: &CheckArgs) -> Self {
        let table =
            arguments.output.format() == ReportFormat::Text && arguments.output.verbose == 0;
        Self {
            // That mode looks at the starts of all partitions.
            wanted: table && arguments.exit_mode() != ExitMode::VirtAlignmentScan,
            seen: AtomicUsize::new(0),
        }
    }

    /// Takes from a target what a row of the table does not show.
    pub fn trim(&self, target: Target) -> Target {
        let earlier = self.seen.fetch_add(1, Ordering::Relaxed);
        if self.wanted && earlier >= WHOLE {
            lean(target)
        } else {
            target
        }
    }
}

/// Name, verdict, error and time stay; of the layers their names, of the findings the numbers.
fn lean(target: Target) -> Target {
    let mut stack = Stack::new();
    for (_, layer) in target.stack.layers() {
        let mut bare = Layer::new(layer.kind, layer.name.clone()).detailed(layer.detail.clone());
        bare.facts.extend(
            layer
                .facts
                .get_key_value("format")
                .map(|(key, value)| (*key, value.clone())),
        );
        stack.push(bare);
    }
    let grids = &target.stack.grids;
    let findings = target.findings.iter().map(|finding| Finding {
        unit: finding
            .unit
            .or_else(|| grids.get(finding.grid?).map(|grid| grid.size)),
        cost: Vec::new(),
        why: String::new(),
        steps: Vec::new(),
        ..finding.clone()
    });
    Target {
        findings: findings.collect(),
        stack,
        phases: Vec::new(),
        missed: Vec::new(),
        ..target
    }
}

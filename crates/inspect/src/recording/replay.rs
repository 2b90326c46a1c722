//! Whether a frozen host reads like the live one: what must be the same for the same verdicts.
//!
//! Names and facts are left out: that is where serial numbers were.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use ioalign_core::{Layer, Stack};

use super::Frozen;
use crate::assemble::{AssembleOptions, HostOptions, Inspection, host_in};
use crate::error::Result;
use crate::host::Root;

/// Reads a frozen host as `check` would; messages call it `name`.
///
/// # Errors
/// Those of reading a host.
pub fn read(tree: &Frozen, name: &Path, options: &AssembleOptions) -> Result<Inspection> {
    let root = Root::in_memory(Arc::new(tree.tree()), name);
    host_in(&root, &HostOptions::default(), options)
}

/// The first difference that a judge would see, in words; `None`: there is none.
pub fn difference(live: &Inspection, frozen: &Inspection) -> Option<String> {
    let (one, other) = (lines(live), lines(frozen));
    let pair = one.iter().zip(&other).find(|(one, other)| one != other);
    match pair {
        Some((one, other)) => Some(format!("live: {one}; copy: {other}")),
        None if one.len() != other.len() => {
            Some(format!("live: {} items; copy: {}", one.len(), other.len()))
        }
        None => None,
    }
}

fn lines(inspection: &Inspection) -> Vec<String> {
    let stack = &inspection.stack;
    let mut lines: Vec<_> = stack.layers().map(|(_, layer)| line(layer)).collect();
    lines.extend(grids(stack));
    let unread = inspection.unread.iter();
    lines.extend(unread.map(|(path, why)| format!("unread {}: {why}", path.display())));
    let malformed = inspection.malformed.as_ref().map(crate::Error::kind);
    lines.push(format!("malformed: {malformed:?}"));
    lines
}

fn line(layer: &Layer) -> String {
    let mut line = format!(
        "{:?} {:?} size {:?} sectors {:?} {:?} start {:?} block {:?} unit {:?} {:?} below {:?}",
        layer.kind,
        layer.role,
        layer.size,
        layer.logical_sector,
        layer.wants_sector,
        layer.start_sectors,
        layer.block,
        layer.size_unit,
        layer.geometry,
        layer.below,
    );
    for remark in &layer.remarks {
        // Writing to a string cannot fail.
        let _ = write!(line, "; {} {:?}", remark.rule, remark.severity);
    }
    line
}

fn grids(stack: &Stack) -> impl Iterator<Item = String> {
    stack.grids.iter().map(|grid| {
        let trusted = grid.distrust.is_none();
        format!(
            "grid {:?} {:?}@{:?} {:?} {} {:?} {trusted}",
            grid.layer, grid.size, grid.phase, grid.tier, grid.kind, grid.origin
        )
    })
}

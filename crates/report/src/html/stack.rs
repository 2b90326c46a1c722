//! The stack as a table, from the top (database, file system) to the disk.

use std::collections::HashSet;

use ioalign_core::{Grid, Layer, LayerId, Role, Tier};

use crate::model::Target;
use crate::svg::escape;
use crate::text::twins;
use crate::view::{self, Standing};
use crate::words::numbers::{about, count, percent};
use crate::words::sentence::capital;
use crate::words::{facts, kinds, place};

/// Deeper layers are left out in any stack.
const DEEPEST: usize = 64;
/// More columns than this cannot be read; the smallest grids of the worst tier come first.
const MOST_COLUMNS: usize = 8;
/// Members of a group that are named.
const NAMED: usize = 4;

/// Grids of one size and kind, on any member.
pub struct GridColumn<'a> {
    grid: &'a Grid,
}

/// A row: a layer, or several alike.
struct LayerRow {
    group: Vec<LayerId>,
    depth: usize,
}

/// The table with its legend.
pub fn put(out: &mut String, target: &Target) {
    let columns = columns(target);
    let rows = rows(target);
    out.push_str("<h3>The stack, top to bottom</h3>\n<div class=\"wide\">\n");
    out.push_str(
        "<table class=\"stack cards\">\n<thead><tr><th>layer</th><th>starts at</th><th>size</th>\
         <th>block</th>",
    );
    for column in &columns {
        out.push_str(&format!(
            "<th>past a {} {}</th>",
            column.grid.size,
            escape(&kinds::cell(column.grid.kind.name()))
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for one in &rows {
        row(out, target, one, &columns);
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    legend(out);
}

fn legend(out: &mut String) {
    out.push_str(
        "<p class=\"quiet legend\"><span class=\"good\">✓</span> starts on a boundary \
         &nbsp; <span class=\"bad\">✗</span> starts off it: writes become read-modify-write, or \
         fail &nbsp; <span class=\"warn\">!</span> starts off it: crossing costs extra &nbsp; \
         <b>·</b> off an assumed one, or holds no data: not judged &nbsp; <b>?</b> not known \
         &nbsp; empty: that boundary does not lie below this layer</p>\n",
    );
}

/// One a size and kind of the believed grids, the strictest first.
fn columns(target: &Target) -> Vec<GridColumn<'_>> {
    let mut columns: Vec<GridColumn<'_>> = Vec::new();
    for grid in target.stack.grids.iter().filter(|grid| grid.trusted()) {
        // If sectors are the unit of every address, no start can be off them.
        let stated = target.phases.iter().any(|one| {
            target
                .stack
                .grids
                .get(one.grid)
                .is_some_and(|g| same(g, grid))
        });
        if stated && !columns.iter().any(|column| same(column.grid, grid)) {
            columns.push(GridColumn { grid });
        }
    }
    columns.sort_by_key(|column| {
        (
            column.grid.tier != Tier::Rmw,
            column.grid.tier,
            column.grid.size,
        )
    });
    columns.truncate(MOST_COLUMNS);
    columns
}

fn same(a: &Grid, b: &Grid) -> bool {
    (a.size, &a.kind, a.tier) == (b.size, &b.kind, b.tier)
}

/// Every layer after all that lie on it: reverse postorder of a walk from the tops.
fn rows(target: &Target) -> Vec<LayerRow> {
    let mut walk = StackWalk {
        target,
        shapes: twins::shapes(target),
        seen: HashSet::new(),
        done: Vec::new(),
    };
    let tops = view::tops(&target.stack);
    for group in twins::group(&walk.shapes, &tops).into_iter().rev() {
        walk.visit(group, 0);
    }
    walk.done.reverse();
    let mut depths = vec![0_usize; target.stack.len()];
    let mut rows = Vec::with_capacity(walk.done.len());
    for group in walk.done {
        let Some(&id) = group.first() else { continue };
        let depth = depths.get(id.0).copied().unwrap_or(0);
        for edge in &target.stack.layer(id).below {
            if let Some(slot) = depths.get_mut(edge.below.0) {
                *slot = (*slot).max(depth + 1);
            }
        }
        rows.push(LayerRow { group, depth });
    }
    rows
}

struct StackWalk<'a> {
    target: &'a Target,
    shapes: Vec<u64>,
    seen: HashSet<LayerId>,
    done: Vec<Vec<LayerId>>,
}

impl StackWalk<'_> {
    fn visit(&mut self, group: Vec<LayerId>, depth: usize) {
        let Some(&id) = group.first().filter(|id| !self.seen.contains(id)) else {
            return;
        };
        self.seen.extend(&group);
        let edges = &self.target.stack.layer(id).below;
        let mut below: Vec<_> = edges.iter().map(|edge| edge.below).collect();
        below.dedup();
        if depth < DEEPEST {
            for group in twins::group(&self.shapes, &below).into_iter().rev() {
                self.visit(group, depth + 1);
            }
        }
        self.done.push(group);
    }
}

fn row(out: &mut String, target: &Target, row: &LayerRow, columns: &[GridColumn<'_>]) {
    let Some(&id) = row.group.first() else { return };
    let layer = target.stack.layer(id);
    let depth = row.depth.min(8);
    out.push_str(&format!(
        "<tr><td class=\"layer d{depth}\"><b>{}</b>{}</td>",
        escape(&title(target, &row.group)),
        known(layer)
    ));
    let start: Vec<_> = place::phrases(&target.stack, id)
        .iter()
        .map(|phrase| escape(phrase.strip_prefix("starts at ").unwrap_or(phrase)))
        .collect();
    cell(out, "starts at", "start", &start.join("<br>"));
    cell(
        out,
        "size",
        "number",
        &layer.size.map_or_else(String::new, about),
    );
    let block = layer
        .block
        .map_or_else(String::new, |size| size.to_string());
    cell(out, "block", "number", &block);
    for column in columns {
        let label = format!(
            "{} {}",
            column.grid.size,
            kinds::cell(column.grid.kind.name())
        );
        match meeting(target, id, column) {
            Some((standing, text)) => {
                let (class, mark) = mark(standing);
                let text = format!("<span class=\"{class}\">{mark}</span> {}", escape(&text));
                cell(out, &escape(&label), "mark", &text);
            }
            None => cell(out, &escape(&label), "mark", ""),
        }
    }
    out.push_str("</tr>\n");
}

/// Empty cells are not shown on a small screen, where each has a line of its own.
fn cell(out: &mut String, label: &str, class: &str, content: &str) {
    let class = if content.is_empty() { "none" } else { class };
    out.push_str(&format!(
        "<td class=\"{class}\" data-label=\"{label}\">{content}</td>"
    ));
}

fn title(target: &Target, group: &[LayerId]) -> String {
    let stack = &target.stack;
    let Some((&first, others)) = group.split_first() else {
        return String::new();
    };
    let mut text = capital(&place::name(stack, first));
    for id in others.iter().take(NAMED) {
        text.push_str(&format!(", {}", place::short(stack, *id)));
    }
    match others.len().saturating_sub(NAMED) {
        0 => {}
        more => text.push_str(&format!(" and {} more", count(more))),
    }
    text
}

/// The role, where it is not plain data, and the facts that help to judge.
fn known(layer: &Layer) -> String {
    let mut parts = Vec::new();
    if layer.role != Role::Data {
        parts.push(layer.role.describe().to_owned());
    }
    parts.extend(layer.logical_sector.map(|size| format!("{size} sectors")));
    if let Some(geometry) = layer.geometry {
        parts.push(format!(
            "made for stripe unit {}, stripe width {}",
            geometry.unit, geometry.width
        ));
    }
    parts.extend(facts::telling(layer));
    if parts.is_empty() {
        return String::new();
    }
    format!("<br><small>{}</small>", escape(&parts.join(" · ")))
}

/// How a layer stands on the grids of a column: the worst of several members.
fn meeting(target: &Target, id: LayerId, column: &GridColumn<'_>) -> Option<(Standing, String)> {
    let met = view::meetings(target, id)
        .into_iter()
        .filter(|(_, grid, _)| same(grid, column.grid));
    let (one, _, standing) = met.max_by_key(|(_, _, standing)| *standing == Standing::Off)?;
    let text = match (standing, one.phases.phases.as_slice()) {
        (Standing::Unknown, _) | (_, []) => String::new(),
        (_, [only]) => format!("{} B", only.offset),
        (_, many) => format!(
            "{} off, at {} offsets",
            percent(one.phases.off_grid()),
            many.len()
        ),
    };
    Some((standing, text))
}

const fn mark(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::On => ("good", "✓"),
        Standing::Slight | Standing::Moot => ("quiet", "·"),
        Standing::Crosses => ("warn", "!"),
        Standing::Off => ("bad", "✗"),
        Standing::Unknown => ("odd", "?"),
    }
}

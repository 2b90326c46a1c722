//! The boundaries that were judged against, who says so, and the hints that were not believed.

use ioalign_core::{Grid, LayerId};

use crate::model::Target;
use crate::svg::escape;
use crate::words::{kinds, place};

/// A table of the grids and a list of the hints.
pub fn put(out: &mut String, target: &Target) {
    let believed = grouped(target, true);
    if !believed.is_empty() {
        out.push_str(
            "<h3>The boundaries, and who says so</h3>\n<table class=\"cards\">\n<thead><tr>\
             <th>every</th><th>of</th><th>source</th><th>confidence</th><th>off it</th></tr>\
             </thead>\n<tbody>\n",
        );
        for (grid, layers) in &believed {
            row(out, target, grid, layers);
        }
        out.push_str("</tbody>\n</table>\n");
    }
    let doubted = grouped(target, false);
    if !doubted.is_empty() {
        out.push_str("<h3>Hints that were not believed</h3>\n<ul>\n");
        for (grid, layers) in &doubted {
            hint(out, target, grid, layers);
        }
        out.push_str("</ul>\n");
    }
}

/// Grids that differ only in the member on which they lie are one.
fn grouped(target: &Target, trusted: bool) -> Vec<(&Grid, Vec<LayerId>)> {
    let mut groups: Vec<(&Grid, Vec<LayerId>)> = Vec::new();
    for grid in &target.stack.grids {
        if grid.trusted() != trusted {
            continue;
        }
        let same = |known: &Grid| {
            (known.size, known.phase, known.tier, &known.kind)
                == (grid.size, grid.phase, grid.tier, &grid.kind)
                && (&known.source, known.confidence, &known.distrust)
                    == (&grid.source, grid.confidence, &grid.distrust)
        };
        match groups.iter_mut().find(|(known, _)| same(known)) {
            Some((_, layers)) => layers.push(grid.layer),
            None => groups.push((grid, vec![grid.layer])),
        }
    }
    groups
}

fn row(out: &mut String, target: &Target, grid: &Grid, layers: &[LayerId]) {
    let phase = if grid.phase.is_zero() {
        String::new()
    } else {
        format!(", the first at {}", grid.phase)
    };
    let names = place::names(&target.stack, layers.iter().copied());
    out.push_str(&format!(
        "<tr><td data-label=\"every\"><b>{}</b> {}{phase}</td><td data-label=\"of\">{}</td>\
         <td data-label=\"source\">{}</td><td data-label=\"confidence\">{}</td>\
         <td data-label=\"off it\">{}</td></tr>\n",
        grid.size,
        escape(&kinds::cell(grid.kind.name())),
        escape(&names),
        escape(&grid.source),
        kinds::confidence(grid.confidence),
        kinds::tier(grid.tier).trim_start_matches("off it, ")
    ));
}

fn hint(out: &mut String, target: &Target, grid: &Grid, layers: &[LayerId]) {
    let source = if grid.source.is_empty() {
        String::new()
    } else {
        format!(" ({})", escape(&grid.source))
    };
    out.push_str(&format!(
        "<li><b>{} {}</b> of {}{source}: {}</li>\n",
        grid.size,
        escape(&kinds::cell(grid.kind.name())),
        escape(&place::names(&target.stack, layers.iter().copied())),
        escape(grid.distrust.as_deref().unwrap_or_default())
    ));
}

//! A plan as text: the layers, the proof, the commands; or the commands alone as a script.

mod script;
pub mod sentences;

use std::fmt::Write;

use ioalign_core::Kind;
use ioalign_core::plan_document::{PlanDocument, PlanStep, PlannedGrid, PlannedLayer, ProofLine};

use crate::machine;
use crate::options::RenderOptions;
use crate::text::{heading, paragraph};
use crate::words::numbers::about;
use sentences::{block_below, given_up, missed, replace};

/// The page, or with `--quiet` the script alone.
pub fn render(plan: &PlanDocument, options: &RenderOptions) -> String {
    if options.quiet() {
        return script::render(plan);
    }
    let mut page = machine::text(plan.machine.as_ref(), options);
    grids(&mut page, plan, options);
    layers(&mut page, plan, options);
    proof(&mut page, plan, options);
    commands(&mut page, &plan.commands, options);
    if let Some(sentence) = replace(plan) {
        page.push_str(&paragraph(&sentence, ["", ""], options));
    }
    page
}

fn grids(page: &mut String, plan: &PlanDocument, options: &RenderOptions) {
    heading(page, "Grids", options);
    for grid in &plan.grids {
        page.push_str(&paragraph(&named(grid), ["  ", "    "], options));
    }
    let phase = if plan.phase_bytes.is_zero() {
        String::new()
    } else {
        format!(", from byte {} on", plan.phase_bytes.get())
    };
    let _ = writeln!(
        page,
        "  together: every {}{phase}",
        about(plan.period_bytes)
    );
    for lost in &plan.given_up {
        page.push_str(&paragraph(&given_up(lost), ["  ! ", "    "], options));
    }
    page.push('\n');
}

fn named(grid: &PlannedGrid) -> String {
    let phase = if grid.phase_bytes.is_zero() {
        String::new()
    } else {
        format!(" from byte {} on", grid.phase_bytes.get())
    };
    let size = about(grid.size_bytes);
    format!("{size:<11} {}{phase}: {}", grid.kind, grid.source)
}

fn layers(page: &mut String, plan: &PlanDocument, options: &RenderOptions) {
    for layer in &plan.layers {
        let text = place(layer, plan.sector_bytes.get());
        page.push_str(&paragraph(&text, ["", "    "], options));
    }
    if let Some(lvm) = &plan.lvm {
        let _ = writeln!(
            page,
            "  extents of {}: every volume starts on the grids",
            about(lvm.extent_bytes)
        );
        if let Some(chunk) = lvm.chunk_bytes {
            let _ = writeln!(page, "  thin chunks of {}", about(chunk));
        }
    }
    for sentence in missed(plan).into_iter().chain(block_below(plan)) {
        page.push_str(&paragraph(&sentence, ["! ", "  "], options));
    }
    if plan.layers.is_empty() {
        let text = "whole disk: byte 0 is on every grid. Say what it is where a table would: a label, a \
                    wipefs -n.";
        page.push_str(&paragraph(text, ["", "  "], options));
    }
    page.push('\n');
}

fn place(layer: &PlannedLayer, sector: u64) -> String {
    let name = format!("{} {}", layer.kind.name(), layer.name);
    let start = format!("sector {}", layer.start_bytes.get() / sector.max(1));
    let at = about(layer.start_bytes);
    let into = if layer.kind == Kind::Partition || layer.offset_bytes.is_zero() {
        String::new()
    } else {
        format!(", {} into it", about(layer.offset_bytes))
    };
    let size = layer
        .size_bytes
        .map_or_else(String::new, |size| format!(", {} long", about(size)));
    format!("{name:<20} {start} ({at}{into}){size}")
}

/// A line for each start or end on each grid.
fn proof(page: &mut String, plan: &PlanDocument, options: &RenderOptions) {
    if plan.proof.is_empty() {
        return;
    }
    heading(page, "Proof", options);
    for line in &plan.proof {
        page.push_str(&paragraph(&equation(line), ["  ", "    "], options));
    }
    page.push('\n');
}

fn equation(line: &ProofLine) -> String {
    let at = line.end_bytes.unwrap_or(line.start_bytes).get();
    let left = if line.phase_bytes.is_zero() {
        at.to_string()
    } else {
        format!("({at} - {})", line.phase_bytes.get())
    };
    let end = line.end_bytes.map_or("", |_| " end");
    let name = format!("{}{end}", line.name);
    let (size, rest) = (line.size_bytes.get(), line.remainder_bytes.get());
    format!("{name:<12} {left} mod {size} = {rest}   {}", line.grid)
}

fn commands(page: &mut String, steps: &[PlanStep], options: &RenderOptions) {
    for (number, step) in (1..).zip(steps) {
        let lost = if step.destroys_data {
            "  (what is there is lost)"
        } else {
            ""
        };
        heading(page, &format!("{number}. {}{lost}", step.title), options);
        for line in &step.lines {
            // Commands are never wrapped: they are there to be copied.
            let _ = writeln!(page, "   {line}");
        }
        let fixed = (!step.fixed.is_empty())
            .then(|| format!("cannot be changed later: {}", step.fixed.join("; ")));
        for note in fixed.iter().chain(&step.notes) {
            page.push_str(&paragraph(note, ["   # ", "   # "], options));
        }
        page.push('\n');
    }
}

//! A plan as text: the layers, the proof, the commands.

use std::fmt::Write;

use ioalign_core::{Bytes, Kind, Tier};
use ioalign_repair::planner::{Constraint, GivenUp, Plan, Seat};
use ioalign_repair::platforms::Step;
use ioalign_report::Options;
use ioalign_report::text::paragraph;
use ioalign_report::words::numbers::about;

/// The page.
pub fn render(plan: &Plan, steps: &[Step], options: &Options) -> String {
    if options.quiet() {
        return script(steps);
    }
    let mut page = String::new();
    grids(&mut page, plan, options);
    layers(&mut page, plan, options);
    proof(&mut page, plan, options);
    commands(&mut page, steps, options);
    page
}

/// A title; bold where colour is wanted.
fn title(page: &mut String, text: &str, options: &Options) {
    let (on, off) = if options.color {
        ("\u{1b}[1m", "\u{1b}[0m")
    } else {
        ("", "")
    };
    let _ = writeln!(page, "{on}{text}{off}");
}

fn grids(page: &mut String, plan: &Plan, options: &Options) {
    title(page, "Grids", options);
    for grid in &plan.solution.kept {
        page.push_str(&paragraph(&named(grid), ["  ", "    "], options));
    }
    let (period, phase) = (plan.solution.period, plan.solution.phase);
    let phase = if phase.is_zero() {
        String::new()
    } else {
        format!(", from byte {} on", phase.get())
    };
    let _ = writeln!(page, "  together: every {}{phase}", about(period));
    for lost in &plan.solution.given_up {
        let text = given_up(plan, lost);
        page.push_str(&paragraph(&text, ["  ! ", "    "], options));
    }
    page.push('\n');
}

fn named(grid: &Constraint) -> String {
    let phase = if grid.phase.is_zero() {
        String::new()
    } else {
        format!(" from byte {} on", grid.phase.get())
    };
    format!(
        "{:<11} {}{phase}: {}",
        about(grid.size),
        grid.kind,
        grid.source
    )
}

fn given_up(plan: &Plan, lost: &GivenUp) -> String {
    let grid = &lost.constraint;
    let against = lost.against.and_then(|index| plan.solution.kept.get(index));
    let why = match against {
        _ if lost.too_far => {
            "the boundaries that it shares with the others are over a gibibyte apart".to_owned()
        }
        Some(other) => format!(
            "it shares no boundary with {} ({})",
            other.kind,
            about(other.size)
        ),
        None => "with each of the others alone it could be had, with all of them not".to_owned(),
    };
    let cost = match grid.tier {
        Tier::Validity => "what starts off it does not work",
        Tier::Rmw => {
            "writes off it are read-modify-write: the old block is read, changed and written back"
        }
        Tier::Preference => "what crosses it takes two requests instead of one",
    };
    format!(
        "given up: {} of {}: {why}. What is lost: {cost}.",
        grid.kind,
        about(grid.size)
    )
}

fn layers(page: &mut String, plan: &Plan, options: &Options) {
    for seat in &plan.seats {
        let text = place(seat, plan.want.logical);
        page.push_str(&paragraph(&text, ["", "    "], options));
    }
    if let Some(lvm) = plan.lvm {
        let _ = writeln!(
            page,
            "  extents of {}: every volume starts on the grids",
            about(lvm.extent)
        );
        if let Some(chunk) = lvm.chunk {
            let _ = writeln!(page, "  thin chunks of {}", about(chunk));
        }
    }
    if plan.seats.is_empty() {
        let text = "whole disk: byte 0 is on every grid. Say what it is where a table would: a label, a \
                    wipefs -n.";
        page.push_str(&paragraph(text, ["", "  "], options));
    }
    page.push('\n');
}

fn place(seat: &Seat, logical: Bytes) -> String {
    let name = format!("{} {}", seat.kind.name(), seat.name);
    let start = format!("sector {}", seat.start.get() / logical.get().max(1));
    let at = about(seat.start);
    let into = if seat.kind == Kind::Partition || seat.offset.is_zero() {
        String::new()
    } else {
        format!(", {} into it", about(seat.offset))
    };
    let size = seat
        .size
        .map_or_else(String::new, |size| format!(", {} long", about(size)));
    format!("{name:<20} {start} ({at}{into}){size}")
}

/// One line a start or end, and grid.
fn proof(page: &mut String, plan: &Plan, options: &Options) {
    if plan.proof.is_empty() {
        return;
    }
    title(page, "Proof", options);
    for line in &plan.proof {
        let Some(seat) = plan.seats.get(line.seat) else {
            continue;
        };
        let (at, grid) = (line.at.get(), &line.grid);
        let left = if grid.phase.is_zero() {
            at.to_string()
        } else {
            format!("({at} - {})", grid.phase.get())
        };
        let name = format!("{}{}", seat.name, if line.end { " end" } else { "" });
        let (size, rest) = (grid.size.get(), line.remainder.get());
        let text = format!("{name:<12} {left} mod {size} = {rest}   {}", grid.kind);
        page.push_str(&paragraph(&text, ["  ", "    "], options));
    }
    page.push('\n');
}

fn commands(page: &mut String, steps: &[Step], options: &Options) {
    for (number, step) in (1..).zip(steps) {
        let lost = if step.destroys_data {
            "  (what is there is lost)"
        } else {
            ""
        };
        title(page, &format!("{number}. {}{lost}", step.title), options);
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

/// The commands alone, with their titles as comments: a script, where the platform has a shell.
fn script(steps: &[Step]) -> String {
    let mut page = String::new();
    for (number, step) in (1..).zip(steps) {
        let _ = writeln!(page, "# {number}. {}", step.title);
        for line in &step.lines {
            let _ = writeln!(page, "{line}");
        }
    }
    page
}

//! A plan as text: the layers, the proof, the commands.

mod script;

use std::fmt::Write;

use ioalign_core::grid::place::GivenUp;
use ioalign_core::{Bytes, GridClaim, Kind, Origin, Tier};
use ioalign_repair::planner::{self, Filesystem, Plan, Seat};
use ioalign_repair::platforms::{Names, Platform, Step};
use ioalign_report::Options;
use ioalign_report::text::paragraph;
use ioalign_report::words::numbers::about;

/// Everything that is shown of a plan.
pub struct Page<'a> {
    pub plan: &'a Plan,
    pub steps: &'a [Step],
    pub names: &'a Names,
    pub platform: Platform,
}

impl Page<'_> {
    /// The page, or the script alone.
    pub fn render(&self, options: &Options) -> String {
        if options.quiet() {
            return script::render(self);
        }
        let mut page = String::new();
        grids(&mut page, self.plan, options);
        layers(&mut page, self.plan, options);
        proof(&mut page, self.plan, options);
        commands(&mut page, self.steps, options);
        if let Some(sentence) = self.replace() {
            page.push_str(&paragraph(&sentence, ["", ""], options));
        }
        page
    }

    /// Steps before running the commands, if no disk was named.
    pub fn replace(&self) -> Option<String> {
        let (first, more) = self.names.disks.split_first()?;
        let all = match more {
            [] => format!("{first} is a placeholder for a disk: replace it"),
            [.., last] => format!("{first} to {last} stand for disks: replace them"),
        };
        let sentence = format!("{all} before you run the commands, or name disks with --device.");
        self.names.are_placeholders.then_some(sentence)
    }
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
    let (period, phase) = (plan.solution.period(), plan.solution.phase());
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

fn named(grid: &GridClaim) -> String {
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

/// Which grid could not be had, why, and what that costs.
pub fn given_up(plan: &Plan, lost: &GivenUp) -> String {
    let grid = &lost.claim;
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
    if grid.origin == Origin::Assumed && grid.tier == Tier::Rmw {
        return format!(
            "given up: {} of {}: {why}, which is stated, while nothing states this one.",
            grid.kind,
            about(grid.size)
        );
    }
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
        let text = place(seat, plan.want.logical.size);
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
    for sentence in missed(plan).into_iter().chain(block_below(plan)) {
        page.push_str(&paragraph(&sentence, ["! ", "  "], options));
    }
    if plan.seats.is_empty() {
        let text = "whole disk: byte 0 is on every grid. Say what it is where a table would: a label, a \
                    wipefs -n.";
        page.push_str(&paragraph(text, ["", "  "], options));
    }
    page.push('\n');
}

/// The sentence on what stays off its grids although it is wanted on them.
pub fn missed(plan: &Plan) -> Option<String> {
    let missed = plan.missed();
    let first = missed.first()?;
    let seat = plan.seats.get(first.seat)?;
    let worst = missed.iter().min_by_key(|line| line.grid.tier)?;
    Some(format!(
        "not on all grids: {} stays at byte {}, {} bytes past a boundary of {} ({}). Leave --partition-at out to \
         plan a start that is on them, or put LVM, LUKS or bcache into it.",
        seat.name,
        seat.start.get(),
        worst.remainder.get(),
        worst.grid.kind,
        about(worst.grid.size)
    ))
}

/// The sentence on blocks that are smaller than a unit below.
pub fn block_below(plan: &Plan) -> Option<String> {
    let below = plan.block_below_unit()?;
    let xfs = plan.want.filesystem == Some(Filesystem::Xfs);
    let remedy = if xfs && below.unit.get().is_power_of_two() && below.unit.get() <= 1 << 16 {
        format!(
            " Linux 6.12 and later mount XFS made with -b size={}.",
            below.unit.get()
        )
    } else {
        String::new()
    };
    Some(format!(
        "not cured by alignment: the file system writes blocks of {}, and {} below is {}: a random write of one block \
         is read-modify-write ({}).{remedy}",
        about(below.block),
        below.kind,
        about(below.unit),
        planner::filesystems::BLOCK_RULE
    ))
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

//! What a gate says, as text.

use std::fmt::Write;

use ioalign_core::gate_document::{FEWEST_SECONDS, GateDocument, GateStep, GateVerdict};

use crate::load::describe;
use crate::options::RenderOptions;
use crate::words::clean;
use crate::words::numbers::{percent, time};

/// The page.
pub fn render(document: &GateDocument, options: &RenderOptions) -> String {
    let mut text = String::new();
    if !options.quiet() {
        for step in &document.steps {
            let (first, rest) = ("  ", "    ");
            let line = format!("{}: {}", describe(&step.workload), found(step, document));
            text.push_str(&crate::text::paragraph(&line, [first, rest], options));
        }
        for one in &document.notes {
            text.push_str(&crate::text::paragraph(one, ["  - ", "    "], options));
        }
        if let Some(partial) = &document.partial {
            let _ = writeln!(text, "  ended early: {}", clean(partial));
        }
    }
    let _ = writeln!(
        text,
        "{}  {}  slower than {} by {} or more: {}",
        document.verdict.name(),
        clean(&document.targets.join(", ")),
        clean(&document.baseline),
        percent(document.slower_ratio),
        meaning(document.verdict)
    );
    text
}

const fn meaning(verdict: GateVerdict) -> &'static str {
    match verdict {
        GateVerdict::Pass => "no",
        GateVerdict::Undecided => "not known",
        GateVerdict::Fail => "it is slower",
    }
}

/// What was found of a step, in one sentence.
pub fn found(step: &GateStep, document: &GateDocument) -> String {
    let (Some(ratio), Some(low), Some(high), Some(now)) =
        (step.ratio, step.ratio_low, step.ratio_high, step.latency_us)
    else {
        return too_few(step.rounds);
    };
    let mut text = format!(
        "{} an I/O, {} in the baseline: {} ({} to {}) after {} s",
        time(now),
        time(step.baseline_us),
        signed(ratio),
        signed(low),
        signed(high),
        step.rounds
    );
    match step.verdict {
        GateVerdict::Undecided => {
            let _ = write!(
                text,
                ". Its {} sessions differ by {} among themselves, so that no single run shows less than {}: record more sessions, or ask for more with --slower",
                document.sessions,
                percent(step.between_sessions_ratio),
                percent(step.floor_ratio)
            );
        }
        GateVerdict::Pass if low > 1.0 => {
            text.push_str(". It is slower for certain, and by less than was asked for");
        }
        _ => {}
    }
    text
}

/// A time with some room: the first second warms up, and one without an I/O does not count.
fn too_few(seconds: u64) -> String {
    format!(
        "{seconds} s are too few: {FEWEST_SECONDS} whole seconds with I/O are the fewest, so measure longer (--time {}s)",
        FEWEST_SECONDS * 3 / 2
    )
}

/// `+2.1 %`, `-0.3 %`
fn signed(ratio: f64) -> String {
    let sign = if ratio < 1.0 { "-" } else { "+" };
    format!("{sign}{}", percent((ratio - 1.0).abs()))
}

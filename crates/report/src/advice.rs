//! Advice for a terminal: the decision first, then each defect with its reasons, then what was assumed.

use ioalign_core::advice::{
    Advice, Assumption, Decision, Item, LoadSummary, UsedMeasurement, in_flight,
};

use crate::comparison::words::share;
use crate::machine;
use crate::options::RenderOptions;
use crate::text::findings::{command_line, steps};
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::clean;
use crate::words::ended::ended;
use crate::words::numbers::{count, thousands};
use crate::words::sentence::sentence;

const INDENT: &str = "   ";

/// The whole text.
pub fn render(advice: &Advice, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if !options.quiet() {
        machine::put(&mut page, advice.machine.as_ref());
    }
    page.line(&[TextSpan::new(look(advice.decision), headline(advice))]);
    if options.quiet() {
        return page.finish();
    }
    for one in &advice.items {
        item(&mut page, one);
    }
    evidence(&mut page, advice);
    assumed(&mut page, &advice.assumed);
    page.finish()
}

const fn look(decision: Decision) -> Style {
    match decision {
        Decision::FixNow => Style::Bad,
        Decision::NextOutage => Style::Warn,
        Decision::Leave => Style::Good,
    }
}

fn headline(advice: &Advice) -> String {
    let of = |decision| {
        let items = advice.items.iter();
        items.filter(|item| item.decision == decision).count()
    };
    if advice.items.is_empty() {
        return "Leave it: nothing is off its grid.".to_owned();
    }
    let all = [Decision::FixNow, Decision::NextOutage, Decision::Leave];
    let parts: Vec<_> = all
        .into_iter()
        .map(|decision| (of(decision), decision.words()))
        .filter(|(n, _)| *n > 0)
        .map(|(n, words)| format!("{words}: {}", count(n)))
        .collect();
    sentence(&crate::words::sentence::capital(&parts.join("; ")))
}

fn item(page: &mut TextPage, item: &Item) {
    page.blank();
    let dot = page.glyphs().dot;
    let defect = &item.defect;
    let name = defect.layer_name.as_ref().or(defect.layer.as_ref());
    let layer = name.unwrap_or(&item.target);
    let title = [
        TextSpan::new(look(item.decision), item.decision.words().to_uppercase()),
        TextSpan::plain("  "),
        TextSpan::new(Style::Strong, clean(layer)),
        TextSpan::plain(format!(
            "{dot}{}{dot}{}",
            clean(&defect.rule),
            clean(&item.target)
        )),
    ];
    page.put("", "", 3, &title);
    paragraph(page, &sentence(&clean(&defect.why)));
    for reason in &item.reasons {
        page.put(
            "   - ",
            "     ",
            0,
            &[TextSpan::plain(reason.text.as_str())],
        );
    }
    if item.decision != Decision::Leave && !defect.r#do.is_empty() {
        paragraph(page, "What to do:");
        steps(page, &defect.r#do);
    }
}

fn paragraph(page: &mut TextPage, text: &str) {
    page.put(INDENT, INDENT, 0, &[TextSpan::plain(text)]);
}

fn evidence(page: &mut TextPage, advice: &Advice) {
    if advice.items.is_empty() || (advice.load.is_none() && advice.cost.is_none()) {
        return;
    }
    page.blank();
    page.line(&[TextSpan::new(Style::Strong, "What it rests on")]);
    if let Some(load) = &advice.load {
        page.put("   - ", "     ", 0, &[TextSpan::plain(workload(load))]);
    }
    if let Some(cost) = &advice.cost {
        page.put("   - ", "     ", 0, &[TextSpan::plain(measurement(cost))]);
    }
}

fn workload(load: &LoadSummary) -> String {
    let mut parts = vec![
        format!("{} I/Os", thousands(load.ios)),
        format!("{} reads", share(load.reads_ratio)),
    ];
    let shares = [
        (load.sequential_reads_ratio, "sequential reads"),
        (load.random_writes_ratio, "random writes"),
        (load.busy_ratio, "of the time busy"),
    ];
    for (ratio, what) in shares {
        parts.extend(ratio.map(|ratio| format!("{} {what}", share(ratio))));
    }
    let depth = load.queue_depth;
    parts.extend(depth.map(|depth| format!("{} in flight", in_flight(depth))));
    let names: Vec<_> = load
        .devices
        .iter()
        .take(4)
        .map(|name| clean(name))
        .collect();
    format!("Profile of {}: {}.", names.join(", "), parts.join(", "))
}

fn measurement(cost: &UsedMeasurement) -> String {
    let place = match cost.machine.as_str() {
        "" => String::new(),
        machine => format!(" of {}", clean(machine)),
    };
    let some = |n: usize, what: &str| match n {
        0 => String::new(),
        n => format!(", {} {what}", count(n)),
    };
    let open = some(cost.cells_undecided, "of them undecided");
    let out = some(cost.cells_left_out, "left out");
    let cells = if cost.cells == 1 { "cell" } else { "cells" };
    format!(
        "{} {}{place}: {} {cells} with an interval{open}{out}.",
        if cost.simulated {
            "Cost on"
        } else {
            "Measurement on"
        },
        clean(&cost.target),
        count(cost.cells)
    )
}

fn assumed(page: &mut TextPage, all: &[Assumption]) {
    if all.is_empty() {
        return;
    }
    page.blank();
    page.line(&[TextSpan::new(
        Style::Strong,
        "Assumed, and what would settle it",
    )]);
    for one in all {
        page.put(
            "   - ",
            "     ",
            0,
            &[TextSpan::plain(ended(&clean(&one.what)))],
        );
        match &one.settle {
            Some(command) if command.contains("ioalign ") => command_line(page, &clean(command)),
            Some(other) => page.put(
                "     ",
                "     ",
                0,
                &[TextSpan::plain(ended(&clean(other)))],
            ),
            None => {}
        }
    }
}

//! The commands alone: a script where the platform has a shell, else its dialogue.

use std::fmt::Write;

use ioalign_core::plan_document::{PlanDocument, PlanStep, StepLines};

use super::sentences::replace;

/// The script. A line that fails ends it: what follows would find another disk than the one that was meant.
pub fn render(plan: &PlanDocument) -> String {
    let mut text = String::new();
    let steps = &plan.commands;
    if steps.iter().all(|step| step.kind != StepLines::Dialogue) {
        text.push_str(match plan.platform {
            "windows" => "$ErrorActionPreference = 'Stop'\n",
            _ => "#!/bin/sh\nset -e\n",
        });
    }
    if let Some(sentence) = replace(plan) {
        let _ = writeln!(text, "# {sentence}");
    }
    let steps = steps
        .iter()
        .filter(|step| step.kind != StepLines::Alternative);
    for (number, step) in (1..).zip(steps) {
        let _ = writeln!(text, "# {number}. {}", step.title);
        lines(&mut text, step);
    }
    text
}

fn lines(text: &mut String, step: &PlanStep) {
    let comment = if step.kind == StepLines::Settings {
        "# "
    } else {
        ""
    };
    for line in &step.lines {
        let _ = writeln!(text, "{comment}{line}");
    }
}

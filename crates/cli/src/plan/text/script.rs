//! The commands alone: a script where the platform has a shell, else its dialogue.

use std::fmt::Write;

use ioalign_repair::platforms::{Lines, Platform, Step};

use super::Page;

/// The script. A line that fails ends it: what follows would find another disk than the one that was meant.
pub fn render(page: &Page<'_>) -> String {
    let mut text = String::new();
    if page.steps.iter().all(|step| step.kind != Lines::Dialogue) {
        text.push_str(match page.platform {
            Platform::Windows => "$ErrorActionPreference = 'Stop'\n",
            _ => "#!/bin/sh\nset -e\n",
        });
    }
    if let Some(sentence) = page.replace() {
        let _ = writeln!(text, "# {sentence}");
    }
    let steps = page
        .steps
        .iter()
        .filter(|step| step.kind != Lines::Alternative);
    for (number, step) in (1..).zip(steps) {
        let _ = writeln!(text, "# {number}. {}", step.title);
        lines(&mut text, step);
    }
    text
}

fn lines(text: &mut String, step: &Step) {
    let comment = if step.kind == Lines::Settings {
        "# "
    } else {
        ""
    };
    for line in &step.lines {
        let _ = writeln!(text, "{comment}{line}");
    }
}

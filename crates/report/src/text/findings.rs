//! The findings, worst first, each with its arithmetic, cost and remedy.

use ioalign_core::Finding;
use ioalign_core::cost::CostRow;

use super::costs;
use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;
use crate::order::{self, Merged};
use crate::words::headline;
use crate::words::sentence::sentence;
use crate::words::{clean, kinds, place, remedy};

const INDENT: &str = "   ";

/// All findings of a target.
pub fn all(page: &mut TextPage, target: &Target) {
    let findings = order::merged(target);
    if findings.is_empty() {
        return;
    }
    page.blank();
    page.line(&[TextSpan::new(Style::Strong, "Findings")]);
    let mut stated: Vec<&[CostRow]> = Vec::new();
    for one in &findings {
        page.blank();
        title(page, target, one);
        indented(page, &sentence(&clean(&one.finding.why)));
        if let Some(waived) = remedy::waived(one.finding) {
            indented(page, &waived);
            continue;
        }
        costs(page, target, one.finding, &mut stated);
        for line in remedy(one.finding) {
            indented(page, &line);
        }
        steps(page, &one.finding.steps);
    }
}

/// The table, or that it is one that the reader has just seen.
fn costs<'a>(
    page: &mut TextPage,
    target: &Target,
    finding: &'a Finding,
    stated: &mut Vec<&'a [CostRow]>,
) {
    if finding.cost.is_empty() {
        return;
    }
    if stated.contains(&finding.cost.as_slice()) {
        indented(page, "Cost as above.");
        return;
    }
    stated.push(&finding.cost);
    costs::table(page, finding, headline::grid_of(target, finding));
}

fn title(page: &mut TextPage, target: &Target, one: &Merged<'_>) {
    let dot = page.glyphs().dot;
    let severity = one.finding.severity;
    let mut spans = vec![
        TextSpan::new(Style::of(severity), severity.name().to_uppercase()),
        TextSpan::plain("  "),
        TextSpan::new(Style::Strong, one.finding.rule),
    ];
    if !one.layers.is_empty() {
        let names = place::names(&target.stack, one.layers.iter().copied());
        spans.push(TextSpan::plain(format!("{dot}{names}")));
    }
    if let Some(guilty) = one.because() {
        let name = place::name(&target.stack, guilty);
        spans.push(TextSpan::plain(format!("{dot}because of {name}")));
    }
    page.put("", "", 3, &spans);
}

fn indented(page: &mut TextPage, text: &str) {
    page.put(INDENT, INDENT, 0, &[TextSpan::plain(text)]);
}

/// Better values, whether it can be done in place, and how sure we are.
fn remedy(finding: &Finding) -> Vec<String> {
    let mut lines: Vec<_> = remedy::better(&finding.suggest).into_iter().collect();
    let sure = format!("Confidence: {}.", kinds::confidence(finding.confidence));
    lines.push(match remedy::in_place(finding) {
        Some(said) => format!("{said} {sure}"),
        None => sure,
    });
    lines
}

/// Commands keep a `\` at each break, so that they can still be pasted.
pub fn steps(page: &mut TextPage, steps: &[String]) {
    for step in steps {
        let step = clean(step);
        if let Some(command) = step.strip_prefix("$ ") {
            command_line(page, command);
        } else {
            page.put("   - ", "     ", 0, &[TextSpan::plain(step)]);
        }
    }
}

/// Before the lines of a command that follow its first.
const CONTINUED: &str = "         ";

pub fn command_line(page: &mut TextPage, command: &str) {
    let room = page.width().saturating_sub(CONTINUED.len());
    for (i, line) in command_lines(command, room).iter().enumerate() {
        put_command(page, line, i == 0);
    }
}

/// The lines of a command: of at most `room` columns where its words allow, with a `\` at each break.
pub fn command_lines(command: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let whole = command.chars().count() <= room;
    for word in words(command) {
        let needed = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && !whole && needed + " \\".len() > room {
            lines.push(format!("{line} \\"));
            line = String::new();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// The words of a command: spaces between quotes part none.
fn words(command: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    command.split(move |c: char| {
        let is_literal = std::mem::take(&mut escaped);
        escaped = c == '\\' && !quoted && !is_literal;
        quoted ^= c == '\'' && !is_literal;
        c == ' ' && !quoted
    })
}

fn put_command(page: &mut TextPage, text: &str, first: bool) {
    let lead = if first { "     $ " } else { CONTINUED };
    page.put(lead, CONTINUED, 0, &[TextSpan::new(Style::Info, text)]);
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quotes_hold_words_together() {
        let all: Vec<_> = words(r"fix 'a b'\''c d' e $'f\040 g' h").collect();
        assert_eq!(all, ["fix", r"'a b'\''c d'", "e", r"$'f\040 g'", "h"]);
    }
}

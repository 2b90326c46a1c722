//! The findings, worst first, each with its arithmetic, cost and remedy.

use ioalign_core::{Finding, Severity, Suggestion};

use super::costs;
use super::page::{Page, Span, Style};
use crate::model::Target;
use crate::order;
use crate::words::headline::sentence;
use crate::words::numbers::exact_and_about;
use crate::words::{clean, kinds, place};

const INDENT: &str = "   ";

/// All findings of a target.
pub fn all(page: &mut Page, target: &Target) {
    let findings = order::findings(target);
    if findings.is_empty() {
        return;
    }
    page.blank();
    page.line(&[Span::new(Style::Strong, "Findings")]);
    for finding in findings {
        page.blank();
        one(page, target, finding);
    }
}

fn one(page: &mut Page, target: &Target, finding: &Finding) {
    title(page, target, finding);
    indented(page, &sentence(&clean(&finding.why)));
    if finding.severity > Severity::Note || page.options().verbose() {
        costs::table(page, &finding.cost);
    }
    for line in remedy(finding) {
        indented(page, &line);
    }
    steps(page, &finding.steps);
}

fn title(page: &mut Page, target: &Target, finding: &Finding) {
    let dot = page.glyphs().dot;
    let style = Style::of(finding.severity);
    let mut spans = vec![
        Span::new(style, finding.severity.name().to_uppercase()),
        Span::plain("  "),
        Span::new(Style::Strong, finding.rule),
    ];
    if let Some(layer) = finding.layer {
        spans.push(Span::plain(format!(
            "{dot}{}",
            place::name(&target.stack, layer)
        )));
    }
    if let Some(guilty) = finding.guilty.filter(|id| Some(*id) != finding.layer) {
        spans.push(Span::plain(format!(
            "{dot}because of {}",
            place::name(&target.stack, guilty)
        )));
    }
    page.put("", "", 3, &spans);
}

fn indented(page: &mut Page, text: &str) {
    page.put(INDENT, INDENT, 0, &[Span::plain(text)]);
}

/// Better values, whether it can be done in place, and how sure we are.
fn remedy(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(better(&finding.suggest));
    let sure = format!("Confidence: {}.", kinds::confidence(finding.confidence));
    lines.push(match finding.fixable_in_place {
        Some(true) => format!("Can be fixed in place. {sure}"),
        Some(false) => format!("Cannot be fixed in place: the data must be copied. {sure}"),
        None => sure,
    });
    lines
}

/// `Good start: sector 2048 × 512 B = 1 MiB (or, before the present one, …).`
pub fn better(suggest: &Suggestion) -> Option<String> {
    let mut parts = Vec::new();
    match (suggest.start_sectors, suggest.start) {
        (Some(sectors), _) => parts.push(format!(
            "good start: sector {} × {} = {}",
            sectors.count(),
            sectors.size().bytes(),
            exact_and_about(sectors.bytes())
        )),
        (None, Some(start)) => parts.push(format!("good start: {}", exact_and_about(start))),
        (None, None) => {}
    }
    if let Some(before) = suggest.start_before {
        parts.push(format!(
            "the nearest one before: {}",
            exact_and_about(before)
        ));
    }
    if let Some(size) = suggest.size {
        parts.push(format!("good size: {}", exact_and_about(size)));
    }
    (!parts.is_empty()).then(|| sentence(&parts.join("; ")))
}

/// Commands keep a `\` at each break, so that they can still be pasted.
fn steps(page: &mut Page, steps: &[String]) {
    for step in steps {
        let step = clean(step);
        if let Some(command) = step.strip_prefix("$ ") {
            command_line(page, command);
        } else {
            page.put("   - ", "     ", 0, &[Span::plain(step)]);
        }
    }
}

fn command_line(page: &mut Page, command: &str) {
    let room = page.width().saturating_sub("     $ ".len() + " \\".len());
    let mut line = String::new();
    let mut first = true;
    for word in command.split(' ') {
        let needed = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && needed > room {
            put_command(page, &format!("{line} \\"), first);
            (line, first) = (String::new(), false);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    put_command(page, &line, first);
}

fn put_command(page: &mut Page, text: &str, first: bool) {
    let lead = if first { "     $ " } else { "         " };
    page.put(lead, "         ", 0, &[Span::new(Style::Info, text)]);
}

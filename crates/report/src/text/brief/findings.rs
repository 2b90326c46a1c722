//! The findings, at most six lines each: cost, start, next command, page of the rule.

use ioalign_core::{Finding, Severity};

use super::group::{self, FindingGroup};
use crate::model::Target;
use crate::starts::blamed;
use crate::text::findings::command_lines;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::clean::columns;
use crate::words::numbers::count;
use crate::words::sentence::{capital, sentence};
use crate::words::{clean, remedy};

/// Lines of prose before the commands.
const PROSE: usize = 4;

/// Layers named, and starts listed, before "and 9 more".
const NAMED: usize = 3;

/// The longest word of a severity, with a gap: what it means begins here.
const INDENT: usize = 12;

/// All findings of a target.
pub fn all(page: &mut TextPage<'_>, target: &Target) {
    let groups = group::all(target);
    for one in &groups {
        put(page, target, one);
        if one.severity != Severity::Note {
            page.blank();
        }
    }
    if groups
        .last()
        .is_some_and(|one| one.severity == Severity::Note)
    {
        page.blank();
    }
}

fn put(page: &mut TextPage<'_>, target: &Target, one: &FindingGroup<'_>) {
    let word = one.severity.name().to_uppercase();
    let narrow = page.width() < 70;
    let indent = " ".repeat(if narrow { 3 } else { INDENT });
    let fill = if narrow {
        2
    } else {
        INDENT.saturating_sub(word.len())
    };
    let mut body = vec![
        TextSpan::new(Style::of(one.severity), word),
        TextSpan::plain(" ".repeat(fill)),
    ];
    let names = names(target, one);
    if !names.is_empty() {
        body.push(TextSpan::new(Style::Strong, &names));
        body.push(TextSpan::plain(": "));
    }
    body.push(TextSpan::plain(sentence(&one.said)));
    if let Some(waived) = one.findings.first().and_then(|first| remedy::waived(first)) {
        body.push(TextSpan::plain(format!(" {waived}")));
        return page.put_most(["", &indent], PROSE, &body, &[]);
    }
    let page_of_rule = format!("ioalign explain {}", one.rule);
    if one.severity == Severity::Note {
        return note(page, &indent, &body, &page_of_rule);
    }
    let mut detail = detail(target, one);
    if one.is_cost && one.next.is_none() {
        let step = one.findings.first().map(|first| prose_step(first));
        detail = format!("{detail} {}", step.unwrap_or_default());
    }
    if !detail.trim().is_empty() {
        body.push(TextSpan::plain(format!(" {}", detail.trim())));
    }
    page.put_most(["", &indent], PROSE, &body, &[]);
    commands(page, &indent, one.next, &page_of_rule);
}

/// What is merely noted has no next command but its page, which stands behind it.
fn note(page: &mut TextPage<'_>, indent: &str, body: &[TextSpan], page_of_rule: &str) {
    let tail = [
        TextSpan::new(Style::Dim, "why: "),
        TextSpan::new(Style::Info, page_of_rule),
    ];
    page.put_most(["", indent], PROSE, body, &tail);
}

/// `next: ioalign fix x.img       why: ioalign explain start-misaligned`, on one line where both fit.
fn commands(page: &mut TextPage<'_>, indent: &str, next: Option<&str>, page_of_rule: &str) {
    let next = clean(next.unwrap_or(page_of_rule));
    let lead = TextSpan::new(Style::Dim, "next: ");
    let why = [
        TextSpan::new(Style::Dim, "why:  "),
        TextSpan::new(Style::Info, page_of_rule),
    ];
    let both = indent.len() + columns(&next) + page_of_rule.len() + 19;
    if next == page_of_rule {
        return page.put(indent, indent, 0, &[lead, TextSpan::new(Style::Info, next)]);
    }
    if both <= page.width() {
        let [_, why] = why;
        let line = [
            lead,
            TextSpan::new(Style::Info, next),
            TextSpan::new(Style::Dim, "       why: "),
            why,
        ];
        return page.put(indent, indent, 0, &line);
    }
    let rest = format!("{indent}      ");
    let room = page.width().saturating_sub(rest.len());
    for (i, line) in command_lines(&next, room).into_iter().enumerate() {
        let line = TextSpan::new(Style::Info, line);
        match i {
            0 => page.put(indent, &rest, 0, &[lead.clone(), line]),
            _ => page.put(&rest, &rest, 0, &[line]),
        }
    }
    page.put(indent, indent, 0, &why);
}

/// `p1, p2 and 3 more`.
fn names(target: &Target, one: &FindingGroup<'_>) -> String {
    let layers = one.layers();
    let names: Vec<_> = layers
        .iter()
        .take(NAMED)
        .map(|id| group::name(&target.stack, *id))
        .collect();
    let names: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
    match layers.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {} more", names.join(", "), count(more)),
    }
}

/// Where it starts and could start; without that the reason, or the first step.
fn detail(target: &Target, one: &FindingGroup<'_>) -> String {
    let Some(first) = one.findings.first() else {
        return String::new();
    };
    let layers = one.layers();
    let starts = one.of_each_layer().take(NAMED);
    let starts: Vec<_> = starts
        .filter_map(|finding| start(target, finding))
        .collect();
    match (starts.as_slice(), layers.len()) {
        _ if !one.is_cost => prose_step(first),
        ([], _) if one.findings.len() == 1 => sentence(&clean(&first.why)),
        // Its users differ, and are in the full view.
        ([], _) => sentence(
            first
                .why
                .split("; ")
                .next()
                .map(clean)
                .unwrap_or_default()
                .as_str(),
        ),
        ([(_, now, good)], 1) => sentence(&format!(
            "It starts at {now}; {good} is a good start{}",
            place_of(first, 1)
        )),
        (many, all) => {
            let list: Vec<_> = many
                .iter()
                .map(|(name, now, good)| format!("{name} starts at {now}, a good start is {good}"))
                .collect();
            let rest = match all.saturating_sub(many.len()) {
                0 => String::new(),
                more => format!("; {} more", count(more)),
            };
            sentence(&format!(
                "{}{rest}{}",
                list.join("; "),
                place_of(first, all)
            ))
        }
    }
}

/// The name of the layer to move, its start, and a good one.
fn start(target: &Target, finding: &Finding) -> Option<(String, String, String)> {
    let stack = &target.stack;
    let id = blamed(finding)?;
    let layer = stack.layer(id);
    let at = layer.below.first()?.map.start()?;
    let good = finding.suggest.start?;
    let native = layer.start_sectors.filter(|native| native.bytes() == at);
    let now = native.map_or_else(
        || format!("byte {}", at.get()),
        |native| format!("sector {}", native.count()),
    );
    let good = match finding.suggest.start_sectors {
        Some(sectors) => format!("sector {} ({})", sectors.count(), sectors.bytes()),
        None => good.to_string(),
    };
    Some((group::name(stack, id), now, good))
}

const fn place_of(finding: &Finding, many: usize) -> &'static str {
    match (finding.fixable_in_place, many) {
        (Some(true), 1) => ", and it can be moved there in place",
        (Some(true), _) => "; they can be moved there in place",
        (Some(false), _) => "; the data must be copied there",
        (None, _) => "",
    }
}

/// The first step in words, where there is no command.
fn prose_step(finding: &Finding) -> String {
    let step = finding.steps.iter().find(|step| !step.starts_with("$ "));
    step.map(|step| sentence(&capital(&clean(step))))
        .unwrap_or_default()
}

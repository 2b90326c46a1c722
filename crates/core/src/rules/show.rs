//! Pages as text and as Markdown.

use std::fmt::Write as _;

use super::{Rule, groups};

/// Heading and text of each part of a page.
fn parts(rule: &Rule) -> [(&'static str, &'static str); 5] {
    [
        ("What it means", rule.means),
        ("What it costs", rule.costs),
        ("How to fix it", rule.fix),
        ("When to ignore it", rule.ignore),
        ("Source", rule.source),
    ]
}

/// A page for a terminal of `width` columns.
pub fn text(rule: &Rule, width: usize) -> String {
    let mut out = format!("{} ({})\n{}\n", rule.id, rule.severity.name(), rule.title);
    for (heading, body) in parts(rule) {
        let _ = write!(out, "\n{heading}\n{}", wrapped(body, width));
    }
    out
}

/// All rules, a line each, group by group.
pub fn list() -> String {
    let widest = super::all().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for group in groups() {
        let _ = writeln!(out, "{}", group.title);
        for rule in group.rules {
            let severity = rule.severity.name();
            let _ = writeln!(out, "  {:widest$}  {severity:10}  {}", rule.id, rule.title);
        }
        out.push('\n');
    }
    out
}

/// A page in Markdown, without its heading.
pub fn markdown(rule: &Rule) -> String {
    let mut out = format!("**{}** ({})\n", escape(rule.title), rule.severity.name());
    for (heading, body) in parts(rule) {
        let _ = write!(out, "\n*{heading}*: {}\n", escape(body));
    }
    out
}

/// The whole documentation, `docs/rules.md`.
pub fn document() -> String {
    let mut out = String::from(
        "# Rules\n\n\
         Every finding of `ioalign check` names a rule. This page is made from `crates/core/src/rules` \
         by `cargo xtask docs`; `ioalign explain RULE` shows the same. The severity is the usual one: \
         swap is judged one step milder, and a grid that was only assumed yields a note.\n",
    );
    for group in groups() {
        let _ = write!(out, "\n## {}\n", group.title);
        for rule in group.rules {
            let _ = write!(out, "\n### {}\n\n{}", rule.id, markdown(rule));
        }
    }
    out
}

/// What `fix` refuses, and what to do then: `docs/fix-refusals.md`.
pub fn refusals() -> String {
    let mut out = String::from(
        "# What `fix` refuses, and what to do then\n\n\
         A refusal is one line: what and where, the rule in brackets, and the next command. With `--json` it is a document \
         (`\"result\": \"refused\"`, `rule`, `why`, `next`). The exit code is 65, or 64 where another argument lifts the refusal. \
         `ioalign explain RULE` shows the page of a rule. This page is made from `crates/core/src/rules/refusals.rs` by \
         `cargo xtask docs`.\n",
    );
    for rule in super::refusals().rules {
        let [means, fix] = [rule.means, rule.fix].map(escape);
        let _ = write!(
            out,
            "\n## {}\n\n**{}.** {means}\n\n{fix}\n",
            rule.id,
            escape(rule.title)
        );
    }
    out
}

/// What Markdown would take for markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Words in lines of at most `width` columns, indented by two.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > width {
            out.push('\n');
            column = 0;
        }
        let gap = if column == 0 { "  " } else { " " };
        out.push_str(gap);
        out.push_str(word);
        column += gap.len() + len;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::super::all;
    use super::*;

    #[test]
    fn pages_fit_the_terminal() {
        for rule in all() {
            let page = text(rule, 80);
            assert!(
                page.lines().all(|line| line.chars().count() <= 80),
                "{page}"
            );
        }
        assert!(wrapped("aaa bbb ccc", 9).lines().count() == 2);
    }
}

//! The folder that mdBook reads: pages with the links that they have there.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use ioalign_core::rules::{self, Rule, show};

use crate::dist::write;
use crate::paths;

const SUMMARY: &str = "docs/SUMMARY.md";
const RULES: &str = "docs/rules.md";
/// Files of mdBook beside the pages.
const SETTINGS: [&str; 2] = ["book.toml", "book.css"];

/// Writes the source of the book into `folder`.
pub fn lay_out(folder: &Path) -> Result<()> {
    for name in SETTINGS {
        write(&folder.join(name), &read(&format!("docs/{name}"))?)?;
    }
    let source = folder.join("src");
    let summary = read(SUMMARY)?;
    let listed = links(&summary);
    let pages: BTreeSet<String> = listed.iter().map(|link| resolved(SUMMARY, link)).collect();
    let mut files = BTreeSet::new();
    for name in &pages {
        let text = if name == RULES {
            list_of_rules()
        } else {
            without_comments(&read(name)?)
        };
        let text = relinked(name, &text, &pages, &mut files);
        write(&source.join(in_book(name)), &text)?;
    }
    for rule in rules::all() {
        let text = format!("# {}\n\n{}", rule.id, show::markdown(rule));
        write(&source.join(page_of(rule)), &text)?;
    }
    for name in &files {
        let to = source.join(name);
        if let Some(above) = to.parent() {
            fs::create_dir_all(above)?;
        }
        fs::copy(paths::root().join(name), &to).with_context(|| format!("cannot copy {name}"))?;
    }
    write(&source.join("SUMMARY.md"), contents(&summary))
}

/// The text without comments: they hold the files that the tests of the documents lay out.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let (mut is_code, mut is_comment) = (false, false);
    for line in text.lines() {
        is_code ^= !is_comment && line.starts_with("```");
        is_comment |= !is_code && line.starts_with("<!--");
        if !is_comment {
            let _ = writeln!(out, "{line}");
        }
        is_comment &= !line.trim_end().ends_with("-->");
    }
    out
}

fn read(name: &str) -> Result<String> {
    let path = paths::root().join(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The table of contents, with names from the root and a line for each rule.
fn contents(summary: &str) -> String {
    let mut out = String::new();
    for line in summary.lines() {
        let Some((before, target, after)) = link(line) else {
            let _ = writeln!(out, "{line}");
            continue;
        };
        let name = resolved(SUMMARY, target);
        let _ = writeln!(out, "{before}]({}){after}", in_book(&name));
        if name == RULES {
            for rule in rules::all() {
                let _ = writeln!(out, "  - [{}]({})", rule.id, page_of(rule));
            }
        }
    }
    out
}

fn list_of_rules() -> String {
    let mut out = String::from(
        "# Rules\n\nEvery finding of `ioalign check` names a rule; `ioalign explain RULE` shows its page.\n",
    );
    for group in rules::groups() {
        let _ = write!(
            out,
            "\n## {}\n\n| rule | severity | |\n|---|---|---|\n",
            group.title
        );
        for rule in group.rules {
            let (id, severity) = (rule.id, rule.severity.name());
            let _ = writeln!(
                out,
                "| [{id}](rules/{id}.md) | {severity} | {} |",
                rule.title
            );
        }
    }
    out
}

fn page_of(rule: &Rule) -> String {
    format!("docs/rules/{}.md", rule.id)
}

/// The name of a page in the book: the first page of a folder is its index.
fn in_book(name: &str) -> String {
    name.replace("README.md", "index.md")
}

/// The text with links that hold in the book. `files` gets what has to lie beside the pages.
fn relinked(
    from: &str,
    text: &str,
    pages: &BTreeSet<String>,
    files: &mut BTreeSet<String>,
) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, target, after)) = link(rest) {
        let path = target.split('#').next().unwrap_or_default();
        let name = resolved(from, path);
        let is_ours = !target.contains("://") && !path.is_empty();
        let is_rule = from == RULES && path.starts_with("rules/");
        out.push_str(before);
        if !is_ours || is_rule || pages.contains(&name) {
            let _ = write!(out, "]({})", in_book(target));
        } else if name == SUMMARY || paths::root().join(&name).is_dir() {
            // The contents are beside every page; a folder has none.
            out.push_str("](#)");
        } else {
            let _ = write!(out, "]({target})");
            // Or brackets in code.
            if paths::root().join(&name).is_file() {
                files.insert(name);
            }
        }
        rest = after;
    }
    out + rest
}

/// What is before the first `](`, the target, and what is behind it.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    Some((before, target, after))
}

fn links(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| link(line).map(|(_, target, _)| target))
        .collect()
}

/// The name from the root of what `from` calls `path`.
fn resolved(from: &str, path: &str) -> String {
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut parts: Vec<Component<'_>> = Vec::new();
    let joined = folder.join(path);
    for part in joined.components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts
        .iter()
        .collect::<PathBuf>()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_hold_in_the_book() {
        let pages = BTreeSet::from(["README.md".to_owned(), "docs/a.md".to_owned()]);
        let mut files = BTreeSet::new();
        let text = "[r](../README.md) [a](a.md#b) [w](https://w/x.md) ![p](picture.svg) [d](../crates) [h](#h)";
        let found = relinked("docs/b.md", text, &pages, &mut files);
        let wanted =
            "[r](../index.md) [a](a.md#b) [w](https://w/x.md) ![p](picture.svg) [d](#) [h](#h)";
        assert_eq!(found, wanted);
        assert_eq!(files, BTreeSet::from(["docs/picture.svg".to_owned()]));
    }

    #[test]
    fn comments_are_left_out_and_code_is_kept() {
        let text =
            "a\n<!-- setup\n<File href=\"x\"/>\n-->\nb\n<!-- one -->\n```\n<!-- kept -->\n```\n";
        assert_eq!(without_comments(text), "a\nb\n```\n<!-- kept -->\n```\n");
    }

    #[test]
    fn contents_have_a_page_a_rule() {
        let found = contents("[i](../README.md)\n\n- [R](rules.md)\n");
        assert!(
            found.starts_with("[i](index.md)\n\n- [R](docs/rules.md)\n  - ["),
            "{found}"
        );
        assert!(found.contains("  - [start-misaligned](docs/rules/start-misaligned.md)\n"));
    }
}

//! Links inside the project lead somewhere: to a file, and to a heading of it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::page::fences;
use super::{pages, root, text};

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut wrong = Vec::new();
    for name in pages() {
        for link in links(&text(&name)) {
            if !leads_somewhere(&name, &link) {
                wrong.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "links that lead nowhere:\n  {}",
        wrong.join("\n  ")
    );
}

/// Targets of the links of a page that are not of the web.
pub fn links(page: &str) -> Vec<String> {
    let lines: Vec<_> = page.lines().collect();
    let code = fences(&lines);
    let is_prose = |at: usize| code.iter().all(|fence| !fence.lines.contains(&at));
    let prose = lines.iter().enumerate().filter(|(at, _)| is_prose(*at));
    let mut found = Vec::new();
    for (_, line) in prose {
        let mut rest = without_code(line);
        while let Some((_, after)) = rest.clone().split_once("](") {
            let Some((target, more)) = after.split_once(')') else {
                break;
            };
            found.push(target.to_owned());
            rest = more.to_owned();
        }
    }
    found.retain(|link| !link.contains("://") && !link.starts_with("mailto:"));
    found
}

/// A line without what stands in backticks.
fn without_code(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    if parts.len() % 2 == 0 {
        return line.to_owned();
    }
    parts
        .iter()
        .step_by(2)
        .copied()
        .collect::<Vec<_>>()
        .join("``")
}

fn leads_somewhere(from: &str, link: &str) -> bool {
    let (path, heading) = link
        .split_once('#')
        .map_or((link, None), |(path, heading)| (path, Some(heading)));
    let name = if path.is_empty() {
        PathBuf::from(from)
    } else {
        resolved(from, path)
    };
    if !root().join(&name).exists() {
        return false;
    }
    heading.is_none_or(|heading| headings(&text(&name.to_string_lossy())).contains(heading))
}

/// The name, relative to the root, of what a page calls `path`.
pub fn resolved(from: &str, path: &str) -> PathBuf {
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut parts: Vec<Component<'_>> = Vec::new();
    let joined = folder.join(path);
    for part in joined.components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.iter().collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn headings(page: &str) -> BTreeSet<String> {
    let lines: Vec<_> = page.lines().collect();
    let code = fences(&lines);
    let mut anchors = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let is_code = code.iter().any(|fence| fence.lines.contains(&at));
        if let (false, Some(title)) = (is_code, line.strip_prefix('#')) {
            anchors.insert(anchor(title.trim_start_matches('#').trim()));
        }
    }
    anchors
}

fn anchor(title: &str) -> String {
    let lower = title.to_lowercase();
    let kept = lower
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_and_anchors_are_read() {
    let page =
        "# A `b`: c\n[x](y.md#z) `[no](no)` and ![p](p.svg)\n```\n[no](no)\n```\n[w](https://w)\n";
    assert_eq!(links(page), ["y.md#z", "p.svg"]);
    assert!(headings(page).contains("a-b-c"));
    assert_eq!(resolved("docs/lab/a.md", "../../b.md"), Path::new("b.md"));
}

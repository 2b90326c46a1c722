//! The table of contents of the book names every page once, and every page that another one links to.

use std::collections::BTreeSet;

use super::links::{links, resolved};
use super::{pages, text};

const SUMMARY: &str = "docs/SUMMARY.md";

#[test]
fn the_book_has_every_page_once() {
    let listed: Vec<String> = links(&text(SUMMARY))
        .iter()
        .map(|link| resolved(SUMMARY, link).to_string_lossy().into_owned())
        .collect();
    let in_book: BTreeSet<_> = listed.iter().cloned().collect();
    assert_eq!(in_book.len(), listed.len(), "a page is in {SUMMARY} twice");
    let documents = pages()
        .into_iter()
        .filter(|name| name.starts_with("docs/") && name != SUMMARY);
    let mut missing: BTreeSet<_> = documents.filter(|name| !in_book.contains(name)).collect();
    for name in &in_book {
        let linked = links(&text(name)).into_iter().filter_map(|link| {
            let path = link.split('#').next().unwrap_or_default().to_owned();
            path.ends_with(".md")
                .then(|| resolved(name, &path).to_string_lossy().into_owned())
        });
        missing.extend(linked.filter(|name| name != SUMMARY && !in_book.contains(name)));
    }
    assert!(missing.is_empty(), "not in {SUMMARY}: {missing:?}");
}

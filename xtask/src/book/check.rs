//! Follows the links of the finished pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Links inside the folder that lead to no file, or to no heading of it.
pub fn links(folder: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    collect(folder, &mut pages)?;
    let mut wrong = Vec::new();
    for (path, text) in &pages {
        if path.ends_with("404.html") {
            // It is written for the root of a server.
            continue;
        }
        for link in values(text, " href=\"")
            .into_iter()
            .chain(values(text, " src=\""))
        {
            if link.contains(':') || link.is_empty() || link == "#" {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() {
                path.clone()
            } else {
                path.with_file_name(file)
            };
            let is_there = to.canonicalize().is_ok_and(|to| {
                let has = |text: &String| text.contains(&format!("id=\"{heading}\""));
                heading.is_empty() || pages.get(&to).is_some_and(has)
            });
            if !is_there {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    Ok(wrong)
}

fn collect(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "html") {
            let text = fs::read_to_string(&path)?;
            pages.insert(path.canonicalize()?, text);
        }
    }
    Ok(())
}

/// What stands behind each `before`, up to the next quote.
fn values<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let behind = text.split(before).skip(1);
    behind.filter_map(|rest| rest.split('"').next()).collect()
}

//! Fixtures from a real kernel: every script of `lab/fixtures` runs once per content, in a
//! microVM, and leaves one folder per stack.
//!
//! A result is kept under `fixtures/SCRIPT-HASH/STACK` in the cache, which all clones share; the links
//! `vm-fixtures/current/STACK` in the target folder name those that belong to the scripts as they are now.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::{packages, paths, tools, vm};
use ioalign_lab::hash::ContentHash;

/// Builds what is missing and prints `STACK PATH` lines.
pub fn command(args: &[String]) -> Result<ExitCode> {
    for (name, path) in build(args)? {
        println!("{name}\t{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The stacks of these scripts (all when none is named), built where they are missing.
pub fn build(names: &[String]) -> Result<Vec<(String, PathBuf)>> {
    packages::ensure("test")?;
    let current = current();
    fs::create_dir_all(&current).with_context(|| format!("cannot make {}", current.display()))?;
    let mut stacks = Vec::new();
    for folder in all_made(&scripts(names)?)? {
        for (name, path) in stacks_of(&folder)? {
            link(&current.join(&name), &path)?;
            stacks.push((name, path));
        }
    }
    Ok(stacks)
}

/// The folders of all scripts' results, two guests at a time: an emulated guest keeps little
/// more than one processor busy.
fn all_made(scripts: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<PathBuf>> {
        let take = || scripts.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(take)
            .map(|script| made(script))
            .collect()
    };
    let parts = thread::scope(|scope| {
        let both = [scope.spawn(work), scope.spawn(work)];
        both.map(|one| one.join().unwrap_or_else(|_| bail!("a builder panicked")))
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    all.sort();
    Ok(all)
}

/// Links to the stacks of the scripts as they are now.
pub fn current() -> PathBuf {
    paths::target().join("vm-fixtures/current")
}

fn scripts(names: &[String]) -> Result<Vec<PathBuf>> {
    let home = paths::root().join("lab/fixtures");
    let entries = fs::read_dir(&home).with_context(|| format!("cannot list {}", home.display()))?;
    let all = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut all: Vec<PathBuf> = all
        .filter(|path| path.extension().is_some_and(|e| e == "sh"))
        .collect();
    // The longest first (by size of the script), so that the end is not one long wait.
    all.sort_by_key(|path| std::cmp::Reverse(fs::metadata(path).map_or(0, |data| data.len())));
    for name in names {
        if !all.iter().any(|path| stem(path) == *name) {
            bail!("lab/fixtures has no {name}.sh");
        }
    }
    if !names.is_empty() {
        all.retain(|path| names.contains(&stem(path)));
    }
    Ok(all)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The folder of a script's results, made if it is missing.
fn made(script: &Path) -> Result<PathBuf> {
    let mut options = vm::args::from_script(script, &[])?;
    let mut hash = ContentHash::new();
    hash.add(vm::contents_key(&options)?);
    hash.add_file(script)?;
    let kept = tools::cache()?.join("fixtures");
    let path = kept.join(format!("{}-{}", stem(script), hash.text()));
    if path.is_dir() {
        return Ok(path);
    }
    eprintln!("xtask: building the fixtures of {}", stem(script));
    let part = path.with_extension(format!("{}.part", std::process::id()));
    options.out = Some(part.clone());
    let outcome = vm::run(script, &options, false)?;
    for line in &outcome.results {
        eprintln!("  {line}");
    }
    if outcome.status != 0 {
        bail!(
            "{} failed in the guest with status {}",
            script.display(),
            outcome.status
        );
    }
    paths::settle(&part, &path)?;
    Ok(path)
}

fn stacks_of(path: &Path) -> Result<Vec<(String, PathBuf)>> {
    let entries = fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
    let mut stacks: Vec<_> = entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect();
    stacks.sort();
    Ok(stacks)
}

fn link(link: &Path, target: &Path) -> Result<()> {
    if fs::read_link(link).is_ok_and(|now| now == target) {
        return Ok(());
    }
    let _ = fs::remove_file(link);
    symlink(target, link).with_context(|| format!("cannot make {}", link.display()))
}

//! `cargo xtask bpf`: the BPF program, compiled from C to the object that is checked in.
//!
//! Building ioalign needs no clang. What keeps the object honest: it carries a hash of its sources and
//! the compiler's version. `--check` compares the hash always, and every byte where the same compiler
//! is at hand, as in CI.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{paths, run};
use ioalign_lab::hash::ContentHash;
use ioalign_lab::host::which;

const FOLDER: &str = "crates/observe/bpf";
const SOURCES: [&str; 12] = [
    "watch.bpf.c",
    "helpers.h",
    "kernel.h",
    "layout.h",
    "grids.h",
    "count.h",
    "tell.h",
    "discards.h",
    "files.h",
    "requests.h",
    "bios.h",
    "plain.h",
];
const OBJECT: &str = "watch.bpf.o";
/// clang 14 is Debian 12's, and what made the object that is checked in.
const COMPILERS: [&str; 2] = ["clang-14", "clang"];
const STRIPPERS: [&str; 2] = ["llvm-strip-14", "llvm-strip"];
/// The object goes into every binary.
const LARGEST: u64 = 200_000;

/// Builds or checks.
pub fn command(args: &[String]) -> Result<ExitCode> {
    let passed = match args {
        [] => build().map(|()| true),
        [one] if one == "--check" => check(),
        _ => bail!("cargo xtask bpf [--check]"),
    };
    Ok(ExitCode::from(u8::from(!passed?)))
}

fn build() -> Result<()> {
    let folder = paths::root().join(FOLDER);
    compile(&folder.join(OBJECT))?;
    eprintln!("xtask: wrote {FOLDER}/{OBJECT}");
    Ok(())
}

/// Whether the object that is checked in is that of the sources.
pub fn check() -> Result<bool> {
    let object = paths::root().join(FOLDER).join(OBJECT);
    let kept = read(&object)?;
    if kept.len() as u64 > LARGEST {
        eprintln!(
            "xtask: {FOLDER}/{OBJECT} has {} bytes, more than {LARGEST}",
            kept.len()
        );
        return Ok(false);
    }
    let Some((hash, compiler)) = stamp(&kept) else {
        bail!("{FOLDER}/{OBJECT} has no stamp; run `cargo xtask bpf`");
    };
    if hash != sources()? {
        eprintln!("xtask: {FOLDER}/{OBJECT} is not made of these sources; run `cargo xtask bpf`");
        return Ok(false);
    }
    if version().ok().as_deref() != Some(compiler.as_str()) {
        eprintln!(
            "xtask: sources are those of the object; its code is not compared, for want of {compiler}"
        );
        return Ok(true);
    }
    let made = paths::target().join(format!("watch-{}.bpf.o", std::process::id()));
    compile(&made)?;
    let same = read(&made)? == kept;
    let _ = fs::remove_file(&made);
    if !same {
        eprintln!("xtask: {compiler} makes another {FOLDER}/{OBJECT} of these sources");
    }
    Ok(same)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn compile(out: &Path) -> Result<()> {
    let mut command = run::command(tool(&COMPILERS)?);
    let stamp = format!("-DSTAMP=\"ioalign-bpf {} {};\"", sources()?, version()?);
    command
        .current_dir(paths::root().join(FOLDER))
        .args([
            "-target", "bpf", "-O2", "-g", "-mcpu=v2", "-Wall", "-Werror",
        ])
        .args(["-Wno-unused-function", "-fdebug-compilation-dir=."])
        .args([&stamp, "-c", "watch.bpf.c", "-o"])
        .arg(out);
    run::must(&mut command)?;
    // Debug sections and names of jumps are for debuggers; the types that the loader and the kernel read stay. Loaders do not relocate the line
    // numbers beside them: their offsets are right as they are.
    run::must(
        run::command(tool(&STRIPPERS)?)
            .args(["-g", "--wildcard", "--strip-symbol=LBB*"])
            .arg("--remove-section=.rel.BTF.ext")
            .arg(out),
    )
}

fn tool(names: &[&str]) -> Result<PathBuf> {
    let found = names.iter().find_map(|name| which(name));
    found.with_context(|| {
        format!(
            "{} is missing (packages clang-14, llvm-14)",
            names.join(" or ")
        )
    })
}

fn version() -> Result<String> {
    let text = run::output(run::command(tool(&COMPILERS)?).arg(OsStr::new("--version")))?;
    let line = text.lines().next().unwrap_or_default();
    let word = line
        .split_whitespace()
        .skip_while(|word| *word != "version")
        .nth(1);
    Ok(format!("clang {}", word.unwrap_or("unknown")))
}

fn sources() -> Result<String> {
    let mut hash = ContentHash::new();
    for name in SOURCES {
        hash.add_file(&paths::root().join(FOLDER).join(name))?;
    }
    Ok(hash.text())
}

/// Hash and compiler that an object was stamped with.
fn stamp(object: &[u8]) -> Option<(String, String)> {
    const MARK: &[u8] = b"ioalign-bpf ";
    let at = object
        .windows(MARK.len())
        .position(|window| window == MARK)?;
    let text = object
        .get(at + MARK.len()..)?
        .split(|byte| *byte == b';')
        .next()?;
    let (hash, compiler) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    Some((hash.to_owned(), compiler.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn the_stamp_is_found_among_other_bytes() {
        let object = b"\x7fELF\0ioalign-bpf 0123abcd clang 14.0.6;\0rest";
        assert_eq!(
            stamp(object),
            Some(("0123abcd".into(), "clang 14.0.6".into()))
        );
        assert_eq!(stamp(b"\x7fELF"), None);
    }
}

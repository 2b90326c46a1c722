//! Programs that Debian does not package: the wheels of `tools.txt`, which are prebuilt and pinned by hash, or a compile of the same
//! version. They stay in the cache; `~/.cargo/bin` is the developer's.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ioalign_lab::hash::ContentHash;
use ioalign_lab::host::which;

use crate::{paths, run};

const WHEELS: &str = include_str!("../tools.txt");

/// A program of cargo's world.
pub struct Tool {
    /// The program, and the crate that it is compiled from.
    name: &'static str,
    /// The version that is compiled, where no wheel gives it.
    version: &'static str,
}

pub const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.148",
};
pub const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
};
pub const MDBOOK: Tool = Tool {
    name: "mdbook",
    version: "0.5.4",
};
pub const CYCLONEDX: Tool = Tool {
    name: "cargo-cyclonedx",
    version: "0.5.9",
};

pub const FUZZ: Tool = Tool {
    name: "cargo-fuzz",
    version: "0.13.2",
};
pub const MUTANTS: Tool = Tool {
    name: "cargo-mutants",
    version: "25.3.1",
};

impl Tool {
    /// Where the program is: on the path, in the cache, or there after it was fetched or compiled.
    pub fn find(&self) -> Result<PathBuf> {
        if let Some(found) = which(self.name) {
            return Ok(found);
        }
        if self.is_wheel() {
            match fetch_wheels() {
                Ok(folder) => return Ok(folder.join("bin").join(self.name)),
                Err(error) => eprintln!("xtask: no prebuilt {}: {error:#}", self.name),
            }
        }
        self.compile()
    }

    fn is_wheel(&self) -> bool {
        let pin = format!("{}=={}", self.name, self.version);
        WHEELS.lines().any(|line| {
            let line = line.trim_end_matches(['\\', ' ']);
            line.ends_with(&pin) || line.ends_with(&format!("rust-{pin}"))
        })
    }

    /// A debug build without debug information: its run takes seconds either way, and the compile minutes.
    fn compile(&self) -> Result<PathBuf> {
        let root = cache()?.join(format!("{}-{}", self.name, self.version));
        let program = root.join("bin").join(self.name);
        if program.is_file() {
            return Ok(program);
        }
        eprintln!("xtask: compiling {} {}: minutes", self.name, self.version);
        let args = ["install", "--locked", "--debug", "--version", self.version];
        let mut command = run::cargo(&args);
        command.arg("--root").arg(&root).arg(self.name);
        run::must(command.env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
        Ok(program)
    }
}

/// The folder with the programs of all wheels, filled once for each content of `tools.txt`.
fn fetch_wheels() -> Result<PathBuf> {
    let mut hash = ContentHash::new();
    hash.add(WHEELS);
    let folder = cache()?.join(format!("tools-{}", hash.text()));
    if folder.is_dir() {
        return Ok(folder);
    }
    let part = folder.with_extension(format!("{}.part", std::process::id()));
    eprintln!(
        "xtask: fetching 20 MB of prebuilt tools by pip into {}",
        folder.display()
    );
    let mut pip = run::command(which("pip3").context("pip3 is missing (package python3-pip)")?);
    pip.args(["install", "--quiet", "--no-deps", "--no-cache-dir"]);
    pip.args(["--require-hashes", "--only-binary", ":all:"]);
    pip.args([
        "--disable-pip-version-check",
        "--root-user-action",
        "ignore",
    ]);
    pip.arg("--target").arg(&part);
    pip.arg("--requirement")
        .arg(paths::root().join("xtask/tools.txt"));
    if !run::succeeds(&mut pip)? {
        let _ = fs::remove_dir_all(&part);
        bail!("pip failed");
    }
    paths::settle(&part, &folder)?;
    Ok(folder)
}

/// `$IOALIGN_CACHE`, or `ioalign` in the user's folder for caches: the same that `./dev` takes.
pub fn cache() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(named) = set("IOALIGN_CACHE") {
        return Ok(PathBuf::from(named));
    }
    let base = set("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")));
    let base = base.context("neither IOALIGN_CACHE nor HOME is set: no folder for the cache")?;
    Ok(base.join("ioalign"))
}

#[cfg(test)]
mod tests {
    use super::{CYCLONEDX, DENY, FUZZ, MDBOOK, NEXTEST};

    #[test]
    fn versions_are_those_of_the_wheels() {
        assert!(
            [NEXTEST, DENY, MDBOOK, FUZZ]
                .iter()
                .all(super::Tool::is_wheel)
        );
        assert!(!CYCLONEDX.is_wheel());
    }
}

//! The files of a package below its root, as they are installed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::facts::{Architecture, LICENSE, ReleaseFacts};
use super::write;
use crate::{demo, paths, run};

const UNITS: &[&str] = &[
    "ioalign.service",
    "ioalign.timer",
    "ioalign-serve.service",
    "ioalign-push.service",
    "ioalign-push.timer",
];
/// Shell, and where its completions are read.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "usr/share/bash-completion/completions/ioalign"),
    ("zsh", "usr/share/zsh/vendor-completions/_ioalign"),
    ("fish", "usr/share/fish/vendor_completions.d/ioalign.fish"),
];

/// Lays them out; man pages and completions come from a program that this machine can run.
pub fn lay_out(
    facts: &ReleaseFacts,
    architecture: Architecture,
    program: &Path,
    tree: &Path,
) -> Result<()> {
    let root = paths::root();
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    let installed = tree.join("usr/bin/ioalign");
    write(&installed, bytes)?;
    let runs = runnable(architecture, program)?;
    let pages = tree.join("usr/share/man/man1");
    run::output(run::command(&runs).arg("man").arg(&pages))?;
    for (shell, place) in COMPLETIONS {
        let script = run::output(run::command(&runs).args(["completions", shell]))?;
        write(&tree.join(place), script)?;
    }
    for unit in UNITS {
        let text = fs::read(root.join("contrib/systemd").join(unit))?;
        write(&tree.join("usr/lib/systemd/system").join(unit), text)?;
    }
    let doc = tree.join("usr/share/doc/ioalign");
    for name in ["README.md", "SECURITY.md"] {
        write(&doc.join(name), fs::read(root.join(name))?)?;
    }
    write(&doc.join("changelog"), fs::read(root.join("CHANGELOG.md"))?)?;
    write(&doc.join("copyright"), copyright()?)?;
    compress(facts, &pages, "*.1")?;
    compress(facts, &doc, "changelog")?;
    settle(facts, tree)?;
    fs::set_permissions(&installed, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// A program with the same arguments that this machine can run.
fn runnable(architecture: Architecture, program: &Path) -> Result<PathBuf> {
    if architecture.rust() == std::env::consts::ARCH {
        return Ok(program.to_owned());
    }
    demo::build()
}

/// The machine-readable format of Debian (DEP-5), with the whole text of MIT.
fn copyright() -> Result<String> {
    let mit = fs::read_to_string(paths::root().join("LICENSE-MIT"))?;
    let mut lines = mit.lines().map(str::trim);
    let holder = lines
        .find_map(|line| line.strip_prefix("Copyright (c) "))
        .context("LICENSE-MIT names no holder")?;
    let text: String = lines
        .skip_while(|line| line.is_empty())
        .map(|line| {
            if line.is_empty() {
                " .\n".to_owned()
            } else {
                format!(" {line}\n")
            }
        })
        .collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ioalign\nSource: {}\n\n\
         Files: *\nCopyright: {holder}\nLicense: {}\n\nLicense: Apache-2.0\n On Debian systems the whole text is in\n \
         /usr/share/common-licenses/Apache-2.0.\n\nLicense: MIT\n{text}",
        super::facts::HOMEPAGE,
        LICENSE.replace("MIT OR Apache-2.0", "MIT or Apache-2.0"),
    ))
}

/// As policies want it: the best level, and no time inside.
fn compress(facts: &ReleaseFacts, folder: &Path, names: &str) -> Result<()> {
    run::output(
        super::stable(facts, "find")
            .arg(folder)
            .args(["-name", names])
            .args(["-exec", "gzip", "-9n", "{}", "+"]),
    )?;
    Ok(())
}

/// The modes and times of all files: nothing of the builder's umask or clock.
fn settle(facts: &ReleaseFacts, tree: &Path) -> Result<()> {
    run::output(run::command("chmod").args(["-R", "u=rwX,go=rX"]).arg(tree))?;
    let time = format!("@{}", facts.seconds);
    run::output(
        run::command("find")
            .arg(tree)
            .args(["-exec", "touch", "-h", "-d", &time, "{}", "+"]),
    )?;
    Ok(())
}

//! Whether the crates can be published: each is packed as `cargo publish` packs it, without compiling it again.

use anyhow::Result;

use crate::run;

/// They have `publish = false`, which `cargo package` does not look at.
const KEPT: [&str; 4] = [
    "xtask",
    "ioalign-testkit",
    "ioalign-python",
    "ioalign-tools",
];

/// Packs all crates that are published. A warning fails as an error does: that is how cargo says that a crate has no
/// licence, description or repository, or that a file of it is left out.
pub fn check() -> Result<bool> {
    let mut command = run::cargo(&[
        "package",
        "--workspace",
        "--locked",
        "--no-verify",
        "--allow-dirty",
    ]);
    for name in KEPT {
        command.args(["--exclude", name]);
    }
    let (passed, messages) = run::messages(&mut command)?;
    let warned = messages.lines().any(|line| line.starts_with("warning:"));
    if !passed || warned {
        eprint!("{messages}");
    }
    Ok(passed && !warned)
}

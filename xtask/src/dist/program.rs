//! The static program.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::facts::{Architecture, ReleaseFacts};
use crate::{paths, run};

/// Zig brings a C compiler, a linker and musl for every architecture; `ring` and SQLite have C sources.
const TOOLS: &str = "cargo-zigbuild is missing: `pip install cargo-zigbuild ziglang`, and \
    `rustup target add x86_64-unknown-linux-musl aarch64-unknown-linux-musl`";

/// Builds it: the path of the program.
pub fn build(facts: &ReleaseFacts, architecture: Architecture, profile: &str) -> Result<PathBuf> {
    if ioalign_lab::host::which("cargo-zigbuild").is_none() {
        bail!(TOOLS);
    }
    let mut flags = anonymous()?;
    flags.push("-Ctarget-feature=+crt-static".to_owned());
    let args = [
        "zigbuild",
        "--locked",
        "--package",
        "ioalign",
        "--profile",
        profile,
        "--target",
        architecture.target(),
    ];
    run::must(
        run::cargo(&args)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
            .env("IOALIGN_COMMIT", &facts.commit)
            .env("SOURCE_DATE_EPOCH", facts.seconds.to_string()),
    )?;
    Ok(paths::target()
        .join(architecture.target())
        .join(profile)
        .join("ioalign"))
}

/// Flags of rustc: the folders of the builder are in messages of panics, so all builders have the same names for them.
pub fn anonymous() -> Result<Vec<String>> {
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))?;
    let root = paths::root();
    Ok(vec![
        format!("--remap-path-prefix={home}=/cargo"),
        format!("--remap-path-prefix={}=/ioalign", root.display()),
    ])
}

//! The Python package.

use anyhow::{Result, bail};

use super::facts::{Architecture, ReleaseFacts};
use super::options::Options;
use super::{program, stable};
use crate::paths;

/// The glibc of 2014: the oldest that Rust's standard library takes, so that pip installs the wheel wherever Rust runs.
const OLDEST: &str = "manylinux2014";

/// `ioalign-VERSION-cp39-abi3-manylinux….whl`, by maturin; Zig links with an old glibc.
pub fn build(facts: &ReleaseFacts, architecture: Architecture, options: &Options) -> Result<()> {
    if ioalign_lab::host::which("maturin").is_none() {
        bail!(
            "maturin is missing: `pip install maturin ziglang`, and `rustup target add {}`",
            architecture.glibc_target()
        );
    }
    let mut make = stable(facts, "maturin");
    make.args(["build", "--locked", "--zig", "--compatibility", OLDEST])
        .args(["--profile", &options.profile])
        .args(["--target", architecture.glibc_target()])
        .arg("--manifest-path")
        .arg(paths::root().join("crates/python/Cargo.toml"))
        .arg("--out")
        .arg(&options.out)
        .env(
            "CARGO_ENCODED_RUSTFLAGS",
            program::anonymous()?.join("\u{1f}"),
        );
    crate::run::must(&mut make)
}

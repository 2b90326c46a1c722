//! What `--version` says: enough to build the same program again.

use std::sync::LazyLock;

/// Set by `build.rs`.
const COMMIT: Option<&str> = option_env!("IOALIGN_BUILT_FROM");

/// The version, and from which commit and for what the program was built.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let library = if cfg!(target_env = "musl") {
            "musl, static"
        } else {
            "glibc"
        };
        format!(
            "{}\ncommit: {}\ntarget: {} {} ({library})\nminimum Rust: {}",
            env!("CARGO_PKG_VERSION"),
            COMMIT.unwrap_or("not known, built without git"),
            std::env::consts::ARCH,
            std::env::consts::OS,
            env!("CARGO_PKG_RUST_VERSION"),
        )
    });
    &TEXT
}

//! Names the commit that `ioalign --version` shows: a report of a defect has to lead to the source.

use std::path::Path;
use std::process::Command;

/// Set by `cargo xtask dist`, whose builds depend on nothing but the tree.
const GIVEN: &str = "IOALIGN_COMMIT";

fn main() {
    println!("cargo:rerun-if-env-changed={GIVEN}");
    println!("cargo:rerun-if-changed=build.rs");
    let given = std::env::var(GIVEN).ok();
    if let Some(commit) = given.or_else(clone_commit) {
        println!("cargo:rustc-env=IOALIGN_BUILT_FROM={commit}");
    }
}

/// The commit of the clone that holds this crate, and whether its sources differ from that commit. None in a package of the registry.
fn clone_commit() -> Option<String> {
    let root = Path::new("../..");
    if !root.join(".git").exists() {
        return None;
    }
    // A commit and a checkout write the first, an edit one of the others.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    for entry in root.join("crates").read_dir().ok()?.flatten() {
        println!(
            "cargo:rerun-if-changed={}",
            entry.path().join("src").display()
        );
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&[
        "status",
        "--porcelain",
        "--",
        "../../Cargo.lock",
        "../*/src/**",
    ])?;
    let suffix = if changes.is_empty() {
        ""
    } else {
        " with changes"
    };
    Some(format!("{commit}{suffix}"))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

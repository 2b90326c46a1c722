//! The schema of SARIF 2.1.0 by OASIS, which comes with the package `serde-sarif`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The schema as JSON. Cargo knows where it unpacked the package.
pub fn schema() -> Value {
    let text = std::fs::read_to_string(package().join("src/schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // As published it has a `]` too many, which is no regular expression of ECMA 262.
    for object in ["run", "toolComponent"] {
        let pattern = format!("/definitions/{object}/properties/language/pattern");
        *schema.pointer_mut(&pattern).unwrap() = "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$".into();
    }
    schema
}

/// What tests run on.
fn target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The folder of the package.
fn package() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(cargo)
        // What a build of one crate has not fetched is fetched.
        .args(["metadata", "--format-version=1", "--locked"])
        // Packages of other systems were never fetched.
        .args(["--filter-platform", &target()])
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|one| one["name"] == "serde-sarif");
    let manifest = package.unwrap()["manifest_path"].as_str().unwrap();
    PathBuf::from(manifest).parent().unwrap().to_owned()
}

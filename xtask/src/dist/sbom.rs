//! What the program is made of: CycloneDX, from the lock file.

use std::path::Path;

use anyhow::Result;

use super::facts::ReleaseFacts;
use crate::{paths, run, tools};

/// `ioalign-VERSION.cdx.json`, by cargo-cyclonedx, which is compiled where it is not installed.
pub fn write(facts: &ReleaseFacts, folder: &Path) -> Result<()> {
    let program = tools::CYCLONEDX.find()?;
    let manifest = paths::root().join("crates/cli/Cargo.toml");
    let name = format!("ioalign-{}.cdx", facts.version);
    let mut make = super::stable(facts, program);
    make.args([
        "cyclonedx",
        "--format",
        "json",
        "--spec-version",
        "1.5",
        "--override-filename",
        &name,
        "--manifest-path",
    ])
    .arg(manifest);
    run::output(&mut make)?;
    // It writes one beside the manifest of each crate of the workspace.
    let made = format!("{name}.json");
    for entry in std::fs::read_dir(paths::root().join("crates"))? {
        let made_here = entry?.path().join(&made);
        if made_here
            .parent()
            .is_some_and(|parent| parent.ends_with("cli"))
        {
            let text = std::fs::read_to_string(&made_here)?;
            std::fs::write(folder.join(&made), without_place(&text, &paths::root()))?;
        }
        let _ = std::fs::remove_file(made_here);
    }
    for other in ["tools", "xtask"] {
        let _ = std::fs::remove_file(paths::root().join(other).join(&made));
    }
    Ok(())
}

/// References between components are URLs of the crates' folders: they begin at the root of the sources, wherever that is.
fn without_place(text: &str, root: &Path) -> String {
    text.replace(&format!("file://{}/", root.display()), "file:///")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_builders_write_the_same() {
        let at = |root: &str| {
            let text = format!("\"bom-ref\": \"path+file://{root}/crates/cli#ioalign@0.1.0\"");
            without_place(&text, Path::new(root))
        };
        assert_eq!(at("/home/a/ioalign"), at("/srv/build"));
        assert!(at("/srv/build").contains("file:///crates/cli#"));
    }
}

//! Documents of other verbs, read back: bounded, and refused when they are of another kind.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ioalign_core::Stack;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// No document of this program comes near it.
const LARGEST: u64 = 1 << 30;

/// The text of a named file.
pub fn text(path: &Path) -> Result<String> {
    let name = path.display();
    let file = std::fs::metadata(path).with_context(|| format!("{name}: cannot open it"))?;
    if file.len() > LARGEST {
        bail!("{name}: larger than a gibibyte");
    }
    std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read it"))
}

/// The stack of a document of `check --json`.
pub fn stack(path: &Path) -> Result<Stack> {
    let stack = ioalign_report::json::read::stack(&text(path)?);
    stack.map_err(|why| anyhow!("{}: {why}", path.display()))
}

/// A document with this schema; `kind` is what it is called, `of` where it names its own.
pub fn read<T: DeserializeOwned>(
    path: &Path,
    kind: &str,
    schema: &str,
    of: impl Fn(&T) -> &str,
) -> Result<T> {
    let name = path.display();
    let text = text(path)?;
    // A document of another kind is rejected by its own name, not by the first field that it lacks.
    if let Ok(SchemaName { schema: Some(own) }) = serde_json::from_str(&text)
        && own != schema
    {
        bail!("{name}: it is no {kind}: its schema is `{own}`, not {schema}");
    }
    let found: T =
        serde_json::from_str(&text).with_context(|| format!("{name}: it is no {kind}"))?;
    let own = of(&found);
    if own != schema {
        bail!("{name}: its schema is `{own}`, not {schema}");
    }
    Ok(found)
}

/// The name of the schema in a document.
#[derive(Deserialize)]
struct SchemaName {
    schema: Option<String>,
}

//! `[lint]`: the purpose of the images of a build, so that no argument is forgotten.
//!
//! These are questions, as the arguments of the same names; what fails is decided by `[fail]`.

use ioalign_core::judge;
use ioalign_core::judge::lint::Lint;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::text::PolicyText;
use crate::args;

/// The table as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PolicyTable {
    target_logical: Option<Spanned<Value>>,
    size_multiple: Option<Spanned<Value>>,
    upload: Option<Spanned<Value>>,
    #[serde(default)]
    uefi: bool,
}

impl PolicyTable {
    /// The questions that it asks.
    pub fn read(&self, source: &PolicyText<'_>) -> Result<judge::JudgeOptions, String> {
        Ok(judge::JudgeOptions {
            target_logical: parsed(self.target_logical.as_ref(), source, args::sector)?,
            lint: Lint {
                size_multiple: parsed(self.size_multiple.as_ref(), source, args::multiple)?,
                upload: parsed(self.upload.as_ref(), source, args::upload)?,
                uefi: self.uefi,
            },
        })
    }
}

/// A value as the argument of the same name would be read; sizes may be numbers as well.
fn parsed<T>(
    value: Option<&Spanned<Value>>,
    source: &PolicyText<'_>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let Some(value) = value else {
        return Ok(None);
    };
    let text = match value.get_ref() {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let read = parse(&text).map_err(|what| source.at(value, &what))?;
    Ok(Some(read))
}

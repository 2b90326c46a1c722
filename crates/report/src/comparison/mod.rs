//! A comparison, shown: text for a terminal, rows for a spreadsheet, JSON for scripts, a page
//! with figures, and the figures alone.

mod amplification;
mod csv;
pub(crate) mod figures;
mod gains;
pub(crate) mod html;
mod json;
mod svg;
mod text;
pub mod words;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use ioalign_core::comparison::Comparison;

use crate::options::RenderOptions;

pub use csv::render as csv;
pub use html::render as html;
pub use json::render as json;
pub use svg::render as svg;
pub use text::{heading, render as text, row};

/// A way to show a comparison.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComparisonFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For scripts, by the schema `ioalign.comparison/1`.
    Json,
    /// One row an estimate, for a spreadsheet.
    Csv,
    /// A page with figures, for a browser.
    Html,
    /// The figures alone, as one drawing.
    Svg,
}

impl ComparisonFormat {
    /// All of them, in the order of the help text.
    pub const ALL: [Self; 5] = [Self::Text, Self::Json, Self::Csv, Self::Html, Self::Svg];

    /// The word of `--format`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Svg => "svg",
        }
    }

    /// The format that a file's ending names.
    pub fn by_ending(file: &Path) -> Option<Self> {
        match &*file.extension()?.to_str()?.to_ascii_lowercase() {
            "txt" => Some(Self::Text),
            "htm" => Some(Self::Html),
            other => other.parse().ok(),
        }
    }

    /// Shows it.
    pub fn render(self, comparison: &Comparison, options: &RenderOptions) -> String {
        match self {
            Self::Text => text(comparison, options),
            Self::Json => json(comparison),
            Self::Csv => csv(comparison),
            Self::Html => html(comparison),
            Self::Svg => svg(comparison),
        }
    }
}

impl fmt::Display for ComparisonFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ComparisonFormat {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|format| format.name() == word);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("`{word}` is no format: try {known}")
        })
    }
}

//! How a comparison is shown.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use ioalign_report::comparison::ComparisonFormat;

use crate::args::{LookArgs, ReplaceArgs};

/// The format, and where it goes.
#[derive(Clone, Debug, Args)]
pub struct ShownArgs {
    /// The output format (default: by the ending of --output, else text)
    #[arg(long, value_name = "FORMAT", value_parser = formats(), conflicts_with = "json")]
    pub format: Option<String>,

    /// Write to a file, rewritten after every cell, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    #[command(flatten)]
    pub look: LookArgs,
}

impl ShownArgs {
    /// The format asked for; the argument parser lets no unknown name through.
    pub fn format(&self) -> ComparisonFormat {
        if self.look.json {
            return ComparisonFormat::Json;
        }
        let named = self.format.as_deref().and_then(|name| name.parse().ok());
        let by_ending = || self.output.as_deref().and_then(ComparisonFormat::by_ending);
        named.or_else(by_ending).unwrap_or_default()
    }
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(ComparisonFormat::ALL.map(ComparisonFormat::name))
}

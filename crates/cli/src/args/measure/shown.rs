//! How a comparison is shown.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use ioalign_report::comparison::ComparisonFormat;

use crate::args::{LookArgs, ReplaceArgs};

/// The format, and where it goes.
#[derive(Debug, Args)]
pub struct ShownArgs {
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(), conflicts_with = "json")]
    pub format: String,

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
            ComparisonFormat::Json
        } else {
            self.format.parse().unwrap_or_default()
        }
    }
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(ComparisonFormat::ALL.map(ComparisonFormat::name))
}

//! Man pages and completions, from the argument definitions.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::Exit;

/// Prints a completion script.
pub fn completions(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ioalign", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Done)
}

/// Prints `ioalign.1`, or writes a page a verb into `folder`.
pub fn man(folder: Option<&Path>) -> Result<Exit> {
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
                .with_context(|| format!("{}: cannot write the man pages", folder.display()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            std::io::stdout().write_all(&page)?;
        }
    }
    Ok(Exit::Done)
}

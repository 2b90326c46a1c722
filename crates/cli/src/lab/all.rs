//! `ioalign lab all`.

use anyhow::{Context, Result};
use ioalign_lab::experiment::embedded;

use super::failed;
use super::run::{run_one, show, write};
use crate::args::LabAllArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::look;

/// Runs all of them; one that fails ends it, for the next one would fail too.
pub fn run(arguments: &LabAllArgs) -> Result<Exit> {
    let interrupt = Interrupt::watched()?;
    if let Some(folder) = &arguments.folder {
        let what = || format!("cannot make {}", folder.display());
        std::fs::create_dir_all(folder).with_context(what)?;
    }
    let mut documents = Vec::new();
    for experiment in embedded().map_err(failed)? {
        let document = run_one(experiment, &arguments.size, &arguments.look, &interrupt)?;
        if let Some(folder) = &arguments.folder {
            for ending in ["html", "json"] {
                let path = folder.join(format!("{}.{ending}", document.experiment));
                write(&path, arguments.replace, &document)?;
            }
        }
        if !arguments.look.json {
            show(&document, &arguments.look)?;
        }
        documents.push(document);
    }
    if arguments.look.json {
        look::json(&documents)?;
    }
    match documents
        .iter()
        .all(ioalign_core::lab_document::LabDocument::holds)
    {
        true => Ok(Exit::Done),
        false => Ok(Exit::Code(1)),
    }
}

//! `ioalign trace merge`.

use std::path::Path;

use anyhow::Result;
use ioalign_core::profile::{self, Profile};
use ioalign_observe::merge::{MergeSettings, merge};

use super::look;
use crate::args::MergeArgs;
use crate::document;
use crate::exit::Exit;
use crate::say::note;

/// Runs the verb.
pub fn run(arguments: &MergeArgs) -> Result<Exit> {
    let mut all = Vec::new();
    for path in &arguments.files {
        let mut profile = read(path)?;
        if arguments.apart {
            let file = path.file_stem().unwrap_or_default().to_string_lossy();
            for device in &mut profile.devices {
                device.device = format!("{file}/{}", device.device);
            }
        }
        all.push(profile);
    }
    let merged = merge(
        all,
        MergeSettings {
            parts: arguments.parts,
            mergeable: arguments.mergeable,
        },
    );
    if arguments.look.json {
        look::json(&merged)?;
    } else {
        look::write(&ioalign_report::profile::render(
            &merged,
            &look::options(&arguments.look),
        ))?;
        if !arguments.look.quiet {
            for one in &merged.inexact {
                note(format_args!("not exact: {}: {}", one.value, one.why));
            }
        }
    }
    Ok(Exit::Done)
}

/// A profile from a file.
pub fn read(path: &Path) -> Result<Profile> {
    document::read(path, "profile", profile::SCHEMA, |profile: &Profile| {
        &profile.schema
    })
}

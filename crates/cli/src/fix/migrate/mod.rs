//! `fix FOLDER --output FOLDER2`, and the same of a package (OVF, OVA): every image goes to a new place and is put right on the way,
//! in one pass over it.
//!
//! An image that is refused stops none of the others. A new image has its name when it is whole, so a second run goes on
//! where the first was stopped: it compares what is there, and writes the rest.

mod described;
mod find;
mod found_image;
mod image;
mod package;
mod progress;
mod source_file;
mod source_files;
mod write;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use ioalign_check::image_name;
use ioalign_core::migration_document::{
    ImageFate, MigratedImage, MigrationDocument, MigrationResult, SCHEMA,
};
use ioalign_core::shell;
use ioalign_report::{RenderOptions, migration as report};

use super::WOULD_MOVE;
use crate::args::FixArgs;
use crate::exit::{Exit, UsageError};
use crate::look;
use crate::say::note;
use find::MigrationSource;
use found_image::FoundImage;
use progress::MigrationProgress;

/// How a migration ends in which something was refused.
const INCOMPLETE: Exit = Exit::Code(1);

/// Whether a target is a folder or a package.
pub fn is_for(target: &Path) -> bool {
    target.is_dir() || has_ending(target, "ovf") || has_ending(target, "ova")
}

/// Whether a name ends so, in any letters.
fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// Runs it.
pub fn run(arguments: &FixArgs) -> Result<Exit> {
    let output = possible(arguments)?;
    let mut source = MigrationSource::find(arguments)?;
    usable(arguments, &source)?;
    if source.images.is_empty() && source.packages.is_empty() {
        let what = format!(
            "{}: there is no image in it; next: `ioalign check {}`",
            arguments.target.display(),
            shell::path(&arguments.target)
        );
        anyhow::bail!(what);
    }
    let dry = arguments.mode.plan;
    let shown = MigrationProgress::of(&arguments.look, &source.images, source.digested_bytes())?;
    let begun = Instant::now();
    source.compare(&shown);
    if let Err(error) = usable(arguments, &source) {
        shown.end();
        return Err(error);
    }
    let mut migration = Migration {
        arguments,
        output,
        shown: &shown,
        verified: 0,
    };
    let is_new = !output.exists();
    if !dry {
        make_folder(output)?;
    }
    let images: Vec<_> = source
        .images
        .iter()
        .map(|one| migration.image(one))
        .collect();
    let packages = match shown.asked() || dry {
        true => Vec::new(),
        false => package::written(&source, &images, &migration),
    };
    shown.end();
    if is_new {
        // What is not empty stays.
        let _ = std::fs::remove_dir(output);
    }
    let mut document = MigrationDocument {
        schema: SCHEMA,
        tool: crate::check::tool(),
        source: arguments.target.display().to_string(),
        output: output.display().to_string(),
        result: MigrationResult::Complete,
        written_bytes: images.iter().map(|one| one.written_bytes).sum(),
        verified_bytes: migration.verified,
        images,
        packages,
        other_files: source.other_files,
        elapsed_us: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        next: Vec::new(),
    };
    document.result = match document.is_complete() {
        _ if dry => MigrationResult::Planned,
        _ if shown.asked() => MigrationResult::Interrupted,
        true => MigrationResult::Complete,
        false => MigrationResult::Incomplete,
    };
    document.next = vec![next(arguments, &document)];
    show(arguments, &document)?;
    for one in source.notes {
        note(one);
    }
    Ok(exit(arguments, &document))
}

/// Refuses a package that was named and cannot be had as a whole, before anything is written.
fn usable(arguments: &FixArgs, source: &MigrationSource) -> Result<()> {
    match source.packages.as_slice() {
        [only] if !arguments.target.is_dir() => only
            .usable()
            .map_err(|error| error.context(shell::path(&arguments.target).into_owned())),
        _ => Ok(()),
    }
}

fn exit(arguments: &FixArgs, document: &MigrationDocument) -> Exit {
    let changes = |one: &MigratedImage| one.fate == ImageFate::Fixed;
    match document.result {
        MigrationResult::Planned if arguments.exit_code => {
            match document.images.iter().any(changes) {
                true => WOULD_MOVE,
                false => Exit::Done,
            }
        }
        MigrationResult::Planned | MigrationResult::Complete => Exit::Done,
        MigrationResult::Incomplete => INCOMPLETE,
        MigrationResult::Interrupted => Exit::Interrupted,
    }
}

fn show(arguments: &FixArgs, document: &MigrationDocument) -> Result<()> {
    match arguments.look.json {
        true => look::json(document),
        false => {
            let options = RenderOptions {
                width: look::width(),
                ..look::options(&arguments.look)
            };
            look::write(&report::render(document, &options))
        }
    }
}

/// The command that writes what was planned, goes on with what was stopped, or judges what was written.
fn next(arguments: &FixArgs, document: &MigrationDocument) -> String {
    let output = Path::new(&document.output);
    match document.result {
        MigrationResult::Planned | MigrationResult::Interrupted => {
            let step = super::command::FixStep::Output(output, arguments.format);
            super::command::line(arguments, step)
        }
        // Nothing of it was written.
        _ if !output.exists() => format!("ioalign check {}", shell::path(&arguments.target)),
        _ => format!("ioalign check {}", shell::path(output)),
    }
}

/// The folder of the new images; refused where it, or an option, makes no sense here.
fn possible(arguments: &FixArgs) -> Result<&Path> {
    let target = &arguments.target;
    let name = shell::path(target);
    let Some(output) = &arguments.output else {
        let new = image_name::aligned_folder(target);
        let what = format!(
            "{name}: a folder or a package is put right while it is copied; next: `ioalign fix {name} --output {}`",
            shell::path(&new)
        );
        return Err(UsageError(what).into());
    };
    let own = [
        ("--partition", !arguments.partition.is_empty()),
        ("--grow", arguments.change.grow),
        ("--universal", arguments.change.universal),
        ("--expect", arguments.expect.is_some()),
    ];
    if let Some((option, _)) = own.iter().find(|(_, given)| *given) {
        let what = format!("{option} is about one disk, and {name} is a folder or a package");
        return Err(UsageError(what).into());
    }
    if output.exists() && !output.is_dir() {
        let what = format!(
            "{}: is no folder, and the new images go to one",
            output.display()
        );
        return Err(UsageError(what).into());
    }
    let home = match target.is_dir() {
        true => target.canonicalize()?,
        false => return Ok(output),
    };
    if resolved(output).starts_with(&home) {
        let what = format!(
            "{}: it lies in {name}, whose images would be taken from it again; name a folder elsewhere",
            output.display()
        );
        return Err(UsageError(what).into());
    }
    Ok(output)
}

/// A path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in whole.ancestors() {
        if let Ok(found) = there.canonicalize() {
            let rest = whole.strip_prefix(there).unwrap_or(Path::new(""));
            return found.join(rest);
        }
    }
    whole
}

fn make_folder(path: &Path) -> Result<()> {
    use anyhow::Context;
    std::fs::create_dir_all(path).with_context(|| format!("{}: cannot be made", path.display()))
}

/// A run.
struct Migration<'a> {
    arguments: &'a FixArgs,
    output: &'a Path,
    shown: &'a MigrationProgress,
    verified: u64,
}

impl Migration<'_> {
    /// One image, whatever becomes of it.
    fn image(&mut self, found: &FoundImage) -> MigratedImage {
        let mut answer = image::empty(found);
        if self.shown.asked() {
            return answer;
        }
        self.shown.begin(found);
        let done = image::planned(found, self.arguments, &mut answer)
            .and_then(|plan| self.write(found, plan, &mut answer));
        if let Err(error) = done {
            answer.fate = match self.shown.asked() {
                true => ImageFate::NotBegun,
                false => ImageFate::Refused,
            };
            answer.output = None;
            answer.why =
                (answer.fate == ImageFate::Refused).then(|| reason(&error, &found.file.path));
        }
        self.shown.finish(found);
        answer
    }

    fn write(
        &mut self,
        found: &FoundImage,
        mut plan: image::ImagePlan,
        answer: &mut MigratedImage,
    ) -> Result<()> {
        let new = self.output.join(&plan.name);
        answer.output = Some(plan.name.display().to_string());
        if self.arguments.mode.plan {
            return Ok(());
        }
        if let Some(folder) = new.parent() {
            make_folder(folder)?;
        }
        if new.symlink_metadata().is_ok() {
            write::compare(found, &mut plan, &new, self)?;
            answer.was_there = true;
            return Ok(());
        }
        let done = write::write(found, &mut plan, &new, self)?;
        answer.written_bytes = done.written_bytes;
        self.verified += done.verified_bytes;
        let unreadable = done.unreadable.len();
        if unreadable > 0 {
            answer.fate = ImageFate::Unknown;
            answer.why = Some(format!(
                "{unreadable} places could not be read, and hold zeros now"
            ));
        }
        Ok(())
    }
}

/// An error without the name that stands beside it in the report.
fn reason(error: &anyhow::Error, path: &Path) -> String {
    let text = format!("{error:#}");
    let named = format!("{}: ", path.display());
    text.strip_prefix(&named).unwrap_or(&text).to_owned()
}

//! `cargo xtask dist`: a release, from this tree, in one command.
//!
//! One static program for each architecture goes into all packages: it runs on every Linux, and a `.deb`, an `.rpm`, an OCI
//! image and a tarball hold the same files.

mod archives;
mod debian;
mod facts;
mod oci;
mod options;
mod program;
mod proof;
mod reproduce;
mod rpm;
mod sbom;
mod tree;
mod wheel;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use self::facts::{Architecture, ReleaseFacts};
use self::options::{Kind, Options};
use crate::{book, packages, paths, run};

/// Builds the packages and lists them with their hashes; with `--prove` installs them, with `--reproduce` builds them again.
pub fn command(args: &[String]) -> Result<ExitCode> {
    let options = Options::parse(args)?;
    packages::ensure("dist")?;
    let facts = ReleaseFacts::read()?;
    if options.reproduce {
        reproduce::ensure(&facts)?;
    }
    empty(&options.out)?;
    for architecture in &options.architectures {
        build(&facts, *architecture, &options)?;
    }
    if options.makes(Kind::Sbom) {
        sbom::write(&facts, &options.out)?;
    }
    if options.makes(Kind::Book) {
        let name = format!("ioalign-{}-book", facts.version);
        let archive = options.out.join(format!("{name}.tar.gz"));
        archives::tar(&facts, &book::build()?, &name, &archive)?;
    }
    archives::sum(&options.out)?;
    if options.prove {
        proof::prove(&facts, &options.out)?;
    }
    if options.reproduce {
        reproduce::compare(args, &options)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the files of an earlier release out of the folder, which may be one of the operator.
fn empty(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == "SHA256SUMS" || name.starts_with("ioalign-") || name.starts_with("ioalign_") {
            fs::remove_file(entry.path())
                .with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    Ok(())
}

fn build(facts: &ReleaseFacts, architecture: Architecture, options: &Options) -> Result<()> {
    if options.makes(Kind::Wheel) {
        wheel::build(facts, architecture, options)?;
    }
    if !Kind::OF_THE_PROGRAM.iter().any(|kind| options.makes(*kind)) {
        return Ok(());
    }
    let program = program::build(facts, architecture, &options.profile)?;
    let work = paths::target().join("dist-work").join(architecture.rust());
    let _ = fs::remove_dir_all(&work);
    let tree = work.join("tree");
    tree::lay_out(facts, architecture, &program, &tree)?;
    if options.makes(Kind::Static) {
        archives::tarball(facts, architecture, &tree, &options.out)?;
    }
    if options.makes(Kind::Deb) {
        debian::package(facts, architecture, &tree, &work, &options.out)?;
    }
    if options.makes(Kind::Rpm) {
        rpm::package(facts, architecture, &tree, &work, &options.out)?;
    }
    if options.makes(Kind::Oci) {
        oci::image(facts, architecture, &program, &work, &options.out)?;
    }
    Ok(())
}

/// A file with all folders above it.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A command whose output depends on nothing but the tree.
fn stable(facts: &ReleaseFacts, program: impl AsRef<std::ffi::OsStr>) -> std::process::Command {
    let mut command = run::command(program);
    command
        .env("SOURCE_DATE_EPOCH", facts.seconds.to_string())
        .env("TZ", "UTC")
        .env("LC_ALL", "C");
    command
}

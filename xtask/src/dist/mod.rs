//! `cargo xtask dist`: a release, from this tree, in one command.
//!
//! One static program for each architecture goes into all packages: it runs on every Linux, and a `.deb`, an `.rpm`, an OCI
//! image and a tarball hold the same files.

mod archives;
mod debian;
mod facts;
mod oci;
mod program;
mod proof;
mod rpm;
mod sbom;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use self::facts::{Architecture, ReleaseFacts};
use crate::{book, packages, paths, run};

/// Builds the packages of one architecture or of all, lists them with their hashes, and with `--prove` installs them.
pub fn command(args: &[String]) -> Result<ExitCode> {
    let (mut architectures, mut prove) = (Vec::new(), false);
    let (mut out, mut profile) = (paths::target().join("dist"), "dist".to_owned());
    let mut rest = args.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            rest.next()
                .with_context(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--prove" => prove = true,
            "--out" => out = PathBuf::from(value()?),
            "--profile" => profile.clone_from(value()?),
            "--arch" => architectures.push(Architecture::named(value()?)?),
            other => bail!("dist does not take {other}; `cargo xtask help` shows its options"),
        }
    }
    if architectures.is_empty() {
        architectures = Architecture::ALL.to_vec();
    }
    packages::ensure("dist")?;
    let facts = ReleaseFacts::read()?;
    // What lies in the folder of a release is of this release.
    let folder = out.join(format!("ioalign-{}", facts.version));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for architecture in architectures {
        build(&facts, architecture, &profile, &folder)?;
    }
    sbom::write(&facts, &folder)?;
    let name = format!("ioalign-{}-book", facts.version);
    let archive = folder.join(format!("{name}.tar.gz"));
    archives::tar(&facts, &book::build()?, &name, &archive)?;
    archives::sum(&folder)?;
    if prove {
        proof::prove(&facts, &folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn build(
    facts: &ReleaseFacts,
    architecture: Architecture,
    profile: &str,
    folder: &Path,
) -> Result<()> {
    let program = program::build(facts, architecture, profile)?;
    let work = paths::target().join("dist-work").join(architecture.rust());
    let _ = fs::remove_dir_all(&work);
    let tree = work.join("tree");
    tree::lay_out(facts, architecture, &program, &tree)?;
    archives::tarball(facts, architecture, &tree, folder)?;
    debian::package(facts, architecture, &tree, &work, folder)?;
    rpm::package(facts, architecture, &tree, &work, folder)?;
    oci::image(facts, architecture, &program, &work, folder)
}

/// A file with all folders above it.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A command whose output depends on nothing but the tree.
fn stable(facts: &ReleaseFacts, program: &str) -> std::process::Command {
    let mut command = run::command(program);
    command
        .env("SOURCE_DATE_EPOCH", facts.seconds.to_string())
        .env("TZ", "UTC")
        .env("LC_ALL", "C");
    command
}

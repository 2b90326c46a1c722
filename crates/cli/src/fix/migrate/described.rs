//! Descriptions of packages, their files, and whether these are what the manifest says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use ioalign_repair::ovf::manifest::{self, ManifestEntry};
use ioalign_repair::ovf::{LONGEST, OvfFile, OvfPackage};

use super::progress::MigrationProgress;
use super::source_file::SourceFile;
use super::source_files::SourceFiles;

/// A description, or why it is none.
pub struct FoundPackage {
    /// Its file.
    pub file: SourceFile,
    /// Its name below the folder or the OVA.
    pub name: PathBuf,
    /// What it says.
    pub package: Result<OvfPackage>,
    /// Its manifest.
    pub manifest: Option<FoundManifest>,
    /// The file that is not what the manifest says.
    pub wrong: Option<PathBuf>,
}

/// A manifest.
pub struct FoundManifest {
    /// Its file.
    pub file: SourceFile,
    /// What it says.
    pub text: String,
    /// The files of the package that it has a digest of.
    digests: Vec<(SourceFile, ManifestEntry)>,
}

impl FoundPackage {
    /// Reads it; its files have to be there.
    pub fn read(file: SourceFile, folder: &Path, files: &SourceFiles) -> Self {
        let name = file.path.strip_prefix(folder).unwrap_or(&file.path);
        let mut found = Self {
            name: name.to_owned(),
            package: described(&file, files),
            manifest: None,
            wrong: None,
            file,
        };
        if let Ok(package) = &found.package {
            match found.manifest(package, files) {
                Ok(manifest) => found.manifest = manifest,
                Err(error) => found.package = Err(error.context("its manifest")),
            }
        }
        found
    }

    /// The path of one of its files.
    pub fn place(&self, href: &str) -> PathBuf {
        self.file.path.with_file_name(href)
    }

    /// Its disks that can be read here.
    pub fn disks(&self) -> Vec<PathBuf> {
        let files = self.package.iter().flat_map(|package| &package.files);
        let disks = files.filter(|file| file.is_disk() && file.refusal().is_none());
        disks.map(|file| self.place(&file.href)).collect()
    }

    /// Refuses it where not all of it can be had.
    pub fn usable(&self) -> Result<()> {
        let package = self
            .package
            .as_ref()
            .map_err(|error| anyhow!("{error:#}"))?;
        let mut disks = package.files.iter().filter(|file| file.is_disk());
        match disks.find_map(|file| Some((file, file.refusal()?))) {
            Some((file, why)) => bail!("{}: {why}", file.href),
            None => Ok(()),
        }
    }

    fn manifest(&self, package: &OvfPackage, files: &SourceFiles) -> Result<Option<FoundManifest>> {
        let home = self.file.path.with_file_name("");
        let Some(file) = files.find(&self.file.path.with_extension("mf"), &home)? else {
            return Ok(None);
        };
        let text = file.text(LONGEST)?;
        let own = self.file.path.file_name().unwrap_or_default();
        let mut digests = Vec::new();
        let entries = manifest::entries(&text);
        let is_left_out = |file: &&OvfFile| !entries.iter().any(|one| file.is_named(&one.name));
        let mut disks = package.files.iter().filter(|file| file.is_disk());
        // One of unknown digests is refused as such, when it is compared.
        let is_known = entries.iter().all(ManifestEntry::is_comparable);
        if let Some(disk) = disks.find(is_left_out).filter(|_| is_known) {
            bail!("has no digest of {}: {WITHOUT}", disk.href);
        }
        for entry in entries {
            let known = package.files.iter().find(|file| file.is_named(&entry.name));
            let name = known.map_or(&entry.name, |file| &file.href);
            let Some(named) = files.find(&self.place(name), &home)? else {
                bail!("names {}, which is not there: {WITHOUT}", entry.name);
            };
            if known.is_some() || *own == *entry.name {
                digests.push((named, entry));
            }
        }
        Ok(Some(FoundManifest {
            file,
            text,
            digests,
        }))
    }

    /// Bytes that are read to compare it with its manifest.
    pub fn digested_bytes(&self) -> u64 {
        let digests = self.manifest.iter().flat_map(|found| &found.digests);
        digests.map(|(file, _)| file.length()).sum()
    }

    /// Compares its files with its manifest. New digests of damaged files would make them good ones.
    pub fn compare(&mut self, shown: &MigrationProgress) {
        let digests = self.manifest.iter().flat_map(|found| &found.digests);
        for (file, entry) in digests {
            let compared = is_what_it_was(file, entry, shown);
            if shown.asked() {
                return;
            }
            if let Err(error) = compared {
                self.package = Err(error);
                self.wrong = Some(file.path.clone());
                return;
            }
        }
    }
}

/// What to do where a manifest and its package are not of one export.
const WITHOUT: &str = "the package is not whole, or its manifest is of another; if that is known and meant, unpack the \
                       package without its .mf";

fn is_what_it_was(
    file: &SourceFile,
    entry: &ManifestEntry,
    shown: &MigrationProgress,
) -> Result<()> {
    shown.compare(&entry.name);
    let mut read = |bytes| shown.compared(bytes);
    let answer = entry.is_of(file.reader(&mut read)?);
    match answer.with_context(|| format!("{} cannot be read", entry.name))? {
        Some(true) => Ok(()),
        Some(false) => bail!(
            "{} is not the file that its manifest has a {} of: it was damaged or changed; if that is known and meant, \
             unpack the package without its .mf",
            entry.name,
            entry.algorithm
        ),
        None => bail!(
            "its manifest has a {} of {}, which cannot be compared: SHA1, SHA256, SHA384 and SHA512 can",
            entry.algorithm,
            entry.name
        ),
    }
}

/// The description; its files lie below its folder.
fn described(file: &SourceFile, files: &SourceFiles) -> Result<OvfPackage> {
    let mut package = OvfPackage::read(file.text(LONGEST)?)?;
    let home = file.path.with_file_name("");
    let is_there = |href: &str| {
        Ok::<_, anyhow::Error>(
            files
                .find(&file.path.with_file_name(href), &home)?
                .is_some(),
        )
    };
    for one in &mut package.files {
        if is_there(&one.href)? {
            continue;
        }
        let missing = one.href.clone();
        // Some programs write names as they are, and a name may have a percent sign.
        one.take_literally();
        if !is_there(&one.href)? {
            bail!("its file {missing} cannot be found");
        }
    }
    Ok(package)
}

//! The images and packages of a folder; those of one package.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_check::{CheckJob, FoundTargets, NamedTarget};
use ioalign_core::shell;

use super::super::{grids, survey};
use super::described::FoundPackage;
use super::found_image::FoundImage;
use super::has_ending;
use super::progress::MigrationProgress;
use super::source_file::SourceFile;
use super::source_files::SourceFiles;
use crate::allowed_files::folder_of;
use crate::args::FixArgs;

/// What is migrated.
pub struct MigrationSource {
    /// The folder, or the OVA, that names count from.
    pub folder: PathBuf,
    /// Where the files of packages are.
    pub files: SourceFiles,
    /// The images, by their names.
    pub images: Vec<FoundImage>,
    /// Descriptions of packages.
    pub packages: Vec<FoundPackage>,
    /// Files that are neither.
    pub other_files: u64,
    /// What the search did not follow.
    pub notes: Vec<String>,
}

impl MigrationSource {
    /// Finds and judges them.
    pub fn find(arguments: &FixArgs) -> Result<Self> {
        let job = survey::job(grids(arguments), arguments.sector_size);
        let target = &arguments.target;
        if target.is_dir() {
            return Self::in_folder(target, &job);
        }
        let (folder, files, description) = match has_ending(target, "ova") {
            true => {
                let files = SourceFiles::packed(target)?;
                let description = files.description();
                let named = |error: anyhow::Error| error.context(shell::path(target).into_owned());
                (target.clone(), files, description.map_err(named)?)
            }
            false => (
                folder_of(target),
                SourceFiles::Host,
                SourceFile::new(target.clone()),
            ),
        };
        let mut source = Self::empty(folder, files);
        source.describe(vec![description], &job);
        source.without_parts();
        Ok(source)
    }

    /// All images and packages below a folder.
    fn in_folder(folder: &Path, job: &CheckJob) -> Result<Self> {
        let FoundTargets {
            mut files, notes, ..
        } = ioalign_check::find(&[folder.to_owned()], false, job);
        let mut source = Self::empty(folder.to_owned(), SourceFiles::Host);
        source.notes = notes;
        source.leave_out_packed(&mut files);
        let described = files
            .iter()
            .filter(|file| has_ending(&file.path, "ovf"))
            .map(|file| SourceFile::new(file.path.clone()));
        source.describe(described.collect(), job);
        let packed: HashSet<_> = source
            .images
            .iter()
            .map(|one| one.file.path.clone())
            .collect();
        files.retain(|file| !packed.contains(&file.path) && !has_ending(&file.path, "ovf"));
        let images: Vec<_> = files
            .iter()
            .filter_map(|file| FoundImage::of(file, folder, job))
            .collect();
        source.other_files += (files.len() - images.len()) as u64;
        source.images.extend(images);
        source.without_parts();
        Ok(source)
    }

    fn empty(folder: PathBuf, files: SourceFiles) -> Self {
        Self {
            folder,
            files,
            images: Vec::new(),
            packages: Vec::new(),
            other_files: 0,
            notes: Vec::new(),
        }
    }

    /// Leaves OVAs of a folder out: their files could have the names of others.
    fn leave_out_packed(&mut self, files: &mut Vec<NamedTarget>) {
        let is_packed = |file: &NamedTarget| file.packed.is_some() || file.damaged.is_some();
        let packages = files.iter().filter(|file| is_packed(file));
        let packages: BTreeSet<_> = packages.map(|file| file.file().to_owned()).collect();
        files.retain(|file| !is_packed(file));
        self.other_files += packages.len() as u64;
        self.notes.extend(packages.iter().map(|path| {
            let path = shell::path(path);
            format!(
                "{path}: an OVA goes to a folder of its own: `ioalign fix {path} --output FOLDER`"
            )
        }));
    }

    /// Reads descriptions, and finds the disks that they name.
    fn describe(&mut self, descriptions: Vec<SourceFile>, job: &CheckJob) {
        let read = |file| FoundPackage::read(file, &self.folder, &self.files);
        self.packages = descriptions.into_iter().map(read).collect();
        let mut seen = HashSet::new();
        for package in &self.packages {
            let home = package.place("");
            for path in package
                .disks()
                .into_iter()
                .filter(|path| seen.insert(path.clone()))
            {
                let file = self.files.find(&path, &home).ok().flatten();
                let image = file.map(|file| {
                    let target = file.judged(job);
                    FoundImage::judged(file, &self.folder, target, true)
                });
                self.images.extend(image);
            }
        }
    }

    /// Leaves out files that belong to an image and are none by themselves.
    fn without_parts(&mut self) {
        let parts: HashSet<PathBuf> = self.images.iter().flat_map(FoundImage::parts).collect();
        self.images
            .retain(|image| !parts.contains(&image.file.path));
        self.images.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Bytes that are read to compare files of packages with their manifests.
    pub fn digested_bytes(&self) -> u64 {
        self.packages.iter().map(FoundPackage::digested_bytes).sum()
    }

    /// Compares the files of packages with their manifests.
    pub fn compare(&mut self, shown: &MigrationProgress) {
        for package in &mut self.packages {
            package.compare(shown);
            let Some((wrong, error)) = package.wrong.as_ref().zip(package.package.as_ref().err())
            else {
                continue;
            };
            let mut images = self.images.iter_mut();
            if let Some(image) = images.find(|image| image.file.path == *wrong) {
                image.wrong = Some(format!("{error:#}"));
            }
        }
    }
}

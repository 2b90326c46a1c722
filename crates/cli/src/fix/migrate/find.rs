//! The images of a folder or a package.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use ioalign_check::{CheckJob, NamedTarget, judge_one};
use ioalign_core::layer::detail::{ImageFormat, ImageHeader};
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::source::{FileSource, Source};
use ioalign_repair::ovf::{LONGEST, OvfPackage};
use ioalign_report::{SourceKind, Target};

use super::super::{grids, survey};
use super::has_ending;
use crate::allowed_files::folder_of;
use crate::args::FixArgs;

/// What is migrated.
pub struct MigrationSource {
    /// The folder that names count from.
    pub folder: PathBuf,
    /// The images, by their names.
    pub images: Vec<FoundImage>,
    /// Descriptions of packages.
    pub packages: Vec<FoundPackage>,
    /// Files that are neither.
    pub other_files: u64,
    /// What the search did not follow.
    pub notes: Vec<String>,
}

/// An image.
pub struct FoundImage {
    /// Where it is.
    pub path: PathBuf,
    /// Its name below the folder.
    pub name: PathBuf,
    /// What `check` says of it.
    pub target: Target,
    /// What its headers say; `None` where they cannot be read.
    pub facts: Option<ImageFacts>,
    /// Whether a description names it.
    pub is_packed: bool,
    /// Bytes that its files take.
    pub stored: u64,
}

/// What the headers of an image say.
pub struct ImageFacts {
    /// Its format.
    pub format: ImageFormat,
    /// Its variant, in words; empty where there is none.
    pub variant: String,
    /// Internal snapshots.
    pub snapshots: u32,
    /// The image that it shows where it has no data of its own.
    pub backing: Option<PathBuf>,
    /// Other files that hold its data.
    pub others: Vec<PathBuf>,
}

/// A description, or why it is none.
pub struct FoundPackage {
    /// Where it is.
    pub path: PathBuf,
    /// Its name below the folder.
    pub name: PathBuf,
    /// What it says.
    pub package: Result<OvfPackage>,
}

impl MigrationSource {
    /// Finds and judges them.
    pub fn find(arguments: &FixArgs) -> Result<Self> {
        let job = survey::job(grids(arguments), arguments.sector_size);
        let target = &arguments.target;
        let is_folder = target.is_dir();
        let folder = match is_folder {
            true => target.clone(),
            false => folder_of(target),
        };
        let found = match is_folder {
            true => ioalign_check::find(std::slice::from_ref(target), false, &job),
            false => Default::default(),
        };
        let mut files = found.files;
        let all: Vec<PathBuf> = match is_folder {
            true => files.iter().map(|file| file.path.clone()).collect(),
            false => vec![target.clone()],
        };
        let described = all.into_iter().filter(|path| has_ending(path, "ovf"));
        let packages: Vec<_> = described
            .map(|path| FoundPackage::read(path, &folder))
            .collect();
        let packed: HashSet<PathBuf> = packages.iter().flat_map(FoundPackage::disks).collect();
        files.retain(|file| !packed.contains(&file.path) && !has_ending(&file.path, "ovf"));
        let before = files.len();
        let mut images: Vec<_> = files
            .iter()
            .filter_map(|file| FoundImage::of(file, &folder, &job))
            .collect();
        let others = before - images.len();
        images.extend(
            packed
                .iter()
                .map(|path| FoundImage::packed(path, &folder, &job)),
        );
        let parts: HashSet<PathBuf> = images.iter().flat_map(FoundImage::parts).collect();
        images.retain(|image| !parts.contains(&image.path));
        images.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            folder,
            images,
            packages,
            other_files: others as u64,
            notes: found.notes,
        })
    }
}

impl FoundImage {
    /// A file of a folder, if it is an image.
    fn of(file: &NamedTarget, folder: &Path, job: &CheckJob) -> Option<Self> {
        if file.bundle {
            return None;
        }
        let target = judge_one(file, job).filter(|target| target.source == SourceKind::Image)?;
        Some(Self::judged(&file.path, folder, target, false))
    }

    /// The disk of a package, which is one whatever it is called.
    fn packed(path: &Path, folder: &Path, job: &CheckJob) -> Self {
        Self::judged(path, folder, crate::check::one(path, job), true)
    }

    fn judged(path: &Path, folder: &Path, target: Target, is_packed: bool) -> Self {
        let facts = ImageFacts::read(path);
        let others = facts.iter().flat_map(|facts| &facts.others);
        let all = others.map(PathBuf::as_path).chain([path]);
        let stored = all.filter_map(|path| path.metadata().ok());
        Self {
            path: path.to_owned(),
            name: path.strip_prefix(folder).unwrap_or(path).to_owned(),
            target,
            is_packed,
            stored: stored.map(|meta| meta.blocks().saturating_mul(512)).sum(),
            facts,
        }
    }

    /// Files that belong to it and are no images by themselves.
    fn parts(&self) -> Vec<PathBuf> {
        self.facts
            .iter()
            .flat_map(|facts| facts.others.clone())
            .collect()
    }
}

impl ImageFacts {
    fn read(path: &Path) -> Option<Self> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path).ok()?);
        let image = images::open(&source, &ImagePolicy::default()).ok()??;
        let detail = &image.detail;
        let (snapshots, data) = match &detail.header {
            ImageHeader::Qcow2(header) => (header.snapshots, header.data_file.clone()),
            _ => (0, None),
        };
        let beside = |name: PathBuf| path.with_file_name("").join(name);
        let files = image.places.iter().map(|place| place.path.clone());
        let mut others: Vec<PathBuf> = files.chain(data.map(beside)).collect();
        others.retain(|other| other != path && image.backing_path.as_ref() != Some(other));
        others.sort();
        others.dedup();
        Some(Self {
            format: detail.format,
            variant: detail.variant.to_string(),
            snapshots,
            backing: image.backing_path.clone(),
            others,
        })
    }
}

impl FoundPackage {
    fn read(path: PathBuf, folder: &Path) -> Self {
        let package = described(&path);
        let name = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        Self {
            path,
            name,
            package,
        }
    }

    /// The place of one of its files.
    pub fn place(&self, href: &str) -> PathBuf {
        self.path.with_file_name(href)
    }

    fn disks(&self) -> Vec<PathBuf> {
        let files = self.package.iter().flat_map(|package| &package.files);
        let disks = files.filter(|file| file.is_disk() && file.refusal().is_none());
        disks.map(|file| self.place(&file.href)).collect()
    }
}

/// The description; its files lie below its folder, and no link leads out of that.
fn described(path: &Path) -> Result<OvfPackage> {
    let length = path.metadata().context("cannot be looked at")?.len();
    anyhow::ensure!(length <= LONGEST, "is longer than any description");
    let text = std::fs::read_to_string(path).context("cannot be read as text in UTF-8")?;
    let package = OvfPackage::read(text)?;
    let home = path.with_file_name("");
    let home = match home.as_os_str().is_empty() {
        true => Path::new(".").canonicalize()?,
        false => home.canonicalize()?,
    };
    for file in &package.files {
        let place = path.with_file_name(&file.href);
        let found = place.canonicalize();
        let found =
            found.with_context(|| format!("its file {} cannot be found", place.display()))?;
        anyhow::ensure!(
            found.starts_with(&home),
            "its file {} is a link out of its folder",
            place.display()
        );
    }
    Ok(package)
}

//! An image of a folder or package, and what its headers say.

use std::path::{Path, PathBuf};

use ioalign_check::{CheckJob, NamedTarget, judge_one};
use ioalign_core::layer::detail::{ImageFormat, ImageHeader};
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_report::{SourceKind, Target};

use super::source_file::{self, SourceFile};

/// An image.
pub struct FoundImage {
    /// Its file.
    pub file: SourceFile,
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
    /// Why it is not what it was when its package was made.
    pub wrong: Option<String>,
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

impl FoundImage {
    /// A file of a folder, if it is an image.
    pub fn of(file: &NamedTarget, folder: &Path, job: &CheckJob) -> Option<Self> {
        if file.bundle {
            return None;
        }
        let target = judge_one(file, job).filter(|target| target.source == SourceKind::Image)?;
        let file = SourceFile::new(file.path.clone());
        Some(Self::judged(file, folder, target, false))
    }

    /// One that was judged.
    pub fn judged(file: SourceFile, folder: &Path, target: Target, is_packed: bool) -> Self {
        let facts = ImageFacts::read(&file);
        let others = facts.iter().flat_map(|facts| &facts.others);
        let others: u64 = others.map(|path| source_file::stored(path)).sum();
        let name = file.path.strip_prefix(folder).unwrap_or(&file.path);
        Self {
            name: name.to_owned(),
            target,
            is_packed,
            stored: others.saturating_add(file.stored()),
            facts,
            wrong: None,
            file,
        }
    }

    /// Files that belong to it and are no images by themselves.
    pub fn parts(&self) -> Vec<PathBuf> {
        self.facts
            .iter()
            .flat_map(|facts| facts.others.clone())
            .collect()
    }
}

impl ImageFacts {
    fn read(file: &SourceFile) -> Option<Self> {
        let path = &file.path;
        let source = file.source().ok()?;
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

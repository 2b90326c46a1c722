//! What a migration shows: every image of a folder or package, and what became of it.
//!
//! Its JSON is `ioalign.migration/1`.

use serde::Serialize;

use crate::consequence::Consequence;

/// The name of the JSON form.
pub const SCHEMA: &str = "ioalign.migration/1";

/// All images, and the sums.
#[derive(Clone, Debug, Serialize)]
pub struct MigrationDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Name and version of the program.
    pub tool: String,
    /// The folder or the description of a package, as it was named.
    pub source: String,
    /// The folder of the new images.
    pub output: String,
    /// How it ended.
    pub result: MigrationResult,
    /// The images, by their names.
    pub images: Vec<MigratedImage>,
    /// Descriptions of packages.
    pub packages: Vec<MigratedPackage>,
    /// Files of the folder that are neither, and were not copied.
    pub other_files: u64,
    /// What was written.
    pub written_bytes: u64,
    /// What was read back and compared.
    pub verified_bytes: u64,
    /// How long it took.
    pub elapsed_us: u64,
    /// The next commands.
    pub next: Vec<String>,
}

/// How a migration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MigrationResult {
    /// A dry run: nothing was written.
    Planned,
    /// Every image is where it should be and good.
    Complete,
    /// Some are not: they say why.
    Incomplete,
    /// It was stopped between two images.
    Interrupted,
}

/// What became of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageFate {
    /// It was refused, or could not be read or written.
    Refused,
    /// It was copied as it is: whether it is good is not known.
    Unknown,
    /// It was not begun when the run was stopped.
    NotBegun,
    /// Something about it was put right.
    Fixed,
    /// It is in a new file with the same disk, as it could not be copied as it is.
    Rewritten,
    /// It was fine already, and was copied as it is.
    Fine,
}

/// An image, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct MigratedImage {
    /// Its path below the source.
    pub source: String,
    /// That of the new one below the output; `None` where there is none.
    pub output: Option<String>,
    /// What became of it.
    pub fate: ImageFate,
    /// Whether the new image was there already, and was compared instead of written.
    pub was_there: bool,
    /// Its format and variant.
    pub format: String,
    /// Those of the new one.
    pub new_format: Option<String>,
    /// Bytes of the disk in it.
    pub disk_bytes: u64,
    /// Bytes of the disk in the new one.
    pub new_disk_bytes: Option<u64>,
    /// The sector that its table counts in now, where that has changed.
    pub new_sector_bytes: Option<u64>,
    /// How many partitions have another start.
    pub moved_partitions: u64,
    /// Bytes of those.
    pub moved_bytes: u64,
    /// What was written for it.
    pub written_bytes: u64,
    /// What was done, and what to know of it: sentences without a full stop.
    pub notes: Vec<String>,
    /// What it means for boot and contents.
    pub consequences: Vec<Consequence>,
    /// Why it is not [`ImageFate::Fine`] or [`ImageFate::Fixed`], with what to do.
    pub why: Option<String>,
}

/// The description of a package, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct MigratedPackage {
    /// Its path below the source.
    pub source: String,
    /// That of the new one; `None` where none was written.
    pub output: Option<String>,
    /// Whether digests of the manifest are new.
    pub manifest: bool,
    /// What was done, and what to know of it.
    pub notes: Vec<String>,
    /// Why none was written.
    pub why: Option<String>,
}

impl MigrationDocument {
    /// How many images had this fate.
    pub fn count(&self, fate: ImageFate) -> usize {
        self.images.iter().filter(|one| one.fate == fate).count()
    }

    /// Whether every image is there and good, and every package.
    pub fn is_complete(&self) -> bool {
        let is_good = |one: &MigratedImage| one.fate >= ImageFate::Fixed;
        self.images.iter().all(is_good) && self.packages.iter().all(|one| one.why.is_none())
    }
}

//! Valid images, kept sparse: a 1 GiB file system costs the few pages that it wrote.

mod made;
mod nvlist;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

pub use made::seeds as made;

/// Bytes a page.
pub const PAGE: u64 = 4096;
/// Pages kept of one file; what lies behind is a hole. 64 MiB.
const MOST_PAGES: usize = 16 << 10;
/// Folders that fixtures have beside their device files.
const SKIPPED: [&str; 4] = ["sys", "proc", "oracle", "ioalign"];

/// The pages that are not zero.
pub type Pages = Arc<BTreeMap<u64, Vec<u8>>>;

/// One image.
#[derive(Clone)]
pub struct Seed {
    /// Its path below the seeds' folder.
    pub name: String,
    /// Length in bytes.
    pub len: u64,
    /// Content.
    pub pages: Pages,
}

impl Seed {
    /// An image of `len` bytes that holds `pieces`.
    pub fn from_pieces(name: &str, len: u64, pieces: &[(u64, &[u8])]) -> Self {
        let mut pages = BTreeMap::new();
        for (start, bytes) in pieces {
            for (at, byte) in (*start..).zip(*bytes) {
                let page: &mut Vec<u8> = pages
                    .entry(at / PAGE)
                    .or_insert_with(|| vec![0; to_index(PAGE)]);
                if let Some(place) = page.get_mut(to_index(at % PAGE)) {
                    *place = *byte;
                }
            }
        }
        Self {
            name: format!("made/{name}"),
            len,
            pages: Arc::new(pages),
        }
    }

    /// An image that is these bytes.
    pub fn from_bytes(name: String, bytes: &[u8]) -> Self {
        let mut pages = BTreeMap::new();
        for (number, page) in (0..).zip(bytes.chunks(to_index(PAGE))) {
            if page.iter().any(|byte| *byte != 0) {
                pages.insert(number, page.to_vec());
            }
        }
        Self {
            name,
            len: bytes.len() as u64,
            pages: Arc::new(pages),
        }
    }

    /// Fills `buffer` from `offset` on.
    pub fn copy(&self, offset: u64, buffer: &mut [u8]) {
        copy_pages(&self.pages, offset, buffer);
    }

    /// All of it.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; to_index(self.len)];
        self.copy(0, &mut bytes);
        bytes
    }

    fn from_file(path: &Path, name: String) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut pages = BTreeMap::new();
        let mut at = 0;
        while let Some(data) = next_data(&file, at)
            && pages.len() < MOST_PAGES
        {
            let start = data / PAGE * PAGE;
            let mut page = vec![0; to_index(PAGE.min(len.saturating_sub(start)))];
            file.read_exact_at(&mut page, start)?;
            if page.iter().any(|byte| *byte != 0) {
                page.resize(to_index(PAGE), 0);
                pages.insert(start / PAGE, page);
            }
            at = start + PAGE;
        }
        Ok(Self {
            name,
            len,
            pages: Arc::new(pages),
        })
    }
}

/// The next byte at or after `at` that is not in a hole.
fn next_data(file: &File, at: u64) -> Option<u64> {
    rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)).ok()
}

/// A value that is known to be small, as an index.
pub fn to_index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// All images below `folder`, in the order of their names.
pub fn load(folder: &Path) -> Vec<Seed> {
    let mut seeds = Vec::new();
    walk(folder, "", &mut seeds);
    seeds
}

fn walk(folder: &Path, prefix: &str, seeds: &mut Vec<Seed>) {
    let Ok(entries) = fs::read_dir(folder) else {
        eprintln!("fuzz: cannot list {}", folder.display());
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}{file}");
        if path.is_dir() {
            if !SKIPPED.contains(&&*file) {
                walk(&path, &format!("{name}/"), seeds);
            }
        } else {
            match Seed::from_file(&path, name) {
                Ok(seed) => seeds.push(seed),
                Err(error) => eprintln!("fuzz: {}: {error}", path.display()),
            }
        }
    }
}

/// Fills `buffer` from the pages; holes are zeros.
pub fn copy_pages(pages: &Pages, offset: u64, buffer: &mut [u8]) {
    buffer.fill(0);
    let end = offset.saturating_add(buffer.len() as u64);
    for (page, bytes) in pages.range(offset / PAGE..=end / PAGE) {
        overlay(offset, buffer, page * PAGE, bytes);
    }
}

/// Copies what of `bytes`, which stand at `start`, falls into `buffer`, which stands at `offset`.
pub fn overlay(offset: u64, buffer: &mut [u8], start: u64, bytes: &[u8]) {
    let from = start.saturating_sub(offset);
    let skip = offset.saturating_sub(start);
    let into = buffer.get_mut(to_index(from)..).unwrap_or_default();
    let part = bytes.get(to_index(skip)..).unwrap_or_default();
    let len = into.len().min(part.len());
    if let (Some(into), Some(part)) = (into.get_mut(..len), part.get(..len)) {
        into.copy_from_slice(part);
    }
}

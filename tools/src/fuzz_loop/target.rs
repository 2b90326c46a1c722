//! The readers, each as a function of bytes.

use std::sync::Arc;

use ioalign_inspect::archive::{self, Packing};
use ioalign_inspect::captures::{self, TextFormat};
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::recording::{Frozen, FrozenEntry, SectorCopy, blank};
use ioalign_inspect::tables::{self, Context};
use ioalign_inspect::{Source, View, filesystems, volumes};

use super::text;

/// What a reader said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReaderAnswer {
    /// Not its format.
    NotMine,
    /// Its format: read, or damaged.
    Mine,
}

/// One format of one room.
pub struct FuzzTarget {
    room: &'static str,
    name: &'static str,
    reader: FuzzReader,
}

enum FuzzReader {
    Image(images::Probe),
    Table(tables::Probe),
    Volume(volumes::Probe),
    FileSystem(filesystems::Probe),
    Archive(Packing),
    Blank,
    Text(&'static TextFormat),
}

/// Of a device, for what is blanked: labels and superblocks lie at the front.
const MOST_BLANKED: u64 = 256 << 10;

/// Tarballs by how they are packed.
const PACKINGS: &[(&str, Packing)] = &[
    ("tar", Packing::Tar),
    ("tar-gzip", Packing::Gzip),
    ("tar-xz", Packing::Xz),
    ("tar-bzip2", Packing::Bzip2),
    ("tar-zstd", Packing::Zstd),
];

/// Every format of every room.
pub fn all() -> Vec<FuzzTarget> {
    let images = images::FORMATS
        .iter()
        .map(|(name, probe)| FuzzTarget::new("images", name, FuzzReader::Image(*probe)));
    let tables = tables::FORMATS
        .iter()
        .map(|(name, probe)| FuzzTarget::new("tables", name, FuzzReader::Table(*probe)));
    let volumes = volumes::FORMATS
        .iter()
        .map(|(name, probe)| FuzzTarget::new("volumes", name, FuzzReader::Volume(*probe)));
    let filesystems = filesystems::FORMATS
        .iter()
        .map(|(name, probe)| FuzzTarget::new("filesystems", name, FuzzReader::FileSystem(*probe)));
    let archives = PACKINGS
        .iter()
        .map(|(name, packing)| FuzzTarget::new("archives", name, FuzzReader::Archive(*packing)));
    let recording = [FuzzTarget::new("recording", "blank", FuzzReader::Blank)];
    let texts = captures::FORMATS
        .iter()
        .map(|format| FuzzTarget::new("captures", format.name, FuzzReader::Text(format)));
    images
        .chain(tables)
        .chain(volumes)
        .chain(filesystems)
        .chain(archives)
        .chain(recording)
        .chain(texts)
        .collect()
}

impl FuzzTarget {
    const fn new(room: &'static str, name: &'static str, reader: FuzzReader) -> Self {
        Self { room, name, reader }
    }

    /// Whether it goes by this name: `gpt` or `tables/gpt`, or a whole room.
    pub fn is(&self, name: &str) -> bool {
        name == self.name || name == self.room || name == self.title()
    }

    /// `tables/gpt`
    pub fn title(&self) -> String {
        format!("{}/{}", self.room, self.name)
    }

    /// Whether it reads texts.
    pub const fn is_text(&self) -> bool {
        matches!(self.reader, FuzzReader::Text(_))
    }

    /// Runs the reader.
    pub fn read(&self, source: &Arc<dyn Source>) -> ReaderAnswer {
        let view = || View::new(Arc::clone(source));
        match self.reader {
            FuzzReader::Image(probe) => image(probe, source),
            FuzzReader::Table(probe) => answer(&probe(&view(), &Context::default())),
            FuzzReader::Volume(probe) => answer(&probe(&view())),
            FuzzReader::FileSystem(probe) => answer(&probe(&view())),
            FuzzReader::Archive(packing) => archive(packing, source),
            FuzzReader::Blank => blanked(&**source),
            FuzzReader::Text(format) => text::read(format, &**source),
        }
    }
}

fn answer<T>(result: &ioalign_inspect::Result<Option<T>>) -> ReaderAnswer {
    match result {
        Ok(None) => ReaderAnswer::NotMine,
        Ok(Some(_)) | Err(_) => ReaderAnswer::Mine,
    }
}

/// The copy of a device on its way into a bundle: what is blanked has to be found in damaged labels too.
fn blanked(source: &dyn Source) -> ReaderAnswer {
    let len = source.len().min(MOST_BLANKED);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    if source.read_at(0, &mut bytes).is_err() {
        return ReaderAnswer::NotMine;
    }
    let mut sectors = SectorCopy::new(source.len());
    sectors.write(0, &bytes);
    let mut tree = Frozen::default();
    tree.put("dev/sda", FrozenEntry::Device(sectors));
    match blank::blank(&mut tree, &blank::BlankOptions::default()).len() {
        0 => ReaderAnswer::NotMine,
        _ => ReaderAnswer::Mine,
    }
}

/// Each packing for itself, so that one that is hard to damage well gets its share of runs.
fn archive(packing: Packing, source: &Arc<dyn Source>) -> ReaderAnswer {
    let mut head = [0; 512];
    let len = head
        .len()
        .min(usize::try_from(source.len()).unwrap_or(head.len()));
    let head = head.get_mut(..len).unwrap_or_default();
    let read = source.read_at(0, head);
    if read.is_err() || Packing::of(head) != Some(packing) {
        return ReaderAnswer::NotMine;
    }
    answer(&archive::read(source))
}

/// An image is also read through: its block map is untrusted too.
fn image(probe: images::Probe, source: &Arc<dyn Source>) -> ReaderAnswer {
    let result = probe(source, &ImagePolicy::default());
    if let Ok(Some(image)) = &result {
        let len = image.guest.len();
        let mut buffer = [0; 4096];
        for at in [0, len / 3, len.saturating_sub(4096)] {
            let _ = image.guest.read_at(at, &mut buffer);
        }
    }
    answer(&result)
}

//! qemu-img and qemu-io as oracles, and what is compared with them.
#![allow(clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ioalign_inspect::images::{self, Image, ImagePolicy};
use ioalign_inspect::source::FileSource;
use ioalign_inspect::{Error, Source};
use ioalign_testkit::Random;
use tempfile::TempDir;

use crate::tools::run;

/// A folder that holds one test's images; commands run in it.
pub struct Lab(TempDir);

/// One line of `qemu-img map --output=json`.
pub struct Extent {
    pub start: u64,
    pub length: u64,
    pub depth: u64,
    pub data: bool,
    pub offset: Option<u64>,
}

impl Lab {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `qemu-img` with these arguments.
    pub fn img(&self, args: &[&str]) -> String {
        run(Command::new("qemu-img").args(args).current_dir(&self.0))
    }

    /// `qemu-img create` with options as after `-o`.
    pub fn create(&self, name: &str, format: &str, options: &str, size: &str) {
        let mut args = vec!["create", "-q", "-f", format];
        if !options.is_empty() {
            args.extend(["-o", options]);
        }
        args.extend([name, size]);
        self.img(&args);
    }

    /// `qemu-io` with these commands.
    pub fn io(&self, name: &str, format: &str, commands: &[&str]) {
        let mut command = Command::new("qemu-io");
        command.args(["-f", format]).current_dir(&self.0);
        for text in commands {
            command.args(["-c", text]);
        }
        run(command.arg(name));
    }

    /// The guest's bytes as QEMU sees them.
    pub fn oracle(&self, name: &str, format: &str) -> Vec<u8> {
        self.img(&["convert", "-f", format, "-O", "raw", name, "oracle.raw"]);
        std::fs::read(self.path("oracle.raw")).unwrap()
    }

    /// The map as QEMU sees it.
    pub fn map(&self, name: &str, format: &str) -> Vec<Extent> {
        let text = self.img(&["map", "-f", format, "--output=json", name]);
        text.lines().map(extent).collect()
    }

    /// Our reading, without leave to go elsewhere.
    pub fn try_open(&self, name: &str) -> Result<Image, Error> {
        open(&self.path(name), &ImagePolicy::default())
    }

    /// Our reading, which must succeed.
    pub fn open(&self, name: &str) -> Image {
        self.try_open(name)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Opens an image, compares bytes and map with QEMU's, and returns it.
    pub fn compare(&self, name: &str, format: &str) -> Image {
        let image = self.open(name);
        let expected = self.oracle(name, format);
        assert_eq!(image.virtual_size.get(), expected.len() as u64);
        assert!(read_all(&image) == expected, "the guest's bytes differ");
        for extent in self.map(name, format) {
            check_extent(&image, &extent);
        }
        image
    }
}

/// Opens a path by whatever it is.
pub fn open(path: &Path, policy: &ImagePolicy) -> Result<Image, Error> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    Ok(images::open(&source, policy)?.expect("raw claims what is left"))
}

/// All the guest's bytes, in reads of odd sizes.
pub fn read_all(image: &Image) -> Vec<u8> {
    let mut bytes = vec![0xEE; usize::try_from(image.guest.len()).unwrap()];
    let mut offset = 0;
    for part in bytes.chunks_mut(300_001) {
        image.guest.read_at(offset, part).unwrap();
        offset += part.len() as u64;
    }
    bytes
}

/// Where QEMU prints an offset for data, our map must have it; where it knows none, we have
/// none. (Allocated clusters that read as zeros have an offset and no data: either is right.)
fn check_extent(image: &Image, extent: &Extent) {
    let mut layer = image;
    for _ in 0..extent.depth {
        layer = layer.backing.as_deref().expect("a backing image");
    }
    let runs = &layer.places[0].runs;
    let mut done = 0;
    while done < extent.length {
        let at = extent.start + done;
        let found = runs.resolve(at);
        match (extent.offset, found) {
            (Some(offset), Some((to, room))) => {
                assert_eq!(to, offset + done, "guest byte {at}");
                done += room;
            }
            (Some(_), None) => {
                assert!(!extent.data, "guest byte {at} has no place");
                done += 512;
            }
            (None, found) => {
                assert_eq!(found, None, "guest byte {at}");
                done += 512;
            }
        }
    }
}

fn extent(line: &str) -> Extent {
    let number = |key: &str| {
        let rest = line.split(&format!("\"{key}\": ")).nth(1)?;
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        rest[..end].parse().ok()
    };
    Extent {
        start: number("start").unwrap_or_else(|| panic!("a map line: {line}")),
        length: number("length").unwrap(),
        depth: number("depth").unwrap(),
        data: line.contains("\"data\": true"),
        offset: number("offset"),
    }
}

/// Bytes that compress by half, different everywhere.
pub fn patterned(len: usize) -> Vec<u8> {
    let mut random = Random(7);
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        bytes.extend(random.next().to_le_bytes());
        bytes.extend([0x55; 8]);
    }
    bytes.truncate(len);
    bytes
}

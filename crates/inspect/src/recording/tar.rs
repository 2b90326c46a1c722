//! A tarball that is the same byte for byte whenever its content is: names in order, no times, no owners.
//!
//! The format is GNU's. Copies of devices are its old sparse files (type `S`, extension headers), so
//! that `tar x` makes sparse files of them and a terabyte of holes takes a few bytes. Layout: GNU tar manual, "Basic Tar Format" and "Old GNU Format".

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};

use super::{Frozen, FrozenEntry, SectorCopy};

const BLOCK: usize = 512;
/// Names up to here stand in the header; longer ones in a member of their own before it.
const NAME: usize = 100;
/// Regions in the header of a sparse file, and in each extension behind it.
const IN_HEADER: usize = 4;
const IN_EXTENSION: usize = 21;
/// Bytes a region's description.
const REGION: usize = 24;

/// The start of the fields of a header.
mod at {
    pub(super) const MODE: usize = 100;
    pub(super) const UID: usize = 108;
    pub(super) const GID: usize = 116;
    pub(super) const SIZE: usize = 124;
    pub(super) const MTIME: usize = 136;
    pub(super) const SUM: usize = 148;
    pub(super) const KIND: usize = 156;
    pub(super) const TARGET: usize = 157;
    pub(super) const MAGIC: usize = 257;
    pub(super) const SPARSE: usize = 386;
    pub(super) const EXTENDED: usize = 482;
    pub(super) const REAL_SIZE: usize = 483;
    /// In an extension.
    pub(super) const MORE: usize = 504;
}

/// A stretch of a sparse file: where it begins and how long it is.
type Region = (u64, u64);

/// The tree as a compressed tarball, below a folder named `top`.
///
/// # Errors
/// Those of the compressor, which has none of its own in memory.
pub fn gzip(tree: &Frozen, top: &str) -> io::Result<Vec<u8>> {
    // No time and no name in the header, and the same system everywhere: 255 is "unknown".
    let builder = GzBuilder::new().mtime(0).operating_system(255);
    let mut out = builder.write(Vec::new(), Compression::best());
    write(tree, top, &mut out)?;
    out.finish()
}

/// The tree as a tarball.
///
/// # Errors
/// Those of `out`.
pub fn write(tree: &Frozen, top: &str, out: &mut impl Write) -> io::Result<()> {
    folder(top, out)?;
    for (path, entry) in tree.iter() {
        let path = format!("{top}/{path}");
        match entry {
            FrozenEntry::Folder => folder(&path, out)?,
            FrozenEntry::Link(target) => {
                named(&path, out)?;
                if target.len() > NAME {
                    long(b'K', target, out)?;
                }
                let mut header = TarHeaderBlock::new(&path, b'2', 0o777);
                header.text(at::TARGET, NAME, target);
                header.finish(out)?;
            }
            FrozenEntry::File(bytes) => file(&path, bytes, out)?,
            FrozenEntry::Device(sectors) => sparse(&path, sectors, out)?,
        }
    }
    // Two blocks of zeros end it, in a record of twenty.
    out.write_all(&[0; 2 * BLOCK])
}

fn folder(path: &str, out: &mut impl Write) -> io::Result<()> {
    let path = format!("{path}/");
    named(&path, out)?;
    TarHeaderBlock::new(&path, b'5', 0o755).finish(out)
}

fn file(path: &str, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    named(path, out)?;
    let mut header = TarHeaderBlock::new(path, b'0', 0o644);
    header.number(at::SIZE, 12, bytes.len() as u64);
    header.finish(out)?;
    padded(bytes, out)
}

/// A name that is too long for a header goes before it.
fn named(path: &str, out: &mut impl Write) -> io::Result<()> {
    if path.len() > NAME {
        long(b'L', path, out)?;
    }
    Ok(())
}

fn long(kind: u8, text: &str, out: &mut impl Write) -> io::Result<()> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let mut header = TarHeaderBlock::new("././@LongLink", kind, 0);
    header.number(at::SIZE, 12, bytes.len() as u64);
    header.finish(out)?;
    padded(&bytes, out)
}

fn sparse(path: &str, sectors: &SectorCopy, out: &mut impl Write) -> io::Result<()> {
    named(path, out)?;
    let pieces = sectors.pieces();
    let mut regions: Vec<Region> = pieces
        .iter()
        .map(|(at, bytes)| (*at, bytes.len() as u64))
        .collect();
    // An empty one at the end says how long the file is.
    regions.push((sectors.len(), 0));
    let stored = regions.iter().map(|(_, len)| len).sum();
    let (first, rest) = regions.split_at(regions.len().min(IN_HEADER));
    let mut header = TarHeaderBlock::new(path, b'S', 0o644);
    header.number(at::SIZE, 12, stored);
    header.regions(at::SPARSE, first);
    header.flag(at::EXTENDED, !rest.is_empty());
    header.number(at::REAL_SIZE, 12, sectors.len());
    header.finish(out)?;
    extensions(rest, out)?;
    pieces.iter().try_for_each(|(_, bytes)| padded(bytes, out))
}

fn extensions(regions: &[Region], out: &mut impl Write) -> io::Result<()> {
    let count = regions.len().div_ceil(IN_EXTENSION);
    for (index, part) in regions.chunks(IN_EXTENSION).enumerate() {
        let mut extension = TarHeaderBlock([0; BLOCK]);
        extension.regions(0, part);
        extension.flag(at::MORE, index + 1 < count);
        out.write_all(&extension.0)?;
    }
    Ok(())
}

/// Bytes, and zeros up to the next block.
fn padded(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(bytes)?;
    let rest = bytes.len().next_multiple_of(BLOCK) - bytes.len();
    out.write_all([0; BLOCK].get(..rest).unwrap_or_default())
}

/// A header block.
struct TarHeaderBlock([u8; BLOCK]);

impl TarHeaderBlock {
    fn new(name: &str, kind: u8, mode: u64) -> Self {
        let mut header = Self([0; BLOCK]);
        header.text(0, NAME, name);
        header.number(at::MODE, 8, mode);
        for (at, len) in [(at::UID, 8), (at::GID, 8), (at::SIZE, 12), (at::MTIME, 12)] {
            header.number(at, len, 0);
        }
        header.text(at::MAGIC, 8, "ustar  ");
        header.put(at::KIND, &[kind]);
        header
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.0.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// Text, cut where the field ends.
    fn text(&mut self, at: usize, len: usize, text: &str) {
        let bytes = text.as_bytes();
        self.put(at, bytes.get(..bytes.len().min(len)).unwrap_or_default());
    }

    /// Octal digits and a NUL; what is too large for them big-endian with the first bit set.
    fn number(&mut self, at: usize, len: usize, value: u64) {
        let octal = format!("{value:0width$o}\0", width = len - 1);
        if octal.len() == len {
            self.put(at, octal.as_bytes());
        } else {
            self.put(at, &[0x80]);
            self.put(at + len - 8, &value.to_be_bytes());
        }
    }

    fn flag(&mut self, at: usize, set: bool) {
        self.put(at, &[u8::from(set)]);
    }

    fn regions(&mut self, at: usize, regions: &[Region]) {
        for (index, (start, len)) in regions.iter().enumerate() {
            self.number(at + index * REGION, 12, *start);
            self.number(at + index * REGION + 12, 12, *len);
        }
    }

    /// Writes it with the sum of its bytes, the sum itself counted as blanks.
    fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        self.put(at::SUM, b"        ");
        let sum: u32 = self.0.iter().map(|byte| u32::from(*byte)).sum();
        self.put(at::SUM, format!("{sum:06o}\0 ").as_bytes());
        out.write_all(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Frozen {
        let mut tree = Frozen::default();
        let mut disk = SectorCopy::new(12 << 40);
        for n in 0..40_u64 {
            disk.write(n << 34, b"a superblock");
        }
        disk.write((12 << 40) - 512, &[7; 512]);
        tree.put("dev/sda", FrozenEntry::Device(disk));
        tree.put("dev/sdb", FrozenEntry::Device(SectorCopy::new(1 << 30)));
        let deep = format!("sys/devices/{}/size", "pci0000:00/".repeat(20));
        tree.put_text(&deep, "8\n");
        let up = "../".repeat(60);
        tree.put("sys/block/sda", FrozenEntry::Link(format!("{up}devices")));
        tree.put_text("empty", "");
        tree
    }

    #[test]
    fn gnu_tar_makes_the_same_tree_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bundle.tar.gz");
        let tree = sample();
        std::fs::write(&file, gzip(&tree, "top").unwrap()).unwrap();
        let status = std::process::Command::new("tar")
            .arg("-xzf")
            .arg(&file)
            .arg("-C")
            .arg(folder.path())
            .status()
            .unwrap();
        assert!(status.success());
        let top = folder.path().join("top");
        for (path, entry) in tree.iter() {
            let real = top.join(path);
            match entry {
                FrozenEntry::Folder => assert!(real.is_dir(), "{path}"),
                FrozenEntry::Link(target) => {
                    assert_eq!(std::fs::read_link(real).unwrap().to_str().unwrap(), target);
                }
                FrozenEntry::File(bytes) => {
                    assert_eq!(&std::fs::read(real).unwrap(), bytes, "{path}")
                }
                FrozenEntry::Device(sectors) => same(&real, sectors),
            }
        }
    }

    fn same(path: &std::path::Path, sectors: &SectorCopy) {
        use std::os::unix::fs::{FileExt, MetadataExt};
        let file = std::fs::File::open(path).unwrap();
        let meta = file.metadata().unwrap();
        assert_eq!(meta.len(), sectors.len());
        assert!(meta.blocks() < 2048, "holes stay holes: {}", meta.blocks());
        for (at, bytes) in sectors.pieces() {
            let mut read = vec![9; bytes.len()];
            file.read_exact_at(&mut read, at).unwrap();
            assert_eq!(read, bytes, "{} at {at}", path.display());
        }
    }

    #[test]
    fn the_same_tree_gives_the_same_bytes() {
        let first = gzip(&sample(), "top").unwrap();
        assert_eq!(first, gzip(&sample(), "top").unwrap());
        assert_eq!(first.get(4..8), Some([0; 4].as_slice()), "no time");
        assert!(first.len() < 8192, "{}", first.len());
    }
}

//! Writes a cpio archive (newc), the form of an initramfs: no root for the device nodes, and
//! equal input gives equal bytes. Kept raw: unpacking zstd or gzip under TCG costs a second.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use crate::error::{Result, Tried};

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_755;
const LINK: u32 = 0o120_777;
const CHARACTER: u32 = 0o020_600;

/// An archive under construction.
pub struct CpioArchive<W: Write> {
    out: W,
    inode: u32,
    folders: BTreeSet<PathBuf>,
}

impl<W: Write> CpioArchive<W> {
    /// An empty archive.
    pub const fn new(out: W) -> Self {
        Self {
            out,
            inode: 0,
            folders: BTreeSet::new(),
        }
    }

    /// Adds a folder and those above it.
    pub fn folder(&mut self, path: &Path) -> Result<()> {
        let mut whole = PathBuf::new();
        for part in path.components() {
            if let Component::Normal(name) = part {
                whole.push(name);
                if self.folders.insert(whole.clone()) {
                    self.entry(&whole, FOLDER, (0, 0), b"")?;
                }
            }
        }
        Ok(())
    }

    /// Adds a file (all are executable: an initramfs has no other users) with its folders.
    pub fn file(&mut self, path: &Path, content: &[u8]) -> Result<()> {
        self.folder_of(path)?;
        self.entry(path, FILE, (0, 0), content)
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &Path, target: &str) -> Result<()> {
        self.folder_of(path)?;
        self.entry(path, LINK, (0, 0), target.as_bytes())
    }

    /// Adds a character device.
    pub fn character(&mut self, path: &Path, major: u32, minor: u32) -> Result<()> {
        self.folder_of(path)?;
        self.entry(path, CHARACTER, (major, minor), b"")
    }

    /// Writes the trailer and gives the writer back.
    pub fn finish(mut self) -> Result<W> {
        self.entry(Path::new("TRAILER!!!"), 0, (0, 0), b"")?;
        self.out
            .flush()
            .tried(|| "cannot write the archive".to_owned())?;
        Ok(self.out)
    }

    fn folder_of(&mut self, path: &Path) -> Result<()> {
        path.parent().map_or(Ok(()), |parent| self.folder(parent))
    }

    fn entry(&mut self, path: &Path, mode: u32, device: (u32, u32), content: &[u8]) -> Result<()> {
        self.inode += 1;
        let name = path.to_string_lossy();
        let name = name.trim_start_matches('/');
        let size =
            u32::try_from(content.len()).tried(|| "a file over 4 GiB does not fit".to_owned())?;
        let name_size = u32::try_from(name.len() + 1).tried(|| "a name is too long".to_owned())?;
        // Inode, mode, uid, gid, links, time, size, device, device of a node, name, checksum.
        let fields = [
            self.inode, mode, 0, 0, 1, 0, size, 0, 0, device.0, device.1, name_size, 0,
        ];
        let mut header = String::from("070701");
        for field in fields {
            header.push_str(&format!("{field:08x}"));
        }
        self.padded(&[header.as_bytes(), name.as_bytes(), b"\0"])?;
        self.padded(&[content])
    }

    /// Header with name, and content, each end on a multiple of four bytes.
    fn padded(&mut self, parts: &[&[u8]]) -> Result<()> {
        let mut len = 0;
        for part in parts {
            self.out
                .write_all(part)
                .tried(|| "cannot write the archive".to_owned())?;
            len += part.len();
        }
        let padding = [0; 3];
        let missing = padding.get(..len.wrapping_neg() % 4).unwrap_or_default();
        self.out
            .write_all(missing)
            .tried(|| "cannot write the archive".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_aligned_and_folders_come_once() {
        let mut archive = CpioArchive::new(Vec::new());
        archive.file(Path::new("/a/b/c"), b"hello").unwrap();
        archive.link(Path::new("/a/b/d"), "c").unwrap();
        archive.character(Path::new("/dev/console"), 5, 1).unwrap();
        let bytes = archive.finish().unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(bytes.len() % 4, 0);
        // a, a/b, a/b/c, a/b/d, dev, dev/console, trailer
        assert_eq!(text.matches("070701").count(), 7);
        assert!(text.starts_with("07070100000001000041ed"));
        assert!(text.contains("0000000500000001"), "console is 5:1");
    }
}

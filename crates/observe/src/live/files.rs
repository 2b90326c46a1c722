//! Names of files as the program takes them down, and the functions of the kernel by which it knows files.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

use ioalign_core::profile::{FileKind, FileProfile};

use super::layout::{ALL_OTHERS, ENDS, FOLDERS, NAME, SEVERAL};
use super::shares::{OwnedShare, ShareOwner};

/// Of the functions that end a bio (`bi_end_io`), those whose bios have pages of one file: iomap (XFS), XFS for files that
/// grow, `fs/mpage.c`, ext4, and buffers of ext4. `iomap_writepage_end_bio` until Linux 6.16.
const PAGES: [&str; 8] = [
    "ioend_writeback_end_bio",
    "iomap_writepage_end_bio",
    "iomap_read_end_io",
    "xfs_end_bio",
    "mpage_read_end_io",
    "mpage_write_end_io",
    "ext4_end_bio",
    "end_bio_bh_io_sync",
];
/// ext4's own, until it has another name: f2fs calls one so as well.
const READS: &str = "mpage_end_io";
/// Direct I/O of iomap: XFS, ext4 and others.
const DIRECT: &str = "iomap_dio_bio_end_io";
/// A bio that was split from another.
const CHAINED: &str = "bio_chain_endio";
/// Bytes of a line of kallsyms.
const MOST_LINE: u64 = 1 << 10;

/// Where these functions are in the running kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BioEnds {
    /// Those of pages; 0 where there are fewer.
    pub pages: [u64; ENDS],
    /// That of direct I/O.
    pub direct: u64,
    /// That of bios that were split.
    pub chained: u64,
}

impl BioEnds {
    /// Reads `/proc/kallsyms`, which shows addresses to root only; `None` where it does not.
    pub fn running() -> Option<Self> {
        let file = std::fs::File::open("/proc/kallsyms").ok()?;
        Self::read(file)
    }

    fn read(text: impl Read) -> Option<Self> {
        let mut found = Self::default();
        let mut places = found.pages.iter_mut();
        let mut lines = BufReader::with_capacity(1 << 16, text);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut lines).take(MOST_LINE).read_until(b'\n', &mut line);
            if read.ok()? == 0 {
                break;
            }
            let Some((address, name)) = symbol(&line) else {
                continue;
            };
            match name {
                DIRECT => found.direct = address,
                CHAINED => found.chained = address,
                READS => put(places.next(), address),
                _ if PAGES.contains(&name) => put(places.next(), address),
                _ => {}
            }
        }
        (found.direct != 0).then_some(found)
    }
}

fn put(place: Option<&mut u64>, address: u64) {
    if let Some(place) = place {
        *place = address;
    }
}

/// `ffffffff81765d30 t NAME [MODULE]`.
fn symbol(line: &[u8]) -> Option<(u64, &str)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    Some((address, words.nth(1)?))
}

/// A file or folder as the kernel knows it. Whoever holds it open keeps its number from being used again.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// Its number.
    pub inode: u64,
    /// The device of its file system, as `st_dev` has it.
    pub device: u64,
}

impl FileIdentity {
    /// As `struct identity` of the program, without a generation.
    pub(super) fn key(self) -> [u64; 2] {
        let device = rustix::fs::major(self.device) << 20 | rustix::fs::minor(self.device);
        [self.inode, joined(device, 0)]
    }
}

/// Two halves of a word, in memory the first one first.
fn joined(first: u32, second: u32) -> u64 {
    let ([a, b, c, d], [e, f, g, h]) = (first.to_ne_bytes(), second.to_ne_bytes());
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}

/// Files by their names: whether the path begins at the top of the file system, and the path.
pub type FileNames = BTreeMap<ShareOwner, (bool, String)>;

/// Bytes of `struct file_name`.
pub const FILE_NAME: usize = 16 + FOLDERS * NAME;

/// The path that a `struct file_name` is, and whether it begins at the top of its file system.
pub fn path(name: &[u8; FILE_NAME]) -> (bool, String) {
    let word = |at: usize| {
        let bytes = name.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        u64::from_ne_bytes(bytes.unwrap_or_default())
    };
    let count = usize::try_from(word(0)).unwrap_or(0).min(FOLDERS);
    let names = name.get(16..).unwrap_or_default().chunks(NAME).take(count);
    let mut path = String::new();
    for name in names.rev() {
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(NAME);
        path.push('/');
        path.push_str(&String::from_utf8_lossy(
            name.get(..end).unwrap_or_default(),
        ));
        if end + 1 >= NAME {
            // It may have been longer.
            path.push('…');
        }
    }
    (word(8) != 0, path)
}

/// A file's share without its mount.
pub fn document(share: &OwnedShare, names: &FileNames) -> FileProfile {
    let owner = share.owner;
    let what = match owner.number {
        0 => FileKind::Unattributed,
        SEVERAL => FileKind::Several,
        ALL_OTHERS => FileKind::Others,
        _ => FileKind::File,
    };
    let is_file = what == FileKind::File;
    let name = names
        .get(&owner)
        .filter(|(_, path)| is_file && !path.is_empty());
    FileProfile {
        what,
        inode: is_file.then_some(owner.number),
        file_system: is_file.then(|| format!("{}:{}", owner.dev >> 20, owner.dev & 0xf_ffff)),
        is_whole: name.is_some_and(|(is_whole, _)| *is_whole),
        path: name.map(|(_, path)| path.clone()),
        io: share.io.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_whole_names() {
        let text = "ffffffff81000010 T iomap_dio_bio_end_io\nffffffff81000020 t bio_chain_endio\n\
            ffffffffc0000030 t mpage_end_io\t[ext4]\nffffffff81000040 t xfs_end_bio\n\
            ffffffff81000050 t __pfx_xfs_end_bio\nffffffff81000060 t xfs_end_bio.cold\nx y z\n";
        let found = BioEnds::read(text.as_bytes()).unwrap();
        assert_eq!(found.direct, 0xffff_ffff_8100_0010);
        assert_eq!(found.chained, 0xffff_ffff_8100_0020);
        let pages = [0xffff_ffff_c000_0030, 0xffff_ffff_8100_0040, 0];
        assert_eq!(found.pages[..3], pages);
        // Without the right to see them all are 0.
        let hidden = "0000000000000000 T iomap_dio_bio_end_io\n";
        assert_eq!(BioEnds::read(hidden.as_bytes()), None);
    }

    #[test]
    fn a_path_begins_with_the_folder_above() {
        let mut name = [0; FILE_NAME];
        let whole = |name: &mut [u8], count: u64, whole: u64| {
            name[..8].copy_from_slice(&count.to_ne_bytes());
            name[8..16].copy_from_slice(&whole.to_ne_bytes());
        };
        whole(&mut name, 2, 1);
        name[16..19].copy_from_slice(b"a.b");
        name[16 + NAME..16 + NAME + 4].copy_from_slice(b"data");
        assert_eq!(path(&name), (true, "/data/a.b".to_owned()));
        name[16..16 + NAME - 1].fill(b'x');
        whole(&mut name, u64::MAX, 0);
        let (is_whole, long) = path(&name);
        let cut_off = format!("/data/{}…", "x".repeat(NAME - 1));
        assert!(!is_whole && long.ends_with(&cut_off), "{long}");
    }
}

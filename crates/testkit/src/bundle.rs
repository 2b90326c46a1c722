//! Support bundles: files in memory that become a folder or a tarball, entry by entry.
//!
//! The tarball is written here and not by tar, so that hostile ones can be written too.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Bytes a block.
const BLOCK: usize = 512;

/// A bundle in the making.
#[derive(Clone, Debug, Default)]
pub struct BundleBuilder {
    top: String,
    members: Vec<BundleMember>,
}

/// An entry of a tarball.
#[derive(Clone, Debug)]
pub struct BundleMember {
    /// Its name, any bytes, at most 100.
    pub name: Vec<u8>,
    /// The type: `b'0'` a file, `b'1'` a hard link, `b'2'` a link, `b'5'` a folder.
    pub flag: u8,
    /// Where a link leads.
    pub target: String,
    /// What it holds.
    pub data: Vec<u8>,
}

impl BundleMember {
    /// A file.
    pub fn file(name: impl AsRef<[u8]>, data: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.as_ref().to_vec(),
            flag: b'0',
            target: String::new(),
            data: data.into(),
        }
    }

    /// A link of either kind.
    pub fn link(name: &str, flag: u8, target: &str) -> Self {
        Self {
            flag,
            target: target.to_owned(),
            ..Self::file(name, "")
        }
    }

    /// Its header.
    pub fn header(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.name);
        for field in [100, 108, 116] {
            put(field, b"0000644");
        }
        put(124, format!("{:011o}\0", self.data.len()).as_bytes());
        put(136, b"00000000000\0        ");
        put(156, &[self.flag]);
        put(157, self.target.as_bytes());
        put(257, b"ustar");
        put(263, b"00");
        seal(&mut block);
        block
    }

    /// Header and data, filled up to whole blocks.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header().to_vec();
        bytes.extend(&self.data);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        bytes
    }
}

/// Writes the checksum of a header.
pub fn seal(block: &mut [u8; BLOCK]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

impl BundleBuilder {
    /// A bundle whose files lie in the folder `top`; empty: at the top itself.
    pub fn new(top: &str) -> Self {
        Self {
            top: top.to_owned(),
            members: Vec::new(),
        }
    }

    fn inside(&self, path: &str) -> String {
        if self.top.is_empty() {
            path.to_owned()
        } else {
            format!("{}/{path}", self.top)
        }
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        let path = self.inside(path);
        self.members.push(BundleMember::file(path, content));
        self
    }

    /// Adds a link.
    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> Self {
        let path = self.inside(path);
        self.members.push(BundleMember::link(&path, b'2', target));
        self
    }

    /// Adds any entry, its name as it is.
    #[must_use]
    pub fn member(mut self, member: BundleMember) -> Self {
        self.members.push(member);
        self
    }

    /// The limits of a disk's queue, as sosreports copy them.
    #[must_use]
    pub fn queue(
        self,
        disk: &str,
        (logical, physical, minimum, optimal): (u64, u64, u64, u64),
    ) -> Self {
        let dir = format!("sys/block/{disk}/queue");
        self.file(&format!("{dir}/logical_block_size"), format!("{logical}\n"))
            .file(
                &format!("{dir}/physical_block_size"),
                format!("{physical}\n"),
            )
            .file(&format!("{dir}/minimum_io_size"), format!("{minimum}\n"))
            .file(&format!("{dir}/optimal_io_size"), format!("{optimal}\n"))
            .file(&format!("{dir}/rotational"), "1\n")
    }

    /// The tarball.
    pub fn tar(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.members.iter().flat_map(BundleMember::bytes).collect();
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }

    /// Writes the tarball, packed as the ending says: `.tar`, `.gz`, `.xz`, `.bz2`, `.zst`.
    pub fn write(&self, path: impl Into<PathBuf>) -> PathBuf {
        let path = path.into();
        fs::write(&path, packed(&self.tar(), &path)).expect("written");
        path
    }

    /// Writes the files as a folder.
    pub fn unpack(&self, folder: &Path) {
        for member in &self.members {
            let name = std::str::from_utf8(&member.name).expect("a name for a folder");
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            match member.flag {
                b'2' => std::os::unix::fs::symlink(&member.target, path).expect("linked"),
                _ => fs::write(path, &member.data).expect("written"),
            }
        }
    }
}

/// Packs `bytes` with the tool that the ending of `path` names.
pub fn packed(bytes: &[u8], path: &Path) -> Vec<u8> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending {
        Some("gz" | "tgz") => filter("gzip", &["-c"], bytes),
        Some("xz") => filter("xz", &["-c"], bytes),
        Some("bz2") => filter("bzip2", &["-c"], bytes),
        Some("zst") => filter("zstd", &["-c", "-q"], bytes),
        _ => bytes.to_vec(),
    }
}

/// What a tool makes of its input.
pub fn filter(program: &str, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child =
        child.unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("it reads all"));
        child.wait_with_output().expect("it ends")
    });
    assert!(output.status.success(), "{program} {arguments:?}");
    output.stdout
}

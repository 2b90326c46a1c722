//! What is known of a file system.

use super::Facts;

/// A family of file systems, as far as a verdict depends on it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum FileSystemFormat {
    /// ext2, ext3 and ext4.
    Ext,
    /// FAT of any width.
    Fat,
    /// The file system of CD-ROMs.
    Iso9660,
    /// XFS.
    Xfs,
    /// ZFS.
    Zfs,
    /// Any other.
    #[default]
    Other,
}

impl FileSystemFormat {
    /// The format that readers, mount tables and texts call so.
    pub fn named(name: &str) -> Self {
        match name {
            "iso9660" => Self::Iso9660,
            "xfs" => Self::Xfs,
            "zfs" => Self::Zfs,
            ext if ext.starts_with("ext") => Self::Ext,
            fat if fat.starts_with("fat") => Self::Fat,
            _ => Self::Other,
        }
    }
}

/// What is known of a file system besides its blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSystemDetail {
    /// Its format.
    pub format: FileSystemFormat,
    /// The power of two that is the block of a ZFS vdev.
    pub ashift: Option<u32>,
    /// Whether its files may share blocks: XFS then writes elsewhere what must be whole. `None`: not known.
    pub reflink: Option<bool>,
    /// Whether only the mount table says that it is there.
    pub from_mount_table: bool,
}

impl FileSystemDetail {
    /// A file system of this format.
    pub fn named(name: &str) -> Self {
        Self {
            format: FileSystemFormat::named(name),
            ..Self::default()
        }
    }

    pub(super) fn facts(&self) -> Facts {
        let ashift = self.ashift.map(|ashift| ("ashift", ashift.to_string()));
        let table = ("known-from", "the mount table".to_owned());
        let table = self.from_mount_table.then_some(table);
        ashift.into_iter().chain(table).collect()
    }
}

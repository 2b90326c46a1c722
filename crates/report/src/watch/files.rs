//! The files of the I/O.

use ioalign_core::profile::{FileKind, FileProfile};
use ioalign_core::watch_document::DeviceFigures;

use super::groups::{line_of, row, table};
use crate::words::clean;

/// Its path, or what is known instead.
fn name(file: &FileProfile) -> String {
    let system = file.file_system.as_deref().unwrap_or("?");
    match (file.what, &file.path, file.inode) {
        (FileKind::Several, ..) => "(several files)".to_owned(),
        (FileKind::Unattributed, ..) => "(unattributed)".to_owned(),
        (FileKind::Others, ..) => "(others)".to_owned(),
        (FileKind::File, Some(path), _) if file.is_whole => clean(path),
        (FileKind::File, Some(path), _) => format!("…{}", clean(path)),
        (FileKind::File, None, Some(inode)) => format!("(inode {inode} of {system})"),
        (FileKind::File, None, None) => "(not known)".to_owned(),
    }
}

/// The table of the summary.
pub fn put(page: &mut String, device: &DeviceFigures) {
    if device.files.is_empty() {
        return;
    }
    let rows = device.files.iter();
    let rows = rows.map(|file| row(&name(file), &file.io, device.unit_bytes));
    table(page, "file", rows);
}

/// A line of the full screen.
pub fn line(file: &FileProfile, unit_bytes: u64) -> String {
    line_of(row(&name(file), &file.io, unit_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_says_so_and_names_are_harmless() {
        let file = |what, path: Option<&str>, is_whole| FileProfile {
            what,
            path: path.map(str::to_owned),
            is_whole,
            inode: Some(131),
            file_system: Some("7:0".to_owned()),
            ..FileProfile::default()
        };
        let of = FileKind::File;
        assert_eq!(name(&file(of, Some("/mnt/a"), true)), "/mnt/a");
        assert_eq!(name(&file(of, Some("/b/c"), false)), "…/b/c");
        assert_eq!(name(&file(of, None, false)), "(inode 131 of 7:0)");
        assert!(!name(&file(of, Some("/\u{1b}[31m"), true)).contains('\u{1b}'));
        let none = name(&file(FileKind::Unattributed, None, false));
        assert_eq!(none, "(unattributed)");
    }
}

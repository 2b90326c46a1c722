//! Names for what `fix` is to write.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ioalign_core::layer::detail::ImageFormat;

/// A free name for an image that puts data on the grid of its file: VHDX for those who use VHD, qcow2 for all
/// others.
pub fn on_the_grid(target: &Path) -> PathBuf {
    let is_vhd = matches!(ImageFormat::from_extension(target), Some(ImageFormat::Vhd));
    beside(target, if is_vhd { "vhdx" } else { "qcow2" })
}

/// A free name beside a file, with another ending or a number; for a device, here: its folder is no place for files.
pub fn beside(target: &Path, ending: &str) -> PathBuf {
    let target = match is_file_to_be(target) {
        true => target,
        false => Path::new(target.file_name().unwrap_or(OsStr::new("disk"))),
    };
    let stem = target.file_stem().unwrap_or_default();
    let name = |number: u32| {
        let mut name = stem.to_owned();
        if number > 0 {
            name.push(format!("-{number}"));
        }
        name.push(format!(".{ending}"));
        target.with_file_name(name)
    };
    let mut names = (0..1000).map(name);
    let free = names.find(|path| path.symlink_metadata().is_err());
    free.unwrap_or_else(|| name(1000))
}

/// Whether there is a file of data, or may come to be one: no device, pipe or socket, and nothing in a folder that the
/// kernel fills.
fn is_file_to_be(path: &Path) -> bool {
    const FILLED: [&str; 3] = ["/dev", "/proc", "/sys"];
    match path.metadata() {
        Ok(found) => found.is_file() || found.is_dir(),
        Err(_) => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            !FILLED.iter().any(|folder| whole.starts_with(folder))
        }
    }
}

/// The folder for the images of a folder or package.
pub fn aligned_folder(source: &Path) -> PathBuf {
    format!("{}-aligned", source.with_extension("").display()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_no_neighbour_for_an_image() {
        for (target, name) in [
            ("/dev/null", "null.img"),
            ("/dev/../dev/zero", "zero.img"),
            ("/dev/no-such-disk", "no-such-disk.img"),
            ("/proc/no-such-file", "no-such-file.img"),
        ] {
            assert_eq!(
                beside(Path::new(target), "img"),
                Path::new(name),
                "{target}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("by-id");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        assert_eq!(beside(&link, "img"), Path::new("by-id.img"));
        let file = folder.path().join("disk.img");
        assert_eq!(beside(&file, "img"), file);
        std::fs::write(&file, "").unwrap();
        assert_eq!(beside(&file, "img"), folder.path().join("disk-1.img"));
    }
}

//! Names for what `fix` is to write.

use std::path::{Path, PathBuf};

use ioalign_core::layer::detail::ImageFormat;

/// A free name for an image that puts data on the grid of its file: VHDX for those who use VHD, qcow2 for all
/// others.
pub fn on_the_grid(target: &Path) -> PathBuf {
    let is_vhd = matches!(ImageFormat::from_extension(target), Some(ImageFormat::Vhd));
    beside(target, if is_vhd { "vhdx" } else { "qcow2" })
}

/// A free name beside a file, with another ending or a number.
pub fn beside(target: &Path, ending: &str) -> PathBuf {
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

/// The folder for the images of a folder or package.
pub fn aligned_folder(source: &Path) -> PathBuf {
    format!("{}-aligned", source.with_extension("").display()).into()
}

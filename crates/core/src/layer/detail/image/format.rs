//! The formats, by name and by the end of a file's name.

use std::fmt;
use std::path::Path;

/// A kind of image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// The bytes of the disk and nothing else.
    Raw,
    /// QEMU's, version 2 and 3.
    Qcow2,
    /// Virtual PC's.
    Vhd,
    /// Hyper-V's.
    Vhdx,
    /// VMware's.
    Vmdk,
    /// VirtualBox's.
    Vdi,
}

impl ImageFormat {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Raw,
        Self::Qcow2,
        Self::Vhd,
        Self::Vhdx,
        Self::Vmdk,
        Self::Vdi,
    ];

    /// Its name here.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Qcow2 => "qcow2",
            Self::Vhd => "vhd",
            Self::Vhdx => "vhdx",
            Self::Vmdk => "vmdk",
            Self::Vdi => "vdi",
        }
    }

    /// Its owner, in words.
    pub const fn whose(self) -> &'static str {
        match self {
            Self::Raw => "The bytes of the disk",
            Self::Qcow2 => "QEMU",
            Self::Vhd => "Virtual PC",
            Self::Vhdx => "Hyper-V",
            Self::Vmdk => "VMware",
            Self::Vdi => "VirtualBox",
        }
    }

    /// The format of a name: ours or QEMU's.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.or_else(|| (name == "vpc").then_some(Self::Vhd))
    }

    /// The format that the end of a file's name stands for.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_str()?.to_ascii_lowercase();
        match end.as_str() {
            "img" | "dd" | "bin" => Some(Self::Raw),
            other => Self::from_name(other),
        }
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for format in ImageFormat::ALL {
            assert_eq!(ImageFormat::from_name(format.name()), Some(format));
            let file = format!("a.{}", format.name().to_uppercase());
            assert_eq!(ImageFormat::from_extension(Path::new(&file)), Some(format));
        }
        assert_eq!(ImageFormat::from_name("vpc"), Some(ImageFormat::Vhd));
        assert_eq!(
            ImageFormat::from_extension(Path::new("disk.img")),
            Some(ImageFormat::Raw)
        );
        assert_eq!(ImageFormat::from_extension(Path::new("disk.iso")), None);
        assert_eq!(ImageFormat::from_extension(Path::new("disk")), None);
    }
}

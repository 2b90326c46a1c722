//! Requirements of a builder on an image beyond its alignment: its upload service, the multiple of its
//! size, its boot method. None is checked unless the operator names it.

use crate::layer::detail::{ImageFormat, ImageVariant};
use crate::units::Bytes;

/// The purposes of an image that the operator names.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Lint {
    /// The virtual size must be a multiple of this.
    pub size_multiple: Option<Bytes>,
    /// The service that takes it.
    pub upload: Option<&'static Upload>,
    /// It boots by UEFI: there must be an EFI system partition with FAT.
    pub uefi: bool,
}

/// The requirements of a service.
#[derive(Debug, PartialEq, Eq)]
pub struct Upload {
    /// As the operator names it.
    pub name: &'static str,
    /// As sentences name it.
    pub service: &'static str,
    /// The virtual size must be a multiple of this.
    pub unit: Bytes,
    /// The format.
    pub format: ImageFormat,
    /// Its variant.
    pub variant: ImageVariant,
    /// The format in words.
    pub form: &'static str,
    /// Bytes of the file that are not the disk's.
    pub footer: Bytes,
    /// How an image of another format becomes one.
    pub convert: &'static str,
}

/// The services that are known.
pub const UPLOADS: &[Upload] = &[
    // Microsoft "Prepare Linux for imaging in Azure": fixed VHD only, virtual size in whole MiB.
    Upload {
        name: "azure",
        service: "Azure",
        unit: Bytes::MIB,
        format: ImageFormat::Vhd,
        variant: ImageVariant::Fixed,
        form: "a fixed VHD",
        footer: Bytes::new(512),
        convert: "qemu-img convert -O vpc -o subformat=fixed,force_size IMAGE disk.vhd",
    },
    // Google "Import boot disk images to Compute Engine manually": disk.raw in whole GiB.
    Upload {
        name: "gce",
        service: "Google Compute Engine",
        unit: Bytes::GIB,
        format: ImageFormat::Raw,
        variant: ImageVariant::Plain,
        form: "a raw image",
        footer: Bytes::ZERO,
        convert: "qemu-img convert -O raw IMAGE disk.raw, then tar --format=oldgnu -Sczf disk.tar.gz disk.raw",
    },
];

/// The service of this name.
pub fn upload(name: &str) -> Option<&'static Upload> {
    UPLOADS.iter().find(|upload| upload.name == name)
}

//! Raw: the file is the disk, byte for byte. Also what is left when no format claims a file.

use std::sync::Arc;

use ioalign_core::layer::detail::{ImageDetail, ImageFormat};
use ioalign_core::{Bytes, Runs};

use super::{Image, ImageFile, ImagePolicy};
use crate::error::Result;
use crate::source::Source;

/// Claims every file.
pub fn open(source: &Arc<dyn Source>, _: &ImagePolicy) -> Result<Option<Image>> {
    Ok(Some(image(source)))
}

/// The image of a file that is known to be raw.
pub fn image(source: &Arc<dyn Source>) -> Image {
    let size = Bytes::new(source.len());
    let mut runs = Runs::new();
    runs.push(0, 0, source.len());
    Image {
        detail: ImageDetail::of_format(ImageFormat::Raw),
        virtual_size: size,
        logical_sector: None,
        guest: Arc::clone(source),
        places: vec![ImageFile {
            path: source.path().to_owned(),
            size,
            runs,
        }],
        backing: None,
        backing_path: None,
        remarks: Vec::new(),
    }
}

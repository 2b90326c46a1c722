//! The files that an image consists of: none of them is replaced by a report on it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::source::{FileSource, Source};

/// The image and what is below it; the image alone where it cannot be read.
pub fn files_of(image: &Path) -> Vec<PathBuf> {
    let mut files = vec![image.to_owned()];
    let policy = ImagePolicy {
        allow_backing: true,
        ..ImagePolicy::default()
    };
    let Ok(source) = FileSource::open(image) else {
        return files;
    };
    let source: Arc<dyn Source> = Arc::new(source);
    let Ok(Some(opened)) = images::open(&source, &policy) else {
        return files;
    };
    let mut next = Some(&opened);
    while let Some(image) = next {
        files.push(image.guest.path().to_owned());
        files.extend(image.backing_path.clone());
        next = image.backing.as_deref();
    }
    files
}

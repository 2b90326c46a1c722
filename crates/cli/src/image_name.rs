//! Names of images that `fix` is to write.

use std::path::Path;

use anyhow::{Result, bail};
use ioalign_core::shell;

pub use ioalign_check::image_name::{beside, on_the_grid};

/// A file of the name is not replaced.
pub fn free(new: &Path) -> Result<()> {
    if new.exists() {
        let ending = new.extension().and_then(|ending| ending.to_str());
        bail!(
            "{}: it is there already, and is not replaced; a free name: `--output {}`",
            new.display(),
            shell::path(&beside(new, ending.unwrap_or("img")))
        );
    }
    Ok(())
}

//! Files of which the whole is read: tokens, certificates, profiles.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The bytes of a file, of which no more than `most` are read. A larger one is an error that says `too_large`.
pub fn read(path: &Path, most: usize, too_large: &str) -> Result<Vec<u8>> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("{name}: cannot open it"))?;
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .with_context(|| format!("{name}: cannot read it"))?;
    if bytes.len() > most {
        bail!("{name}: {too_large}");
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_to_it() {
        let error = read(Path::new("/dev/zero"), 4096, "too long").unwrap_err();
        assert_eq!(error.to_string(), "/dev/zero: too long");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 4096]).unwrap();
        assert_eq!(read(&path, 4096, "").unwrap().len(), 4096);
        assert!(read(&path, 4095, "").is_err());
    }
}

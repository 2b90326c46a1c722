//! The cache of a controller, in a file.

use serde::Deserialize;

use super::words::{one_of, size, within};
use crate::engine::ControllerCache;

/// Most of what a cache holds.
const LARGEST: u64 = 1 << 42;

/// The keys of `[cache]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CacheFile {
    write: Option<String>,
    size: Option<String>,
    read: Option<String>,
    read_ahead: Option<String>,
    destage: Option<u32>,
    answer: Option<String>,
}

impl CacheFile {
    pub(super) fn described(&self) -> Result<ControllerCache, String> {
        let ways = [("through", false), ("back", true)];
        let most = |key: &str, text: &Option<String>| {
            let bytes = size(key, text.as_deref())?.unwrap_or(0);
            let fits = bytes <= LARGEST;
            fits.then_some(bytes)
                .ok_or_else(|| format!("{key}: at most 4 TiB"))
        };
        let write_back = one_of("cache.write", self.write.as_deref(), &ways)?;
        let write_bytes = match (write_back, &self.size) {
            (true, None) => return Err("cache.size is missing".to_owned()),
            (true, Some(size)) => within("cache.size", size, 64 << 10, LARGEST)?,
            (false, _) => 0,
        };
        Ok(ControllerCache {
            write_back,
            write_bytes,
            read_bytes: most("cache.read", &self.read)?,
            read_ahead_bytes: most("cache.read_ahead", &self.read_ahead)?,
            destage: self.destage.unwrap_or(32).clamp(1, 4096),
            answer_ns: self
                .answer
                .as_deref()
                .map_or(Ok(50_000), super::nanoseconds)?,
        })
    }
}

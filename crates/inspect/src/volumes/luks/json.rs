//! The few members of LUKS2's JSON metadata that tell where data lie.
//!
//! Only these are kept; keyslots and tokens are skipped while parsing, so that a JSON area of
//! 4 MiB cannot grow into much more memory than that.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

/// Segments that are read; cryptsetup writes at most a handful.
const MOST_SEGMENTS: usize = 256;

/// The metadata.
#[derive(Deserialize)]
pub(super) struct LuksMetadata {
    segments: Segments,
    #[serde(default)]
    config: Config,
}

#[derive(Default, Deserialize)]
struct Config {
    #[serde(default)]
    requirements: Requirements,
}

#[derive(Default, Deserialize)]
struct Requirements {
    #[serde(default)]
    mandatory: Vec<String>,
}

/// A stretch of the device that is encrypted, or not yet, in one way.
#[derive(Debug)]
pub(super) struct LuksSegment {
    /// Bytes from the start of the device.
    pub offset: u64,
    /// Bytes; `None` for `dynamic`: to the end.
    pub size: Option<u64>,
    /// Bytes a sector of the encryption.
    pub sector_size: u64,
    /// `aes-xts-plain64`; the segment's type where it has no cipher.
    pub encryption: String,
    /// Kind of integrity protection.
    pub integrity: Option<String>,
    flags: Vec<String>,
}

/// A segment as written: numbers that may pass 2⁵³ are strings.
#[derive(Deserialize)]
struct Written {
    r#type: String,
    offset: String,
    size: String,
    sector_size: Option<u64>,
    encryption: Option<String>,
    integrity: Option<Integrity>,
    #[serde(default)]
    flags: Vec<String>,
}

#[derive(Deserialize)]
struct Integrity {
    r#type: String,
}

/// Segments by their number.
struct Segments(BTreeMap<u32, LuksSegment>);

impl LuksMetadata {
    /// Parses a JSON area: text up to the first NUL.
    pub fn parse(area: &[u8]) -> Result<Self, String> {
        let end = area
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(area.len());
        let text = area.get(..end).unwrap_or_default();
        serde_json::from_slice(text).map_err(|error| error.to_string())
    }

    /// Segments that hold data, in their order; backups of a re-encryption are left out.
    pub fn data(&self) -> Vec<&LuksSegment> {
        let backup =
            |segment: &&LuksSegment| segment.flags.iter().any(|f| f.starts_with("backup-"));
        self.segments
            .0
            .values()
            .filter(|segment| !backup(segment))
            .collect()
    }

    /// What the first segment will be when the re-encryption is done.
    pub fn goal(&self) -> Option<&LuksSegment> {
        let wanted = |segment: &&LuksSegment| segment.flags.iter().any(|f| f == "backup-final");
        self.segments.0.values().find(wanted)
    }

    /// Whether a re-encryption was begun and not finished.
    pub fn reencrypting(&self) -> bool {
        let flagged = |segment: &LuksSegment| segment.flags.iter().any(|f| f == "in-reencryption");
        let required = |name: &String| name.starts_with("online-reencrypt");
        self.segments.0.values().any(flagged)
            || self.config.requirements.mandatory.iter().any(required)
    }
}

impl TryFrom<Written> for LuksSegment {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let number = |text: &str| text.parse().map_err(|_| "a segment's offset or size");
        let sector_size = written.sector_size.unwrap_or(512);
        if !matches!(sector_size, 512 | 1024 | 2048 | 4096) {
            return Err("a sector_size that is not 512, 1024, 2048 or 4096");
        }
        Ok(Self {
            offset: number(&written.offset)?,
            size: match written.size.as_str() {
                "dynamic" => None,
                size => Some(number(size)?),
            },
            sector_size,
            encryption: written.encryption.unwrap_or(written.r#type),
            integrity: written.integrity.map(|integrity| integrity.r#type),
            flags: written.flags,
        })
    }
}

impl<'de> Deserialize<'de> for Segments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SegmentsVisitor)
    }
}

struct SegmentsVisitor;

impl<'de> Visitor<'de> for SegmentsVisitor {
    type Value = Segments;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of numbered segments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Segments, A::Error> {
        let mut found = BTreeMap::new();
        while let Some((number, written)) = map.next_entry::<String, Written>()? {
            let number = number
                .parse()
                .map_err(|_| A::Error::custom("a segment's number"))?;
            found.insert(
                number,
                LuksSegment::try_from(written).map_err(A::Error::custom)?,
            );
            if found.len() > MOST_SEGMENTS {
                return Err(A::Error::custom("more segments than are read"));
            }
        }
        Ok(Segments(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"{"keyslots":{"0":{"area":{"offset":"32768"}}},"tokens":{},
        "segments":{
          "1":{"type":"linear","offset":"20971520","size":"dynamic","flags":["in-reencryption"]},
          "0":{"type":"crypt","offset":"16777216","size":"4194304","iv_tweak":"0",
               "encryption":"aes-xts-plain64","sector_size":4096},
          "2":{"type":"crypt","offset":"0","size":"dynamic","flags":["backup-final"],
               "encryption":"aes-xts-plain64","sector_size":512}},
        "config":{"requirements":{"mandatory":["online-reencrypt-v2"]}}}"#;

    #[test]
    fn backups_are_left_out_and_order_is_by_number() {
        let Ok(metadata) = LuksMetadata::parse(TWO.as_bytes()) else {
            panic!("it is valid");
        };
        let offsets: Vec<_> = metadata.data().iter().map(|s| (s.offset, s.size)).collect();
        assert_eq!(offsets, [(16 << 20, Some(4 << 20)), (20 << 20, None)]);
        assert!(metadata.reencrypting());
    }

    #[test]
    fn impossible_values_are_refused() {
        for (from, to) in [
            ("\"16777216\"", "\"-1\""),
            ("4096", "4095"),
            ("\"4194304\"", "\"99999999999999999999\""),
            ("\"0\":{\"type\"", "\"x\":{\"type\""),
        ] {
            assert!(
                LuksMetadata::parse(TWO.replace(from, to).as_bytes()).is_err(),
                "{to}"
            );
        }
        let deep = "[".repeat(1 << 20);
        assert!(LuksMetadata::parse(deep.as_bytes()).is_err());
    }
}

//! LUKS headers: key slots, digests and tokens go, the place and form of the data stay.
//!
//! The checksum of a LUKS2 header covers what is taken out; it is cleared with it, together with
//! the salt. Our reader does not verify it, cryptsetup will refuse the copy, which opens nothing anyway.

use serde_json::Value;

use super::{Blanked, count};
use crate::recording::SectorCopy;

/// Magic of LUKS1 and of the first LUKS2 header; of the second one.
const MAGICS: [&[u8]; 2] = [b"LUKS\xba\xbe", b"SKUL\xba\xbe"];
/// The binary header of LUKS2; the JSON area follows it.
const BINARY: usize = 4096;
/// Largest header of LUKS2.
const MOST: u64 = 4 << 20;
/// Fields of LUKS1: digest of the master key with its salt and iterations; the eight key slots.
const V1: [(u64, usize); 2] = [(112, 56), (208, 384)];
/// Fields of LUKS2: salt and checksum.
const V2: [(u64, usize); 2] = [(104, 64), (448, 64)];
/// Members of the JSON area that tell about keys.
const SECRET: [&str; 3] = ["keyslots", "digests", "tokens"];

/// Blanks every header on a device, wherever it begins.
pub(super) fn blank(sectors: &mut SectorCopy, blanked: &mut Blanked) {
    for magic in MAGICS {
        for at in sectors.find(magic, 0) {
            match sectors.read(at.saturating_add(6), 2).as_slice() {
                [0, 1] => {
                    clear(sectors, at, &V1);
                    count(blanked, "LUKS1 key slots and digest");
                }
                [0, 2] => {
                    clear(sectors, at, &V2);
                    metadata(sectors, at);
                    count(blanked, "LUKS2 key slots, digests, tokens and checksum");
                }
                _ => {}
            }
        }
    }
}

fn clear(sectors: &mut SectorCopy, at: u64, fields: &[(u64, usize)]) {
    for (field, len) in fields {
        sectors.clear(at.saturating_add(*field), *len);
    }
}

/// Rewrites the JSON area without facts about keys. A text that cannot be parsed is removed
/// completely.
fn metadata(sectors: &mut SectorCopy, at: u64) {
    let size = sectors.read(at.saturating_add(8), 8);
    let size = size.try_into().map_or(0, u64::from_be_bytes).min(MOST);
    let area = usize::try_from(size).unwrap_or(0).saturating_sub(BINARY);
    let start = at.saturating_add(BINARY as u64);
    // What was not read is zero, and a text ends there: headers in every sector cost no more than what is held.
    let old = sectors.read(start, area.min(sectors.held()));
    let new = without_keys(&old).unwrap_or_default();
    sectors.clear(start, area);
    sectors.write(start, &new);
}

fn without_keys(area: &[u8]) -> Option<Vec<u8>> {
    let text = area.split(|byte| *byte == 0).next()?;
    let mut json: Value = serde_json::from_slice(text).ok()?;
    let members = json.as_object_mut()?;
    for name in SECRET {
        if let Some(member) = members.get_mut(name) {
            *member = Value::Object(serde_json::Map::new());
        }
    }
    let new = serde_json::to_vec(&json).ok()?;
    // Numbers may be written longer than they were; then nothing fits.
    (new.len() < area.len()).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_and_keys_go() {
        let json = r#"{"keyslots":{"0":{"salt":"PLANTED"}},"tokens":{"0":{"x":"PLANTED"}},
            "segments":{"0":{"type":"crypt","offset":"16777216","size":"dynamic"}},
            "digests":{"0":{"digest":"PLANTED"}},"config":{"json_size":"12288"}}"#;
        let mut header = vec![0; 4096];
        header[..8].copy_from_slice(b"LUKS\xba\xbe\0\x02");
        header[8..16].copy_from_slice(&16384_u64.to_be_bytes());
        header[104..168].fill(b'S');
        header[448..512].fill(b'C');
        let mut sectors = SectorCopy::new(1 << 24);
        sectors.write(1 << 20, &header);
        sectors.write((1 << 20) + 4096, json.as_bytes());
        sectors.write((1 << 20) + 8192, b"PLANTED remnant behind the text");
        let mut blanked = Blanked::new();
        blank(&mut sectors, &mut blanked);
        let all = sectors.read(1 << 20, 16384);
        let text = String::from_utf8_lossy(&all).into_owned();
        assert!(!text.contains("PLANTED") && !text.contains("SSS") && !text.contains("CCC"));
        assert!(text.contains("16777216") && text.contains("json_size"));
        assert_eq!(blanked.len(), 1);
    }

    #[test]
    fn damage_is_survived() {
        let mut sectors = SectorCopy::new(1 << 20);
        let mut header = [0xff; 512];
        header[..8].copy_from_slice(b"LUKS\xba\xbe\0\x02");
        sectors.write((1 << 20) - 512, &header);
        blank(&mut sectors, &mut Blanked::new());
        assert_eq!(sectors.read((1 << 20) - 8, 8), [0; 8]);
    }
}

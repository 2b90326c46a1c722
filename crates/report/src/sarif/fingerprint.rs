//! The identity of results of different runs: rule, file, layers and grid, but no numbers that
//! change when a partition is moved and is still wrong.

use std::collections::BTreeMap;

use ioalign_core::Finding;

use crate::model::Target;
use crate::view::LayerNames;

/// Key and value pairs of `partialFingerprints`.
pub fn of(
    target: &Target,
    names: &LayerNames,
    finding: &Finding,
) -> BTreeMap<&'static str, String> {
    let grid = finding.grid.and_then(|index| names.grids.get(index));
    let parts = [
        finding.rule,
        &target.name,
        names.layer(finding.layer),
        names.layer(finding.guilty),
        grid.map_or("", String::as_str),
    ];
    let hash = format!("{:016x}", fnv1a(&parts.join("\0")));
    // GitHub's key: with it nothing tries to read a line of source out of a disk image.
    let github = format!("{hash}:1");
    BTreeMap::from([
        ("ioalignFinding/v1", hash),
        ("primaryLocationLineHash", github),
    ])
}

/// FNV-1a, 64 bits: stable between versions, which the standard library's hasher is not.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(super::fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }
}

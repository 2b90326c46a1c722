//! The identity of results of different runs: rule, target, layers and grid, but no numbers that
//! change when a partition is moved and is still wrong.

use std::collections::{BTreeMap, HashMap};

use ioalign_core::Finding;

use crate::devices;
use crate::model::Target;

/// Key and value pairs of `partialFingerprints`, for the findings of a target in this order.
///
/// Several findings of one rule on one layer, such as two bad entries of a table, are counted in the order of their
/// sentences, whatever the order of the findings is.
pub fn all(target: &Target, findings: &[&Finding]) -> Vec<BTreeMap<&'static str, String>> {
    let paths = devices::paths(&target.stack);
    let keys: Vec<_> = findings
        .iter()
        .map(|one| key(target, &paths, one))
        .collect();
    let mut same: HashMap<&str, Vec<&str>> = HashMap::new();
    for (key, finding) in keys.iter().zip(findings) {
        same.entry(key).or_default().push(&finding.why);
    }
    for sentences in same.values_mut() {
        sentences.sort_unstable();
        sentences.dedup();
    }
    let ordinal = |key: &str, finding: &Finding| {
        let sentences = same.get(key);
        sentences.and_then(|all| all.binary_search(&finding.why.as_str()).ok())
    };
    let pairs = keys.iter().zip(findings);
    pairs
        .map(|(key, finding)| match ordinal(key, finding) {
            None | Some(0) => fingerprints(key),
            Some(n) => fingerprints(&format!("{key}\0{n}")),
        })
        .collect()
}

fn key(target: &Target, paths: &[String], finding: &Finding) -> String {
    let path = |id: Option<ioalign_core::LayerId>| {
        let path = id.and_then(|id| paths.get(id.0));
        path.map_or("", String::as_str)
    };
    let grid = finding.grid.and_then(|index| target.stack.grids.get(index));
    let grid = grid.map(|grid| format!("{}:{}", grid.kind, grid.size.get()));
    let parts = [
        finding.rule,
        &target.name,
        path(finding.layer),
        path(finding.guilty),
        grid.as_deref().unwrap_or_default(),
    ];
    parts.join("\0")
}

fn fingerprints(key: &str) -> BTreeMap<&'static str, String> {
    let hash = format!("{:016x}", fnv1a(key));
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
    use ioalign_core::Severity;

    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn unequal_findings_differ_and_equal_ones_do_not_in_any_order() {
        let finding = |why: &str| Finding::new("gpt-entry-impossible", Severity::Broken, why);
        let (a, b) = (finding("entry 1"), finding("entry 2"));
        let target = Target::default();
        let one = all(&target, &[&a, &b]);
        let other = all(&target, &[&b, &a]);
        assert_ne!(one[0], one[1]);
        assert_eq!((&one[0], &one[1]), (&other[1], &other[0]));
        assert_eq!(all(&target, &[&a, &a])[0], all(&target, &[&a, &a])[1]);
    }
}

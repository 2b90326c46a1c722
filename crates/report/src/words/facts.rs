//! Which of the facts about a layer help to judge it; the others are for JSON and `-v`.

use ioalign_core::layer::detail::Facts;
use ioalign_core::{Bytes, Kind, Layer};

use super::clean;

/// The facts of a kind that help to judge, in the order of their importance.
const fn helpful(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Disk => &[
            "model",
            "transport",
            "rotational",
            "zoned",
            "format",
            "variant",
            "table",
            "alignment-offset",
        ],
        Kind::Image => &["format", "variant", "cluster", "subcluster", "compressed"],
        Kind::Partition => &["label", "type-name", "type"],
        Kind::Md => &["level", "chunk", "raid-disks", "degraded", "table"],
        Kind::LvmPv => &["group", "pe-start", "extent", "extent-size"],
        Kind::LvmLv => &["segment", "stripe", "pool"],
        Kind::ThinPool => &["chunk", "block"],
        Kind::Crypt => &["format", "cipher", "data-offset", "integrity"],
        Kind::Bcache => &["bucket", "data-offset"],
        Kind::Volume => &["type", "target", "role"],
        Kind::Filesystem => &[
            "label",
            "mounted",
            "ashift",
            "log-sunit",
            "stripe",
            "bigalloc-cluster",
            "vdev-type",
            "external-journal",
        ],
        Kind::Swap => &["label", "mounted"],
        Kind::Database => &["page-size", "wal-page", "torn-page-protection"],
        Kind::File => &["path", "extents"],
    }
}

/// The facts that help to judge, as phrases.
pub fn telling(layer: &Layer) -> Vec<String> {
    let facts = layer.all_facts();
    let helpful = helpful(layer.kind).iter();
    let phrases = helpful.filter_map(|key| phrase(&facts, key, facts.get(key)?));
    phrases.collect()
}

/// The facts that help to judge, without the words that their values make clear.
pub fn brief(layer: &Layer) -> Vec<String> {
    let facts = layer.all_facts();
    let phrases = helpful(layer.kind).iter().filter_map(|key| {
        let value = facts.get(key)?;
        match (*key, value.as_str()) {
            ("table", "dos") => Some("MBR".to_owned()),
            ("table", "gpt") => Some("GPT".to_owned()),
            ("type", _) if facts.contains_key("type-name") => None,
            // The volumes show where they lie.
            ("pe-start" | "extent" | "extent-size", _) => None,
            ("format" | "variant" | "transport" | "type-name", value) => Some(clean(value)),
            ("label", label) => Some(format!("“{}”", clean(label))),
            (key, value) => phrase(&facts, key, value),
        }
    });
    phrases.collect()
}

/// Every fact as it was read, in alphabetical order.
pub fn all(layer: &Layer) -> Vec<String> {
    let facts = layer.all_facts();
    facts
        .iter()
        .map(|(key, value)| format!("{key} {}", clean(value)))
        .collect()
}

/// One fact in a few words; `None` where it goes without saying.
fn phrase(facts: &Facts, key: &str, value: &str) -> Option<String> {
    let value = clean(value);
    match (key, value.as_str()) {
        ("degraded" | "alignment-offset", "0") | ("zoned", "none") => None,
        // A virtual disk reports to rotate on any storage.
        ("rotational", "yes") => {
            (facts.get("transport")? != "virtio").then(|| "rotating".to_owned())
        }
        ("rotational", "no") => Some("flash".to_owned()),
        // The number of a type says nothing that its name does not.
        ("type", _) if facts.contains_key("type-name") => None,
        ("type-name", name) => Some(format!("type {name}")),
        ("level" | "model" | "cipher", name) => Some(name.to_owned()),
        ("raid-disks", count) => Some(format!("{count} disks")),
        ("mounted", place) => Some(format!("mounted on {place}")),
        ("chunk" | "alignment-offset" | "data-offset", number) => {
            let bytes = number.parse().map(Bytes::new);
            Some(bytes.map_or_else(
                |_| format!("{key} {number}"),
                |size| format!("{key} {size}"),
            ))
        }
        (_, value) => Some(format!("{key} {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn housekeeping_is_left_out() {
        let md = Layer::new(Kind::Md, "md0")
            .fact("chunk", "65536")
            .fact("level", "raid5")
            .fact("degraded", "0")
            .fact("uuid", "40379d9a");
        assert_eq!(telling(&md), ["raid5", "chunk 64 KiB"]);
        assert_eq!(all(&md).len(), 4);
    }
}

//! `qemu-img info`, for people or as JSON: format, virtual size and cluster of an image, in bytes.

use ioalign_core::{Bytes, Kind};
use serde_json::{Map, Value};

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{json, sizes};
use crate::error::Result;

/// `qemu-img info --output=json`.
pub const FORMAT: TextFormat = TextFormat {
    name: "qemu-img-info",
    command: "qemu-img info --output=json",
    sniff: |text| {
        text.any(|line| line.contains("\"virtual-size\"") || virtual_size(line).is_some())
    },
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text, "\"virtual-size\"") {
        // `--backing-chain` gives an array.
        let chain = document.as_array();
        let images = chain.map_or(std::slice::from_ref(&document), Vec::as_slice);
        images.iter().for_each(|image| tell(image, evidence));
    }
    read_words(text, evidence);
    Ok(())
}

/// `virtual size: 20 GiB (21474836480 bytes)`.
fn virtual_size(line: &str) -> Option<u64> {
    let (_, bytes) = line.trim().strip_prefix("virtual size:")?.split_once('(')?;
    sizes::whole(bytes.strip_suffix(" bytes)")?)
}

/// One image after the other, each from its `image:`.
fn read_words(text: &Text, evidence: &mut TextEvidence) {
    let mut image = Map::new();
    for line in text.lines().map(str::trim) {
        let put = |image: &mut Map<String, Value>, key: &str, value: &str| {
            image.insert(key.to_owned(), Value::from(value.trim()));
        };
        if let Some(name) = line.strip_prefix("image: ") {
            tell(&Value::Object(std::mem::take(&mut image)), evidence);
            put(&mut image, "filename", name);
        } else if let Some(size) = virtual_size(line) {
            image.insert("virtual-size".to_owned(), Value::from(size));
        } else if let Some(format) = line.strip_prefix("file format: ") {
            put(&mut image, "format", format);
        } else if let Some(cluster) = line.strip_prefix("cluster_size: ") {
            put(&mut image, "cluster-size", cluster);
        } else if let Some(backing) = line.strip_prefix("backing file: ") {
            let path = backing.split(" (actual path").next().unwrap_or(backing);
            put(&mut image, "backing-filename", path);
        }
    }
    tell(&Value::Object(image), evidence);
}

fn tell(image: &Value, evidence: &mut TextEvidence) {
    let Some(size) = json::number(image, "virtual-size") else {
        return;
    };
    let said = evidence.device(json::text(image, "filename").unwrap_or("image"));
    said.kind = Some(Kind::Image);
    said.size = Some(Number::exact(size));
    said.block = json::number(image, "cluster-size").map(Bytes::new);
    for (key, fact) in [("format", "format"), ("backing-filename", "backing")] {
        let value = json::text(image, key).map(str::to_owned);
        said.facts.extend(value.map(|value| (fact, value)));
    }
}

//! `qemu-img info --output=json`: format, virtual size and cluster of an image, in bytes.

use ioalign_core::{Bytes, Kind};
use serde_json::Value;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::json;
use crate::error::Result;

/// `qemu-img info --output=json`.
pub const FORMAT: TextFormat = TextFormat {
    name: "qemu-img-info",
    command: "qemu-img info --output=json",
    sniff: |text| text.any(|line| line.contains("\"virtual-size\"")),
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text, "\"virtual-size\"") {
        // `--backing-chain` gives an array.
        let chain = document.as_array();
        let images = chain.map_or(std::slice::from_ref(&document), Vec::as_slice);
        images.iter().for_each(|image| tell(image, evidence));
    }
    Ok(())
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

//! `fdasd -p`: partitions of an ECKD DASD, counted in tracks.

use std::num::NonZeroU64;

use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{names, partition, sector, sizes};
use crate::error::Result;

/// `fdasd -p`.
pub const FORMAT: TextFormat = TextFormat {
    name: "fdasd",
    command: "fdasd -p",
    sniff: |text| text.any(|line| is_rule(line) || row(line).is_some()),
    read,
};

/// `------ tracks ------`, the line over the table.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("--") && line.trim_matches(['-', ' ']) == "tracks"
}

/// `/dev/dasda1   2   10000   9999   1  Linux native`: name, first track, last track, tracks.
fn row(line: &str) -> Option<(&str, u64, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, start, end, length, ..] = words.as_slice() else {
        return None;
    };
    let name = name
        .strip_prefix("/dev/")
        .filter(|name| name.starts_with("dasd"))?;
    let (start, end) = (sizes::whole(start)?, sizes::whole(end)?);
    (end.checked_sub(start)?.checked_add(1)? == sizes::whole(length)?).then_some((name, start, end))
}

/// Blocks a track and bytes a block, as the lines before the table state them.
#[derive(Default)]
struct Track {
    blocks: Option<u64>,
    bytes: Option<u64>,
}

impl Track {
    /// `  blocks per track .....: 12`.
    fn take(&mut self, line: &str) {
        let Some((key, value)) = line.split_once(':') else {
            return;
        };
        let value = sizes::whole(value.trim());
        match key.trim_end_matches(['.', ' ']).trim() {
            "blocks per track" => self.blocks = value,
            "bytes per block" => self.bytes = value,
            _ => {}
        }
    }

    fn length(&self) -> Option<NonZeroU64> {
        NonZeroU64::new(self.blocks?.checked_mul(self.bytes?)?)
    }
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut track = Track::default();
    let mut last = "";
    for line in text.lines() {
        track.take(line);
        let Some((name, start, end)) = row(line) else {
            continue;
        };
        let (disk, number) = names::split(name).unwrap_or((name, 0));
        if disk != last {
            last = disk;
            let said = super::disk(evidence, disk);
            said.kind = Some(Kind::Disk);
            said.sector = track.bytes.and_then(sector);
            said.claims = track.bytes.map(|bytes| crate::host::hints::Claims {
                logical: Some(bytes),
                physical: Some(bytes),
                ..super::claims(disk)
            });
        }
        let bytes = |tracks: u64| {
            let all = tracks.checked_mul(track.length()?.get())?;
            Some(Number::exact(all))
        };
        let said = partition(evidence, disk, name);
        said.number = Some(number);
        said.sector = track.bytes.and_then(sector);
        // Without the length of a track the place stays unknown.
        said.start = bytes(start);
        said.size = bytes(end - start + 1);
    }
    Ok(())
}

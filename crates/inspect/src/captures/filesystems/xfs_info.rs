//! `xfs_info`, `xfs_growfs -n` and what `mkfs.xfs` prints. Here `sunit` and `swidth` count blocks of
//! the file system; as options of mkfs.xfs they count 512 bytes (rear#2777).

use ioalign_core::Bytes;
use ioalign_core::layer::RaidGeometry;

use crate::captures::reading::leading;
use crate::captures::reading::subject::Subject;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::fields::{power_of_two, product};
use crate::filesystems::xfs::bogus_geometry;

/// `xfs_info DEVICE` and `mkfs.xfs`.
pub const FORMAT: TextFormat = TextFormat {
    name: "xfs-info",
    command: "xfs_info",
    sniff: |text| text.any(|line| begins(line).is_some()),
    read,
};

/// The lines of one output by their section: `meta-data`, `data`, `log`.
#[derive(Default)]
struct XfsInfo<'a> {
    device: String,
    section: &'a str,
    /// Section, name and value, as they stand.
    values: Vec<(&'a str, &'a str, &'a str)>,
}

/// Values of one output; there are about forty.
const MOST_VALUES: usize = 256;
const SECTIONS: [&str; 5] = ["meta-data", "data", "naming", "log", "realtime"];

/// The device of `meta-data=/dev/sda1`.
fn begins(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("meta-data")?;
    rest.trim_start()
        .strip_prefix('=')?
        .split_whitespace()
        .next()
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut subject = Subject::new(text, &["xfs_info", "mkfs.xfs", "xfs_growfs"]);
    let mut open: Option<XfsInfo<'_>> = None;
    for line in text.lines() {
        if let Some(device) = begins(line) {
            close(open.take(), evidence);
            let known = subject.take();
            // It begins with the device, unless the file system was asked by its mount point.
            let device = if device.contains('=') {
                known
            } else {
                device.to_owned()
            };
            let section = "meta-data";
            open = Some(XfsInfo {
                device,
                section,
                ..XfsInfo::default()
            });
        }
        let goes_on = open.as_mut().map(|output| values(output, line));
        match goes_on {
            Some(true) => {}
            Some(false) => close(open.take(), evidence),
            None => {
                subject.see(line);
            }
        }
    }
    close(open, evidence);
    Ok(())
}

/// Takes the values of a line; `false` when it belongs to the output no more.
fn values<'a>(output: &mut XfsInfo<'a>, line: &'a str) -> bool {
    let Some((section, rest)) = line.split_once('=') else {
        return false;
    };
    match section.trim() {
        "" => {}
        name => match SECTIONS.iter().find(|known| **known == name) {
            Some(known) => output.section = known,
            None => return false,
        },
    }
    for word in rest.split([' ', ',']) {
        if let Some((name, value)) = word.split_once('=')
            && output.values.len() < MOST_VALUES
        {
            output.values.push((output.section, name, value));
        }
    }
    true
}

impl XfsInfo<'_> {
    fn number(&self, section: &str, name: &str) -> Option<u64> {
        let found = self
            .values
            .iter()
            .find(|(s, n, _)| *s == section && *n == name)?;
        leading(found.2)
    }
}

fn close(output: Option<XfsInfo<'_>>, evidence: &mut TextEvidence) {
    let Some(output) = output else { return };
    let Some(block) = output
        .number("data", "bsize")
        .filter(|b| power_of_two(*b, 512, 65536))
    else {
        return;
    };
    let sector = output
        .number("meta-data", "sectsz")
        .filter(|s| power_of_two(*s, 512, 32768));
    let mut found = FileSystem {
        kind: "xfs",
        block: Some(Bytes::new(block)),
        sector: sector.map(Bytes::new),
        size: output
            .number("data", "blocks")
            .and_then(|count| product(count, block)),
        geometry: geometry(&output, block),
        ..FileSystem::default()
    };
    let mut add = |key, bytes: Option<Bytes>| {
        if let Some(bytes) = bytes.filter(|bytes| !bytes.is_zero()) {
            found.facts.insert(key, bytes.to_string());
        }
    };
    let blocks = |section, name| product(output.number(section, name)?, block);
    add("log-sunit", blocks("log", "sunit"));
    add("log-sector", output.number("log", "sectsz").map(Bytes::new));
    add("allocation-group", blocks("meta-data", "agsize"));
    found.remarks.extend(bogus_geometry(&found));
    evidence.device(&output.device).filesystem = Some(found);
}

fn geometry(output: &XfsInfo<'_>, block: u64) -> Option<RaidGeometry> {
    let (unit, width) = (
        output.number("data", "sunit")?,
        output.number("data", "swidth")?,
    );
    if unit == 0 && width == 0 {
        return None;
    }
    Some(RaidGeometry {
        unit: product(unit, block)?,
        width: product(width, block)?,
    })
}

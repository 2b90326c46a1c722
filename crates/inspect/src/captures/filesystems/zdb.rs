//! `zdb -C`: the configuration of pools. Each top-level vdev has its ashift, each leaf a path.

use ioalign_core::Bytes;

use crate::captures::reading::pair;
use crate::captures::{Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::filesystems::FileSystem;
use crate::filesystems::fields::shifted;

/// `zdb -C`, `zdb -l`.
pub const FORMAT: TextFormat = TextFormat {
    name: "zdb",
    command: "zdb -C",
    sniff: |text| {
        text.any(|line| line.trim() == "vdev_tree:")
            && text.any(|line| value(line, "ashift").is_some())
    },
    read,
};

/// Real trees have six levels.
const MOST_DEPTH: usize = 16;
const LARGEST_ASHIFT: u32 = 16;

/// A vdev that is being read, by its indentation.
#[derive(Default)]
struct Vdev {
    indent: usize,
    kind: String,
    ashift: Option<u32>,
    parity: Option<u64>,
    path: Option<String>,
}

/// `key: value` or `key: 'value'` or, in old ones, `key=value`.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (name, value) = pair(line).or_else(|| line.trim().split_once('='))?;
    (name == key).then(|| value.trim_matches('\''))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut reader = ZdbReader {
        pool: String::new(),
        open: Vec::new(),
        evidence,
    };
    for line in text.lines() {
        reader.line(line);
    }
    reader.close(0);
    Ok(())
}

struct ZdbReader<'a> {
    pool: String,
    open: Vec<Vdev>,
    evidence: &'a mut TextEvidence,
}

impl ZdbReader<'_> {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if text.is_empty() {
            return;
        }
        let indent = line.len() - text.len();
        self.close(indent);
        let begins =
            text == "vdev_tree:" || (text.starts_with("children[") && text.ends_with("]:"));
        if begins && self.open.len() < MOST_DEPTH {
            self.open.push(Vdev {
                indent,
                ..Vdev::default()
            });
        } else if let Some(vdev) = self.open.last_mut() {
            field(vdev, text);
        } else if let Some(name) = value(text, "name") {
            name.clone_into(&mut self.pool);
        }
    }

    /// Vdevs that do not reach over a line at `indent` are complete.
    fn close(&mut self, indent: usize) {
        while self.open.last().is_some_and(|vdev| vdev.indent >= indent) {
            let Some(vdev) = self.open.pop() else { return };
            self.leaf(&vdev);
        }
    }

    fn leaf(&mut self, vdev: &Vdev) {
        let Some(path) = &vdev.path else { return };
        let chain = || std::iter::once(vdev).chain(self.open.iter().rev());
        let Some(top) = chain().find(|each| each.ashift.is_some()) else {
            return;
        };
        let ashift = top.ashift.unwrap_or(0);
        let mut found = FileSystem {
            kind: "zfs",
            block: shifted(ashift, 9, LARGEST_ASHIFT).map(Bytes::new),
            data_start: Bytes::new(4 << 20),
            label: self.pool.clone(),
            ashift: Some(ashift),
            ..FileSystem::default()
        };
        found.facts.insert("vdev-type", top.kind.clone());
        if let Some(parity) = top.parity {
            found.facts.insert("nparity", parity.to_string());
        }
        self.evidence.device(path).filesystem = Some(found);
    }
}

fn field(vdev: &mut Vdev, text: &str) {
    if let Some(kind) = value(text, "type") {
        kind.clone_into(&mut vdev.kind);
    } else if let Some(shift) = value(text, "ashift") {
        vdev.ashift = shift.parse().ok();
    } else if let Some(parity) = value(text, "nparity") {
        vdev.parity = parity.parse().ok();
    } else if let Some(path) = value(text, "path") {
        vdev.path = Some(path.to_owned());
    }
}

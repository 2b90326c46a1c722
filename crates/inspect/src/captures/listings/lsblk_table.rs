//! `lsblk`, `lsblk -t`, `lsblk -o …`: a table with a tree of glyphs before the names.

use super::super::{Text, TextEvidence, TextFormat};
use super::columns::TableHeader;
use super::lsblk::{LsblkNode, tell};
use crate::error::Result;

/// `lsblk -t`.
pub const FORMAT: TextFormat = TextFormat {
    name: "lsblk",
    command: "lsblk -t",
    sniff: |text| text.any(is_header),
    read,
};

/// Columns that tell a header of lsblk from those of zpool, docker and their like.
const OURS: &[&str] = &[
    "MAJ:MIN",
    "ALIGNMENT",
    "MIN-IO",
    "OPT-IO",
    "PHY-SEC",
    "LOG-SEC",
    "START",
    "PKNAME",
    "FSTYPE",
    "MOUNTPOINTS",
];

fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let named = |word: &str| matches!(word, "NAME" | "KNAME" | "PATH");
    let upper = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_uppercase() || "-:%".contains(c))
    };
    words.next().is_some_and(named)
        && words.clone().all(upper)
        && words.any(|word| OURS.contains(&word))
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut header = None;
    let mut nodes = Vec::new();
    for line in text.lines() {
        if is_header(line) {
            tell(&nodes, evidence);
            nodes.clear();
            header = Some(TableHeader::new(line));
        } else if line.trim().is_empty() {
            header = None;
        } else if let Some(own) = &header {
            match node(own, line) {
                Some(node) if !node.is_device() => header = None,
                node => nodes.extend(node),
            }
        }
    }
    tell(&nodes, evidence);
    Ok(())
}

/// A row; lines that hold only a further mount point are none.
fn node(header: &TableHeader, line: &str) -> Option<LsblkNode> {
    let glyphs = line
        .chars()
        .take_while(|c| " \t│├└─|`-+".contains(*c))
        .count();
    let indent = header.indent().min(glyphs);
    let bare = pulled(line, indent, glyphs);
    let first = bare.split_whitespace().next()?;
    let mount = first.starts_with('[') || first.starts_with('/') && !first.starts_with("/dev/");
    if mount {
        return None;
    }
    let mut node = LsblkNode {
        depth: (glyphs - indent).div_ceil(2),
        ..LsblkNode::default()
    };
    let cells = header.cells(&bare);
    let slid = cells.iter().any(|(key, cell)| !fits(key, cell));
    for (index, (key, cell)) in cells.into_iter().enumerate() {
        node.insert(key, if slid && index > 0 { "" } else { cell });
    }
    (node.keys.len() > 1).then_some(node)
}

/// Whether a cell may be one of its column: with the padding collapsed, a model of two words and an empty START make
/// a row of the right length.
fn fits(column: &str, cell: &str) -> bool {
    let number = cell.trim().parse::<u64>().ok();
    match column {
        "PHY-SEC" | "LOG-SEC" => {
            number.is_some_and(|bytes| bytes.is_power_of_two() && bytes >= 512)
        }
        "START" | "MIN-IO" => number.is_some(),
        _ => true,
    }
}

/// The row with its name pulled to the left over the glyphs; the rest stays where it is.
fn pulled(line: &str, indent: usize, glyphs: usize) -> String {
    let rest: String = line.chars().skip(glyphs).collect();
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, tail) = rest.split_at_checked(end).unwrap_or((&rest, ""));
    let (before, gap) = (" ".repeat(indent), " ".repeat(glyphs - indent));
    format!("{before}{name}{gap}{tail}")
}

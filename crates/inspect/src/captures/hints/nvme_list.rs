//! `nvme list`, as text and as JSON of both generations: models, sizes, formats in use.

use ioalign_core::SectorSize;
use serde_json::Value;

use crate::captures::reading::json;
use crate::captures::{Number, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};

/// `nvme list`, also `-o json` and `-v`.
pub const FORMAT: TextFormat = TextFormat {
    name: "nvme-list",
    command: "nvme list",
    sniff: |text| {
        text.any(is_heading)
            || (text.any(|line| line.contains("\"SectorSize\""))
                && text.any(|line| line.contains("\"Devices\"")))
    },
    read,
};

/// Devices, subsystems, controllers, namespaces: four levels.
const MOST_DEPTH: usize = 8;

fn is_heading(line: &str) -> bool {
    let has = |word: &str| line.split_whitespace().any(|each| each == word);
    line.trim_start().starts_with("Node") && has("Model") && has("Format")
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    for document in json::documents(text) {
        if document.get("Devices").is_some() {
            walk(&document, "", 0, evidence);
        }
    }
    table(text, evidence);
    Ok(())
}

/// Everything below with a sector size and a name; the model may stand at the controller.
fn walk(value: &Value, model: &str, depth: usize, evidence: &mut TextEvidence) {
    if depth > MOST_DEPTH {
        return;
    }
    let own = json::word(value, "ModelNumber").or_else(|| json::word(value, "Model"));
    let model = own.as_deref().unwrap_or(model);
    let name = json::word(value, "DevicePath").or_else(|| json::word(value, "NameSpace"));
    if let (Some(name), Some(sector)) = (name, json::number(value, "SectorSize")) {
        add(
            &name,
            model,
            sector,
            json::number(value, "PhysicalSize"),
            evidence,
        );
    }
    // Namespaces of a controller that also hangs at the subsystem are said twice, which is no harm.
    let children = value
        .as_object()
        .into_iter()
        .flat_map(|object| object.values());
    for child in children.chain(value.as_array().into_iter().flatten()) {
        if child.is_array() || child.is_object() {
            walk(child, model, depth + 1, evidence);
        }
    }
}

fn add(name: &str, model: &str, sector: u64, bytes: Option<u64>, evidence: &mut TextEvidence) {
    let Some(sector) = u32::try_from(sector).ok().and_then(SectorSize::new) else {
        return;
    };
    let said = evidence.device(name);
    said.sector = Some(sector);
    said.size = bytes.filter(|bytes| *bytes != 0).map(Number::exact);
    said.claims = Some(Claims {
        logical: Some(u64::from(sector.get())),
        model: model.to_owned(),
        transport: Transport::Nvme,
        ..Claims::default()
    });
}

/// The dashes below the headings are as wide as the columns.
fn table(text: &Text, evidence: &mut TextEvidence) {
    let mut heading: Option<&str> = None;
    let mut columns: Vec<(String, usize, usize)> = Vec::new();
    for line in text.lines() {
        if is_heading(line) {
            heading = Some(line);
            columns.clear();
        } else if let Some(head) = heading.take_if(|_| line.starts_with("---")) {
            columns = spans(line)
                .into_iter()
                .map(|(from, to)| (cut(head, from, to).to_owned(), from, to))
                .collect();
        } else if line.starts_with("/dev/") {
            row(line, &columns, evidence);
        }
    }
}

/// Runs of dashes, in characters.
fn spans(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in line.chars().chain([' ']).enumerate() {
        match (c == '-', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn cut(line: &str, from: usize, to: usize) -> &str {
    let place = |n: usize| line.char_indices().nth(n).map_or(line.len(), |(at, _)| at);
    line.get(place(from)..place(to)).unwrap_or_default().trim()
}

fn row(line: &str, columns: &[(String, usize, usize)], evidence: &mut TextEvidence) {
    let cell = |name: &str| {
        let column = columns.iter().find(|(heading, _, _)| heading == name)?;
        Some(cut(line, column.1, column.2))
    };
    let (Some(node), Some(format)) = (cell("Node"), cell("Format")) else {
        return;
    };
    // `512   B +  0 B`, `4 KiB +  0 B`; the sizes of the column Usage are rounded and left out.
    let mut words = format.split_whitespace();
    let count: Option<u64> = words.next().and_then(|word| word.parse().ok());
    let unit = match words.next() {
        Some("B") => 1,
        Some("KiB") => 1 << 10,
        _ => return,
    };
    if let Some(sector) = count.and_then(|count| count.checked_mul(unit)) {
        add(
            node,
            cell("Model").unwrap_or_default(),
            sector,
            None,
            evidence,
        );
    }
}

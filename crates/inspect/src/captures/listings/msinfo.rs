//! Windows `msinfo32` reports: `Partition Starting Offset` in bytes, grouped in thousands.

use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{partition, sector, sizes};
use crate::error::Result;
use crate::host::hints::Claims;

/// `msinfo32`.
pub const FORMAT: TextFormat = TextFormat {
    name: "msinfo32",
    command: "msinfo32",
    sniff: |text| text.any(|line| line.trim().starts_with("Partition Starting Offset")),
    read,
};

/// The partition and disk that lines are about.
#[derive(Default)]
struct MsinfoState {
    model: String,
    logical: Option<u64>,
    place: Option<(u64, u64)>,
    size: Option<u64>,
    stated: Vec<u64>,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut state = MsinfoState::default();
    for line in text.lines().map(str::trim) {
        state.take(line, evidence);
    }
    Ok(())
}

/// What follows `key`, be it a tab or spaces.
fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

impl MsinfoState {
    fn take(&mut self, line: &str, evidence: &mut TextEvidence) {
        if let Some(model) = after(line, "Model") {
            model.clone_into(&mut self.model);
            self.logical = None;
        } else if let Some(bytes) = after(line, "Bytes/Sector") {
            self.logical = sizes::grouped(bytes);
        } else if let Some(start) = after(line, "Partition Starting Offset") {
            self.tell(sizes::grouped(start), evidence);
        } else if let Some(size) = after(line, "Partition Size") {
            self.size = size
                .split_once('(')
                .and_then(|(_, bytes)| sizes::grouped(bytes));
        } else if let Some(name) = after(line, "Partition") {
            self.size = None;
            self.place = match sizes::numbers(name).as_slice() {
                [disk, part] => Some((*disk, *part)),
                _ => None,
            };
        }
    }

    fn tell(&mut self, start: Option<u64>, evidence: &mut TextEvidence) {
        let Some((disk, part)) = self.place else {
            return;
        };
        let drive = format!("PhysicalDrive{disk}");
        if self.stated.last() != Some(&disk) {
            self.stated.push(disk);
            let said = evidence.device(&drive);
            said.kind = Some(Kind::Disk);
            said.sector = self.logical.and_then(sector);
            said.claims = self.logical.map(|logical| Claims {
                logical: Some(logical),
                model: self.model.clone(),
                ..Claims::default()
            });
        }
        let said = partition(
            evidence,
            &drive,
            &format!("Disk #{disk}, Partition #{part}"),
        );
        said.start = start.map(Number::exact);
        said.size = self.size.map(Number::exact);
        said.sector = self.logical.and_then(sector);
    }
}

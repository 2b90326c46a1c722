//! FreeBSD `gpart list`: providers with sizes, offset and stripe in bytes; the consumer is the disk.

use ioalign_core::layer::Kind;

use super::super::{Number, Text, TextEvidence, TextFormat};
use super::{claims, roles, sector, sizes};
use crate::error::Result;

/// `gpart list`.
pub const FORMAT: TextFormat = TextFormat {
    name: "gpart-list",
    command: "gpart list",
    sniff: |text| text.any(|line| line.trim_start().starts_with("Geom name: ")),
    read,
};

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut disk = String::new();
    let mut consumer = false;
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("Geom name: ") {
            name.trim().clone_into(&mut disk);
            open = false;
        } else if matches!(line, "Providers:" | "Consumers:") {
            consumer = line == "Consumers:";
        } else if let Some((_, name)) = line.split_once(". Name: ") {
            let said = evidence.device(name);
            open = true;
            said.kind = Some(if consumer {
                Kind::Disk
            } else {
                Kind::Partition
            });
            if consumer {
                said.claims = Some(claims(name));
            } else {
                said.parents.push(disk.clone());
            }
        } else if let Some(said) = evidence.devices.last_mut().filter(|_| open) {
            take(said, line);
        }
    }
    Ok(())
}

fn take(said: &mut super::Said, line: &str) {
    let Some((key, value)) = line.split_once(": ") else {
        return;
    };
    let number = sizes::numbers(value).first().copied();
    match key {
        "Mediasize" => said.size = number.map(Number::exact),
        "Sectorsize" => {
            said.sector = number.and_then(sector);
            said.claims
                .iter_mut()
                .for_each(|claims| claims.logical = number);
        }
        // GEOM calls the physical sector a stripe (`g_provider.stripesize`).
        "Stripesize" => said
            .claims
            .iter_mut()
            .for_each(|claims| claims.physical = number.filter(|n| *n != 0)),
        "offset" => said.start = number.map(Number::exact),
        "index" => said.number = number.and_then(|number| u32::try_from(number).ok()),
        "type" => {
            said.role = roles::words(value);
            said.type_id = Some(value.to_owned());
        }
        _ => {}
    }
}

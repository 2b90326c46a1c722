//! Logical drives of hardware controllers: which disk of the system each is.
//!
//! Some tools print the system's name, others know only their own numbers. One drive and one disk
//! belong together; where there are more, no text says which is which, and nothing is guessed.

use std::collections::BTreeSet;

use ioalign_core::{Remark, Severity};
use ioalign_core::{layer::Kind, rules};

use super::names;
use crate::captures::{Said, TextArray};

/// Gives logical drives the name of their disk; a drive without a known disk becomes a remark.
pub(super) fn tie(devices: &mut Vec<Said>) -> Vec<Remark> {
    let drives: BTreeSet<String> = devices
        .iter()
        .filter(|said| controlled(said).is_some() && is_own_number(&said.name))
        .map(|said| said.name.clone())
        .collect();
    let disks = disks(devices);
    match (drives.len(), disks.len()) {
        (0, _) | (_, 0) => return Vec::new(),
        (1, 1) => {
            for said in devices
                .iter_mut()
                .filter(|said| drives.contains(&said.name))
            {
                said.name.clone_from(&disks[0]);
            }
            return Vec::new();
        }
        _ => {}
    }
    let (loose, kept) = std::mem::take(devices)
        .into_iter()
        .partition(|said| drives.contains(&said.name));
    *devices = kept;
    loose.iter().filter_map(untied).collect()
}

fn controlled(said: &Said) -> Option<&TextArray> {
    said.array
        .as_ref()
        .filter(|array| array.controller.is_some())
}

/// `vd0`, `ld1`: the controller's number, not a name of the system.
fn is_own_number(name: &str) -> bool {
    ["vd", "ld"].iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|number| number.parse::<u32>().is_ok())
    })
}

/// SCSI disks that the texts speak of and that no controller's tool names.
fn disks(devices: &[Said]) -> Vec<String> {
    let scsi = |name: &String| name.starts_with("sd") || name.starts_with("cciss/");
    let own = devices
        .iter()
        .filter(|said| said.kind == Some(Kind::Disk))
        .map(|said| said.name.clone());
    let below = devices.iter().filter_map(|said| names::disk_of(&said.name));
    let tied: BTreeSet<_> = devices
        .iter()
        .filter(|said| controlled(said).is_some())
        .map(|said| &said.name)
        .collect();
    let found: BTreeSet<_> = own
        .chain(below)
        .filter(scsi)
        .filter(|name| !tied.contains(name))
        .collect();
    found.into_iter().collect()
}

fn untied(said: &Said) -> Option<Remark> {
    let array = controlled(said)?;
    let fact = |name: &str| {
        let found = said.facts.iter().find(|(key, _)| *key == name);
        found.map_or("?", |(_, value)| value.as_str())
    };
    let why = format!(
        "{} shows drive {} (level {}, strip {}, full stripe {}), and no text says which disk it is: its \
         stripe is not judged",
        array.controller?,
        said.name,
        fact("raid-level"),
        fact("strip"),
        fact("full-stripe"),
    );
    Some(
        Remark::new(rules::RAID_DRIVE_NOT_TIED, Severity::Note, why)
            .advise("Give the text of that disk alone, or name its stripe with --grid SIZE:full-stripe:preference"),
    )
}

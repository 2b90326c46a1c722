//! Members with different logical sectors: the array takes the largest, and what was made for
//! the smaller one does not mount any more.

use ioalign_core::{Bytes, Remark, Severity};

use super::build::Site;
use super::inventory::Block;

/// The remark for an array or volume whose members (spares included) disagree.
pub(super) fn remark(site: &Site<'_>, block: &Block) -> Option<Remark> {
    let mut members: Vec<(&str, Bytes)> = Vec::new();
    for name in site.inventory.below(&block.name) {
        let member = site.inventory.blocks.get(name)?;
        members.extend(site.logical(member).map(|sector| (name, sector)));
    }
    let least = members.iter().map(|(_, sector)| *sector).min()?;
    let (odd, most) = *members.iter().max_by_key(|(_, sector)| *sector)?;
    if least == most {
        return None;
    }
    let now = site.logical(block).unwrap_or(least);
    let list = |sector: Bytes| {
        let names = members
            .iter()
            .filter(|(_, s)| *s == sector)
            .map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(", ")
    };
    let (l, m) = (least.get(), most.get());
    let what = format!(
        "{} has {l}-byte and {} has {m}-byte sectors",
        list(least),
        list(most)
    );
    Some(if now < most {
        Remark::new(
            "mixed-logical-sectors",
            Severity::Broken,
            reassembly(&what, now, most),
        )
        .advise(format!(
            "Replace {odd} by a device with {l}-byte sectors, or format it so"
        ))
    } else {
        Remark::new(
            "mixed-logical-sectors",
            Severity::Broken,
            raised(&what, l, m),
        )
        .advise(format!(
            "Make file systems on it with {m}-byte sectors only"
        ))
    })
}

fn reassembly(what: &str, now: Bytes, most: Bytes) -> String {
    let (now, most) = (now.get(), most.get());
    format!(
        "Broken on reassembly: {what}; with all members active the logical sector goes \
         {now} → {most}, and a file system with {now}-byte sectors will not mount"
    )
}

fn raised(what: &str, least: u64, most: u64) -> String {
    format!(
        "{what}: the whole shows {most}, and a file system made with {least}-byte sectors does \
         not mount"
    )
}

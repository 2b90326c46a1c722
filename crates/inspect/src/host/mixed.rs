//! Members with different logical sectors: the array takes the largest, and what was made for
//! the smaller one does not mount any more.

use ioalign_core::{Bytes, Remark, Severity, rules};

use super::inventory::SysfsBlock;
use super::site::Site;

/// The remark for an array or volume whose members (spares included) disagree.
pub(super) fn remark(site: &Site<'_>, block: &SysfsBlock) -> Option<Remark> {
    let names = site.inventory.below(&block.name).into_iter();
    let members: Vec<(&str, Bytes)> = names
        .filter_map(|name| Some((name, site.logical(site.inventory.blocks.get(name)?)?)))
        .collect();
    judge(&members, site.logical(block))
}

/// The same for any set of members, by name and logical sector: a volume group, a btrfs.
///
/// `now` is the logical sector that the whole shows at present, where it shows one.
pub fn judge(members: &[(&str, Bytes)], now: Option<Bytes>) -> Option<Remark> {
    let least = members.iter().map(|(_, sector)| *sector).min()?;
    let (odd, most) = *members.iter().max_by_key(|(_, sector)| *sector)?;
    if least == most {
        return None;
    }
    let (l, m) = (least.get(), most.get());
    let what = format!(
        "members with {l}-byte sectors ({}) and with {m}-byte sectors ({})",
        names(members, least),
        names(members, most)
    );
    let now = now.unwrap_or(least);
    let (why, advice) = if now < most {
        let advice = format!("Replace {odd} by a device with {l}-byte sectors, or format it so");
        (reassembly(&what, now, most), advice)
    } else {
        let advice = format!("Make file systems on it with {m}-byte sectors only");
        (raised(&what, l, m), advice)
    };
    Some(Remark::new(rules::MIXED_LOGICAL_SECTORS, Severity::Broken, why).advise(advice))
}

/// The same for the physical volumes of a group, none of whose volumes spans both sorts yet.
pub fn judge_group(group: &str, members: &[(&str, Bytes)]) -> Option<Remark> {
    let least = members.iter().map(|(_, sector)| *sector).min()?;
    let (odd, most) = *members.iter().max_by_key(|(_, sector)| *sector)?;
    if least == most {
        return None;
    }
    let (l, m) = (least.get(), most.get());
    let why = format!(
        "Volume group {group} has physical volumes with {l}-byte sectors ({}) and with {m}-byte \
         sectors ({}): a volume that is extended or moved from the former to the latter changes its \
         logical sector {l} → {m}, and a file system with {l}-byte sectors does not mount any more",
        names(members, least),
        names(members, most)
    );
    let remark = Remark::new(rules::MIXED_LOGICAL_SECTORS, Severity::Broken, why);
    Some(remark.advise(format!(
        "Take {odd} out of the group (pvmove, vgreduce), or format it with {l}-byte sectors; newer LVM \
         refuses such a mix (devices/allow_mixed_block_sizes)"
    )))
}

fn names(members: &[(&str, Bytes)], sector: Bytes) -> String {
    let names = members.iter().filter(|(_, s)| *s == sector);
    names.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn reassembly(what: &str, now: Bytes, most: Bytes) -> String {
    let (now, most) = (now.get(), most.get());
    format!(
        "Broken on reassembly: {what}; with all of them active the logical sector goes \
         {now} → {most}, and a file system with {now}-byte sectors will not mount"
    )
}

fn raised(what: &str, least: u64, most: u64) -> String {
    format!(
        "It has {what}; the whole shows {most}, and a file system made with {least}-byte sectors does \
         not mount"
    )
}

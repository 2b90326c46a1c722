//! The version-0.90 superblock (`mdp_super_t`): 1024 words in the byte order of the machine that
//! made it, in the last 64 KiB-aligned 64 KiB of the device. Data start at byte 0.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use super::layout::{MdShape, layout_name, level_name};
use super::{DatedSuperblock, MAGIC, PlacedSuperblock, checksum};
use crate::error::Result;
use crate::view::{Record, View};
use crate::volumes::{Detail, Md, VolumeMember, owner};

/// `MD_RESERVED_BYTES`.
const RESERVED: u64 = 64 << 10;
/// `MD_SB_BYTES`.
const SIZE: usize = 4096;
/// The word that holds the checksum.
const CSUM: usize = 38;
/// The descriptor of the device that the superblock is on.
const THIS_DISK: usize = 992;
/// `MD_DISK_ACTIVE`, `MD_DISK_SYNC`.
const WORKING: u32 = 1 << 1 | 1 << 2;

/// Words of the superblock in their own byte order.
struct Words {
    record: Record,
    big_endian: bool,
}

impl Words {
    fn get(&self, index: usize) -> u32 {
        if self.big_endian {
            self.record.be32(4 * index)
        } else {
            self.record.le32(4 * index)
        }
    }

    /// Two words that form one number in the machine's own order.
    fn wide(&self, index: usize) -> u64 {
        if self.big_endian {
            self.record.be64(4 * index)
        } else {
            self.record.le64(4 * index)
        }
    }
}

/// The place of the superblock on a device of `len` bytes.
pub(crate) const fn offset(len: u64) -> Option<u64> {
    (len & !(RESERVED - 1)).checked_sub(RESERVED)
}

/// The superblock of `view`. This version does not say where it lies: when the last partition
/// of a disk is a member, the disk seems to be one too, unless its table is asked.
pub(super) fn read(view: &View) -> Result<Option<DatedSuperblock>> {
    let Some((words, at)) = at_end(view)? else {
        return Ok(None);
    };
    if owner::in_partition(view, at)? {
        return Ok(None);
    }
    Ok(Some(DatedSuperblock {
        member: member(&words, at),
        created: u64::from(words.get(6)),
    }))
}

/// The superblock at the place of one, whoever it belongs to, and the bytes of the device that its array uses;
/// `None` where it does not say that.
pub(crate) fn seen(view: &View) -> Result<Option<(PlacedSuperblock, Option<u64>)>> {
    let found = view.trying(at_end)?;
    Ok(found.map(|(words, at)| {
        let used = Some(used(&words).get()).filter(|used| *used > 0);
        let member = member(&words, at);
        (PlacedSuperblock { member, magic: at }, used)
    }))
}

fn at_end(view: &View) -> Result<Option<(Words, u64)>> {
    let Some(at) = offset(view.len()) else {
        return Ok(None);
    };
    let words = words(view, at)?;
    let of_version = |words: &Words| words.get(1) == 0 && matches!(words.get(2), 90 | 91);
    Ok(words.filter(of_version).map(|words| (words, at)))
}

fn words(view: &View, at: u64) -> Result<Option<Words>> {
    let Some(head) = view.try_record(at, 16)? else {
        return Ok(None);
    };
    let big_endian = head.be32(0) == MAGIC;
    if !big_endian && head.le32(0) != MAGIC {
        return Ok(None);
    }
    let record = view.record(at, SIZE)?;
    Ok(Some(Words { record, big_endian }))
}

fn member(words: &Words, at: u64) -> VolumeMember {
    let md = array(words);
    let mut member = VolumeMember::new("md", Detail::Md(md.clone()));
    let ids = [5, 13, 14, 15].map(|index| format!("{:08x}", words.get(index)));
    member.set = ids.join(":");
    member.data_size = Some(Bytes::new(at));
    facts(&mut member, words, &md, at);
    remark_checksum(&mut member, words);
    remark_space(&mut member, words, at);
    remark_reshape(&mut member, words, &md);
    member
}

fn array(words: &Words) -> Md {
    let level = words.get(7).cast_signed();
    let raid_disks = words.get(10);
    let chunk = match level {
        1 => Bytes::ZERO,
        _ => Bytes::new(u64::from(words.get(65))),
    };
    let shape = MdShape {
        level,
        layout: words.get(64),
        chunk,
        disks: raid_disks.min(disks_before(words)),
        used: used(words),
    };
    Md {
        version: "0.90",
        level,
        layout: shape.layout,
        chunk,
        raid_disks,
        slot: slot(words),
        array_size: shape.array_size(),
        new_data_start: None,
        events: events(words),
    }
}

/// The size field counts KiB.
fn used(words: &Words) -> Bytes {
    Bytes::new(u64::from(words.get(8)) * 1024)
}

fn slot(words: &Words) -> Option<u32> {
    let (slot, state) = (words.get(THIS_DISK + 3), words.get(THIS_DISK + 4));
    (state & WORKING != 0 && slot < words.get(10)).then_some(slot)
}

/// The halves are ordered so that they form one number on the machine that wrote them.
fn events(words: &Words) -> u64 {
    words.wide(39)
}

/// Minor version 91 marks a reshape in progress.
fn disks_before(words: &Words) -> u32 {
    let now = words.get(10);
    if words.get(2) != 91 {
        return now;
    }
    let delta = words.get(47).cast_signed();
    u32::try_from(i64::from(now) - i64::from(delta)).unwrap_or(now)
}

fn facts(member: &mut VolumeMember, words: &Words, md: &Md, at: u64) {
    member.fact("level", &level_name(md.level));
    let layout = layout_name(md.level, md.layout);
    if !layout.is_empty() {
        member.fact("layout", &layout);
    }
    member.fact("superblock", &Bytes::new(at));
    if !used(words).is_zero() {
        member.fact("used-size", &used(words));
    }
    let order = if words.big_endian {
        "big-endian"
    } else {
        "little-endian"
    };
    member.fact("byte-order", &order);
    match md.slot {
        Some(slot) => member.fact("role", &format!("active device {slot}")),
        None => member.fact("role", &"spare"),
    }
}

fn remark_checksum(member: &mut VolumeMember, words: &Words) {
    let stored = words.get(CSUM);
    let computed = checksum(words.record.bytes(), 4 * CSUM, words.big_endian);
    if stored != computed {
        let why = format!("md superblock checksum is {stored:08x}, its bytes give {computed:08x}");
        let remark = Remark::new(rules::MD_CHECKSUM, Severity::Broken, why).malformed();
        let at = words.record.offset(4 * CSUM);
        member.remarks.push(remark.at(at, "sb_csum"));
    }
}

fn remark_space(member: &mut VolumeMember, words: &Words, at: u64) {
    let used = used(words).get();
    if used > at {
        let why = format!("md uses {used} bytes of this device, the superblock lies at byte {at}");
        member
            .remarks
            .push(Remark::new(rules::MD_DATA_PAST_END, Severity::Broken, why));
    }
}

fn remark_reshape(member: &mut VolumeMember, words: &Words, md: &Md) {
    if words.get(2) != 91 {
        return;
    }
    let why = format!(
        "A reshape has reached byte {} of the array: {} to {} devices, chunk {} to {}; alignment \
         changes when it is done",
        words.wide(44).saturating_mul(512),
        disks_before(words),
        md.raid_disks,
        md.chunk,
        Bytes::new(u64::from(words.get(49)))
    );
    member.remarks.push(Remark::note(rules::MD_RESHAPE, why));
}

#[cfg(test)]
mod tests {
    use super::offset;

    #[test]
    fn version_0_90_lies_64_to_128_kib_before_the_end() {
        assert_eq!(offset(1 << 20), Some((1 << 20) - 65536));
        assert_eq!(offset((1 << 20) + 65535), Some((1 << 20) - 65536));
        assert_eq!(offset(65536), Some(0));
        assert_eq!(offset(65535), None);
    }
}

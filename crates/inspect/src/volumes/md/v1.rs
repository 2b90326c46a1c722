//! The version-1 superblock (`struct mdp_superblock_1`), little-endian, offsets in 512-byte units.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{Severity, rules};

use super::layout::{MdShape, layout_name, level_name};
use super::{DatedSuperblock, MAGIC, checksum};
use crate::error::Result;
use crate::view::{Record, View};
use crate::volumes::{Detail, Md, UNIT, VolumeMember};

/// Bytes before the table of roles.
const FIXED: usize = 256;
/// The place of the checksum.
const CSUM: usize = 216;
/// Roles that fit in the 4 KiB that a superblock may take; the kernel's limit too.
const MOST_ROLES: usize = (4096 - FIXED) / 2;
/// `MD_DISK_ROLE_MAX`: roles above it are spare, faulty or journal.
const ROLE_MAX: u16 = 0xff00;
const ROLE_JOURNAL: u16 = 0xfffd;
const ROLE_FAULTY: u16 = 0xfffe;
const ROLE_SPARE: u16 = 0xffff;

const BITMAP: u32 = 1;
const RESHAPE: u32 = 4;
const NEW_OFFSET: u32 = 64;
const JOURNAL: u32 = 512;
const PPL: u32 = 1024 | 2048;

/// Where version 1.0 puts its superblock on a device of `len` bytes: at least 8 KiB before the
/// end, on a 4 KiB boundary (kernel `super_1_load`).
pub(super) const fn end_offset(len: u64) -> Option<u64> {
    match (len / 512).checked_sub(16) {
        Some(sector) => Some((sector & !7) * 512),
        None => None,
    }
}

/// The superblock at `at`, if one says that it belongs exactly there. One that names another
/// place is seen through a wider window: a partition's, seen from the disk.
pub(super) fn read(view: &View, at: u64, version: &'static str) -> Result<Option<DatedSuperblock>> {
    let Some(record) = view.try_record(at, FIXED)? else {
        return Ok(None);
    };
    let here = record.le64(144).checked_mul(512) == Some(at);
    if record.le32(0) != MAGIC || record.le32(4) != 1 || !here {
        return Ok(None);
    }
    let roles = usize::try_from(record.le32(220)).unwrap_or(usize::MAX);
    if roles > MOST_ROLES {
        return Err(record.bad(220, "max_dev", format!("{roles} roles do not fit in 4 KiB")));
    }
    let whole = view.record(at, FIXED + 2 * roles)?;
    let created = whole.le64(64) & ((1 << 40) - 1);
    let member = member(view, &whole, at, version)?;
    Ok(Some(DatedSuperblock { member, created }))
}

fn member(view: &View, record: &Record, at: u64, version: &'static str) -> Result<VolumeMember> {
    let data_start = bytes(record, 128, "data_offset")?;
    let data_size = bytes(record, 136, "data_size")?;
    let role = role(record);
    let md = array(record, version, data_start, role)?;
    let mut member = VolumeMember::new("md", Detail::Md(md.clone()));
    member.set = uuid(record, 16);
    member.name = record.text(32, 32);
    member.data_start = data_start;
    member.data_size = Some(data_size);
    facts(&mut member, record, &md, at, role);
    remark_checksum(&mut member, record);
    remark_space(&mut member, view, at);
    remark_reshape(&mut member, record, &md);
    Ok(member)
}

fn array(record: &Record, version: &'static str, start: Bytes, role: u16) -> Result<Md> {
    let level = record.le32(72).cast_signed();
    let used = bytes(record, 80, "size")?;
    let chunk = match level {
        1 => Bytes::ZERO,
        _ => Bytes::new(u64::from(record.le32(88)) * 512),
    };
    let raid_disks = record.le32(92);
    let shape = MdShape {
        level,
        layout: record.le32(76),
        chunk,
        disks: raid_disks.min(disks_before(record, raid_disks)),
        used,
    };
    Ok(Md {
        version,
        level,
        layout: shape.layout,
        chunk,
        raid_disks,
        slot: (role < ROLE_MAX).then_some(u32::from(role)),
        array_size: shape.array_size(),
        new_data_start: new_start(record, start),
        events: record.le64(200),
    })
}

/// Devices before the reshape in progress; the same number when there is none.
fn disks_before(record: &Record, now: u32) -> u32 {
    if record.le32(8) & RESHAPE == 0 {
        return now;
    }
    let delta = record.le32(112).cast_signed();
    u32::try_from(i64::from(now) - i64::from(delta)).unwrap_or(now)
}

/// `new_offset` is signed and counts from the present data offset.
fn new_start(record: &Record, start: Bytes) -> Option<Bytes> {
    let wanted = RESHAPE | NEW_OFFSET;
    if record.le32(8) & wanted != wanted {
        return None;
    }
    let shift = i64::from(record.le32(124).cast_signed()) * 512;
    start.get().checked_add_signed(shift).map(Bytes::new)
}

/// This device's entry in the table of roles.
fn role(record: &Record) -> u16 {
    let number = usize::try_from(record.le32(160)).unwrap_or(usize::MAX);
    let count = usize::try_from(record.le32(220)).unwrap_or(0);
    if number < count {
        record.le16(FIXED + 2 * number)
    } else {
        ROLE_SPARE
    }
}

fn role_name(role: u16) -> String {
    match role {
        ROLE_JOURNAL => "journal".to_owned(),
        ROLE_FAULTY => "faulty".to_owned(),
        role if role < ROLE_MAX => format!("active device {role}"),
        _ => "spare".to_owned(),
    }
}

fn facts(member: &mut VolumeMember, record: &Record, md: &Md, at: u64, role: u16) {
    member.fact("level", &level_name(md.level));
    let layout = layout_name(md.level, md.layout);
    if !layout.is_empty() {
        member.fact("layout", &layout);
    }
    member.fact("role", &role_name(role));
    member.fact("device-uuid", &uuid(record, 168));
    member.fact("superblock", &Bytes::new(at));
    if let Some(used) = UNIT
        .checked_mul(record.le64(80))
        .filter(|size| !size.is_zero())
    {
        member.fact("used-size", &used);
    }
    feature_facts(member, record, at);
}

fn feature_facts(member: &mut VolumeMember, record: &Record, at: u64) {
    let features = record.le32(8);
    if features & PPL != 0 {
        member.fact("consistency", &"partial parity log");
    } else if features & BITMAP != 0 {
        let shift = i64::from(record.le32(96).cast_signed()) * 512;
        if let Some(start) = at.checked_add_signed(shift) {
            member.fact("bitmap", &Bytes::new(start));
        }
    }
    if features & JOURNAL != 0 {
        member.fact("consistency", &"journal device");
    }
}

fn remark_checksum(member: &mut VolumeMember, record: &Record) {
    let (stored, computed) = (record.le32(CSUM), checksum(record.bytes(), CSUM, false));
    if stored != computed {
        let why = format!("md superblock checksum is {stored:08x}, its bytes give {computed:08x}");
        let remark = Remark::new(rules::MD_CHECKSUM, Severity::Broken, why).malformed();
        member
            .remarks
            .push(remark.at(record.offset(CSUM), "sb_csum"));
    }
}

/// The data area must end before the device does, and before a superblock behind it.
fn remark_space(member: &mut VolumeMember, view: &View, at: u64) {
    let start = member.data_start;
    let end = member.data_size.and_then(|size| start.checked_add(size));
    let end = end.map_or(u64::MAX, Bytes::get);
    let limit = if at > start.get() { at } else { view.len() };
    if end > limit {
        let why = format!(
            "md data area from byte {} ends at byte {end}, past the {limit} bytes there are for it",
            start.get()
        );
        let remark = Remark::new(rules::MD_DATA_PAST_END, Severity::Broken, why);
        // One behind the data cannot be brought to another place by a longer device.
        let room = Some(Bytes::new(end)).filter(|_| at <= start.get() && end < u64::MAX);
        member.remarks.push(remark.needing(room));
    }
}

fn remark_reshape(member: &mut VolumeMember, record: &Record, md: &Md) {
    if record.le32(8) & RESHAPE == 0 {
        return;
    }
    let position = UNIT.checked_mul(record.le64(104)).unwrap_or_default();
    let chunk = Bytes::new(u64::from(record.le32(120)) * 512);
    let why = format!(
        "A reshape has reached byte {} of the array: {} to {} devices, chunk {} to {chunk}; \
         alignment changes when it is done",
        position.get(),
        disks_before(record, md.raid_disks),
        md.raid_disks,
        md.chunk
    );
    member.remarks.push(Remark::note(rules::MD_RESHAPE, why));
}

/// A count of 512-byte units, as bytes.
fn bytes(record: &Record, at: usize, field: &'static str) -> Result<Bytes> {
    UNIT.checked_mul(record.le64(at))
        .ok_or_else(|| record.bad(at, field, "it does not fit in 64 bits of bytes"))
}

/// As mdadm prints it: four groups of four bytes.
fn uuid(record: &Record, at: usize) -> String {
    let groups: Vec<_> = (0..4)
        .map(|i| format!("{:08x}", record.be32(at + 4 * i)))
        .collect();
    groups.join(":")
}

#[cfg(test)]
mod tests {
    use super::end_offset;

    #[test]
    fn version_1_0_lies_8_to_12_kib_before_the_end() {
        assert_eq!(end_offset(1 << 20), Some((1 << 20) - 8192));
        assert_eq!(end_offset((1 << 20) + 512), Some((1 << 20) - 8192));
        assert_eq!(end_offset((1 << 20) + 4095), Some((1 << 20) - 8192));
        assert_eq!(end_offset(8191), None);
    }
}

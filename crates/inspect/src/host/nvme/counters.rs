//! What an NVMe drive counts of writes: its log pages.
//!
//! Hosts: SMART / Health Information, 02h. Media: SMART / Health Information Extended, C0h, of drives made for the OCP
//! Datacenter NVMe SSD Specification; else Endurance Group Information, 09h.

use ioalign_core::write_counters::UnitCounter;

/// SMART / Health Information.
pub const SMART: u8 = 0x02;
/// Endurance Group Information.
pub const ENDURANCE_GROUP: u8 = 0x09;
/// SMART / Health Information Extended, if the page has its GUID: other vendors have other things there.
pub const OCP_SMART: u8 = 0xC0;

/// Data Units Written of 02h and 09h are thousands of 512 bytes, and billions of bytes (NVMe Base 2.0, § 5.16.1.3 and 5.16.1.10).
const SMART_UNIT: u64 = 512_000;
const ENDURANCE_UNIT: u64 = 1_000_000_000;
const SMART_WRITTEN_AT: usize = 48;
/// Media Units Written: `muw` of libnvme's `struct nvme_endurance_group_log`.
const ENDURANCE_MEDIA_AT: usize = 80;
/// Physical Media Units Written, in bytes: SMART-1 of the OCP specification.
const OCP_MEDIA_AT: usize = 0;
/// Log Page GUID, AFD514C97C6F4F9CA4F2BFEA2810AFC5h, as a little-endian number.
const OCP_GUID_AT: usize = 496;
const OCP_GUID: u128 = 0xAFD5_14C9_7C6F_4F9C_A4F2_BFEA_2810_AFC5;
/// Endurance Group Identifier in Identify Namespace.
const GROUP_AT: usize = 102;

/// Data Units Written of 02h: by hosts. 0 is "not reported".
pub fn smart_written(page: &[u8]) -> Option<UnitCounter> {
    counter(page, SMART_WRITTEN_AT, SMART_UNIT).filter(|one| one.units != 0)
}

/// Physical Media Units Written of C0h; `None`: it is the page of somebody else.
pub fn ocp_media(page: &[u8]) -> Option<UnitCounter> {
    let guid = number(page, OCP_GUID_AT)?;
    counter(page, OCP_MEDIA_AT, 1).filter(|_| guid == OCP_GUID)
}

/// Media Units Written of 09h. 0 is "not reported".
pub fn endurance_media(page: &[u8]) -> Option<UnitCounter> {
    counter(page, ENDURANCE_MEDIA_AT, ENDURANCE_UNIT).filter(|one| one.units != 0)
}

/// The endurance group of a namespace, from Identify Namespace; 0 is none.
pub fn endurance_group(id_ns: &[u8]) -> Option<u16> {
    let raw = id_ns.get(GROUP_AT..GROUP_AT + 2)?;
    let group = u16::from_le_bytes(raw.try_into().ok()?);
    (group != 0).then_some(group)
}

fn counter(page: &[u8], at: usize, unit_bytes: u64) -> Option<UnitCounter> {
    let units = number(page, at)?;
    Some(UnitCounter { units, unit_bytes })
}

/// 128 bits, little-endian.
fn number(page: &[u8], at: usize) -> Option<u128> {
    let raw = page.get(at..at.checked_add(16)?)?;
    Some(u128::from_le_bytes(raw.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::ID_NS_BYTES;
    use super::super::ioctl::LOG_BYTES;
    use super::*;

    /// A page with this number at a place, and other numbers in the fields around it.
    fn page(at: usize, value: u128) -> Vec<u8> {
        let mut page: Vec<u8> = (0..LOG_BYTES)
            .map(|byte| byte.to_le_bytes()[0] | 1)
            .collect();
        page[at..at + 16].copy_from_slice(&value.to_le_bytes());
        page
    }

    #[test]
    fn counters_are_numbers_of_128_bits() {
        let value = (7 << 100) | 5;
        let units = |units, unit_bytes| Some(UnitCounter { units, unit_bytes });
        assert_eq!(smart_written(&page(48, value)), units(value, 512_000));
        assert_eq!(
            endurance_media(&page(80, value)),
            units(value, 1_000_000_000)
        );
        assert_eq!(smart_written(&page(48, 0)), None);
        assert_eq!(endurance_media(&page(80, 0)), None);
    }

    /// The bytes as the specification prints them in its table, and as QEMU sends them.
    #[test]
    fn a_page_without_the_guid_is_anothers() {
        let guid = [
            0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14,
            0xD5, 0xAF,
        ];
        let mut ours = page(0, 123_456);
        ours[496..].copy_from_slice(&guid);
        let counted = ocp_media(&ours).unwrap();
        assert_eq!((counted.units, counted.unit_bytes), (123_456, 1));
        ours[0..16].fill(0);
        assert_eq!(ocp_media(&ours).unwrap().units, 0, "a new drive");
        for byte in 496..512 {
            let mut other = ours.clone();
            other[byte] ^= 1;
            assert_eq!(ocp_media(&other), None, "{byte}");
        }
        ours[496..].reverse();
        assert_eq!(ocp_media(&ours), None, "the other order of bytes");
    }

    #[test]
    fn pages_that_are_cut_off_count_nothing() {
        for length in [0, 15, 16, 63, 95, 511] {
            let short = &page(0, 1)[..length];
            assert_eq!(ocp_media(short), None, "{length}");
            assert!(smart_written(short).is_none() || length >= 64);
            assert!(endurance_media(short).is_none() || length >= 96);
        }
    }

    #[test]
    fn the_group_of_a_namespace() {
        let mut id_ns = vec![0; ID_NS_BYTES];
        assert_eq!(endurance_group(&id_ns), None);
        id_ns[102..104].copy_from_slice(&0x1234_u16.to_le_bytes());
        assert_eq!(endurance_group(&id_ns), Some(0x1234));
        assert_eq!(endurance_group(&id_ns[..103]), None);
    }
}

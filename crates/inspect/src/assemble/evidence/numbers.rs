//! Device numbers: which device `8:1` is.
//!
//! Texts say it (`lsblk`, `/proc/partitions`, `dmsetup ls`); some numbers are fixed for ever (the
//! kernel's `Documentation/admin-guide/devices.txt`), others are given out at boot.

use std::collections::BTreeMap;

use crate::captures::Said;
use crate::host::DevNo;

/// Partitions of a disk by its old numbers; those above have a major of their own.
const SD_MINORS: u32 = 16;
/// The same of IDE disks.
const HD_MINORS: u32 = 64;
/// Majors of SCSI disks, 16 disks each.
const SD_MAJORS: [u32; 16] = [
    8, 65, 66, 67, 68, 69, 70, 71, 128, 129, 130, 131, 132, 133, 134, 135,
];
/// Majors of IDE disks, two each.
const HD_MAJORS: [u32; 2] = [3, 22];

/// Names by number.
pub(super) struct DeviceNumbers {
    stated: BTreeMap<DevNo, String>,
}

impl DeviceNumbers {
    /// What the texts say. A mapped name beats `dm-3`, which is the same device.
    pub(super) fn stated(said: &[Said]) -> Self {
        let mut stated: BTreeMap<DevNo, String> = BTreeMap::new();
        for (devno, name) in said.iter().filter_map(|one| Some((one.devno?, &one.name))) {
            let known = stated.entry(devno).or_insert_with(|| name.clone());
            if known.starts_with("dm-") {
                known.clone_from(name);
            }
        }
        Self { stated }
    }

    /// The device with this number.
    pub(super) fn name(&self, devno: DevNo) -> Option<String> {
        self.stated.get(&devno).cloned().or_else(|| fixed(devno))
    }

    /// The mapped name of `dm-3`: device-mapper's minor is the number in the name.
    pub(super) fn mapped(&self, kernel: &str) -> Option<&str> {
        let minor: u32 = kernel.strip_prefix("dm-")?.parse().ok()?;
        let mut mapped = self
            .stated
            .iter()
            .filter(|(devno, name)| devno.minor == minor && name.starts_with("mapper/"));
        let (_, name) = mapped.next()?;
        mapped.next().is_none().then_some(name)
    }
}

/// A device whose number never changes.
fn fixed(DevNo { major, minor }: DevNo) -> Option<String> {
    let place = |majors: &[u32]| {
        let at = majors.iter().position(|own| *own == major)?;
        u32::try_from(at).ok()
    };
    if let Some(at) = place(&SD_MAJORS) {
        let disk = letters(at * 16 + minor / SD_MINORS);
        return Some(partition("sd", &disk, minor % SD_MINORS));
    }
    if let Some(at) = place(&HD_MAJORS) {
        let disk = letters(at * 2 + minor / HD_MINORS);
        return Some(partition("hd", &disk, minor % HD_MINORS));
    }
    match major {
        7 => Some(format!("loop{minor}")),
        9 => Some(format!("md{minor}")),
        _ => None,
    }
}

fn partition(prefix: &str, disk: &str, number: u32) -> String {
    match number {
        0 => format!("{prefix}{disk}"),
        number => format!("{prefix}{disk}{number}"),
    }
}

/// 0 → `a`, 25 → `z`, 26 → `aa`.
fn letters(index: u32) -> String {
    let letter = |index: u32| char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
    match index.checked_sub(26) {
        Some(rest) => letters(rest / 26) + &letter(index).to_string(),
        None => letter(index).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_never_change() {
        for (number, name) in [
            ("8:0", Some("sda")),
            ("8:1", Some("sda1")),
            ("8:17", Some("sdb1")),
            ("65:0", Some("sdq")),
            ("65:160", Some("sdaa")),
            ("65:163", Some("sdaa3")),
            ("3:65", Some("hdb1")),
            ("22:0", Some("hdc")),
            ("9:127", Some("md127")),
            ("7:3", Some("loop3")),
            ("253:0", None),
            ("259:1", None),
        ] {
            let devno = DevNo::parse(number).unwrap();
            assert_eq!(fixed(devno).as_deref(), name, "{number}");
        }
    }

    #[test]
    fn mapped_names_win() {
        let said = |name: &str, devno| Said {
            name: name.to_owned(),
            devno: DevNo::parse(devno),
            ..Said::default()
        };
        let numbers = DeviceNumbers::stated(&[
            said("dm-3", "253:3"),
            said("mapper/vg-lv", "253:3"),
            said("dm-4", "253:4"),
        ]);
        let third = DevNo::parse("253:3").unwrap();
        assert_eq!(numbers.name(third).as_deref(), Some("mapper/vg-lv"));
        assert_eq!(numbers.mapped("dm-3"), Some("mapper/vg-lv"));
        assert_eq!(numbers.mapped("dm-4"), None);
    }
}

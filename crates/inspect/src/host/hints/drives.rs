//! Known drives: indirection units that drives do not report, and models that are not drives.
//!
//! A row needs a public source. A model that is not listed is not guessed.

use ioalign_core::Confidence;

/// A drive whose indirection unit is known from elsewhere than the drive itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct KnownDrive {
    /// Words that all occur in the model string, in upper case.
    pub words: &'static [&'static str],
    /// Bytes an indirection unit.
    pub unit: u64,
    /// How far the source is to be believed.
    pub confidence: Confidence,
    /// Its source.
    pub source: &'static str,
}

/// In order: the first row that matches counts.
pub const DRIVES: &[KnownDrive] = &[
    KnownDrive {
        words: &["SBFPF2BV614T"],
        unit: 16 << 10,
        confidence: Confidence::Medium,
        source: "table: SOLIDIGM SBFPF2BV614T has 16 KiB (ceph#71954)",
    },
    KnownDrive {
        words: &["SSDPFWNV153TZ"],
        unit: 64 << 10,
        confidence: Confidence::Medium,
        source: "table: Intel/Solidigm P5316 has 64 KiB (ceph#71954, ceph#65269)",
    },
    KnownDrive {
        words: &["P5336"],
        unit: 16 << 10,
        confidence: Confidence::Low,
        source: "table: Solidigm P5336 has 16 KiB (ceph#65269)",
    },
    KnownDrive {
        words: &["MICRON", "6550"],
        unit: 16 << 10,
        confidence: Confidence::Low,
        source: "table: Micron 6550 ION has 16 KiB (ceph#65269)",
    },
];

/// The row for a model string, if there is one.
pub fn find(model: &str) -> Option<&'static KnownDrive> {
    let model = model.to_ascii_uppercase();
    DRIVES
        .iter()
        .find(|drive| drive.words.iter().all(|word| model.contains(word)))
}

/// Vendor and model (prefixes, upper case) of disks that a hypervisor or cloud makes.
const VIRTUAL: &[(&str, &str)] = &[
    ("QEMU", ""),
    ("", "QEMU "),
    ("VMWARE", ""),
    ("", "VMWARE "),
    ("MSFT", "VIRTUAL DISK"),
    ("", "MSFT VIRTUAL DISK"),
    ("", "VIRTUAL DISK"),
    ("GOOGLE", ""),
    ("", "NVME_CARD-PD"),
    ("", "AMAZON ELASTIC BLOCK STORE"),
    ("NUTANIX", ""),
    ("", "VBOX HARDDISK"),
    ("", "ORCL-VBOX"),
    ("XENSRC", ""),
];

/// Words of arrays and of storage that other machines export, in vendor and model.
const ARRAYS: &[&str] = &[
    "NETAPP",
    "SYMMETRIX",
    "DGC",
    "VRAID",
    "INVISTA",
    "XTREMIO",
    "POWERSTORE",
    "2107900",
    "2105800",
    "1750500",
    "2145",
    "2810XIV",
    "1814",
    "1815",
    "1818",
    "1724",
    "1726",
    "1746",
    "HSV1",
    "HSV2",
    "HSV3",
    "HSV4",
    "OPEN-V",
    "OPEN-3",
    "OPEN-8",
    "OPEN-9",
    "OPEN-E",
    "DF600F",
    "3PARDATA",
    "MSA1000",
    "MSA2",
    "P2000",
    "MD3",
    "COMPELNT",
    "100E-00",
    "EQLOGIC",
    "PURE",
    "NIMBLE",
    "ZFS STORAGE",
    "COMSTAR",
    "LIO-ORG",
    "IET VIRTUAL",
    "SCST_",
    "SYNOLOGY",
    "QNAP",
    "FREENAS",
    "TRUENAS",
    "HUAWEI XSG",
    "INFINIBOX",
    "LUN",
    "MPATH",
    "AXIOM",
    "DATACORE",
    "FALCON",
];

/// Words of RAID controllers, which present volumes as disks.
const CONTROLLERS: &[&str] = &[
    "MEGARAID",
    "MEGASR",
    "PERC",
    "LOGICAL VOLUME",
    "SERVERAID",
    "SMART ARRAY",
    "CCISS",
    "AVAGO MR",
    "LSI MR",
    "BROADCOM MR",
    "MR9",
    "AMCC",
    "3WARE",
    "ADAPTEC",
    "ARECA",
    "AACRAID",
    "RAID",
    "HIGHPOINT",
    "BOSS",
    "INTEL RS",
    "VIRTUALDISK",
    "LSI LOGICAL",
];

/// Words of flash: SSDs by their own word or their family, cards and sticks.
const FLASH: &[&str] = &[
    "SSD",
    "NVME",
    "SOLID STATE",
    "OCZ",
    "VERTEX",
    "AGILITY",
    "CRUZER",
    "ULTRA FIT",
    "EXTREME PRO",
    "DATATRAVELER",
    "FLASH",
    "JUMPDRIVE",
    "USB DISK",
    "USB STICK",
    "SD/MMC",
    "CARD READER",
    "MULTI-CARD",
    "MULTI CARD",
    "STORAGE DEVICE",
    "USB3.0-CRW",
    "CF CARD",
    "MTFD",
    "MZ7",
    "MZM",
    "MZN",
    "MZQ",
    "MZV",
    "KBG",
    // Makers that have sold no rotating disk of their own.
    "ADATA",
    "APACER",
    "CORSAIR",
    "CRUCIAL",
    "KINGSTON",
    "MICRON",
    "SANDISK",
    "SK HYNIX",
    "SPCC",
    // Families of makers that sell both.
    "PLEXTOR PX",
    "TOSHIBA Q",
    "TR150",
    "TR200",
    "CT064",
    "CT128",
    "CT275",
    "CT525",
    "CT960",
    "CT2000",
    "CT4000",
    "CT120",
    "CT240",
    "CT250",
    "CT256",
    "CT480",
    "CT500",
    "CT512",
    "CT1000",
    "SATADOM",
    "DOM ",
    "PATRIOT",
    "PNY CS",
    "TRANSCEND",
    "THNSN",
    "SDSSD",
    "EMMC",
    "FCR-",
    "FUSION-IO",
    "OPTANE",
];

/// Advanced Format models that report 512 for their 4 KiB sectors (the database of `cmd/zpool/os/linux`
/// in OpenZFS).
const ADVANCED_FORMAT: &[&str] = &["EARS-", "HD204UI", "HDS5C303", "ST2000DL004"];

/// Whether vendor or model name an array or a storage server.
pub fn is_array(vendor: &str, model: &str) -> bool {
    named(ARRAYS, &format!("{vendor} {model}"))
}

/// Whether vendor or model name a RAID controller.
pub fn is_controller(vendor: &str, model: &str) -> bool {
    named(CONTROLLERS, &format!("{vendor} {model}"))
}

/// Whether the model is the name of a USB bridge or stick.
pub fn is_usb(model: &str) -> bool {
    named(&["USB"], model)
}

/// Whether the model is one of flash.
pub fn is_flash(model: &str) -> bool {
    named(FLASH, model)
}

/// Whether the model reports 512 for sectors of 4 KiB.
pub fn is_advanced_format(model: &str) -> bool {
    ADVANCED_FORMAT.iter().any(|part| model.contains(part))
}

/// Whether one of these begins a word of the text.
pub(super) fn named(words: &[&str], text: &str) -> bool {
    let text = text.to_ascii_uppercase().replace('_', " ");
    let begins = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_ascii_alphanumeric())
    };
    words
        .iter()
        .any(|word| text.match_indices(word).any(|(at, _)| begins(at)))
}

/// Whether vendor and model name a virtual disk.
pub fn is_virtual(vendor: &str, model: &str) -> bool {
    let (vendor, model) = (vendor.to_ascii_uppercase(), model.to_ascii_uppercase());
    VIRTUAL
        .iter()
        .any(|(v, m)| vendor.trim().starts_with(v) && model.trim().starts_with(m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_models_are_known() {
        assert_eq!(find("INTEL SSDPFWNV153TZ").unwrap().unit, 65536);
        assert_eq!(find("Micron_6550_MTFDLAL61T4THA").unwrap().unit, 16384);
        assert!(find("Samsung SSD 980 PRO 1TB").is_none());
        assert!(find("").is_none());
    }

    #[test]
    fn arrays_controllers_and_flash_by_name() {
        for (vendor, model) in [
            ("NETAPP", "LUN"),
            ("EMC", "SYMMETRIX"),
            ("DGC", "RAID 5"),
            ("IBM", "2107900"),
            ("SUN", "ZFS Storage 7420"),
        ] {
            assert!(is_array(vendor, model), "{vendor} {model}");
        }
        for (vendor, model) in [
            ("LSI", "MegaRAID SAS RMB"),
            ("DELL", "PERC 6/i"),
            ("", "HP LOGICAL VOLUME"),
        ] {
            assert!(is_controller(vendor, model), "{vendor} {model}");
        }
        for model in [
            "INTEL SSDSC2CW12",
            "OCZ-VERTEX2",
            "SanDisk Cruzer Blade",
            "Portable SSD T5",
        ] {
            assert!(is_flash(model), "{model}");
        }
        assert!(is_advanced_format("ATA WDC WD20EARS-00M"));
        for model in [
            "WDC WD5000AAKS-00V1A0",
            "ST3500418AS",
            "Hitachi HDS721050CLA362",
            "SAMSUNG HD103SJ",
            "MAXTOR STM3250310AS",
            "FUJITSU MBA3073RC",
            "TOSHIBA MK2555GSX",
        ] {
            let any = is_array("ATA", model) || is_controller("ATA", model) || is_flash(model);
            assert!(!any && !is_advanced_format(model), "{model}");
        }
    }

    #[test]
    fn virtual_disks_by_name() {
        for (vendor, model) in [
            ("VMware", "Virtual disk"),
            ("Msft", "Virtual Disk"),
            ("QEMU", "QEMU HARDDISK"),
            ("ATA", "QEMU HARDDISK"),
            ("", "Amazon Elastic Block Store"),
        ] {
            assert!(is_virtual(vendor, model), "{vendor} {model}");
        }
        assert!(!is_virtual("ATA", "WDC WD10EZEX-08W"));
        assert!(!is_virtual("", ""));
    }
}

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

//! Models of rotating disks, which are believed when they report blocks of 512 bytes.

use super::drives::named;

/// Words of rotating disks: makers' families, with the digits that tell them from the maker's flash and enclosures.
const ROTATING: &[&str] = &[
    "ST1",
    "ST2",
    "ST3",
    "ST4",
    "ST5",
    "ST6",
    "ST8",
    "ST9",
    "WD1",
    "WD2",
    "WD3",
    "WD4",
    "WD5",
    "WD6",
    "WD7",
    "WD8",
    "WD9",
    "MAXTOR 2",
    "MAXTOR 3",
    "MAXTOR 4",
    "MAXTOR 5",
    "MAXTOR 6",
    "MAXTOR 7",
    "MAXTOR 9",
    "MAXTOR STM",
    "MAXTOR ATLAS",
    "HITACHI H",
    "HGST H",
    "HCC5",
    "HDP7",
    "HDS7",
    "HDT7",
    "HTE5",
    "HTE7",
    "HTS4",
    "HTS5",
    "HTS7",
    "HUA7",
    "HUC1",
    "HUS1",
    "HUS7",
    "IC25",
    "IC35",
    "IBM-D",
    "SAMSUNG HD",
    "SAMSUNG HM",
    "SAMSUNG SP",
    "SAMSUNG SV",
    "TOSHIBA DT",
    "TOSHIBA MG",
    "TOSHIBA MK",
    "TOSHIBA MQ",
    "MK1",
    "MK2",
    "MK3",
    "MK5",
    "MK6",
    "MK8",
    "FUJITSU M",
    "MAP3",
    "MAS3",
    "MAT3",
    "MAU3",
    "MAW3",
    "MAX3",
    "MAY2",
    "MBA3",
    "MBB2",
    "MBC2",
    "MBD2",
    "MBF2",
    "MHT2",
    "MHV2",
    "MHW2",
    "MHX2",
    "MHY2",
    "MHZ2",
    "QUANTUM FIREBALL",
    "EXCELSTOR",
    // Disks that HP sells under names of its own.
    "DF0",
    "DG0",
    "DH0",
    "EF0",
    "EG0",
    "EG1",
    "EH0",
    "GB0",
    "GB1",
    "GJ0",
    "MB0",
    "MB1",
    "MB2",
    "MB3",
    "MB4",
    "MM0",
    "MM1",
];

/// Whether vendor and model are those of a rotating disk.
pub(super) fn is_rotating(vendor: &str, model: &str) -> bool {
    named(ROTATING, &format!("{vendor} {model}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_told_from_the_flash_and_enclosures_of_their_makers() {
        for model in [
            "WDC WD5000AAKS-00V1A0",
            "ST3500418AS",
            "Hitachi HDS721050CLA362",
            "SAMSUNG HD103SJ",
            "MAXTOR STM3250310AS",
            "FUJITSU MBA3073RC",
            "TOSHIBA MK2555GSX",
            "EG0146FAWHU",
        ] {
            assert!(is_rotating("ATA", model), "{model}");
        }
        for model in [
            "",
            "WDC WDS250G2B0A",
            "INTEL SSDSC2CW12",
            "Portable SSD T5",
            "My Book 1230",
            "Virtual disk",
        ] {
            assert!(!is_rotating("ATA", model), "{model}");
        }
    }
}

//! Identify Namespace: the units stay, the world-wide names and the vendor's own bytes go.

use super::{Blanked, count};

/// NGUID and EUI-64.
const NAMES: std::ops::Range<usize> = 104..128;
/// The vendor's own.
const VENDOR: usize = 384;

pub(super) fn blank(bytes: &mut [u8], with_serials: bool, blanked: &mut Blanked) {
    if let Some(vendor) = bytes.get_mut(VENDOR..) {
        vendor.fill(0);
    }
    if with_serials {
        return;
    }
    if let Some(names) = bytes.get_mut(NAMES) {
        names.fill(0);
        count(blanked, "NVMe NGUID and EUI-64");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::nvme::{ID_NS_BYTES, parse};

    #[test]
    fn units_stay_and_names_go() {
        let mut bytes = vec![0; ID_NS_BYTES];
        (bytes[24], bytes[64], bytes[130]) = (1 << 4, 7, 12);
        bytes[104..128].fill(0xee);
        bytes[384..].fill(0xee);
        let before = parse(&bytes);
        assert_eq!(
            before.as_ref().and_then(|ns| ns.write_granularity()),
            Some(32768)
        );
        let mut blanked = Blanked::new();
        let mut kept = bytes.clone();
        blank(&mut bytes, false, &mut blanked);
        assert_eq!(parse(&bytes), before);
        assert!(!bytes.contains(&0xee) && blanked.len() == 1);
        blank(&mut kept, true, &mut blanked);
        assert_eq!(kept.iter().filter(|byte| **byte == 0xee).count(), 24);
    }
}

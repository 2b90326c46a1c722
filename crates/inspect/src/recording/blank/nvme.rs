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

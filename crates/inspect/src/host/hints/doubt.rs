//! Who is believed that it has cells of 512 bytes.
//!
//! One court for every source: sysfs, a pasted text, JSON. A rotating disk of the time before 2011 is
//! believed; what cannot know (a controller, an array, a bridge, a hypervisor) or cannot be (flash) is not. Of a
//! device that shows neither a known model nor that it rotates, both may be true: the question stays open.

use ioalign_core::Confidence;

use super::{Claims, HintJudge, Transport, drives, rotating};

/// Why 512 is not believed, and how sure it is that 4 KiB is the unit instead.
pub(super) struct Doubt {
    pub(super) confidence: Confidence,
    pub(super) why: &'static str,
    /// Whether 512 may as well be true.
    pub(super) open: bool,
}

/// What USB bridges report as the optimal transfer: 0xFFFF sectors.
const BRIDGE: u64 = 0xFFFF * 512;
/// Above this no single disk has 512-byte cells: 6 TB drives were the last.
const LARGEST_512N: u64 = 6_100_000_000_000;

pub(super) fn of(bench: &HintJudge<'_>) -> Option<Doubt> {
    let claims = bench.claims;
    let name = || (claims.vendor.as_str(), claims.model.as_str());
    let doubt = |confidence, why| {
        Some(Doubt {
            confidence,
            why,
            open: false,
        })
    };
    if claims.is_virtual() {
        let why = "assumed: a virtual disk hides its topology";
        return doubt(Confidence::Medium, why);
    }
    if claims.transport == Transport::Loop {
        let why = "assumed: a loop device hides what lies below its file";
        return doubt(Confidence::Low, why);
    }
    if drives::is_advanced_format(name().1) {
        let why = "table: this model has 4 KiB sectors and reports 512";
        return doubt(Confidence::Medium, why);
    }
    if drives::is_array(name().0, name().1) {
        let why = "assumed: an array reports 512 for volumes of larger blocks";
        return doubt(Confidence::Medium, why);
    }
    if drives::is_controller(name().0, name().1) {
        let why = "assumed: a RAID controller reports 512 for any disks behind it";
        return doubt(Confidence::Low, why);
    }
    if is_flash(claims) {
        let why = "assumed: flash that reports 512 has larger pages";
        return doubt(Confidence::Low, why);
    }
    let bridge = claims.optimal == Some(BRIDGE) || drives::is_usb(&claims.model);
    if claims.transport == Transport::Usb || bridge {
        let why = "assumed: a USB bridge reports 512 for any disk behind it";
        return doubt(Confidence::Low, why);
    }
    if claims.size.is_some_and(|size| size > LARGEST_512N) {
        let why = "assumed: no disk of this size has 512-byte blocks";
        return doubt(Confidence::Low, why);
    }
    if claims.physical.is_none() && claims.minimum.is_none() {
        // A text that shows the logical sector alone: `blockdev --report`.
        let why = "assumed: no physical sector is stated, nearly every disk since 2011";
        return doubt(Confidence::Medium, why);
    }
    let rotates = claims.rotational == Some(true) || rotating::is_rotating(name().0, name().1);
    (!rotates).then_some(Doubt {
        confidence: Confidence::Low,
        why: "neither a rotating disk's model nor its rotation is stated, and virtual disks, bridges, controllers \
              and flash report 512 too",
        open: true,
    })
}

fn is_flash(claims: &Claims) -> bool {
    claims.rotational == Some(false)
        || matches!(claims.transport, Transport::Nvme | Transport::Mmc)
        || drives::is_flash(&claims.model)
}

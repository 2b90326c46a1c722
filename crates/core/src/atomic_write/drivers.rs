//! Which drivers of Linux pass atomic writes on, and since when.

use super::KernelRelease;
use crate::layer::{Kind, Layer};

/// Whether a driver passes limits on.
pub(super) enum StackingSupport {
    /// Since this release of mainline Linux; in the named file.
    Since(KernelRelease, &'static str),
    /// In no release that is known.
    Never(&'static str),
    Unknown,
}

/// Whether the driver of a device on others passes limits on.
pub(super) fn support(layer: &Layer) -> StackingSupport {
    use StackingSupport::{Never, Since, Unknown};
    if layer.kind == Kind::Md {
        return match layer.level.as_ref().map(|level| level.name()) {
            Some("raid0") => Since(KernelRelease(6, 13), "drivers/md/raid0.c"),
            Some("raid1") => Since(KernelRelease(6, 13), "drivers/md/raid1.c"),
            Some("raid10") => Since(KernelRelease(6, 13), "drivers/md/raid10.c"),
            Some("linear") => Since(KernelRelease(6, 18), "drivers/md/md-linear.c"),
            Some("raid4" | "raid5" | "raid6") => Never("drivers/md/raid5.c"),
            _ => Unknown,
        };
    }
    if layer.kind == Kind::Bcache {
        return Never("drivers/md/bcache");
    }
    // 6.14 has the flags, but no table had atomic writes before commit b7c18b17a173.
    let dm = KernelRelease(6, 16);
    match layer
        .mapped
        .as_ref()
        .and_then(|mapped| mapped.target.as_deref())
    {
        Some("linear") => Since(dm, "drivers/md/dm-linear.c"),
        Some("striped") => Since(dm, "drivers/md/dm-stripe.c"),
        Some("mirror") => Since(dm, "drivers/md/dm-raid1.c"),
        Some("crypt") => Since(KernelRelease(6, 19), "drivers/md/dm-crypt.c"),
        Some("thin" | "thin-pool") => Never("drivers/md/dm-thin.c"),
        Some("snapshot" | "snapshot-origin") => Never("drivers/md/dm-snap.c"),
        Some("raid") => Never("drivers/md/dm-raid.c"),
        Some("cache") => Never("drivers/md/dm-cache-target.c"),
        Some("writecache") => Never("drivers/md/dm-writecache.c"),
        Some("integrity") => Never("drivers/md/dm-integrity.c"),
        Some("vdo") => Never("drivers/md/dm-vdo"),
        _ => Unknown,
    }
}

//! What runs the guest's instructions, found out by a boot.

use std::path::Path;
use std::time::Duration;

use super::{GuestOptions, GuestRun};
use crate::error::Result;

/// A guest with hardware virtualisation is up within three seconds; one that hangs never is.
const PROBE: Duration = Duration::from_secs(20);

/// What runs the guest's instructions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Accelerator {
    /// QEMU translates them.
    Tcg,
    /// The processor does.
    Kvm,
}

impl Accelerator {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcg => "tcg",
            Self::Kvm => "kvm",
        }
    }
}

/// KVM where a guest has booted with it in time: a `/dev/kvm` that opens proves nothing.
///
/// # Errors
///
/// What a guest needs is missing, or the interrupt was set.
pub fn accelerator(cache: &Path, interrupt: &(dyn Fn() -> bool + Sync)) -> Result<Accelerator> {
    let device = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/kvm");
    if device.is_err() {
        return Ok(Accelerator::Tcg);
    }
    let options = GuestOptions {
        kvm: true,
        timeout: PROBE,
        ..GuestOptions::default()
    };
    let probe = GuestRun {
        script: b"true\n",
        options: &options,
        cache,
        interrupt,
    };
    match probe.run(&mut |_| {}) {
        Ok(_) => Ok(Accelerator::Kvm),
        Err(error) if error.is_interrupted() => Err(error),
        Err(_) => Ok(Accelerator::Tcg),
    }
}

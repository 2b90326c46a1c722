//! Who this host is.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ioalign_device::create::random;
use ioalign_fleet::envelope;
use ioalign_fleet::spool::PushSpool;

/// Where systems keep the id of the machine.
const MACHINE_IDS: [&str; 2] = ["etc/machine-id", "var/lib/dbus/machine-id"];
/// systemd writes it into images that have no id yet.
const UNSET: &str = "uninitialized";

/// The id under which the server knows the host: a hash of the machine's own, or of a random one that is kept with the spool.
pub(super) fn host_id(sysroot: Option<&Path>, spool: &PushSpool) -> Result<String> {
    let root = sysroot.unwrap_or_else(|| Path::new("/"));
    for path in MACHINE_IDS {
        let found = fs::read_to_string(root.join(path)).unwrap_or_default();
        let found = found.trim();
        if found.len() >= 32 && found != UNSET {
            return Ok(envelope::host_id(found));
        }
    }
    let path = spool.folder().join("host-id");
    if let Ok(kept) = fs::read_to_string(&path) {
        return Ok(envelope::host_id(&kept));
    }
    let random = || random().context("no random numbers");
    let made = format!("{:016x}{:016x}", random()?, random()?);
    fs::write(&path, &made)
        .with_context(|| format!("{}: cannot keep the id of this host", path.display()))?;
    Ok(envelope::host_id(&made))
}

/// The name for people.
pub(super) fn name(given: Option<&str>) -> String {
    let plain: String = given
        .unwrap_or_default()
        .chars()
        .filter(|letter| !letter.is_control())
        .take(60)
        .collect();
    if plain.trim().is_empty() {
        "host".to_owned()
    } else {
        plain.trim().to_owned()
    }
}

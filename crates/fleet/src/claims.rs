//! Disks of a host, and what they say of themselves.

/// A disk as a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetDevice {
    /// The kernel's name.
    pub name: String,
    /// Its model; its maker where there is no model, as in clouds.
    pub model: Option<String>,
    /// Its firmware.
    pub firmware: Option<String>,
    /// `sata`, `nvme`, `virtio`.
    pub transport: Option<String>,
    /// Its length.
    pub size_bytes: Option<i64>,
}

/// A size that a disk reports, and whether it was believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceClaim {
    /// The disk.
    pub device: FleetDevice,
    /// `physical-block`, `optimal-io`, …
    pub kind: String,
    /// The size.
    pub size_bytes: i64,
    /// Its source, as reports name it.
    pub source: String,
    /// Whether the judge believed it.
    pub trusted: bool,
    /// Why not.
    pub why: Option<String>,
}

//! What device-mapper says of a device.

use super::Facts;

/// The target of a disk with several paths to it.
pub const MULTIPATH: &str = "multipath";

/// What device-mapper says of a device of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MappedDevice {
    /// Its name below `/dev/mapper`.
    pub name: Option<String>,
    /// Its UUID, which begins with the program that made it: `LVM-`, `CRYPT-`, `mpath-`.
    pub uuid: Option<String>,
    /// The target of its table's first segment: `linear`, `crypt`, `multipath`.
    pub target: Option<String>,
}

impl MappedDevice {
    /// Whether it is a disk with several paths to it.
    pub fn is_multipath(&self) -> bool {
        self.target.as_deref() == Some(MULTIPATH)
    }

    /// Its name, where LVM made it: group and volume with a hyphen between them.
    pub fn lvm_name(&self) -> Option<&str> {
        let uuid = self.uuid.as_deref()?;
        self.name.as_deref().filter(|_| uuid.starts_with("LVM-"))
    }

    pub(in crate::layer) fn facts(&self) -> Facts {
        let facts = [
            ("dm-name", &self.name),
            ("dm-uuid", &self.uuid),
            ("target", &self.target),
        ];
        let known = facts
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.clone()?)));
        known.collect()
    }
}

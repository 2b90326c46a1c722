//! What is known of a partition and of a physical volume.

use super::Facts;

/// What a partition table says of a partition besides its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionDetail {
    /// Its type as the table or a text shows it: `83`, a GUID, `Linux LVM`; `None` where no table could be read.
    pub type_id: Option<String>,
    /// Whether it is a logical partition of an MBR: its boot sector may count from the extended one.
    pub logical: bool,
}

impl PartitionDetail {
    pub(super) fn facts(&self) -> Facts {
        let type_id = self.type_id.iter().map(|id| ("type", id.clone()));
        let logical = self.logical.then(|| ("logical", String::new()));
        type_id.chain(logical).collect()
    }
}

/// What is known of an LVM physical volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhysicalVolumeDetail {
    /// The volume group that it belongs to.
    pub group: Option<String>,
}

impl PhysicalVolumeDetail {
    pub(super) fn facts(&self) -> Facts {
        let group = self.group.iter().map(|group| ("group", group.clone()));
        group.collect()
    }
}

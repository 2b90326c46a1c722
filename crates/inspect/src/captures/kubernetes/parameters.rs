//! Parameters of a class: names are compared without regard to capital letters, as most drivers do.

/// The parameters.
#[derive(Debug, Default)]
pub(super) struct ClassParameters(Vec<(String, String)>);

/// What common drivers call the options of mkfs.
const MKFS: [&str; 6] = [
    "mkfsOptions",
    "mkfsParams",
    "fsOpts",
    "linstor.csi.linbit.com/fsOpts",
    "formatOptions",
    "fsFormatOptions",
];
const FILESYSTEM: [&str; 4] = ["csi.storage.k8s.io/fstype", "fsType", "fsName", "FSType"];

impl ClassParameters {
    pub(super) const fn new(all: Vec<(String, String)>) -> Self {
        Self(all)
    }

    /// A value that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self
            .0
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// `xfs`, `ext4`; the default of external-provisioner and of most drivers where there is none.
    pub(super) fn filesystem(&self) -> &str {
        FILESYSTEM
            .iter()
            .find_map(|name| self.get(name))
            .unwrap_or("ext4")
    }

    /// The options of mkfs; simplyblock has two of them as parameters of their own (simplyblock-csi#437).
    pub(super) fn mkfs(&self, driver: &str) -> String {
        let mut options = MKFS
            .iter()
            .find_map(|name| self.get(name))
            .unwrap_or_default()
            .to_owned();
        if driver.ends_with("csi.simplyblock.io") && self.filesystem() == "xfs" {
            let unit = self
                .get("xfs_su")
                .or_else(|| self.get("su"))
                .unwrap_or("16k");
            let width = self.get("xfs_sw").or_else(|| self.get("sw")).unwrap_or("1");
            options += &format!(" -d su={unit},sw={width}");
        }
        options
    }
}

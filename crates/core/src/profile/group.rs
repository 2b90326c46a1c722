//! I/O by control group, and the containers that these are.

use serde::{Deserialize, Serialize};

/// The I/O of one operation that one of several has a share in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoShare {
    /// The operation.
    pub op: String,
    /// How many.
    pub ios: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// I/Os whose length is not a multiple of 4096.
    pub length_off_4096_ios: u64,
    /// Starts by power of two, as in [`OpProfile`](super::OpProfile).
    pub start_pow2_histogram: Vec<u64>,
}

impl IoShare {
    /// Adds what another has counted.
    pub fn add(&mut self, more: &Self) {
        let sum = |to: &mut u64, from: u64| *to = to.saturating_add(from);
        sum(&mut self.ios, more.ios);
        sum(&mut self.bytes, more.bytes);
        sum(&mut self.length_off_4096_ios, more.length_off_4096_ios);
        let starts = &mut self.start_pow2_histogram;
        starts.resize(starts.len().max(more.start_pow2_histogram.len()), 0);
        for (mine, more) in starts.iter_mut().zip(&more.start_pow2_histogram) {
            sum(mine, *more);
        }
    }
}

/// The I/O of one control group on one device, without that of groups below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupProfile {
    /// The inode number of its folder, 0 for I/O of no group; `None`: all those past the limit.
    pub number: Option<u64>,
    /// Its folder below the top of the hierarchy; `None` where it was gone before it was looked for.
    pub path: Option<String>,
    /// The container that it is, or is in; `None` where the path is no container's.
    pub container: Option<ContainerName>,
    /// Its I/O.
    #[serde(flatten)]
    pub io: IoShare,
}

/// A container, as far as its names are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContainerName {
    /// `containerd`, `cri-o`, `docker`, `podman`.
    pub runtime: Option<String>,
    /// Its 64 hexadecimal digits; `None` for the group of a whole pod.
    pub id: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// The pod that it is in.
    pub pod: Option<String>,
    /// The namespace of the pod.
    pub namespace: Option<String>,
    /// The number of the pod.
    pub pod_uid: Option<String>,
}

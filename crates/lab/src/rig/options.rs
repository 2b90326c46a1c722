//! What a guest is made of.

use std::path::PathBuf;
use std::time::Duration;

/// What the guest gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GuestOptions {
    /// Scratch disks, in order: `/dev/disk/0`, `/dev/disk/1`, …
    pub disks: Vec<ScratchDisk>,
    /// Where the guest's tar is unpacked.
    pub out: Option<PathBuf>,
    /// Programs beside the basic ones.
    pub programs: Vec<String>,
    /// Programs that change often, sent along with the script and not kept: `/bin/NAME` in the guest.
    pub files: Vec<PathBuf>,
    /// Files with this content.
    pub texts: Vec<(PathBuf, Vec<u8>)>,
    /// Files of the host, at the same place in the guest.
    pub copies: Vec<PathBuf>,
    /// Kernel modules beside the basic ones.
    pub modules: Vec<String>,
    /// MiB of memory.
    pub memory: u64,
    /// Limit for the whole run.
    pub timeout: Duration,
    /// Virtual time.
    pub icount: bool,
    /// Hardware virtualisation. Off by default: a `/dev/kvm` that opens may still hang.
    pub kvm: bool,
}

/// A scratch disk.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScratchDisk {
    /// The file on the host; `None` is thrown away after the run.
    pub path: Option<PathBuf>,
    /// Bytes.
    pub size: u64,
    /// QEMU block properties: `physical_block_size=4096`.
    pub properties: Vec<String>,
}

impl Default for GuestOptions {
    fn default() -> Self {
        Self {
            disks: Vec::new(),
            out: None,
            programs: Vec::new(),
            files: Vec::new(),
            texts: Vec::new(),
            copies: Vec::new(),
            modules: Vec::new(),
            memory: 1024,
            timeout: Duration::from_secs(300),
            icount: false,
            kvm: false,
        }
    }
}

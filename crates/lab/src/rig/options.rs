//! What a guest is made of.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A program that is sent to the guest.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GuestProgram {
    /// Its name in the guest's `/bin`.
    pub name: OsString,
    /// Its file on this machine.
    pub path: PathBuf,
}

impl GuestProgram {
    /// `ioalign`, whatever the name of its file here.
    pub fn ioalign(path: &Path) -> Self {
        Self {
            name: "ioalign".into(),
            path: path.to_owned(),
        }
    }

    /// A program by the name of its file; `None` where a path has none.
    pub fn file(path: &Path) -> Option<Self> {
        Some(Self {
            name: path.file_name()?.to_owned(),
            path: path.to_owned(),
        })
    }
}

/// What the guest gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GuestOptions {
    /// Scratch disks, in order: `/dev/disk/0`, `/dev/disk/1`, …
    pub disks: Vec<ScratchDisk>,
    /// NVMe drives, in order: `/dev/nvme0n1`, `/dev/nvme1n1`, …
    pub nvme: Vec<ScratchDisk>,
    /// Where the guest's tar is unpacked.
    pub out: Option<PathBuf>,
    /// Programs beside the basic ones.
    pub programs: Vec<String>,
    /// Programs that change often, sent along with the script and not kept.
    pub files: Vec<GuestProgram>,
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
    /// QEMU's properties of the device: `physical_block_size=4096`.
    pub properties: Vec<String>,
}

impl Default for GuestOptions {
    fn default() -> Self {
        Self {
            disks: Vec::new(),
            nvme: Vec::new(),
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

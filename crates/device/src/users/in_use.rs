//! What can use a target.

use std::fmt;

use ioalign_core::shell;

/// Something that uses a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// The device, or a partition of it, is mounted.
    Mount {
        /// The device or partition.
        device: String,
        /// The mount point.
        point: String,
    },
    /// The same in another mount namespace, or outside of the folder that is `/` here.
    MountElsewhere {
        /// The device or partition.
        device: String,
        /// The mount point, in that namespace.
        point: String,
        /// A process that lives there.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// Another device lies on it: a volume, an array.
    Holder {
        /// The device or partition.
        device: String,
        /// The kernel name of the other.
        holder: String,
    },
    /// It is paging space.
    Swap {
        /// The device, partition or file.
        device: String,
    },
    /// A loop device has it for its backing file.
    Loop {
        /// The loop device.
        device: String,
    },
    /// A program that keeps QEMU's locks has it open: a virtual machine above all.
    Program,
    /// A process has it, or what lies below it, open or mapped for writing.
    OpenForWriting {
        /// The process.
        pid: u32,
        /// Its name.
        name: String,
    },
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mount { device, point } => write!(f, "{device} is mounted on {point}"),
            Self::MountElsewhere {
                device,
                point,
                pid,
                name,
            } => write!(
                f,
                "{device} is mounted on {point} in the mount namespace of process {pid} ({name})"
            ),
            Self::Holder { device, holder } => write!(f, "{device} is part of {holder}"),
            Self::Swap { device } => write!(f, "{device} is paging space"),
            Self::Loop { device } => write!(f, "it is the backing file of {device}"),
            Self::Program => f.write_str("another program is using it as a disk"),
            Self::OpenForWriting { pid, name } => {
                write!(f, "process {pid} ({name}) has it open for writing")
            }
        }
    }
}

impl Use {
    /// The command that ends it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Mount { point, .. } => {
                format!("unmount it first: umount {}", shell::word(point))
            }
            Self::MountElsewhere { point, pid, .. } => format!(
                "unmount it there first: nsenter --target {pid} --mount umount {}",
                shell::word(point)
            ),
            Self::Holder { holder, .. } => format!("stop {holder} first, or name {holder} instead"),
            Self::Swap { device } => {
                format!("switch it off first: swapoff {}", shell::word(device))
            }
            Self::Loop { device } => {
                format!(
                    "name {device} instead, or detach it: losetup -d {}",
                    shell::word(device)
                )
            }
            Self::Program => "shut the machine down that runs on it".to_owned(),
            Self::OpenForWriting { pid, .. } => format!("end process {pid} first"),
        }
    }
}

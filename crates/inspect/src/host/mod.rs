//! The live machine, or a captured one: sysfs, device-mapper tables, mounts.
//!
//! Everything that the kernel knows about its block devices becomes a stack, bottom first, without
//! opening a single device: superblocks and file systems are read by the assembly, through the
//! views that [`Device::view`] opens. Without root nothing fails; [`Unread`] lists what stays
//! unknown and why.

mod bcache;
mod build;
pub mod containers;
mod discard;
mod disk;
pub mod dm;
pub mod extents;
pub mod hints;
mod inventory;
pub mod machine;
mod md;
pub mod mixed;
pub mod mounts;
mod named;
pub mod nvme;
mod partition;
pub mod root;
mod site;
mod udev;

use std::path::{Path, PathBuf};

use ioalign_core::{LayerId, Stack};

use crate::error::{Error, ErrorKind, Result};
use crate::view::View;

pub(crate) use disk::claims_of;
pub use ioalign_core::DeviceNumber as DevNo;
pub use machine::HostMachine;
pub use mounts::{Mount, Swap};
pub use root::{NoBytes, Root};
pub(crate) use site::Built;

/// The kind of block device that a layer is, as in sysfs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// A disk.
    Disk,
    /// A loop device on a file.
    Loop,
    /// A partition that the kernel knows.
    Partition,
    /// An md array.
    Md,
    /// A device-mapper device.
    Dm,
    /// A bcache device.
    Bcache,
}

/// A block device and its layer.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its layer in [`Host::stack`].
    pub layer: LayerId,
    /// The kernel's name: `sda1`, `dm-0`.
    pub name: String,
    /// Other names that users type: `mapper/vg-lv`, `vg/lv`, `md/home`.
    pub aliases: Vec<String>,
    /// The node, below the root: `/dev/sda1`.
    pub node: PathBuf,
    /// Its number.
    pub devno: Option<DevNo>,
    /// Its kind.
    pub what: What,
    /// Why its bytes cannot be read; `None` where they can.
    pub unreadable: Option<NoBytes>,
    /// Whether other devices lie on it.
    pub held: bool,
}

impl Device {
    /// Opens it for reading. Not kept open: a host may have more devices than file descriptors.
    ///
    /// In a captured tree this is the copy `DIR/dev/NAME`, in which what was not copied is zero.
    pub fn view(&self, root: &Root) -> Result<View> {
        root.view(&node_inside(&self.name))
    }
}

/// Something that could not be read, and what is not known therefore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The file or device.
    pub what: String,
    /// Why.
    pub why: String,
    /// What stays unknown.
    pub unknown: String,
    /// The kernel name where it is the whole content of a block device.
    pub device: Option<String>,
}

/// A machine's block devices.
#[derive(Debug)]
pub struct Host {
    /// Layers and grids, disks first.
    pub stack: Stack,
    /// A device a layer, in the order of the layers.
    pub devices: Vec<Device>,
    /// Mounted file systems.
    pub mounts: Vec<Mount>,
    /// Paging space in use.
    pub swaps: Vec<Swap>,
    /// The unreadable parts.
    pub unread: Vec<Unread>,
    /// Devices that are no layers, and why: empty loops, memory disks.
    pub skipped: Vec<(String, &'static str)>,
    /// The machine itself.
    pub machine: HostMachine,
}

impl Host {
    /// The device with this kernel name, alias or path below `/dev`.
    pub fn device(&self, name: &str) -> Option<&Device> {
        let name = name.strip_prefix("/dev/").unwrap_or(name);
        let kernel = name.replace('/', "!");
        self.devices.iter().find(|device| {
            device.name == kernel || device.aliases.iter().any(|alias| alias == name)
        })
    }
}

/// Reads the block devices of `root`; with `only`, the named ones and all below and above them.
pub fn read(root: &Root, only: &[String]) -> Result<Host> {
    if !root.exists("sys/block") {
        return Err(
            Error::new(ErrorKind::NotFound, "There is no sys/block in it")
                .in_file(&root.path_of("")),
        );
    }
    let mut inventory = inventory::list(root);
    let mut unread = Vec::new();
    let tables = dm::tables(root, &mut inventory, &mut unread);
    let named = named(root, &inventory, only)?;
    if !named.is_empty() {
        inventory.keep(&named);
    }
    let mounts = mounts::mounts(root, &inventory);
    let swaps = mounts::swaps(root, &inventory);
    let machine = machine::read(root);
    Ok(build::host(
        root,
        inventory,
        &tables,
        build::Rest {
            mounts,
            swaps,
            unread,
            machine,
        },
    ))
}

/// The kernel name of the block device that holds the file system of `path`, a file or folder of this machine without
/// links: that of the mount with the longest point above it.
pub(crate) fn holder_of(root: &Root, path: &Path) -> Option<String> {
    mount_of(root, path)?.device
}

/// The mount with the longest point above a path without links.
pub(crate) fn mount_of(root: &Root, path: &Path) -> Option<Mount> {
    let inventory = inventory::list(root);
    let mounts = mounts::all(root, &inventory);
    let above = mounts
        .into_iter()
        .filter(|mount| path.starts_with(&mount.point));
    above.max_by_key(|mount| mount.point.as_os_str().len())
}

/// A captured tree of a few devices names them here: what else is listed in it was not read.
pub(crate) const DEVICES: &str = "ioalign/devices";

/// The kernel names of the devices that are wanted; nothing: all of them.
fn named(root: &Root, inventory: &inventory::Inventory, only: &[String]) -> Result<Vec<String>> {
    if only.is_empty() && !root.is_live() {
        let text = root.text(DEVICES).unwrap_or_default();
        let known = |name: &&str| inventory.blocks.contains_key(*name);
        return Ok(text.lines().filter(known).map(str::to_owned).collect());
    }
    let named = named::resolve(root, inventory, only)?;
    if root.is_recording() && !named.is_empty() {
        root.keep(DEVICES, named.join("\n") + "\n");
    }
    Ok(named)
}

/// The place of the node of a kernel name, inside the root.
pub(crate) fn node_inside(name: &str) -> String {
    format!("dev/{}", name.replace('!', "/"))
}

/// The system's words for why an open failed.
fn reason(error: &Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

//! What the mount table and the list of swaps tell: also of devices that cannot be read.

use ioalign_core::layer::Kind;
use ioalign_core::{Bytes, Layer, LayerId, Map, Role};

use super::Assembly;
use crate::host::{Host, Mount, Root};

/// File systems whose blocks do not count from their first byte.
const LATE_DATA: [&str; 4] = ["vfat", "msdos", "exfat", "zfs"];

/// The unit of a mounted file system, in a captured tree by mount point.
const STATVFS: &str = "ioalign/statvfs";

/// What a file system counts in, as its mount says.
fn fragment(root: &Root, mount: &Mount) -> Option<Bytes> {
    let point = mount.point.to_str();
    if !root.is_live() {
        let kept = root.kept_line(STATVFS, point?)?;
        return kept.parse().ok().map(Bytes::new);
    }
    let stat = rustix::fs::statvfs(&mount.point).ok()?;
    if let Some(point) = point {
        root.keep_line(STATVFS, point, &stat.f_frsize);
    }
    Some(Bytes::new(stat.f_frsize))
}

impl Assembly<'_> {
    /// Who pages where is known without reading the device.
    pub(super) fn add_swaps(&mut self, host: &Host) {
        let devices = host.swaps.iter().filter_map(|swap| swap.device.as_deref());
        for device in devices.filter_map(|name| host.device(name)) {
            let layer = self.stack.layer_mut(device.layer);
            if layer.role == Role::Data {
                layer.role = Role::Swap;
            }
        }
    }

    /// Names where file systems are mounted, and adds those that could not be read: the mount table
    /// still says their kind.
    pub(super) fn add_mounts(&mut self, root: &Root, host: &Host) {
        for mount in &host.mounts {
            let device = mount.device.as_deref().and_then(|name| host.device(name));
            let Some(device) = device.map(|device| device.layer) else {
                continue;
            };
            let id = match self.filesystem_of(host, mount) {
                Some(id) if id != device => id,
                _ if self.stack.is_leaf(device) => self.add_unread_filesystem(root, device, mount),
                _ => device,
            };
            let path = mount.point.display().to_string();
            self.stack
                .layer_mut(id)
                .facts
                .entry("mounted")
                .or_insert(path);
        }
    }

    fn add_unread_filesystem(&mut self, root: &Root, device: LayerId, mount: &Mount) -> LayerId {
        let map = if LATE_DATA.contains(&mount.kind.as_str()) {
            Map::Opaque("the start of its data region is only in its boot sector".to_owned())
        } else {
            Map::Shift { start: Bytes::ZERO }
        };
        let mut layer = Layer::new(Kind::Filesystem, mount.kind.clone()).on(device, map);
        layer.size = self.stack.layer(device).size;
        if let Some(filesystem) = layer.detail.filesystem_mut() {
            filesystem.from_mount_table = true;
        }
        layer.block = fragment(root, mount).filter(|block| !block.is_zero());
        let layer = self.stack.push(layer);
        self.add_named_database(layer, false);
        layer
    }

    /// The file system layer of a mount: on the mounted device, else the device itself.
    pub(super) fn filesystem_of(&self, host: &Host, mount: &Mount) -> Option<LayerId> {
        let device = mount
            .device
            .as_deref()
            .and_then(|name| host.device(name))?
            .layer;
        let is_fs = |id: &LayerId| self.stack.layer(*id).kind == Kind::Filesystem;
        Some(self.stack.above(device).find(is_fs).unwrap_or(device))
    }
}

//! A machine: the kernel's stack, completed by what is written on its devices.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ioalign_core::layer::Kind;
use ioalign_core::{Bytes, Layer, LayerId, Map, Origin, Role};

use super::{Assembly, Inspection, Node, Options};
use crate::error::{Error, ErrorKind, Result};
use crate::filesystems::database::{self, Database};
use crate::host::{self, Device, Host, Mount, Root, Unread, What, extents};
use crate::tables::{self, Context};
use crate::volumes::{self, Detail};

/// Which machine, and what of it.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// A captured tree; `None`: the running machine.
    pub sysroot: Option<PathBuf>,
    /// Devices, files or database directories; empty: everything.
    pub only: Vec<PathBuf>,
    /// Judge the extents of the files in `only`.
    pub extents: bool,
}

/// File systems whose blocks do not count from their first byte.
const LATE_DATA: [&str; 4] = ["vfat", "msdos", "exfat", "zfs"];

/// Data directories that are looked for on their own.
const USUAL_DATABASES: [&str; 3] = ["var/lib/mysql", "var/lib/pgsql/data", "var/lib/postgresql"];

/// Reads a machine into a stack.
pub fn host(what: &HostOptions, options: &Options) -> Result<Inspection> {
    let root = match &what.sysroot {
        Some(path) => Root::captured(path)?,
        None => Root::live()?,
    };
    let wanted = Wanted::sort(&root, what)?;
    let mut host = host::read(&root, &wanted.devices)?;
    let stack = std::mem::take(&mut host.stack);
    let mut assembly = Assembly::new(stack, options);
    assembly.declare_grids();
    let mut unread = std::mem::take(&mut host.unread);
    for device in &host.devices {
        if let Err(missing) = assembly.look_into_device(&root, device) {
            unread.push(missing);
        }
        // At once, so that it is closed again: a host has more devices than a process may open.
        assembly.look_into_pending();
    }
    assembly.run();
    assembly.add_mounts(&root, &host);
    assembly.add_databases(&root, &host, &wanted)?;
    if what.extents {
        assembly.add_files(&host, &wanted.files)?;
    }
    let unread = unread.into_iter().map(|item| {
        let why = format!("{}; {} stays unknown", item.why, item.unknown);
        (PathBuf::from(item.what), why)
    });
    let mut inspection = assembly.finish("host".to_owned(), None);
    inspection.unread = unread.collect();
    Ok(inspection)
}

/// The targets by what they are.
#[derive(Default)]
struct Wanted {
    devices: Vec<String>,
    databases: Vec<Database>,
    files: Vec<PathBuf>,
}

impl Wanted {
    fn sort(root: &Root, what: &HostOptions) -> Result<Self> {
        let mut wanted = Self::default();
        for path in &what.only {
            if !root.is_live() {
                // A captured host's devices are named, not opened.
                wanted.devices.push(path.display().to_string());
                continue;
            }
            if path.is_dir() {
                let found = database::find(path)?.ok_or_else(|| {
                    let what = "It is a folder, and no database is recognised in it";
                    Error::new(ErrorKind::Unsupported, what).in_file(path)
                })?;
                wanted.databases.push(found);
            } else if what.extents && path.is_file() {
                wanted.files.push(path.clone());
            } else {
                wanted.devices.push(path.display().to_string());
            }
        }
        Ok(wanted)
    }

    const fn everything(&self) -> bool {
        self.devices.is_empty() && self.databases.is_empty() && self.files.is_empty()
    }
}

impl Assembly<'_> {
    /// The operator's grids replace what is only assumed, on every disk.
    fn declare_grids(&mut self) {
        if self.options.grids.is_empty() {
            return;
        }
        self.stack
            .grids
            .retain(|grid| grid.origin != Origin::Assumed);
        let disks: Vec<_> = self
            .stack
            .layers()
            .filter(|(_, layer)| layer.below.is_empty())
            .map(|(id, _)| id)
            .collect();
        for disk in disks {
            self.add_declared_grids(disk);
        }
    }

    /// Puts a device's content on the worklist; for one that others lie on, only its table is read.
    fn look_into_device(&mut self, root: &Root, device: &Device) -> Result<(), Unread> {
        if device.unreadable.is_some() {
            // The host reader has said so already.
            return Ok(());
        }
        let missing = |error: &Error| Unread {
            what: device.name.clone(),
            why: error.full(),
            unknown: "what is written on it".to_owned(),
        };
        let view = device.view(root).map_err(|error| missing(&error))?;
        if device.held {
            self.learn_from_held(device, &view);
            return Ok(());
        }
        let start = self
            .stack
            .layer(device.layer)
            .below
            .first()
            .and_then(|edge| edge.map.start());
        let partition = device.what == What::Partition;
        self.pending.push(Node {
            layer: device.layer,
            view,
            depth: 0,
            parent_type: partition.then(String::new),
            start_on_disk: start.filter(|_| partition).unwrap_or_default(),
        });
        Ok(())
    }

    /// What the kernel does not tell of a device in use: the sector size of its table, the types of
    /// its partitions, the extents of its volume group.
    fn learn_from_held(&mut self, device: &Device, view: &crate::View) {
        if let Ok(Some(table)) = tables::probe(
            view,
            &Context {
                sector: self.options.sector,
                ..Context::default()
            },
        ) {
            let layer = self.stack.layer_mut(device.layer);
            layer.facts.insert("table", table.kind.to_owned());
            layer.wants_sector = table.sector.map(|sector| sector.bytes());
            layer.remarks.extend(table.remarks.iter().cloned());
            self.name_partitions(device.layer, &table);
            return;
        }
        if let Ok(Some(member)) = volumes::probe(view)
            && let Detail::Lvm(lvm) = &member.detail
            && let Some(group) = &lvm.group
            && let Some(pv) = group.pvs.iter().find(|pv| pv.id == lvm.pv)
        {
            // Shown beside the volumes, which device-mapper puts on the partition directly.
            let name = self.stack.layer(device.layer).name.clone();
            let map = Map::Shift { start: pv.pe_start };
            let mut layer = Layer::new(Kind::LvmPv, name).on(device.layer, map);
            layer.role = Role::Reserved;
            layer.block = Some(group.extent);
            layer.size = group.extent.checked_mul(pv.pe_count);
            layer.facts.insert("group", group.name.clone());
            layer
                .facts
                .insert("pe-start", format!("{} s", pv.pe_start.get() / 512));
            self.stack.push(layer);
        }
    }

    /// Types and roles of the kernel's partitions, by their start.
    fn name_partitions(&mut self, disk: LayerId, table: &tables::Table) {
        let kernel: Vec<_> = self.stack.above(disk).collect();
        for entry in &table.partitions {
            let same = kernel.iter().copied().find(|id| {
                let layer = self.stack.layer(*id);
                let starts =
                    layer.below.first().and_then(|edge| edge.map.start()) == Some(entry.start);
                layer.kind == Kind::Partition && starts
            });
            if let Some(id) = same {
                let layer = self.stack.layer_mut(id);
                if layer.role == Role::Data {
                    layer.role = entry.role;
                }
                layer.facts.insert("type", entry.type_id.clone());
                layer.remarks.extend(entry.remarks.iter().cloned());
            }
        }
    }

    /// Names where file systems are mounted, and adds those that could not be read: the mount table
    /// still tells their kind.
    fn add_mounts(&mut self, root: &Root, host: &Host) {
        let devices: HashMap<&str, LayerId> = host
            .devices
            .iter()
            .map(|device| (device.name.as_str(), device.layer))
            .collect();
        for mount in &host.mounts {
            let name = mount.device.as_deref();
            let Some(device) = name.and_then(|name| devices.get(name).copied()) else {
                continue;
            };
            let id = match self.filesystem_on(device) {
                Some(id) => id,
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
            Map::Opaque("its data region starts where only its boot sector tells".to_owned())
        } else {
            Map::Shift { start: Bytes::ZERO }
        };
        let mut layer = Layer::new(Kind::Filesystem, mount.kind.clone()).on(device, map);
        layer.size = self.stack.layer(device).size;
        layer
            .facts
            .insert("known-from", "the mount table".to_owned());
        if root.is_live() {
            let stat = rustix::fs::statvfs(&mount.point).ok();
            layer.block = stat
                .map(|stat| Bytes::new(stat.f_frsize))
                .filter(|block| !block.is_zero());
        }
        self.stack.push(layer)
    }

    fn filesystem_on(&self, device: LayerId) -> Option<LayerId> {
        let is_fs = |id: &LayerId| self.stack.layer(*id).kind == Kind::Filesystem;
        self.stack.above(device).find(is_fs)
    }

    /// The file system layer of a mount: on the mounted device, else the device itself.
    fn filesystem_of(&self, host: &Host, mount: &Mount) -> Option<LayerId> {
        let device = host.device(mount.device.as_deref()?)?.layer;
        Some(self.filesystem_on(device).unwrap_or(device))
    }

    fn add_databases(&mut self, root: &Root, host: &Host, wanted: &Wanted) -> Result<()> {
        let mut found = wanted.databases.clone();
        if wanted.everything() && root.is_live() {
            // Nobody asked for these: one that cannot be read is no failure.
            let usual = USUAL_DATABASES.iter().map(|path| root.path_of(path));
            found.extend(usual.filter_map(|path| database::find(&path).ok().flatten()));
        }
        for database in found {
            let below =
                mount_of(host, &database.path).and_then(|mount| self.filesystem_of(host, mount));
            let Some(below) = below else {
                if wanted.everything() {
                    continue;
                }
                let what = "The file system that holds it lies on no block device that is known";
                return Err(Error::new(ErrorKind::Unsupported, what).in_file(&database.path));
            };
            self.put_database(&database, below);
        }
        Ok(())
    }

    /// A database's files start at file-system blocks; which ones, is not looked up here.
    pub(super) fn put_database(&mut self, database: &Database, filesystem: LayerId) {
        let granule = self
            .stack
            .layer(filesystem)
            .block
            .unwrap_or(Bytes::new(4096));
        let map = Map::Scattered {
            start: Bytes::ZERO,
            granule,
        };
        self.stack
            .push(database_layer(database).on(filesystem, map));
    }
}

impl Assembly<'_> {
    /// A layer a file, on the device that its extents lie on.
    fn add_files(&mut self, host: &Host, files: &[PathBuf]) -> Result<()> {
        for path in files {
            let found = extents::read(path)?;
            let device = found.device.as_deref().filter(|_| found.on_device);
            let Some(device) = device.and_then(|name| host.device(name)) else {
                let what = "Its file system gives addresses that are not those of one block device \
                            (btrfs, overlay, network): its extents cannot be judged";
                return Err(Error::new(ErrorKind::Unsupported, what).in_file(path));
            };
            let runs = found.runs();
            let name = path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy();
            let mut layer = Layer::new(Kind::File, name)
                .on(device.layer, Map::Linear(runs))
                .sized(Bytes::new(found.size))
                .fact("extents", found.list.len().to_string())
                .fact("path", path.display().to_string());
            if found.truncated {
                layer
                    .facts
                    .insert("extents-truncated", "only the first are judged".to_owned());
            }
            self.stack.push(layer);
        }
        Ok(())
    }
}

/// The mount with the longest path that contains `path`.
fn mount_of<'a>(host: &'a Host, path: &Path) -> Option<&'a Mount> {
    let real = path.canonicalize().ok()?;
    let holds = host
        .mounts
        .iter()
        .filter(|mount| real.starts_with(&mount.point));
    holds.max_by_key(|mount| mount.point.as_os_str().len())
}

/// The layer of a database, not yet on anything.
fn database_layer(database: &Database) -> Layer {
    let mut layer = Layer::new(Kind::Database, database.kind);
    layer.block = Some(database.page);
    layer.facts.extend(
        database
            .facts
            .iter()
            .map(|(key, value)| (*key, value.clone())),
    );
    if let Some(protected) = database.torn_page_protection {
        let word = if protected { "on" } else { "off" };
        layer.facts.insert("torn-page-protection", word.to_owned());
    }
    if !database.path.as_os_str().is_empty() {
        layer
            .facts
            .insert("path", database.path.display().to_string());
    }
    layer
}

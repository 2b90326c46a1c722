//! A machine: the kernel's stack, completed by what is written on its devices.

use std::path::{Path, PathBuf};

use ioalign_core::{Bytes, Layer, LayerId, Map, Origin, Remark, Role, Severity};
use ioalign_core::{layer::Kind, rules};

use super::{AssembleOptions, Assembly, Inspection, PendingSpace};
use crate::error::{Error, ErrorKind, Result};
use crate::filesystems::database::{self, Database};
use crate::host::{self, Device, Host, NoBytes, Root, What, extents};
use crate::tables::{self, Context};
use crate::volumes::{self, Detail};

/// Which machine, and what of it.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// A captured tree, a folder or a tarball; `None`: the running machine.
    pub sysroot: Option<PathBuf>,
    /// Devices, files or database directories; empty: everything.
    pub only: Vec<PathBuf>,
    /// Judge the extents of the files in `only`.
    pub extents: bool,
}

/// Reads the machine that `root` shows.
pub(crate) fn host_in(
    root: &Root,
    what: &HostOptions,
    options: &AssembleOptions,
) -> Result<Inspection> {
    let wanted = HostTargets::sort(root, what)?;
    let (mut assembly, mut host) = read_host(root, &wanted.devices, options, true)?;
    assembly.add_named_unread(&host);
    assembly.add_databases(root, &host, &wanted)?;
    assembly.mark_mixed_groups();
    if what.extents {
        assembly.add_files(&host, &wanted.files)?;
    }
    let unread = std::mem::take(&mut host.unread).into_iter();
    let unread = unread.filter(|item| item.device.is_none()).map(|item| {
        let why = format!("{}; not known therefore: {}", item.why, item.unknown);
        (PathBuf::from(item.what), why)
    });
    let mut inspection = assembly.finish("host".to_owned(), None);
    inspection.unread = unread.collect();
    Ok(inspection)
}

/// The stack of the named devices, or of all, with what is written on them and where it is mounted; with the operator's
/// database on every file system, or not.
pub(super) fn read_host<'a>(
    root: &Root,
    devices: &[String],
    options: &'a AssembleOptions,
    with_database: bool,
) -> Result<(Assembly<'a>, Host)> {
    let mut host = host::read(root, devices)?;
    let mut stack = std::mem::take(&mut host.stack);
    stack.kernel.clone_from(&host.machine.kernel);
    let mut assembly = Assembly::new(stack, options);
    if !with_database {
        assembly.database = None;
    }
    assembly.declare_grids();
    assembly.configure_database(root);
    for device in &host.devices {
        assembly.look_into_device(root, device);
        // At once, so that it is closed again: a host has more devices than a process may open.
        assembly.look_into_pending();
    }
    assembly.run();
    assembly.add_swaps(&host);
    assembly.add_mounts(root, &host);
    Ok((assembly, host))
}

/// The targets by what they are.
#[derive(Default)]
pub(super) struct HostTargets {
    devices: Vec<String>,
    pub(super) databases: Vec<Database>,
    files: Vec<PathBuf>,
}

impl HostTargets {
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
        wanted.add_holders(root)?;
        Ok(wanted)
    }

    /// A database or file is judged by what it lies on: other disks of the machine do not matter.
    fn add_holders(&mut self, root: &Root) -> Result<()> {
        let files = self.files.iter();
        let files = files.filter_map(|path| path.canonicalize().ok());
        let databases = self.databases.iter().filter_map(Database::lies_at);
        let mut holders = Vec::new();
        for path in files.chain(databases) {
            holders.push(host::holder_of(root, &path).ok_or_else(|| on_no_device(&path))?);
        }
        self.devices.extend(holders);
        Ok(())
    }

    pub(super) const fn everything(&self) -> bool {
        self.devices.is_empty() && self.databases.is_empty() && self.files.is_empty()
    }
}

/// What holds a file is no block device of this machine.
pub(super) fn on_no_device(file: &Path) -> Error {
    let what = "The file system that holds it lies on no block device that is known (tmpfs, overlay, network): \
                nothing below it can be judged";
    Error::new(ErrorKind::Unsupported, what).in_file(file)
}

/// What is said of a device without bytes. The judge says what that leaves unknown, by what the kernel shows on it.
fn not_readable(why: &NoBytes) -> Remark {
    let severity = if why.is_nothing() {
        Severity::Note
    } else {
        Severity::Unknown
    };
    Remark::new(rules::NOT_READABLE, severity, why.to_string())
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
    fn look_into_device(&mut self, root: &Root, device: &Device) {
        let view = match &device.unreadable {
            Some(why) => Err(why.clone()),
            None => device.view(root).map_err(|error| NoBytes::from(&error)),
        };
        let view = match view {
            Ok(view) => view,
            Err(why) => {
                self.stack
                    .layer_mut(device.layer)
                    .remarks
                    .push(not_readable(&why));
                return;
            }
        };
        if device.held {
            self.learn_from_held(device, &view);
            return;
        }
        let start = self
            .stack
            .layer(device.layer)
            .below
            .first()
            .and_then(|edge| edge.map.start());
        let partition = device.what == What::Partition;
        self.pending.push(PendingSpace {
            layer: device.layer,
            view,
            depth: 0,
            parent_type: partition.then(String::new),
            start_on_disk: start.filter(|_| partition).unwrap_or_default(),
        });
    }

    /// What the kernel does not tell of a device in use: the sector size of its table, the types of
    /// its partitions, the extents of its volume group.
    fn learn_from_held(&mut self, device: &Device, view: &crate::View) {
        if self.is_moving(device.layer, view) {
            return;
        }
        if let Ok(Some(table)) = self.table_of(device.layer, view, &Context::default()) {
            let layer = self.stack.layer_mut(device.layer);
            layer.table = Some(table.kind);
            layer.wants_sector = table.sector.map(|sector| sector.bytes());
            layer.also_serves = table.also.iter().map(|sector| sector.bytes()).collect();
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
            layer.set_volume_group(&group.name);
            layer
                .facts
                .insert("pe-start", format!("{} s", pv.pe_start.get() / 512));
            self.stack.push(layer);
        }
    }

    /// Types and roles of the kernel's partitions, by their start.
    fn name_partitions(&mut self, disk: LayerId, table: &tables::PartitionTable) {
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
                // The kernel shows what looks like an extended partition; the table knows.
                if matches!(layer.role, Role::Data | Role::Extended) {
                    layer.role = entry.role;
                }
                layer.set_partition_type(entry.type_id.clone());
                layer.remarks.extend(entry.remarks.iter().cloned());
            }
        }
    }

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

//! Device-mapper tables among the texts: where mapped devices lie, as a host's tables say it.
//!
//! LVM's own metadata have the same facts about its volumes, and more: if they are complete, the
//! tables of that group are ignored.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::layer::detail::MappedDevice;
use ioalign_core::layer::{Edge, Kind};
use ioalign_core::{Layer, LayerId, Map, Remark, Role, SectorSize, Sectors};

use super::numbers::DeviceNumbers;
use crate::captures::Said;
use crate::host::dm::follow;
use crate::host::dm::table::{Table, parse_listing};
use crate::host::{Built, DevNo, dm, hints};
use crate::volumes::VolumeGroup;

/// Tables by device (`mapper/vg-lv`), and the devices that their numbers mean.
pub(super) struct MappedDevices {
    tables: BTreeMap<String, Table>,
    numbers: DeviceNumbers,
    /// Groups whose volumes the tables describe.
    pub(super) groups: BTreeSet<String>,
}

impl MappedDevices {
    /// The tables of `text`; groups of which a report knows less than the tables lose their volumes.
    pub(super) fn new(text: &str, numbers: DeviceNumbers, groups: &mut [VolumeGroup]) -> Self {
        let mut tables = BTreeMap::new();
        let mut followed = BTreeSet::new();
        for (name, table) in parse_listing(text) {
            let group = group_of(&name);
            let own = group.and_then(|name| groups.iter_mut().find(|group| group.name == name));
            match own {
                Some(group) if is_whole(group) => continue,
                Some(group) => {
                    group.lvs.clear();
                    followed.insert(group.name.clone());
                }
                None => {}
            }
            tables.insert(format!("mapper/{name}"), table);
        }
        Self {
            tables,
            numbers,
            groups: followed,
        }
    }

    /// Adds the devices of the tables, and those below them, to what the texts speak of.
    pub(super) fn announce(&self, devices: &mut BTreeMap<String, Said>) {
        for (name, table) in &self.tables {
            let below: Vec<_> = self.below(table).map(|(_, name)| name).collect();
            for name in &below {
                devices.entry(name.clone()).or_default();
            }
            let said = devices.entry(name.clone()).or_default();
            said.parents = below;
            said.kind = said.kind.or(Some(Kind::Volume));
        }
    }

    /// The mapped name of `dm-3`.
    pub(super) fn name_of<'a>(&'a self, kernel: &'a str) -> &'a str {
        self.numbers.mapped(kernel).unwrap_or(kernel)
    }

    /// Whether a text has the table of a device.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tables.contains_key(name)
    }

    /// Whether an encrypted volume with a table lies on the device.
    pub(super) fn opens(&self, below: &str) -> bool {
        let mut crypts = self.tables.values().filter(|table| {
            table
                .first()
                .is_some_and(|segment| segment.target == "crypt")
        });
        crypts.any(|table| self.below(table).any(|(_, name)| name == below))
    }

    /// The devices that a table names, as far as their numbers tell.
    fn below(&self, table: &Table) -> impl Iterator<Item = (DevNo, String)> {
        follow::devices(table).filter_map(|devno| Some((devno, self.numbers.name(devno)?)))
    }

    fn by_number(&self, devno: DevNo) -> Option<&Table> {
        self.tables.get(&self.numbers.name(devno)?)
    }

    /// The layer of a device that has a table, on what is placed already.
    pub(super) fn layer(
        &self,
        name: &str,
        device: &Said,
        placed: &BTreeMap<String, LayerId>,
    ) -> Option<Built> {
        let table = self.tables.get(name).filter(|table| !table.is_empty())?;
        let mut built = Built::new(self.named(name, device, table));
        let granule = |devno: DevNo| follow::pool_chunk(self.by_number(devno)?);
        for (devno, map) in follow::edges(table, &granule) {
            let below = self.numbers.name(devno);
            match below.and_then(|name| placed.get(&name).copied()) {
                Some(below) => built.layer.below.push(Edge { below, map }),
                None => built.layer.remarks.push(dm::missing(name, devno)),
            }
        }
        follow::describe(table, &mut built);
        if built.layer.kind == Kind::Partition {
            built.layer.start_sectors = native(device, &built.layer);
        }
        built.layer.remarks.extend(self.misaligned(device, table));
        Some(built)
    }

    fn named(&self, name: &str, device: &Said, table: &Table) -> Layer {
        let plain = name.trim_start_matches("mapper/");
        let uuid = device.dm_uuid.as_deref().unwrap_or_default();
        let target = table.first().map(|segment| segment.target.as_str());
        let stated = device.kind.filter(|kind| *kind != Kind::Volume);
        let found = follow::kind(uuid, target);
        let kind = match stated {
            Some(stated) if found == Kind::Volume => stated,
            _ => found,
        };
        let lvm = matches!(kind, Kind::LvmLv | Kind::ThinPool);
        let mut layer = match dm::lvm_name(plain).filter(|_| lvm) {
            Some(lvm) => {
                let role = follow::lvm_role(&lvm, uuid);
                let mut layer = Layer::new(kind, lvm);
                layer.role = if self.is_front(table) {
                    Role::Reserved
                } else {
                    role
                };
                layer
            }
            None => Layer::new(kind, plain),
        };
        layer.mapped = Some(MappedDevice {
            name: Some(plain.to_owned()),
            target: target.map(str::to_owned),
            ..MappedDevice::default()
        });
        layer.size = table
            .last()
            .and_then(|last| last.start.checked_add(last.len));
        layer
    }

    /// LVM puts a linear device on a pool, so that nothing else opens the pool.
    fn is_front(&self, table: &Table) -> bool {
        let [segment] = table.as_slice() else {
            return false;
        };
        let mut below = segment.devices();
        segment.target == "linear"
            && below
                .next()
                .and_then(|devno| self.by_number(devno))
                .is_some_and(|table| follow::pool_chunk(table).is_some())
    }

    /// The facts of the kernel about it (`lsblk` ALIGNMENT −1), with the arithmetic where tables
    /// have it.
    fn misaligned(&self, device: &Said, table: &Table) -> Option<Remark> {
        let mut remark = misaligned(device)?;
        let note = follow::region_against_extents(table, &|devno| self.by_number(devno));
        remark.why.push_str(&note);
        Some(remark)
    }
}

/// The start of a partition that kpartx made, in sectors of its disk.
fn native(device: &Said, layer: &Layer) -> Option<Sectors> {
    let start = layer.below.first()?.map.start()?;
    let sector = device.sector.unwrap_or(SectorSize::S512);
    Sectors::new(start.get() / u64::from(sector.get()), sector)
}

/// The facts of the kernel about a device on others.
pub(super) fn misaligned(device: &Said) -> Option<Remark> {
    hints::misaligned_stack(device.claims.as_ref()?.alignment_offset)
}

/// The group of `vg-lv`.
fn group_of(dm_name: &str) -> Option<String> {
    let lvm = dm::lvm_name(dm_name)?;
    Some(lvm.split_once('/')?.0.to_owned())
}

/// Whether the metadata place every volume.
fn is_whole(group: &VolumeGroup) -> bool {
    let placed = group.lvs.iter().all(|lv| !lv.segments.is_empty());
    !group.lvs.is_empty() && !group.extent.is_zero() && !group.pvs.is_empty() && placed
}

/// Why a device lies somewhere on its parent that no text says.
pub(super) fn untold(kind: Kind) -> Option<Map> {
    let source = match kind {
        Kind::LvmLv | Kind::ThinPool => "dmsetup table, or pvs with pe_start and lvs",
        Kind::Crypt => "dmsetup table, cryptsetup status or luksDump",
        Kind::Md => "mdadm -E of its members",
        _ => return None,
    };
    let why = format!("its place there is missing ({source})");
    Some(Map::Opaque(why))
}

//! One device becomes a layer: where it lies on its parents, and what is said of it besides.

use ioalign_core::layer::detail::{Detail, ImageDetail, MULTIPATH};
use ioalign_core::{ArrayLevel, Bytes, Edge, Grid, Layer, LayerId, Map, SectorSize, Sectors};
use ioalign_core::{layer::Kind, rules};

use super::merge::kind_of;
use super::{Placing, mapped, names};
use crate::assemble::array::level_name;
use crate::captures::{Number, Said};
use crate::host::{Built, dm};

impl Placing<'_> {
    pub(super) fn place(&mut self, name: &str, device: Said) {
        let known = self.placed.get(name).copied();
        if let Some(id) = known.or_else(|| self.opened(name, &device)) {
            // A volume that its group's metadata described already: only its content is new.
            self.learn(id, &device);
            return self.add_content(id, device);
        }
        let mut built = match self.mapped.layer(name, &device, &self.placed) {
            Some(mut built) => {
                say(&mut built.layer, &device);
                built
            }
            None => Built::new(self.layer(name, &device)),
        };
        name_device(&mut built.layer, &device);
        built.layer.facts.extend(device.facts.iter().cloned());
        built.layer.level = device.level.clone().or(built.layer.level);
        if let Some(format) = device.image {
            built.layer.detail = Detail::Image(ImageDetail::of_format(format));
        }
        built.layer.remarks.extend(device.remarks.iter().cloned());
        let id = self.push(name, built);
        if self.carries_grids(id, &device) {
            self.add_grids(id, &device);
        }
        self.add_content(id, device);
    }

    /// A disk, or a device for which the operator declares grids. A part or volume without a known parent
    /// has none, because its start on its disk is unknown. For an array without described members the kernel
    /// states the stripe.
    fn carries_grids(&self, id: LayerId, device: &Said) -> bool {
        let layer = self.assembly.stack.layer(id);
        let volume = matches!(
            layer.kind,
            Kind::Partition | Kind::Volume | Kind::LvmLv | Kind::ThinPool | Kind::Crypt
        );
        if layer.below.is_empty() {
            let declared = !self.assembly.options.grids.is_empty();
            return !volume || declared || device.table.is_some() || device.claims.is_some();
        }
        let opaque = |edge: &Edge| matches!(edge.map, Map::Opaque(_));
        let array = layer.kind == Kind::Md && device.array.is_none() && device.claims.is_some();
        array && layer.below.iter().all(opaque)
    }

    /// The layer gets its place, its grids and its names.
    fn push(&mut self, name: &str, built: Built) -> LayerId {
        let id = self.assembly.stack.push(built.layer);
        let grids = built.grids.into_iter();
        let grids = grids.map(|grid| Grid { layer: id, ..grid });
        self.assembly.stack.grids.extend(grids);
        self.placed.insert(name.to_owned(), id);
        for alias in names::aliases(self.assembly.stack.layer(id)) {
            self.placed.entry(alias).or_insert(id);
        }
        id
    }

    /// `luksDump` or `cryptsetup status` described the volume already, below another name.
    fn opened(&mut self, name: &str, device: &Said) -> Option<LayerId> {
        let [parent] = device.parents.as_slice() else {
            return None;
        };
        if kind_of(device) != Kind::Crypt || self.mapped.has(name) {
            return None;
        }
        let id = self.placed.get(&format!("{parent}#content")).copied()?;
        name.trim_start_matches("mapper/")
            .clone_into(&mut self.assembly.stack.layer_mut(id).name);
        self.placed.insert(name.to_owned(), id);
        Some(id)
    }

    /// Further facts of a text about a layer that exists.
    pub(super) fn learn(&mut self, id: LayerId, device: &Said) {
        let layer = self.assembly.stack.layer_mut(id);
        name_device(layer, device);
        layer.facts.extend(device.facts.iter().cloned());
        layer.level = device.level.clone().or(layer.level.take());
        layer
            .facts
            .extend(device.mounted.iter().map(|path| ("mounted", path.clone())));
        layer.remarks.extend(device.remarks.iter().cloned());
        layer.block = layer.block.or(device.block);
    }

    fn layer(&self, name: &str, device: &Said) -> Layer {
        let kind = kind_of(device);
        let mut layer = Layer::new(kind, plain(name, kind));
        say(&mut layer, device);
        if let Some(array) = device
            .array
            .as_ref()
            .filter(|array| array.controller.is_none())
        {
            self.add_members(array, &mut layer);
            return layer;
        }
        layer
            .remarks
            .extend(mapped::misaligned(device).filter(|_| !device.parents.is_empty()));
        for parent in device
            .parents
            .iter()
            .filter_map(|parent| self.placed.get(parent))
        {
            let (map, sectors) = start_on(device, self.rescaled(device, *parent));
            layer.start_sectors = sectors;
            layer = layer.on(*parent, map);
        }
        layer
    }

    /// The sector of a table whose text did not say it, where another text says the disk's: the
    /// reader took 512.
    fn rescaled(&self, device: &Said, disk: LayerId) -> Option<SectorSize> {
        let disk = self.assembly.stack.layer(disk);
        let assumed = disk
            .remarks
            .iter()
            .any(|remark| remark.rule == rules::SECTOR_SIZE_ASSUMED);
        let logical = u32::try_from(disk.logical_sector?.get())
            .ok()
            .and_then(SectorSize::new)?;
        (assumed && device.sector.is_none() && logical > SectorSize::S512).then_some(logical)
    }
}

/// As a host calls it: `vg/lv`, and mapped devices without their folder.
fn plain(name: &str, kind: Kind) -> String {
    let bare = name.trim_start_matches("mapper/");
    match kind {
        Kind::LvmLv | Kind::ThinPool => dm::lvm_name(bare).unwrap_or_else(|| bare.to_owned()),
        _ => bare.to_owned(),
    }
}

/// What the texts say of a device, apart from its place.
fn say(layer: &mut Layer, device: &Said) {
    let size = device.size.and_then(|size| size.settle(Bytes::new(512)));
    layer.size = layer.size.or(size);
    layer.block = layer.block.or(device.block);
    layer.role = device.role.unwrap_or(layer.role);
    let logical = device.claims.as_ref().and_then(|claims| claims.logical);
    layer.logical_sector = layer.logical_sector.or(logical.map(Bytes::new));
    layer.table = device.table.or(layer.table);
    layer.searched |= device.blank && layer.kind == Kind::Disk;
    layer.device_number = layer.device_number.or(device.devno);
    let controller = device
        .array
        .as_ref()
        .filter(|array| array.controller.is_some());
    let level = controller.map(|array| ArrayLevel::new(level_name(array.level)));
    layer.level = level.or(layer.level.take());
    if let Some(type_id) = &device.type_id {
        layer.set_partition_type(type_id.clone());
    }
    let mounted = device.mounted.clone();
    layer
        .facts
        .extend(mounted.map(|mounted| ("mounted", mounted)));
}

/// The model of the disk that it is, and what device-mapper calls it.
fn name_device(layer: &mut Layer, device: &Said) {
    if let Some(model) = &device.model {
        let mut disk = layer.detail.disk().cloned().unwrap_or_default();
        disk.model = Some(model.clone());
        layer.detail = Detail::Disk(disk);
    }
    if device.dm_uuid.is_some() || device.is_multipath {
        let mapped = layer.mapped.get_or_insert_default();
        mapped.uuid = device.dm_uuid.clone().or(mapped.uuid.take());
        if device.is_multipath {
            mapped.target = Some(MULTIPATH.to_owned());
        }
    }
}

/// How a device lies on its parent, and its start in native sectors; `rescaled`: the true sector of
/// numbers that were read as 512-byte ones.
fn start_on(device: &Said, rescaled: Option<SectorSize>) -> (Map, Option<Sectors>) {
    let sector = device.sector.or(rescaled).unwrap_or(SectorSize::S512);
    let step = sector.bytes();
    let times = rescaled.map_or(1, |sector| u64::from(sector.get() / 512));
    let start = device.start.map(|start| Number {
        low: start.low.saturating_mul(times),
        high: start.high.saturating_mul(times),
    });
    let Some(start) = start else {
        let kind = kind_of(device);
        let untold = match kind {
            Kind::Partition => Some(Map::Opaque("its start is missing".to_owned())),
            kind => mapped::untold(kind),
        };
        return (untold.unwrap_or(Map::Shift { start: Bytes::ZERO }), None);
    };
    if let Some(start) = start.settle(step) {
        let sectors = Sectors::new(start.get() / step.get(), sector);
        return (Map::Shift { start }, sectors);
    }
    let low = start
        .low
        .checked_next_multiple_of(step.get())
        .unwrap_or(start.low);
    let high = start.high - start.high % step.get();
    (
        Map::Within {
            low: Bytes::new(low),
            high: Bytes::new(high.max(low)),
            step,
        },
        None,
    )
}

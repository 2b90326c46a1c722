//! The parameters of an array, each changed a little: which of them matter for a workload.

use ioalign_core::Bytes;
use ioalign_core::array::Maker;

use super::DescribedArray;
use crate::disk::DiskModel;
use crate::geometry::SmallWrite;

/// A parameter, and what changes it; `false`: this array has none like it.
pub struct ArrayKnob {
    /// Its key in a file.
    pub name: &'static str,
    /// Changes it.
    pub turn: fn(&mut DescribedArray) -> bool,
}

/// All parameters.
pub const fn knobs() -> [ArrayKnob; 24] {
    const fn knob(name: &'static str, turn: fn(&mut DescribedArray) -> bool) -> ArrayKnob {
        ArrayKnob { name, turn }
    }
    [
        knob("disks", |array| {
            let single = array.shape.array.disks == 1;
            array.shape.array.disks += 2;
            !single
        }),
        knob("element", |array| {
            let single = array.shape.array.disks == 1;
            let element = array.shape.array.element.get();
            array.shape.array.element = Bytes::new(element * 2);
            !single && array.shape.array.level.name() != "1"
        }),
        knob("owner", |array| {
            let array = &mut array.shape.array;
            array.maker = match array.maker {
                Maker::Md => Maker::Controller,
                Maker::Controller => Maker::Md,
            };
            array.level.has_parity()
        }),
        knob("small_write", |array| {
            let shape = &mut array.shape;
            shape.small_write = match shape.small_write {
                SmallWrite::Reconstruct => SmallWrite::Modify,
                _ => SmallWrite::Reconstruct,
            };
            shape.array.level.has_parity()
        }),
        knob("disk_size", |array| {
            array.shape.disk_bytes += array.shape.disk_bytes / 2;
            true
        }),
        knob("unit", |array| doubled(&mut array.unit_bytes)),
        knob("volume.block", |array| {
            doubled(&mut array.above.block_bytes)
        }),
        knob("service", |array| match &mut array.disk {
            DiskModel::Fixed { ns } => doubled(ns),
            _ => false,
        }),
        knob("hdd.least_seek", |array| {
            spinning(array, |disk| &mut disk.least_seek_ns)
        }),
        knob("hdd.full_seek", |array| {
            spinning(array, |disk| &mut disk.full_seek_ns)
        }),
        knob("hdd.rpm", |array| {
            spinning(array, |disk| &mut disk.revolution_ns)
        }),
        knob("hdd.track", |array| {
            spinning(array, |disk| &mut disk.track_bytes)
        }),
        knob("hdd.fixed", |array| {
            spinning(array, |disk| &mut disk.fixed_ns)
        }),
        knob("hdd.queue", |array| match &mut array.disk {
            DiskModel::Spinning(disk) => {
                disk.queue *= 2;
                true
            }
            _ => false,
        }),
        knob("ssd.channels", |array| match &mut array.disk {
            DiskModel::Flash(disk) => {
                disk.channels *= 2;
                true
            }
            _ => false,
        }),
        knob("ssd.unit", |array| {
            flash(array, |disk| &mut disk.unit_bytes)
        }),
        knob("ssd.read", |array| flash(array, |disk| &mut disk.read_ns)),
        knob("ssd.write", |array| flash(array, |disk| &mut disk.write_ns)),
        knob("ssd.buffer", |array| {
            flash(array, |disk| &mut disk.buffer_bytes)
        }),
        knob("cache.write", |array| match &mut array.cache {
            Some(cache) if cache.write_back => {
                cache.write_back = false;
                true
            }
            _ => false,
        }),
        knob("cache.size", |array| {
            cache(array, |cache| &mut cache.write_bytes)
        }),
        knob("cache.read", |array| {
            cache(array, |cache| &mut cache.read_bytes)
        }),
        knob("cache.read_ahead", |array| {
            cache(array, |cache| &mut cache.read_ahead_bytes)
        }),
        knob("cache.destage", |array| match &mut array.cache {
            Some(cache) if cache.write_back => {
                cache.destage *= 2;
                true
            }
            _ => false,
        }),
    ]
}

/// Twice as much of what there is.
const fn doubled(value: &mut u64) -> bool {
    let was = *value > 0;
    *value = value.saturating_mul(2);
    was
}

fn spinning(
    array: &mut DescribedArray,
    part: fn(&mut crate::disk::SpinningDisk) -> &mut u64,
) -> bool {
    match &mut array.disk {
        DiskModel::Spinning(disk) => doubled(part(disk)),
        _ => false,
    }
}

fn flash(array: &mut DescribedArray, part: fn(&mut crate::disk::FlashDisk) -> &mut u64) -> bool {
    match &mut array.disk {
        DiskModel::Flash(disk) => doubled(part(disk)),
        _ => false,
    }
}

fn cache(
    array: &mut DescribedArray,
    part: fn(&mut crate::engine::ControllerCache) -> &mut u64,
) -> bool {
    array
        .cache
        .as_mut()
        .is_some_and(|cache| doubled(part(cache)))
}

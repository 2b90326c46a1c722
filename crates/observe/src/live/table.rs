//! Read-only data of the program: which device has which slot, and what each slot is.
//!
//! The program finds a slot by one multiplication and one comparison: user space looks for a factor
//! under which no two devices fall on one place.

use ioalign_core::GridClaim;

use super::device::WatchedDevice;
use super::divide::Divisor;
use super::layout::{GRIDS, SLOT, SLOTS, TABLE};

/// `struct place table[]` and its factor.
pub struct PlaceTable {
    pub factor: u32,
    pub bytes: Vec<u8>,
}

/// The slot of a device.
const fn place(dev: u32, factor: u32) -> usize {
    (dev.wrapping_mul(factor) >> 22) as usize
}

impl PlaceTable {
    pub fn new(devices: &[WatchedDevice]) -> Option<Self> {
        let mut factor = 0x9e37_79b1_u32;
        for _ in 0..1_000_000 {
            if let Some(bytes) = filled(devices, factor) {
                return Some(Self { factor, bytes });
            }
            factor = factor.wrapping_mul(0x2c9c_9d15).wrapping_add(2) | 1;
        }
        None
    }
}

fn filled(devices: &[WatchedDevice], factor: u32) -> Option<Vec<u8>> {
    let mut all = vec![(0_u32, 0_u32); TABLE];
    for (device, slot) in devices.iter().zip(1..) {
        let entry = all.get_mut(place(device.dev(), factor))?;
        if entry.1 != 0 {
            return None;
        }
        let past = if device.by_bio { SLOTS } else { 0 };
        *entry = (device.dev(), slot + u32::try_from(past).ok()?);
    }
    let words = all.iter().flat_map(|(dev, slot)| [*dev, *slot]);
    Some(words.flat_map(u32::to_ne_bytes).collect())
}

/// `struct slot slots[]`, and how many requests can be in flight in all.
pub fn slots(devices: &[WatchedDevice]) -> (Vec<u8>, u32) {
    let mut bytes = Vec::with_capacity(SLOTS * SLOT);
    let mut base = 0_u32;
    for device in devices.iter().take(SLOTS) {
        bytes.extend(u64::from(base).to_ne_bytes());
        for word in [
            device.tag_bits(),
            device.queues,
            u32::from(device.stamped),
            counted(device),
        ] {
            bytes.extend(word.to_ne_bytes());
        }
        let discard = device.discard.unwrap_or_default();
        let phase = discard.phase.checked_rem(discard.unit).unwrap_or(0);
        let words = [discard.unit, phase, u64::from(discard.ranges)];
        bytes.extend(words.into_iter().flat_map(u64::to_ne_bytes));
        for n in 0..GRIDS {
            bytes.extend(grid(device.grids.get(n)));
        }
        base = base.saturating_add(device.flights());
    }
    bytes.resize(SLOTS * SLOT, 0);
    (bytes, base)
}

/// Whether how an I/O lies on a grid follows from its length and its sector in 64 KiB.
pub fn follows(spec: &GridClaim) -> bool {
    let (size, phase) = (spec.size.get(), spec.phase.get());
    size.is_power_of_two() && size <= 64 << 10 && phase % 512 == 0
}

/// A bit for each grid that the program counts on its own.
fn counted(device: &WatchedDevice) -> u32 {
    let grids = device.grids.iter().take(GRIDS).zip(0..);
    grids
        .filter(|(spec, _)| !follows(spec))
        .fold(0, |bits, (_, n)| bits | 1 << n)
}

/// `struct grid`.
fn grid(spec: Option<&GridClaim>) -> Vec<u8> {
    let size = spec.map_or(0, |spec| spec.size.get());
    let phase = spec.map_or(0, |spec| spec.phase.get()) % size.max(1);
    let mask = if size.is_power_of_two() { size - 1 } else { 0 };
    let divisor = Divisor::of(size);
    let counted = u32::from(spec.is_some_and(|spec| !follows(spec)));
    let used = u32::from(size > 0) + counted;
    let words = [size, phase, mask, divisor.factor].map(u64::to_ne_bytes);
    let halves = [divisor.down, divisor.by].map(u16::to_ne_bytes);
    [words.concat(), halves.concat(), used.to_ne_bytes().to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(major: u32, minor: u32) -> WatchedDevice {
        WatchedDevice {
            name: String::new(),
            number: (major, minor),
            queues: 2,
            tags: 32,
            by_bio: false,
            stamped: true,
            discard: None,
            grids: vec!["192k@64k".parse().unwrap()],
        }
    }

    #[test]
    fn every_device_is_alone_on_its_place() {
        let disks = (0..64).map(|n| device(259, n));
        let all: Vec<_> = disks.chain((0..64).map(|n| device(8, n * 16))).collect();
        let table = PlaceTable::new(&all).unwrap();
        assert_eq!(table.bytes.len(), TABLE * 8);
        for (device, slot) in all.iter().zip(1_u32..) {
            let at = place(device.dev(), table.factor) * 8;
            let entry = table.bytes.get(at..at + 8).unwrap();
            assert_eq!(
                entry,
                [device.dev().to_ne_bytes(), slot.to_ne_bytes()].concat()
            );
        }
    }

    #[test]
    fn slots_follow_each_other_in_flight() {
        let (bytes, flights) = slots(&[device(8, 0), device(8, 16)]);
        assert_eq!((bytes.len(), flights), (SLOTS * SLOT, 128));
        assert_eq!(bytes.get(SLOT..SLOT + 8).unwrap(), 64_u64.to_ne_bytes());
    }
}

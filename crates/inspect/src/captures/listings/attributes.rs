//! Columns of devices that are printed one value at a time, put together as a listing.

use std::collections::{HashMap, VecDeque};

use super::super::TextEvidence;
use super::lsblk::{self, LsblkNode};
use super::{names, sizes};

/// Devices of one text that are kept.
const MOST_DEVICES: usize = 20_000;
/// Values that one command line may announce.
pub(super) const MOST_AWAITED: usize = 4096;

/// Where a value goes: the device, and the column of `lsblk` that means the same.
#[derive(Clone)]
pub(super) struct AttributePlace {
    pub(super) device: String,
    /// `None`: a value of no interest, which takes a line.
    pub(super) column: Option<&'static str>,
    /// What the printed number is multiplied by.
    pub(super) unit: u64,
}

/// Values of many devices in any order.
#[derive(Default)]
pub(super) struct AttributeTable {
    nodes: Vec<LsblkNode>,
    places: HashMap<String, usize>,
    awaited: VecDeque<AttributePlace>,
}

impl AttributeTable {
    /// A value for a place. A number stays a number, or it is left out.
    pub(super) fn insert(&mut self, place: &AttributePlace, value: &str) {
        let Some(column) = place.column else { return };
        let value = value.trim();
        let text = matches!(column, "MODEL" | "VENDOR" | "ZONED");
        let value = match sizes::whole(value).and_then(|number| number.checked_mul(place.unit)) {
            Some(number) => number.to_string(),
            None if text || (column == "ALIGNMENT" && value == "-1") => value.to_owned(),
            None => return,
        };
        if let Some(node) = self.node(&place.device) {
            node.insert(column, &value);
        }
    }

    /// The values of the next lines, in order.
    pub(super) fn awaits(&mut self, places: impl IntoIterator<Item = AttributePlace>) {
        self.awaited.clear();
        self.awaited.extend(places.into_iter().take(MOST_AWAITED));
    }

    /// A line that asks for values, or else may be one that is awaited.
    pub(super) fn asks_or_answers(&mut self, asked: Vec<AttributePlace>, line: &str) {
        if asked.is_empty() {
            self.line(line);
        } else {
            self.awaits(asked);
        }
    }

    /// A line that may be an awaited value. An empty one is none.
    fn line(&mut self, line: &str) {
        if !line.trim().is_empty()
            && let Some(place) = self.awaited.pop_front()
        {
            // `get physical block size: 4096`
            let value = line.rsplit(": ").next().unwrap_or(line);
            self.insert(&place, value);
        }
    }

    /// Adds all devices.
    pub(super) fn tell(self, evidence: &mut TextEvidence) {
        lsblk::tell(&self.nodes, evidence);
    }

    fn node(&mut self, device: &str) -> Option<&mut LsblkNode> {
        let name = device.trim_start_matches("/dev/");
        let plain = !name.is_empty() && !name.contains(['*', '?', '{', '$', ' ']);
        if !plain || self.nodes.len() >= MOST_DEVICES {
            return None;
        }
        let place = *self.places.entry(name.to_owned()).or_insert_with(|| {
            let mut node = LsblkNode::default();
            node.insert("NAME", name);
            if names::split(name).is_some() {
                node.insert("TYPE", "part");
            }
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        self.nodes.get_mut(place)
    }
}

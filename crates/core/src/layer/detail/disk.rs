//! What the kernel says of a disk.

use super::Facts;

/// What the kernel says of a disk, in bytes; whether that is believed is another question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskDetail {
    /// How it is attached; empty where that is not known.
    pub transport: &'static str,
    /// Its model, as it or a text names it.
    pub model: Option<String>,
    /// The version of its firmware.
    pub firmware: Option<String>,
    /// Its logical sector.
    pub logical: Option<u64>,
    /// Its physical block.
    pub physical: Option<u64>,
    /// `minimum_io_size`.
    pub minimum: Option<u64>,
    /// `optimal_io_size`.
    pub optimal: Option<u64>,
    /// `alignment_offset`; −1: the kernel cannot say.
    pub alignment_offset: i64,
    /// Whether it says that it rotates.
    pub rotational: Option<bool>,
    /// The file behind a loop device.
    pub backing_file: Option<String>,
    /// Where in that file it begins.
    pub backing_offset: u64,
}

impl DiskDetail {
    pub(super) fn facts(&self) -> Facts {
        let transport = Some(self.transport.to_owned()).filter(|name| !name.is_empty());
        let names = [
            ("transport", transport),
            ("model", self.model.clone()),
            ("firmware", self.firmware.clone()),
            ("backing-file", self.backing_file.clone()),
        ];
        let names = names.into_iter();
        let mut facts: Facts = names.filter_map(|(key, name)| Some((key, name?))).collect();
        let numbers = [
            ("logical-block", self.logical),
            ("physical-block", self.physical),
            ("minimum-io", self.minimum),
            ("optimal-io", self.optimal),
            (
                "backing-offset",
                Some(self.backing_offset).filter(|offset| *offset != 0),
            ),
        ];
        for (key, value) in numbers {
            facts.extend(value.map(|value| (key, value.to_string())));
        }
        if self.alignment_offset != 0 {
            facts.insert("alignment-offset", self.alignment_offset.to_string());
        }
        if let Some(rotates) = self.rotational {
            facts.insert("rotational", if rotates { "yes" } else { "no" }.to_owned());
        }
        facts
    }
}

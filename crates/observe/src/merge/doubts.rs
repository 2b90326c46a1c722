//! What a merge cannot give as one run over everything would have.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::profile::{InexactValue, Profile};

/// The values, each with the reason and the devices; no devices: all.
#[derive(Default)]
pub struct Doubts(BTreeMap<(String, String), BTreeSet<String>>);

impl Doubts {
    /// A value of one device.
    pub fn add(&mut self, value: &str, why: &str, device: &str) {
        let devices = self.0.entry((value.to_owned(), why.to_owned()));
        devices.or_default().insert(device.to_owned());
    }

    /// A value of everything.
    pub fn add_all(&mut self, value: &str, why: &str) {
        self.0
            .insert((value.to_owned(), why.to_owned()), BTreeSet::new());
    }

    /// Those of a profile that is merged already.
    pub fn keep(&mut self, known: Vec<InexactValue>) {
        for one in known {
            let devices = self.0.entry((one.value, one.why)).or_default();
            devices.extend(one.devices);
        }
    }

    /// In the words of the profile.
    pub fn named(self) -> Vec<InexactValue> {
        let named = self
            .0
            .into_iter()
            .map(|((value, why), devices)| InexactValue {
                value,
                why,
                devices: devices.into_iter().collect(),
            });
        named.collect()
    }

    /// An I/O may begin in one part and end in another.
    pub fn pairs(&mut self, profiles: &[Profile]) {
        let begun = profiles
            .iter()
            .filter(|one| one.unpaired.without_completion > 0);
        let ended = profiles.iter().filter(|one| one.unpaired.without_issue > 0);
        let (begun, ended): (Vec<_>, Vec<_>) = (begun.collect(), ended.collect());
        let across = begun
            .iter()
            .any(|a| ended.iter().any(|b| !std::ptr::eq(*a, *b)));
        if across {
            let why = "an I/O that begins in one part and ends in another has no latency";
            self.add_all("unpaired", why);
            self.add_all("by_op.latency_us", why);
        }
        if profiles.iter().any(|one| one.unpaired.late > 0) {
            self.add_all(
                "unpaired.late",
                "the order of rows is known within each part alone",
            );
        }
    }
}

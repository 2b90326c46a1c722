//! Whether a profile and a measurement are of a device of the stack: by the names that they give it.
//!
//! Numbers of one device say nothing of another one, so a document without a common name is refused unless the
//! operator says that it speaks for the stack.

use super::{AdviceInput, CheckedTarget};
use crate::comparison::Comparison;
use crate::profile::DeviceProfile;

/// A document that names no device of the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// `profile` or `measurement`.
    pub document: &'static str,
    /// The devices that it names.
    pub devices: Vec<String>,
    /// Some devices of the stack, as it names them.
    pub stack: Vec<String>,
}

/// The documents that are of no device of the stack; none where `assume_same` was said.
pub fn strangers(evidence: &AdviceInput<'_>) -> Vec<Stranger> {
    let known: Vec<&str> = evidence
        .targets
        .iter()
        .flat_map(CheckedTarget::names)
        .collect();
    let stranger = |document, devices: Vec<String>| {
        let mut stack: Vec<String> = known.iter().copied().map(str::to_owned).collect();
        stack.retain(|name| !name.contains(':'));
        stack.dedup();
        Stranger {
            document,
            devices,
            stack,
        }
    };
    let mut found = Vec::new();
    if evidence.assume_same {
        return found;
    }
    if let Some(profile) = evidence.profile
        && !profile.devices.is_empty()
        && !profile.devices.iter().any(|one| is_device(one, &known))
    {
        let devices = profile.devices.iter().map(|one| one.device.clone());
        found.push(stranger("profile", devices.collect()));
    }
    if let Some(cost) = evidence.cost
        && !is_measured_on(cost, &known)
    {
        found.push(stranger("measurement", vec![cost.target.clone()]));
    }
    found
}

/// Whether a device of a profile is one of these: by its own name, or by the layer that it was found to be.
pub(super) fn is_device(device: &DeviceProfile, known: &[&str]) -> bool {
    let layer = device.layer.as_deref();
    // `measure run` of several targets counts them as one.
    let names = device.device.split(" + ").chain(layer);
    any_alike(names, known)
}

/// Whether a measurement was made on one of these, or on a file that lies on one of them.
pub(super) fn is_measured_on(cost: &Comparison, known: &[&str]) -> bool {
    let disks = cost.machine.disks.iter().map(|disk| disk.name.as_str());
    any_alike(disks.chain([cost.target.as_str()]), known)
}

fn any_alike<'a>(mut names: impl Iterator<Item = &'a str>, known: &[&str]) -> bool {
    names.any(|name| {
        let name = plain(name);
        !name.is_empty() && known.iter().any(|one| plain(one) == name)
    })
}

/// `/dev/sda` and `sda`, `./disk.img` and `disk.img` are the same.
fn plain(name: &str) -> &str {
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    name.trim_start_matches("./")
}

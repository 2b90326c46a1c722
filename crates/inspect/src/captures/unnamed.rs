//! Devices that a text does not name: a layer still has to say what it is.
//!
//! `xfs_info` in a ticket without its command line, `dumpe2fs -h` from standard input: the claims are
//! good, only their device is unknown. They are named after the text, one by one, so that two such
//! texts do not count as one device.

use ioalign_core::{Kind, Remark, rules};

use super::{Said, TextEvidence};

/// Names what `command` just said about devices without a name, which are those from `first` on.
pub(super) fn name(evidence: &mut TextEvidence, first: usize, command: &str) {
    let known = count(&evidence.devices, first, command);
    let Some(new) = evidence.devices.get_mut(first..) else {
        return;
    };
    let mut number = known;
    for said in new {
        // What hangs below a nameless disk hangs below the last one.
        let below = said.parents.iter_mut().filter(|parent| parent.is_empty());
        for parent in below {
            *parent = called(command, number.max(1));
        }
        if said.name.is_empty() {
            number += 1;
            said.name = called(command, number);
            if said.kind.is_none() && said.table.is_none() {
                // It may lie anywhere on any disk.
                said.kind = Some(Kind::Volume);
            }
            said.remarks.push(remark(command));
        }
    }
}

/// How many were named after that command before.
fn count(devices: &[Said], first: usize, command: &str) -> usize {
    let before = devices.iter().take(first);
    before
        .filter(|said| said.name.starts_with(&called(command, 1)))
        .count()
}

/// `unnamed (xfs_info)`, `unnamed (xfs_info) 2`.
fn called(command: &str, number: usize) -> String {
    match number {
        1 => format!("unnamed ({command})"),
        number => format!("unnamed ({command}) {number}"),
    }
}

fn remark(command: &str) -> Remark {
    let why = format!(
        "The output of {command} does not name its device: it is a stack of its own, and is not put \
         on any disk"
    );
    Remark::note(rules::DEVICE_NOT_NAMED, why).advise(
        "Paste the command line with it (# dumpe2fs -h /dev/sda1), or name the file as sos does \
         (dumpe2fs_-h_.dev.sda1)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nameless_devices_are_told_apart() {
        let mut evidence = TextEvidence::default();
        evidence.device("sda");
        evidence.device("");
        evidence.device("sda1").parents.push(String::new());
        name(&mut evidence, 0, "fdisk -l");
        evidence.device("");
        name(&mut evidence, 3, "fdisk -l");
        let names: Vec<_> = evidence
            .devices
            .iter()
            .map(|said| said.name.as_str())
            .collect();
        assert_eq!(
            names,
            ["sda", "unnamed (fdisk -l)", "sda1", "unnamed (fdisk -l) 2"]
        );
        assert_eq!(evidence.devices[2].parents, ["unnamed (fdisk -l)"]);
        assert_eq!(evidence.devices[1].remarks[0].rule, "device-not-named");
    }
}

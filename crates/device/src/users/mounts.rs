//! Mounts: of this mount namespace, and of those of other processes.
//!
//! A process sees the mounts below its own `/` only. So in a chroot the mounts of the machine are found in what
//! another process sees, and every pair of namespace and `/` is looked at once.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

use super::processes::OtherProcess;
use super::{Use, name_of, unescape};
use crate::sysfs::parse_number;

/// A mount, as `mountinfo` of proc(5) lists it.
struct MountLine {
    device: String,
    point: String,
}

/// Mounts of these devices.
pub(super) fn of_devices(numbers: &[u64], processes: &[OtherProcess]) -> Vec<Use> {
    let own = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let here = lines(&own, numbers).map(|MountLine { device, point }| Use::Mount { device, point });
    let mut all: Vec<Use> = here.collect();
    let mut seen = BTreeSet::from_iter(view("self"));
    for process in processes {
        let Some(view) = view(&process.pid.to_string()) else {
            continue;
        };
        if !seen.insert(view) {
            continue;
        }
        let text = fs::read_to_string(process.file("mountinfo")).unwrap_or_default();
        for MountLine { device, point } in lines(&text, numbers) {
            let known =
                |one: &Use| matches!(one, Use::Mount { device: known, .. } if *known == device);
            if !all.iter().any(known) {
                all.push(Use::MountElsewhere {
                    device,
                    point,
                    pid: process.pid,
                    name: process.name(),
                });
            }
        }
    }
    all
}

/// Which mounts a process sees: its mount namespace, and what is `/` to it.
fn view(process: &str) -> Option<(String, u64, u64)> {
    let namespace = fs::read_link(format!("/proc/{process}/ns/mnt")).ok()?;
    let root = fs::metadata(format!("/proc/{process}/root")).ok()?;
    let namespace = namespace.display().to_string();
    Some((namespace, root.dev(), root.ino()))
}

/// `36 35 8:1 / /point options … - type source …` (proc(5)). btrfs has numbers of its own: there the
/// source is asked.
fn lines<'a>(text: &'a str, numbers: &'a [u64]) -> impl Iterator<Item = MountLine> + 'a {
    text.lines().filter_map(|line| {
        let (front, back) = line.split_once(" - ")?;
        let mut front = front.split(' ').skip(2);
        let number = parse_number(front.next()?)?;
        let point = unescape(front.nth(1)?);
        let source = back.split(' ').nth(1)?;
        let by_source = || fs::metadata(unescape(source)).ok().map(|of| of.rdev());
        let used = [Some(number), by_source().filter(|number| *number != 0)];
        let hit = used.into_iter().flatten().find(|n| numbers.contains(n))?;
        Some(MountLine {
            device: name_of(hit),
            point: point.display().to_string(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::makedev;

    #[test]
    fn a_line_is_read() {
        let text = "36 35 8:1 / /mnt/a\\040b rw,noatime shared:1 - ext4 /dev/none rw\n\
                    37 35 0:40 / /proc rw - proc proc rw\n";
        let numbers = [makedev(8, 1)];
        let found: Vec<_> = lines(text, &numbers).map(|line| line.point).collect();
        assert_eq!(found, ["/mnt/a b"]);
    }
}

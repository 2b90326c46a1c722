//! Processes of a merged device: named and listed as one run would have.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::profile::{DeviceProfile, ProcessProfile, TraceFile};

use super::device::add_processes;
use super::doubts::Doubts;
use crate::analyse::{LISTED_PROCESSES, MOST_OWNERS, other_processes};

/// Gives processes their names, most I/Os first; those past the list are added up.
pub fn finish(device: &mut DeviceProfile, times: usize, files: &[TraceFile], doubts: &mut Doubts) {
    let all = &mut device.processes;
    if times > 1 {
        let others = all.iter().any(|one| one.name == "(others)" && one.pid == 0);
        if others || all.len() > MOST_OWNERS {
            let why = "a part has more processes than are listed";
            doubts.add("processes", why, &device.device);
        }
        if rename(all, files) {
            let why = "a process has another name in each part";
            doubts.add("processes", why, &device.device);
        }
    }
    all.sort_by(|a, b| (b.ios, a.pid, &a.name, &a.op).cmp(&(a.ios, b.pid, &b.name, &b.op)));
    if times > 1 && all.len() > LISTED_PROCESSES {
        let rest = all.split_off(LISTED_PROCESSES);
        all.extend(other_processes(&rest));
    }
}

/// blktrace gives the name of a process apart from its I/O, in one of the parts. Returns whether names contradict.
fn rename(all: &mut Vec<ProcessProfile>, files: &[TraceFile]) -> bool {
    if !files.iter().any(|file| file.format.contains("blktrace")) {
        return false;
    }
    let mut names: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for one in all.iter().filter(|one| !one.name.is_empty()) {
        names.entry(one.pid).or_default().insert(one.name.clone());
    }
    let mut named = Vec::new();
    for mut one in std::mem::take(all) {
        let known = names.get(&one.pid).filter(|known| known.len() == 1);
        if let (true, Some(name)) = (one.name.is_empty(), known.and_then(BTreeSet::first)) {
            one.name.clone_from(name);
        }
        named.push(one);
    }
    for one in named {
        add_processes(all, vec![one]);
    }
    names.values().any(|known| known.len() > 1)
}

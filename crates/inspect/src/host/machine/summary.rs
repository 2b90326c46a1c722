//! The summary that every measurement opens with: what it was taken on, as one document.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use ioalign_core::machine::Machine as Summary;

use super::{controllers, disks, target};
use crate::host::inventory;
use crate::host::root::Root;

/// Reads it, with the disks below the targets (devices, files or folders), or all disks where none is
/// named or known.
///
/// What a user may not read stays empty: nothing here needs root. [`Summary::time`] is that of the call
/// on the running machine, and empty for a captured one.
pub fn summary(root: &Root, targets: &[PathBuf]) -> Summary {
    let machine = super::read(root);
    let inventory = inventory::list(root);
    let below = target::below(root, &inventory, targets);
    Summary {
        host: machine.name.unwrap_or_default(),
        platform: platform(machine.product, machine.hypervisor),
        kernel: kernel(root, machine.kernel),
        system: machine.system.unwrap_or_default(),
        cpu_model: machine.cpu.unwrap_or_default(),
        cpus: u32::try_from(machine.cpus).unwrap_or(u32::MAX),
        memory_bytes: machine.memory.map(ioalign_core::Bytes::get),
        time: if root.is_live() { now() } else { String::new() },
        load_average: load_average(root),
        controllers: controllers::list(root),
        disks: disks::list(root, &inventory, &below),
    }
}

/// `Dell Inc. PowerEdge R740`, `QEMU Standard PC (kvm)`, `virtual machine (kvm)`.
fn platform(product: Option<String>, hypervisor: Option<String>) -> String {
    match (product, hypervisor) {
        (Some(product), Some(hypervisor)) => format!("{product} ({hypervisor})"),
        (Some(product), None) => product,
        (None, Some(hypervisor)) => match hypervisor.as_str() {
            "unnamed" => "virtual machine".to_owned(),
            name => format!("virtual machine ({name})"),
        },
        (None, None) => String::new(),
    }
}

/// Release and architecture; the kernel says its own since 6.1.
fn kernel(root: &Root, release: Option<String>) -> String {
    let running = || root.is_live().then(|| std::env::consts::ARCH.to_owned());
    let architecture = root.attr("proc/sys/kernel/arch").or_else(running);
    let parts = release.into_iter().chain(architecture);
    parts.collect::<Vec<_>>().join(" ")
}

/// The first of `0.52 0.40 0.31 1/213 4711`: over a minute.
fn load_average(root: &Root) -> Option<f64> {
    let text = root.attr("proc/loadavg")?;
    let value: f64 = text.split(' ').next()?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    ioalign_core::time::utc(since.map_or(0, |since| since.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_named_by_what_is_known() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(platform(some("QEMU PC"), some("kvm")), "QEMU PC (kvm)");
        assert_eq!(platform(some("PowerEdge"), None), "PowerEdge");
        assert_eq!(platform(None, some("unnamed")), "virtual machine");
        assert_eq!(platform(None, some("xen")), "virtual machine (xen)");
        assert_eq!(platform(None, None), "");
    }
}

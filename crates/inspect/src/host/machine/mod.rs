//! The machine in a few words, for the head of a report.

mod controllers;
mod disks;
mod summary;
mod target;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ioalign_core::Bytes;

use super::root::Root;
use super::{What, inventory};

pub use summary::summary;

/// What a report says about where it was made. `None`: not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostMachine {
    /// Host name.
    pub name: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Operating system, from `os-release`.
    pub system: Option<String>,
    /// Model of the first CPU.
    pub cpu: Option<String>,
    /// CPUs that are on.
    pub cpus: usize,
    /// Memory.
    pub memory: Option<Bytes>,
    /// Maker and product, from DMI.
    pub product: Option<String>,
    /// `kvm`, `vmware`, `xen`, …, or that there is some hypervisor.
    pub hypervisor: Option<String>,
}

/// Product strings of virtual machines.
const HYPERVISORS: &[(&str, &str)] = &[
    ("QEMU", "kvm"),
    ("KVM", "kvm"),
    ("VMware", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("Virtual Machine", "hyper-v"),
    ("HVM domU", "xen"),
    ("Amazon EC2", "aws"),
    ("Google Compute Engine", "gce"),
    ("OpenStack", "openstack"),
    ("Bochs", "kvm"),
];

/// Kernel names of the disks below a device, a file or a folder; none where they are not known.
pub fn disks_below(root: &Root, target: &Path) -> Vec<String> {
    let inventory = inventory::list(root);
    let below = target::below(root, &inventory, &[PathBuf::from(target)]);
    let blocks = inventory.blocks.values();
    let disks = blocks.filter(|block| block.what == What::Disk && below.contains(&block.name));
    disks.map(|block| block.name.clone()).collect()
}

/// Reads it.
pub fn read(root: &Root) -> HostMachine {
    let cpuinfo = root.text("proc/cpuinfo").unwrap_or_default();
    let product = product(root);
    HostMachine {
        name: root.attr("proc/sys/kernel/hostname"),
        kernel: root
            .attr("proc/sys/kernel/osrelease")
            .or_else(|| version(root)),
        system: system(root),
        cpu: field(&cpuinfo, "model name"),
        cpus: cpus(&cpuinfo),
        memory: memory(root),
        hypervisor: hypervisor(root, product.as_deref(), &cpuinfo),
        product,
    }
}

/// `Linux version 6.1.0-18-amd64 (…)`.
fn version(root: &Root) -> Option<String> {
    let text = root.attr("proc/version")?;
    text.split_whitespace().nth(2).map(str::to_owned)
}

fn system(root: &Root) -> Option<String> {
    let text = root
        .attr("etc/os-release")
        .or_else(|| root.attr("usr/lib/os-release"))?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

/// The first `key : value` line.
fn field(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

fn cpus(cpuinfo: &str) -> usize {
    let numbers: BTreeSet<&str> = cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.trim() == "processor")
        .map(|(_, number)| number.trim())
        .collect();
    numbers.len()
}

fn memory(root: &Root) -> Option<Bytes> {
    let text = root.text("proc/meminfo").ok()?;
    let value = field(&text, "MemTotal")?;
    let kib: u64 = value.strip_suffix(" kB")?.trim().parse().ok()?;
    Bytes::KIB.checked_mul(kib)
}

fn product(root: &Root) -> Option<String> {
    let dmi = |name: &str| root.attr(&format!("sys/class/dmi/id/{name}"));
    match (dmi("sys_vendor"), dmi("product_name")) {
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => product
            .or(vendor)
            .or_else(|| root.attr("proc/device-tree/model")),
    }
}

fn hypervisor(root: &Root, product: Option<&str>, cpuinfo: &str) -> Option<String> {
    if let Some(kind) = root.attr("sys/hypervisor/type") {
        return Some(kind);
    }
    let known = HYPERVISORS
        .iter()
        .find(|(words, _)| product.is_some_and(|product| product.contains(words)));
    if let Some((_, name)) = known {
        return Some((*name).to_owned());
    }
    let flags = field(cpuinfo, "flags").unwrap_or_default();
    let bit = flags.split(' ').any(|flag| flag == "hypervisor");
    bit.then(|| "unnamed".to_owned())
}

//! The machine that a report is about: what it was measured or read on.

use serde::{Deserialize, Serialize};

/// The machine. Reports of a live machine open with it. Empty or `None`: not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// Vendor and product, or the hypervisor.
    pub platform: String,
    /// Kernel release and architecture.
    pub kernel: String,
    /// Distribution.
    pub system: String,
    /// Model of the processors.
    pub cpu_model: String,
    /// Logical processors.
    pub cpus: u32,
    /// Main memory.
    pub memory_bytes: Option<u64>,
    /// When, in RFC 3339.
    pub time: String,
    /// Mean number of runnable tasks over the last minute, before the run began.
    pub load_average: Option<f64>,
    /// Storage controllers, as the PCI bus lists them.
    pub controllers: Vec<String>,
    /// The disks below the target, or all.
    pub disks: Vec<MachineDisk>,
}

/// A disk of the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineDisk {
    /// Kernel name.
    pub name: String,
    /// Model.
    pub model: String,
    /// Size.
    pub size_bytes: Option<u64>,
    /// Logical block.
    pub logical_bytes: Option<u64>,
    /// Physical block.
    pub physical_bytes: Option<u64>,
    /// Whether it turns.
    pub rotational: Option<bool>,
    /// I/O scheduler.
    pub scheduler: String,
    /// `write back`, `write through`.
    pub write_cache: String,
    /// RAID level and members, where it is an array.
    pub raid: String,
}

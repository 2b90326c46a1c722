//! Outputs about what disks, controllers and the kernel say of alignment.

pub mod biosnoop;
pub mod id_ns;
pub mod kernel_log;
pub mod megacli;
pub mod multipath;
pub mod nvme_list;
pub mod scsi;
pub mod smartctl;
pub mod ssacli;
pub mod storcli;

mod raid;

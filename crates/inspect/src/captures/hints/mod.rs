//! Outputs about what disks, controllers and the kernel say of alignment.

pub mod biosnoop;
pub mod hdparm;
pub mod id_ns;
pub mod kernel_log;
pub mod megacli;
pub mod multipath;
pub mod nvme_list;
pub mod scsi;
pub mod smartctl;
pub mod ssacli;
pub mod storcli;
pub mod storcli_text;

mod raid;

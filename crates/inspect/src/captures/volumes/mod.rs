//! Outputs about volumes: LVM, md, device-mapper, LUKS.

pub mod cryptsetup_status;
pub mod dmsetup;
pub mod luks_dump;
pub mod lvm;
pub mod mdadm_detail;
pub mod mdadm_examine;
pub mod mdadm_export;
pub mod mdstat;

mod blocks;
mod md;

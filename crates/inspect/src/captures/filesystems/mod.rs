//! Outputs about file systems.

pub mod btrfs;
pub mod ext;
pub mod fat;
pub mod ntfsinfo;
pub mod xfs_info;
pub mod zdb;
pub mod zfs_get;
pub mod zpool_status;

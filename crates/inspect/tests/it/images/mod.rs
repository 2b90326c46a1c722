//! Tests of the images readers.

mod backing;
mod hostile;
mod qcow2;
mod qemu;
mod raw;
mod vdi;
mod vhd;
mod vhd_made;
mod vhdx;
mod vm_hostile;
mod vmdk;
mod vmdk_files;

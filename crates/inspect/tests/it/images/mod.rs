//! Tests of the images readers.

mod backing;
mod hostile;
mod qcow2;
mod qemu;
mod raw;
mod vdi;

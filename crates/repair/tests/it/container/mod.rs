//! Images as disks, with QEMU's tools as the judge.

mod model;
mod output;
mod power;
mod tools;
mod written;

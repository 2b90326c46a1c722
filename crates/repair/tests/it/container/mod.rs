//! Images as disks, with QEMU's tools as the judge.

mod locks;
mod model;
mod moves;
mod order;
mod output;
mod power;
mod sim;
mod tools;
mod written;

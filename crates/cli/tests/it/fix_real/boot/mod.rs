//! Debian's kernel, loaded by GRUB from a partition at an odd sector, comes up to a login prompt before and after
//! `fix`, under QEMU without hardware virtualisation. Needs root, for loop devices and mounts.

mod bios;
mod both;
mod machine;
mod root;
mod uefi;
mod universal;

use super::Fix;
use super::image::Image;
use machine::Firmware;

/// Boots, fixes, boots.
fn before_and_after(image: &Image, firmware: &Firmware) {
    let slots = image.slots();
    machine::to_login(image.path(), firmware);
    Fix::new(image.path(), image.folder()).run("--apply");
    image.assert_fixed(&slots, 8);
    machine::to_login(image.path(), firmware);
}

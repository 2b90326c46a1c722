//! One image that boots from sectors of 512 and of 4096 bytes, on three kinds of disks: firmware finds GRUB, GRUB the
//! kernel, and the kernel mounts both partitions.

use std::path::PathBuf;

use ioalign_testkit::MountGuard;
use ioalign_testkit::run::tool;

use super::super::image::{Image, SECTOR};
use super::machine::{self, Bus, Firmware, Seat};
use super::{root, uefi};
use crate::check_image;

/// Sectors of each of the two partitions.
const SECTORS: u64 = 48 << 11;

/// A disk with an ESP of small sectors and a root file system with blocks of 4 KiB.
fn debian() -> Image {
    let table = format!(
        "label: gpt\nstart=2048,size={SECTORS},type={}\nstart={},size={SECTORS},type={}\n",
        uefi::ESP,
        2048 + SECTORS,
        uefi::ROOT
    );
    let image = Image::new(98, &table);
    uefi::esp(&image.device(&image.slot(1)), 2048, image.folder());
    let device = image.device(&image.slot(2));
    let arguments = ["-q", "-b", "4096", "-U", root::UUID, device.text()];
    tool("mkfs.ext4", &arguments);
    let mount = MountGuard::new(
        &["-t", "ext4", device.text()],
        &image.folder().join("mounted"),
    );
    root::fill(mount.path());
    drop((mount, device));
    image.released();
    image
}

fn firmware(image: &Image) -> Firmware {
    let variables: PathBuf = image.folder().join("variables.fd");
    std::fs::copy("/usr/share/OVMF/OVMF_VARS_4M.fd", &variables)
        .expect("ovmf is needed for this test");
    Firmware::Uefi(variables)
}

fn made_universal(image: &Image) {
    let before = image.slots();
    let output = super::super::Fix::new(image.path(), image.folder())
        .command("--apply")
        .arg("--universal")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert_eq!(image.slots(), before);
    assert_eq!(image.slot(1).start * SECTOR, 1 << 20);
    for sector in ["512", "4096"] {
        let checked = check_image(image.path(), &["--target-logical", sector]);
        assert_eq!(checked.verdict(), "ok", "{sector}");
    }
}

/// It starts, the kernel sees sectors of this size, and nobody has repaired a table: no byte of the image is another.
fn starts(image: &Image, seat: Seat) {
    let before = std::fs::read(image.path()).unwrap();
    let said = machine::said_until("login:", image.path(), &firmware(image), seat);
    let sectors = format!("sectors of {} bytes", seat.sector);
    for words in [&sectors, "the ESP has BOOTX64.EFI", root::SUMS_ARE_RIGHT] {
        assert!(said.contains(words), "{seat:?}, {words}: {said}");
    }
    let after = std::fs::read(image.path()).unwrap();
    assert!(after == before, "{seat:?}: the image was written to");
}

/// Two of the six disks; `IOALIGN_BOOTS=all` starts it from all, and shows before that it does not start from 4096: eight
/// guests, minutes.
#[test]
fn a_universal_image_starts_from_512_and_from_4096() {
    needs!(Packages, Root);
    let image = debian();
    let all = std::env::var("IOALIGN_BOOTS").is_ok_and(|which| which == "all");
    if all {
        starts_from_512_alone(&image);
    }
    made_universal(&image);
    for (bus, sector) in [
        (Bus::Virtio, 512),
        (Bus::Nvme, 4096),
        (Bus::Virtio, 4096),
        (Bus::Nvme, 512),
        (Bus::Scsi, 512),
        (Bus::Scsi, 4096),
    ]
    .into_iter()
    .take(if all { 6 } else { 2 })
    {
        starts(&image, Seat { bus, sector });
        eprintln!("{bus:?} with {sector} starts");
    }
}

fn starts_from_512_alone(image: &Image) {
    let seat = |sector| Seat {
        bus: Bus::Virtio,
        sector,
    };
    machine::said_until("login:", image.path(), &firmware(image), seat(512));
    let shell = machine::said_until("Shell>", image.path(), &firmware(image), seat(4096));
    assert!(!shell.contains("root is"), "{shell}");
}

//! A disk that both firmwares start, as cloud images are: GRUB in a BIOS boot partition for SeaBIOS, GRUB in an ESP for
//! OVMF. What a conversion makes of it starts by every firmware that reads such sectors, written in place or copied.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard};

use super::super::image::{Image, SECTOR, slots};
use super::machine::{self, Bus, Firmware, Seat};
use super::{root, uefi};

const BIOS_BOOT: &str = "21686148-6449-6E6F-744E-656564454649";
/// Sectors of the BIOS boot partition: up to the first MiB where it begins right behind the table.
const CORE: u64 = 2014;
/// Sectors of the ESP, and of the root file system.
const SECTORS: u64 = 48 << 11;
const ROOT: u64 = 64 << 11;

/// The BIOS boot partition begins at `start`, the ESP in the MiB behind it.
fn debian(start: u64) -> Image {
    let esp = (start + CORE).next_multiple_of(2048);
    let root = esp + SECTORS;
    let table = format!(
        "label: gpt\nfirst-lba: 34\nstart={start},size={CORE},type={BIOS_BOOT}\n\
         start={esp},size={SECTORS},type={}\nstart={root},size={ROOT},type={}\n",
        uefi::ESP,
        uefi::ROOT
    );
    let image = Image::new(120, &table);
    uefi::esp(&image.device(&image.slot(2)), esp, image.folder());
    let device = image.device(&image.slot(3));
    tool(
        "mkfs.ext4",
        &["-q", "-b", "4096", "-U", root::UUID, device.text()],
    );
    drop(device);
    let disk = Loop::new(image.path(), &[]);
    tool("partx", &["--add", disk.text()]);
    let partition = format!("{}p3", disk.text());
    let mount = MountGuard::new(&["-t", "ext4", &partition], &image.folder().join("mounted"));
    fill(mount.path(), &image.folder().join("pc"), &disk);
    drop((mount, disk));
    image.released();
    image
}

fn fill(mounted: &Path, scratch: &Path, disk: &Loop) {
    std::fs::create_dir(scratch).unwrap();
    root::fill(mounted);
    root::boot_files(&mounted.join("boot"), scratch);
    std::fs::create_dir_all(mounted.join("boot/grub")).unwrap();
    std::fs::write(mounted.join("boot/grub/grub.cfg"), root::GRUB).unwrap();
    let folder = format!("--boot-directory={}/boot", text(mounted));
    let fixed = [
        "--target=i386-pc",
        "--modules=part_gpt ext2",
        "--install-modules=normal linux",
        "--locales=",
        "--fonts=",
        "--themes=",
        &folder,
    ];
    tool("grub-install", &[&fixed[..], &[disk.text()]].concat());
}

fn uefi_with(image: &Path) -> Firmware {
    let variables: PathBuf = image.with_extension("fd");
    std::fs::copy("/usr/share/OVMF/OVMF_VARS_4M.fd", &variables)
        .expect("ovmf is needed for this test");
    Firmware::Uefi(variables)
}

/// It starts, the kernel sees these sectors, every file has its sum, and no byte of the image is another then.
fn starts(image: &Path, firmware: &Firmware, sector: u32) {
    let before = std::fs::read(image).unwrap();
    let seat = Seat {
        bus: Bus::Virtio,
        sector,
    };
    let said = machine::said_until("login:", image, firmware, seat);
    let sectors = format!("sectors of {sector} bytes");
    for words in [&sectors, root::SUMS_ARE_RIGHT] {
        assert!(said.contains(words), "{}, {words}: {said}", image.display());
    }
    assert!(
        std::fs::read(image).unwrap() == before,
        "{} was written to",
        image.display()
    );
}

/// Converts it into a new image and in place; the two, and what the plan says.
fn converted(image: &Image, option: &[&str]) -> ([PathBuf; 2], String) {
    let new = image.folder().join("new.img");
    let journal = image.folder().join("journal");
    let run = |more: &[&str]| {
        let mut command = Command::new(crate::PROGRAM);
        command.arg("fix").arg(image.path()).args(option).args(more);
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{option:?} {more:?}: {errors}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        // Whatever the width of the page.
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let plan = run(&["--plan"]);
    run(&["--output", text(&new)]);
    run(&["--apply", "--journal", text(&journal)]);
    ([new, image.path().to_owned()], plan)
}

/// Tables, and every partition: what moved has left something where it was, in place and in the copy other things.
fn are_the_same(one: &Path, other: &Path) {
    let [one_bytes, other_bytes] = [one, other].map(|path| std::fs::read(path).unwrap());
    let has_both =
        one_bytes[8 * 512..].starts_with(b"EFI PART") && one_bytes[512..].starts_with(b"EFI PART");
    let (tables, parts) = if has_both {
        (0..80, slots(one))
    } else {
        (0..34, Vec::new())
    };
    let parts = parts
        .iter()
        .map(|slot| slot.start..slot.start + slot.sectors);
    let places = std::iter::once(tables).chain(parts);
    for place in places {
        let [start, end] = [place.start, place.end].map(|at| usize::try_from(at * SECTOR).unwrap());
        assert!(
            one_bytes[start..end] == other_bytes[start..end],
            "sectors {place:?}"
        );
    }
}

/// The one that must move, in QEMU by SeaBIOS from 512 and by OVMF from 4096; `IOALIGN_BOOTS=all`: both firmwares, both
/// sectors, written in both ways, and the BIOS boot partition at 34 and at 2048.
#[test]
fn a_disk_for_both_firmwares_starts_by_both_after_it_is_universal() {
    needs!(Packages, Root);
    let all = std::env::var("IOALIGN_BOOTS").is_ok_and(|which| which == "all");
    for start in [34, 2048].into_iter().take(if all { 2 } else { 1 }) {
        let image = debian(start);
        let (both, plan) = converted(&image, &["--universal"]);
        assert!(
            plan.contains("from sectors of 4096 bytes only UEFI firmware"),
            "{plan}"
        );
        are_the_same(&both[0], &both[1]);
        for (index, path) in both.iter().enumerate() {
            let wanted = |other: usize| all || index == other;
            if wanted(0) {
                starts(path, &Firmware::Bios, 512);
            }
            if wanted(1) {
                starts(path, &uefi_with(path), 4096);
            }
            if all {
                starts(path, &uefi_with(path), 512);
            }
            eprintln!(
                "{} with its BIOS boot partition at {start} starts",
                path.display()
            );
        }
    }
}

/// No BIOS reads sectors of 4096 bytes: the plan names it, and OVMF starts it.
#[test]
fn a_disk_for_both_firmwares_starts_by_ovmf_alone_from_4096() {
    needs!(Packages, Root);
    let all = std::env::var("IOALIGN_BOOTS").is_ok_and(|which| which == "all");
    for start in [34, 2048].into_iter().take(if all { 2 } else { 1 }) {
        let image = debian(start);
        let (both, plan) = converted(&image, &["--convert-sector-size", "4096"]);
        let words =
            "GRUB in the MBR does not start from sectors of 4096 bytes: every BIOS (SeaBIOS too)";
        assert!(plan.contains(words), "{plan}");
        are_the_same(&both[0], &both[1]);
        for path in both.iter().take(if all { 2 } else { 1 }) {
            starts(path, &uefi_with(path), 4096);
        }
    }
}

//! UEFI firmware starts what is in an ESP that was made for other sectors.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use ioalign_testkit::run::command;

use super::{blank, convert_in_place, shell};
use crate::image;

const CODE: &str = "/usr/share/OVMF/OVMF_CODE_4M.fd";
const VARS: &str = "/usr/share/OVMF/OVMF_VARS_4M.fd";

/// What the firmware says until it starts something from the disk, or finds nothing there.
fn started(disk: &Path, unit: u64) -> String {
    let vars = disk.with_extension("vars");
    std::fs::copy(VARS, &vars).expect("package ovmf is needed for this test");
    let drive = |file: &str, more: &str| format!("format=raw,file={file},{more}");
    let device =
        format!("virtio-blk-pci,drive=d0,logical_block_size={unit},physical_block_size=4096");
    let mut machine = command("qemu-system-x86_64")
        .args(["-machine", "q35", "-m", "512", "-nographic", "-net", "none"])
        .args(["-drive", &drive(CODE, "if=pflash,readonly=on")])
        .args(["-drive", &drive(vars.to_str().unwrap(), "if=pflash")])
        .args(["-drive", &drive(disk.to_str().unwrap(), "if=none,id=d0")])
        .args(["-device", &device])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("qemu-system-x86_64 is needed for this test");
    let mut output = machine.stdout.take().unwrap();
    let (send, said) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = [0; 256];
        while let Ok(length @ 1..) = output.read(&mut bytes) {
            let _ = send.send(String::from_utf8_lossy(&bytes[..length]).into_owned());
        }
    });
    let mut all = String::new();
    let ends = |all: &str| all.contains("starting Boot") || all.contains("Shell>");
    while !ends(&all) {
        let Ok(more) = said.recv_timeout(Duration::from_secs(100)) else {
            break;
        };
        all.push_str(&more);
    }
    machine.kill().unwrap();
    machine.wait().unwrap();
    reader.join().unwrap();
    all
}

/// An ESP of 100 MiB, as most are: at 4096 bytes it cannot stay a FAT32.
#[test]
fn a_small_esp_starts_from_a_disk_of_4096() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    blank(&path, 104 << 20);
    image::partition(&path, 512, "label: gpt\nstart=2048, size=204800, type=U\n");
    let fill = "truncate --size 100M \"$1.fat\"; mkfs.fat -F 32 \"$1.fat\" >&2; mmd -i \"$1.fat\" ::/EFI ::/EFI/BOOT
        mcopy -i \"$1.fat\" \"$(ls \"${IOALIGN_VM_KERNEL:-}\"/boot/vmlinuz-* | head -n 1)\" ::/EFI/BOOT/BOOTX64.EFI
        dd if=\"$1.fat\" of=\"$1\" bs=1M seek=1 conv=notrunc,sparse status=none";
    shell(fill, &[&path]);
    convert_in_place(&path, 512, 4096);
    let said = started(&path, 4096);
    assert!(
        said.contains("BdsDxe: starting") && said.contains("Misc Device"),
        "{said}"
    );
}

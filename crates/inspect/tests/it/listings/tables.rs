//! Real tools of this Debian on images, for what the random tables do not cover.

use std::process::Command;

use ioalign_core::{Kind, Role, SectorSize};
use ioalign_inspect::captures::Number;

use super::{at, read, said, starts};
use crate::tables::disk::Disk;
use crate::tools::run;

const GPT: &str = "label: gpt\nfirst-lba: 34\n\
    start=34,size=2014,type=21686148-6449-6E6F-744E-656564454649\n\
    start=2048,size=20480,type=U\nstart=22528,size=30000,type=S\nstart=52533,size=40001,type=L\n";

#[test]
fn gdisk_and_sgdisk() {
    needs!(Packages);
    let disk = Disk::sfdisk(1 << 20, GPT);
    for tool in [("gdisk", "-l"), ("sgdisk", "-p")] {
        let text = disk.tool(tool.0, &[tool.1]);
        let evidence = read(&text);
        assert_eq!(evidence.read, ["gdisk -l"]);
        let path = disk.path().to_string_lossy();
        let roles = [Role::BiosBoot, Role::Esp, Role::Swap, Role::Data];
        for (number, (role, start)) in roles.iter().zip([34, 2048, 22528, 52533]).enumerate() {
            let part = said(&evidence, &format!("{path}{}", number + 1));
            assert_eq!((part.role, part.start), (Some(*role), at(start)), "{text}");
        }
        assert_eq!(said(&evidence, &path).size, at(1 << 20));
        assert_eq!(said(&evidence, &path).kind, Some(Kind::Image));
    }
}

#[test]
fn roles_from_every_program() {
    needs!(Packages);
    let disk = Disk::sfdisk(1 << 20, GPT);
    let path = disk.path().to_string_lossy().into_owned();
    for text in [
        disk.tool("fdisk", &["-l"]),
        disk.tool("sfdisk", &["-l"]),
        disk.tool("sfdisk", &["-d"]),
        disk.tool("sfdisk", &["-J"]),
        run(Command::new("parted").args(["-s", &path, "unit", "s", "print"])),
        run(Command::new("parted").args(["-s", &path, "unit", "s", "print", "free"])),
    ] {
        let evidence = read(&text);
        assert_eq!(evidence.read.len(), 1, "{:?}", evidence.read);
        let role = |number: u32| said(&evidence, &format!("{path}{number}")).role;
        assert_eq!(role(1), Some(Role::BiosBoot), "{text}");
        assert_eq!(role(2), Some(Role::Esp), "{text}");
        assert_eq!(role(4).unwrap_or_default(), Role::Data, "{text}");
        // parted knows swap by its signature only.
        assert!(
            text.starts_with("Model") || role(3) == Some(Role::Swap),
            "{text}"
        );
    }
}

#[test]
fn sectors_of_4096_bytes() {
    needs!(Packages);
    // fdisk -b reads the same numbers as sectors of 4096 bytes.
    let disk = Disk::sfdisk(1 << 20, "label: dos\nstart=63,size=4001,type=83\n");
    let evidence = read(&disk.tool("fdisk", &["-b", "4096", "-l"]));
    let (_, start) = starts(&evidence)[0];
    assert_eq!(start, 63 * 4096);
    let dump = "label: gpt\nunit: sectors\nfirst-lba: 6\nlast-lba: 1000\n\n/dev/sda1 : start=256, size=100\n";
    let evidence = read(dump);
    assert_eq!(starts(&evidence), [("sda1", 1 << 20)]);
    assert_eq!(said(&evidence, "sda").sector, Some(SectorSize::S4096));
}

#[test]
fn a_dump_without_sector_size_says_so() {
    let evidence = read(
        "# partition table of /dev/sdc\nunit: sectors\n\n\
        /dev/sdc1 : start=       63, size=  1959867, Id=83\n",
    );
    let disk = said(&evidence, "sdc");
    assert_eq!(disk.sector, None);
    assert_eq!(disk.remarks[0].rule, "sector-size-assumed");
    assert_eq!(said(&evidence, "sdc1").start, at(63));
    assert_eq!(said(&evidence, "sdc1").sector, None);
}

#[test]
fn a_loop_label_is_no_partition() {
    needs!(Packages);
    let disk = Disk::new(64 << 20);
    disk.tool("mkfs.ext4", &["-q", "-F"]);
    let path = disk.path().to_string_lossy().into_owned();
    for args in [
        ["-s", &path, "unit", "s", "print"].as_slice(),
        &["-m", "-s", &path, "print"],
    ] {
        let evidence = read(&run(Command::new("parted").args(args)));
        assert_eq!(evidence.devices.len(), 1);
        assert_eq!(evidence.devices[0].table, None);
    }
}

#[test]
fn qemu_img_info_and_map() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (raw, qcow2, vhd) = (path("a.raw"), path("a.qcow2"), path("a.vhd"));
    std::fs::write(&raw, vec![7; 4 << 20]).unwrap();
    for (format, to) in [("qcow2", &qcow2), ("vpc", &vhd)] {
        run(Command::new("qemu-img").args(["convert", "-O", format, &raw, to]));
    }
    let info = run(Command::new("qemu-img").args(["info", "--output=json", &qcow2]));
    let evidence = read(&info);
    let image = said(&evidence, &qcow2);
    assert_eq!(image.size, Some(Number::exact(4 << 20)));
    assert_eq!(image.block.unwrap().get(), 65536);
    assert!(image.facts.contains(&("format", "qcow2".to_owned())));
    let map = |path: &str| {
        read(&run(Command::new("qemu-img").args([
            "map",
            "--output=json",
            path,
        ])))
    };
    assert!(said(&map(&qcow2), "image").remarks.is_empty());
    let evidence = map(&vhd);
    let remark = &said(&evidence, "image").remarks[0];
    assert_eq!(remark.rule, "image-data-misaligned", "{}", remark.why);
}

#[test]
fn a_loop_label_of_parted_is_a_file_system_on_the_whole_disk() {
    let human = "Model: Virtio Block Device (virtblk)\nDisk /dev/vdb: 10.7GB\n\
                 Sector size (logical/physical): 512B/4096B\nPartition Table: loop\nDisk Flags: \n\n\
                 Number  Start  End     Size    File system  Flags\n 1      0.00B  10.7GB  10.7GB  xfs\n";
    let machine = "BYT;\n/dev/vdb:10737418240B:virtblk:512:4096:loop:Virtio Block Device:;\n\
                   1:0B:10737418239B:10737418240B:xfs::;\n";
    for text in [human, machine] {
        let evidence = read(text);
        let disk = said(&evidence, "vdb");
        assert_eq!(disk.filesystem.as_ref().unwrap().kind, "xfs", "{text}");
        assert_eq!(evidence.devices.len(), 1, "{text}");
        // Its tables have a length that parted does not print.
        let fat = read(&text.replace("xfs", "fat32"));
        assert!(said(&fat, "vdb").filesystem.is_none(), "{text}");
    }
}

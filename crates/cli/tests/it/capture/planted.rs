//! Different secrets in every place that a reader looks at, each looked for in everything that is made of the host.
//!
//! One planted word for all places would hide which place leaks; here each has a number.

use std::path::Path;
use std::process::Command;

use ioalign_testkit::lvm::{self, Pv};
use ioalign_testkit::run::text;
use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};
use ioalign_testkit::{mbr, nvlist};

use super::{Bundle, PROGRAM, check_tree};

const LABEL: u64 = 64 << 20;

/// Hands out secrets that cannot stand anywhere by chance, and remembers where each was put.
#[derive(Default)]
struct Planted(Vec<(String, &'static str)>);

impl Planted {
    fn at(&mut self, place: &'static str) -> String {
        let secret = format!("ZQ{:03}PLANT7X", self.0.len());
        self.0.push((secret.clone(), place));
        secret
    }

    /// Fails with the places of all that are in `bytes`.
    fn in_none_of(&self, bytes: &[u8], what: &str) {
        let holds = |secret: &str| bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
        let found: Vec<_> = self.0.iter().filter(|(secret, _)| holds(secret)).collect();
        assert!(found.is_empty(), "{what} holds {found:?}");
    }
}

/// A disk of a pool whose other half is absent.
fn zfs(plants: &mut Planted) -> Vec<u8> {
    let mut half = |absent: bool| {
        let mut secret = |here, there| plants.at(if absent { there } else { here });
        let path = secret("ZFS path", "ZFS path of an absent disk");
        let devid = secret("ZFS devid", "ZFS devid of an absent disk");
        let phys = secret("ZFS phys_path", "ZFS phys_path of an absent disk");
        let enclosure = secret("ZFS enclosure", "ZFS enclosure of an absent disk");
        nvlist::list(&[
            nvlist::text("type", "disk"),
            nvlist::text("path", &format!("/dev/disk/by-id/ata-X_{path}-part1")),
            nvlist::text("devid", &format!("ata-X_{devid}-part1")),
            nvlist::text("phys_path", &format!("pci-0:{phys}")),
            nvlist::text("vdev_enc_sysfs_path", &enclosure),
        ])
    };
    let both = [half(false), half(true)].concat();
    let mut children = nvlist::pair("children", 20, &both);
    // `nvlist_array`: its number of elements stands before the value.
    let count = children.len() - both.len() - 4;
    children[count..count + 4].copy_from_slice(&2_u32.to_be_bytes());
    let tree = nvlist::list(&[
        nvlist::text("type", "mirror"),
        nvlist::number("ashift", 12),
        children,
    ]);
    let label = nvlist::packed(&[
        nvlist::number("version", 5000),
        nvlist::text("name", "tank"),
        nvlist::number("state", 0),
        nvlist::number("txg", 4),
        nvlist::number("pool_guid", 99),
        nvlist::text("hostname", &plants.at("ZFS hostname")),
        nvlist::text("comment", &plants.at("ZFS comment")),
        nvlist::number("guid", 77),
        nvlist::pair("vdev_tree", nvlist::NVLIST, &tree),
    ]);
    let mut disk = vec![0; usize::try_from(LABEL).unwrap()];
    for place in nvlist::places(LABEL) {
        let place = usize::try_from(place).unwrap();
        disk[place..place + label.len()].copy_from_slice(&label);
    }
    disk
}

/// A physical volume with what LVM writes about people; with a wrong checksum when `damaged`.
fn pv(plants: &mut Planted, damaged: bool) -> Vec<u8> {
    let mut secret = |sound, broken| plants.at(if damaged { broken } else { sound });
    let host = secret("LVM host", "LVM host, wrong checksum");
    let command = secret("LVM command", "LVM command, wrong checksum");
    let system = secret("LVM system ID", "LVM system ID, wrong checksum");
    let device = secret("LVM device ID", "LVM device ID, wrong checksum");
    let hint = secret("LVM hint", "LVM hint, wrong checksum");
    let tag = secret("LVM tag", "LVM tag, wrong checksum");
    let about = format!(
        "device_id = \"{device}\"\n\t\t\tdevice = \"/dev/disk/by-id/{hint}\"\n\t\t\ttags = [\"a\", \"{tag}\"]"
    );
    let text = lvm::text(1, 2048, "")
        .replace(
            "creation_host = \"host\"",
            &format!("creation_host = \"{host}\""),
        )
        .replace("with a brace { in it", &format!("vgcreate {command}"))
        .replace("\tmax_lv", &format!("\tsystem_id = \"{system}\"\n\tmax_lv"))
        .replace("device = \"/dev/sdz\\\"1\"", &about);
    assert!(text.contains(&hint) && text.contains(&system) && text.contains(&command));
    let mut disk = Pv::with(&text).device();
    if damaged {
        let at = disk.windows(10).position(|w| w == b"max_pv = 0").unwrap();
        disk[at + 9] = b'1';
    }
    disk
}

fn vpd(plants: &mut Planted) -> (Vec<u8>, Vec<u8>) {
    let (serial, name) = (plants.at("vpd_pg80"), plants.at("vpd_pg83"));
    let length = |text: &str| u8::try_from(text.len()).unwrap();
    let name = format!("ATA     MODEL   {name}");
    let mut page = vec![0, 0x83, 0, length(&name) + 4, 2, 1, 0, length(&name)];
    page.extend(name.as_bytes());
    let mut unit = vec![0, 0x80, 0, length(&serial)];
    unit.extend(serial.as_bytes());
    (unit, page)
}

fn disks(tree: Sysroot, plants: &mut Planted) -> Sysroot {
    let plain = |name| SysrootDisk::new(name, 1 << 17).limits(512, 4096, 4096, 0);
    let mut hidden = plain("sda");
    for place in [
        "device/serial",
        "device/wwid",
        "device/unique_id",
        "device/cid",
        "wwid",
    ] {
        hidden = hidden.attr(place, plants.at(place));
    }
    let mut nvme = plain("nvme0n1").bus("pci0000:00/0000:00:03.0/nvme/nvme0");
    for place in ["serial", "eui", "nguid", "uuid"] {
        nvme = nvme.attr(place, plants.at(place));
    }
    let secret = plants.at("content behind a partition table");
    let content = format!("{secret} ").repeat(30_000);
    let partition = mbr::sector(&[(0x83, 2048, 65536)]);
    tree.disk(hidden)
        .partition("sda", 1, 2048, 65536)
        .content("sda", 0, partition)
        .content("sda", 512, content)
        .disk(nvme.attr("device/serial", plants.at("device/serial of a controller")))
        .disk(plain("sdb"))
        .content("sdb", 0, zfs(plants))
        .disk(plain("sdc"))
        .content("sdc", 0, pv(plants, false))
        .disk(plain("sdd"))
        .content("sdd", 0, pv(plants, true))
}

fn mapper(tree: Sysroot, plants: &mut Planted) -> Sysroot {
    let (crypt, hash) = (plants.at("crypt key"), plants.at("integrity key"));
    let (unknown, cipher) = (plants.at("default-key key"), plants.at("inlinecrypt key"));
    let table = format!(
        "a: 0 2048 crypt aes-xts-plain64 {crypt} 0 {{sda1}} 0\n\
         b: 0 2048 integrity {{sda1}} 0 4 J 1 internal_hash:hmac(sha256):{hash}\n\
         c: 0 2048 default-key aes-xts-plain64 {unknown} 0 {{sda1}} 0\n\
         crypt: 0 2048 inlinecrypt aes-xts-plain64 {cipher} 0 {{sda1}} 0\n"
    );
    tree.dm("dm-0", "a", "CRYPT-PLAIN-a", 2048, &["sda1"])
        .dm("dm-1", "b", "", 2048, &["sda1"])
        .dm("dm-2", "c", "", 2048, &["sda1"])
        .dm("dm-3", "crypt", "", 2048, &["sda1"])
        .tables(&table)
}

fn texts(tree: Sysroot, plants: &mut Planted) -> Sysroot {
    let mut line = String::from("22 1 8:1 / / rw - fuseblk /dev/sda1 rw,allow_other");
    for place in ["password", "user", "passwd", "secret", "x-option"] {
        line.push_str(&format!(",{place}={}", plants.at(place)));
    }
    let (server, share) = (
        plants.at("name of a server"),
        plants.at("password of a share"),
    );
    let mounts = format!(
        "{line}\n23 1 0:44 / /mnt rw - cifs //{server}/share rw,username=me,password={share}\n\
         24 1 8:1 / /b rw,{} - xfs /dev/sda1 rw\n",
        plants.at("option without a value") + "@host"
    );
    let mut udev = String::from("E:ID_PART_ENTRY_TYPE=0x83\n");
    for key in [
        "E:ID_SERIAL",
        "E:ID_SERIAL_SHORT",
        "E:ID_WWN",
        "E:ID_FS_UUID",
        "E:ID_PART_ENTRY_UUID",
    ] {
        udev.push_str(&format!("{key}={}\n", plants.at(key)));
    }
    udev.push_str(&format!("S:disk/by-id/ata-{}\n", plants.at("link of udev")));
    let number = tree.number("sda1");
    let mut tree = tree
        .file(&format!("run/udev/data/b{number}"), udev)
        .file("proc/self/mountinfo", mounts)
        .set(
            "sda1",
            "uevent",
            format!("PARTUUID={}\nPARTNAME=d", plants.at("uevent")),
        )
        .file(
            "proc/cpuinfo",
            format!("processor\t: 0\nSerial\t: {}\n", plants.at("cpuinfo")),
        )
        .file(
            "etc/my.cnf",
            format!(
                "[client]\npassword={} # innodb_doublewrite\ninnodb_doublewrite = {} phrase\n",
                plants.at("my.cnf"),
                plants.at("my.cnf, in the option that is read")
            ),
        );
    for place in [
        "sys/class/dmi/id/product_serial",
        "sys/class/dmi/id/product_uuid",
        "sys/class/dmi/id/board_serial",
        "sys/class/dmi/id/chassis_asset_tag",
        "sys/class/net/eth0/address",
        "proc/cmdline",
        "etc/shadow",
        "etc/machine-id",
        "etc/crypttab",
        "etc/fstab",
    ] {
        tree = tree.file(place, format!("{}\n", plants.at(place)));
    }
    tree
}

/// The host, its secrets, and a name of a disk that is its serial number.
fn host() -> (Sysroot, Planted, String) {
    let mut plants = Planted::default();
    let tree = disks(Sysroot::new(), &mut plants);
    let tree = mapper(tree, &mut plants);
    let tree = texts(tree, &mut plants);
    let (unit, names) = vpd(&mut plants);
    let place = "sys/block/sda/device";
    let tree = tree
        .file(&format!("{place}/vpd_pg80"), unit)
        .file(&format!("{place}/vpd_pg83"), names);
    let named = format!("ata-MODEL_{}", plants.at("name in the manifest"));
    let tree = tree.link(&format!("dev/disk/by-id/{named}"), "../../sda");
    (tree, plants, format!("/dev/disk/by-id/{named}"))
}

/// The bundle as `check` shows it.
fn shown(bundle: &Path, format: &str) -> Vec<u8> {
    let mut command = Command::new(PROGRAM);
    command.args(["check", "--no-policy", "-v", "--format", format]);
    command.arg(bundle).output().unwrap().stdout
}

#[test]
fn every_secret_of_its_own_place_is_gone() {
    let (tree, plants, named) = host();
    assert!(plants.0.len() >= 40, "{}", plants.0.len());
    for bundle in [
        Bundle::of(tree.path()),
        Bundle::new(["--sysroot", text(tree.path()), &named]),
    ] {
        plants.in_none_of(&bundle.bytes(), "the bundle");
        plants.in_none_of(bundle.summary.to_string().as_bytes(), "the summary");
        for format in ["json", "html", "text", "svg"] {
            plants.in_none_of(&shown(&bundle.file, format), format);
        }
        let summary = &bundle.summary;
        assert_eq!(summary["replay"]["same"], true, "{summary:#}");
    }
    // The bundle says of the disks what the host says.
    let bundle = Bundle::of(tree.path());
    assert_eq!(
        bundle.check().verdict(),
        check_tree(tree.path(), &[]).verdict()
    );
    let kinds = bundle.check();
    let layers = kinds.target()["layers"].as_array().unwrap().clone();
    assert!(layers.iter().any(|layer| layer["facts"]["ashift"] == "12"));
}

#[test]
fn the_host_itself_shows_its_disks_and_no_keys() {
    let (tree, plants, _) = host();
    let keys = [
        "crypt key",
        "integrity key",
        "default-key key",
        "inlinecrypt key",
        "password",
        "passwd",
        "secret",
    ];
    let mut plants = plants;
    plants.0.retain(|(_, place)| keys.contains(place));
    assert_eq!(plants.0.len(), keys.len());
    for format in ["json", "html", "text"] {
        let mut command = Command::new(PROGRAM);
        command.args([
            "check",
            "--no-policy",
            "-v",
            "--format",
            format,
            "--sysroot",
            text(tree.path()),
        ]);
        plants.in_none_of(&command.output().unwrap().stdout, format);
    }
}

#[test]
fn a_device_is_named_as_the_kernel_names_it() {
    let (tree, _, named) = host();
    let bundle = Bundle::new(["--sysroot", text(tree.path()), &named]);
    assert_eq!(bundle.summary["devices"], serde_json::json!(["/dev/sda"]));
}

//! Files, databases and images on this machine are judged by what they lie on, all the way down and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{CheckRun, Disk, Loop, MountGuard, check, mbr, needs};
use serde_json::Value;
use tempfile::TempDir;

use super::PROGRAM;

/// A disk with one partition from this sector on, as a guest has it.
fn guest(start: u32) -> Disk {
    mbr::disk("guest.raw", 32, &[(0x83, start, 60_000)])
}

/// A file system of this machine, on a whole loop device or on a partition of one.
struct Host {
    mount: Option<MountGuard>,
    device: Loop,
    _disk: Disk,
    folder: TempDir,
}

impl Host {
    fn new(partition: Option<u32>) -> Self {
        let disk = match partition {
            Some(start) => mbr::disk("host.img", 256, &[(0x83, start, 500_000)]),
            None => Disk::new("host.img", 256 << 20),
        };
        let device = Loop::new(disk.path(), &[]);
        let node = match partition {
            Some(_) => {
                tool("partx", &["--add", device.text()]);
                format!("{}p1", device.text())
            }
            None => device.text().to_owned(),
        };
        tool("mkfs.ext4", &["-q", "-b", "4096", &node]);
        let folder = TempDir::new().unwrap();
        let mount = MountGuard::new(&[&node], &folder.path().join("mnt"));
        Self {
            mount: Some(mount),
            device,
            _disk: disk,
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("mnt").join(name)
    }

    /// Puts an image there, in this format.
    fn put(&self, image: &Disk, format: &str) -> PathBuf {
        let to = self.path(&format!("guest.{format}"));
        // Whole clusters are written, so that all have a place.
        let arguments = [
            "convert",
            "-S",
            "0",
            "-O",
            format,
            text(image.path()),
            text(&to),
        ];
        tool("qemu-img", &arguments);
        tool("sync", &["-f", text(&to)]);
        to
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.mount.take();
    }
}

fn chain(image: &Path, more: &[&str]) -> CheckRun {
    let arguments = [&["--no-policy", "--chain", text(image)], more].concat();
    check(PROGRAM, arguments)
}

/// Kinds and names from the guest's partition down to the disk.
fn way(checked: &CheckRun, from: &str) -> Vec<String> {
    let layers = checked.target()["layers"].as_array().unwrap();
    let by_id = |id: &Value| layers.iter().find(|layer| layer["id"] == *id).unwrap();
    let mut at = layers.iter().find(|layer| layer["id"] == *from).unwrap();
    let mut way = Vec::new();
    loop {
        way.push(at["kind"].as_str().unwrap().to_owned());
        match at["below"].as_array().unwrap().first() {
            Some(edge) => at = by_id(&edge["id"]),
            None => return way,
        }
    }
}

fn guilty(checked: &CheckRun) -> String {
    let findings = checked.of_rule("start-misaligned");
    assert_eq!(findings.len(), 1, "{:?}", checked.rules());
    findings[0]["guilty_layer"].as_str().unwrap().to_owned()
}

#[test]
fn a_guest_is_followed_to_the_disk_of_its_host() {
    needs!(Packages, Root);
    let host = Host::new(None);
    for format in ["qcow2", "raw"] {
        let checked = chain(&host.put(&guest(63), format), &[]);
        assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
        assert_eq!(guilty(&checked), "partition:p1");
        let expected = ["partition", "disk", "image", "filesystem", "disk"];
        assert_eq!(way(&checked, "partition:p1"), expected);
        let good = chain(&host.put(&guest(2048), format), &["--database", "innodb"]);
        assert_ne!(good.verdict(), "misaligned", "{:?}", good.rules());
        assert_eq!(good.of_rule("start-misaligned").len(), 0);
    }
    let here = format!("disk:{}", host.device.name());
    let checked = chain(&host.put(&guest(2048), "raw"), &[]);
    assert_eq!((checked.verdict(), checked.code), ("ok", 0));
    let layers = checked.target()["layers"].as_array().unwrap();
    assert!(layers.iter().any(|layer| layer["id"] == *here));
}

#[test]
fn a_partition_of_the_host_is_guilty_of_what_its_guests_suffer() {
    needs!(Packages, Root);
    let host = Host::new(Some(63));
    for format in ["qcow2", "raw"] {
        let checked = chain(&host.put(&guest(2048), format), &[]);
        assert_eq!((checked.verdict(), checked.code), ("misaligned", 1));
        let wanted = format!("partition:{}p1", host.device.name());
        assert_eq!(guilty(&checked), wanted, "{format}");
    }
}

#[test]
fn files_and_databases_are_not_judged_by_other_disks() {
    needs!(Packages, Root);
    let host = Host::new(None);
    let bad = mbr::disk("bad.img", 64, &[(0x83, 63, 100_000)]);
    let other = Loop::new(bad.path(), &[]);
    let cluster = host.path("pg");
    fs::create_dir_all(cluster.join("global")).unwrap();
    let mut control = vec![0; 84];
    control.extend(1_234_567.0_f64.to_le_bytes());
    for number in [8192_u32, 131_072, 8192, 16 << 20] {
        control.extend(number.to_le_bytes());
    }
    fs::write(cluster.join("global/pg_control"), control).unwrap();
    fs::write(cluster.join("PG_VERSION"), "15\n").unwrap();
    let file = host.path("file");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    tool("sync", &["-f", text(&file)]);
    let unrelated = format!("disk:{}", other.name());
    for arguments in [vec![text(&cluster)], vec![text(&file), "--extents"]] {
        let checked = check(PROGRAM, [&["--no-policy"], &arguments[..]].concat());
        assert_ne!(checked.verdict(), "misaligned", "{:?}", checked.rules());
        let layers = checked.target()["layers"].as_array().unwrap();
        assert!(layers.iter().all(|layer| layer["id"] != *unrelated));
    }
}

#[test]
fn what_lies_on_no_device_has_no_chain() {
    needs!(Packages, Root);
    let folder = TempDir::new().unwrap();
    let mount = MountGuard::new(&["-t", "tmpfs", "none"], &folder.path().join("mnt"));
    let image = mount.path().join("guest.raw");
    fs::copy(guest(63).path(), &image).unwrap();
    let checked = chain(&image, &[]);
    assert_eq!((checked.verdict(), checked.code), ("unknown", 65));
    let why = checked.target()["error"]["message"].as_str().unwrap();
    assert!(why.contains("lies on no block device"), "{why}");
}

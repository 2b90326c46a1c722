//! Folders and packages: every image in its new place, whatever becomes of the others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ioalign_testkit::{files, mbr};
use tempfile::TempDir;

use super::*;

/// Formats of `qemu-img` with the ends of their names, and whether an image of theirs is off the grid by its file.
const FORMATS: [(&str, &str, &str); 9] = [
    ("raw", "", "img"),
    ("qcow2", "", "qcow2"),
    ("qcow2", "cluster_size=4k,extended_l2=off", "small.qcow2"),
    ("vpc", "force_size=on", "vhd"),
    ("vpc", "subformat=fixed,force_size=on", "fixed.vhd"),
    ("vhdx", "", "vhdx"),
    ("vmdk", "", "vmdk"),
    ("vmdk", "subformat=streamOptimized", "stream.vmdk"),
    ("vdi", "", "vdi"),
];
const IMAGES: u64 = 108;
const SECTORS: u32 = 384;
const DATA: usize = 512 * SECTORS as usize;

/// The one partition of a small disk, which starts there.
pub(super) fn disk(folder: &Path, seed: u64, start: u32) -> (PathBuf, Vec<u8>) {
    let bytes = noise(seed, DATA as u64);
    let mut whole = vec![0; 3 << 20];
    whole[..512].copy_from_slice(&mbr::sector(&[(0x83, start, SECTORS)]));
    let at = start as usize * 512;
    whole[at..at + bytes.len()].copy_from_slice(&bytes);
    let path = folder.join("disk");
    std::fs::write(&path, whole).unwrap();
    (path, bytes)
}

pub(super) fn converted(from: &Path, format: &str, options: &str, to: &Path) {
    let mut arguments = vec!["convert", "-f", "raw", "-O", format];
    if !options.is_empty() {
        arguments.extend(["-o", options]);
    }
    arguments.extend([text(from), text(to)]);
    tool("qemu-img", &arguments);
}

/// The start of the first partition and its bytes, as QEMU reads the image.
pub(super) fn partition(image: &Path, scratch: &Path, sector: usize) -> (u64, Vec<u8>) {
    let raw = scratch.join("read");
    let format = match image.extension().unwrap().to_str().unwrap() {
        "img" => "raw",
        "vhd" => "vpc",
        other => other,
    };
    tool(
        "qemu-img",
        &[
            "convert",
            "-f",
            format,
            "-O",
            "raw",
            text(image),
            text(&raw),
        ],
    );
    let whole = std::fs::read(&raw).unwrap();
    let lba = u32::from_le_bytes(whole[454..458].try_into().unwrap());
    let start = lba as usize * sector;
    (start as u64, whole[start..start + DATA].to_vec())
}

pub(super) fn migrated(arguments: &[&str], code: i32) -> Value {
    let output = fix(&[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    crate::schema::valid(&value, "migration-1.schema.json");
    value
}

/// What became of each image.
pub(super) fn fates(document: &Value) -> BTreeMap<String, String> {
    let images = document["images"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    images
        .iter()
        .map(|one| (word(&one["source"]), word(&one["fate"])))
        .collect()
}

struct Fleet {
    folder: TempDir,
    /// By the name of the image: what its partition holds.
    parts: BTreeMap<String, Vec<u8>>,
}

impl Fleet {
    fn new() -> Self {
        let mut fleet = Self {
            folder: tempfile::tempdir().unwrap(),
            parts: BTreeMap::new(),
        };
        let old = fleet.old();
        std::fs::create_dir_all(old.join("deep/er")).unwrap();
        for seed in 0..IMAGES {
            let (format, options, end) = FORMATS[(seed % 9) as usize];
            // Two of three at sector 63.
            let start = if seed / 9 % 3 == 2 { 2048 } else { 63 };
            let (raw, bytes) = disk(fleet.folder.path(), seed, start);
            let below = if seed % 5 == 0 { "deep/er/" } else { "" };
            let name = format!("{below}{seed:03}-{start}.{end}");
            converted(&raw, format, options, &old.join(&name));
            fleet.parts.insert(name, bytes);
        }
        fleet
    }

    fn old(&self) -> PathBuf {
        self.folder.path().join("old")
    }

    fn new_folder(&self) -> PathBuf {
        self.folder.path().join("new")
    }
}

/// The names and bytes of all files.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(contents(&path)),
            false => drop(all.insert(path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    all
}

#[test]
fn a_hundred_images_are_put_right_and_hold_what_they_held() {
    needs!(Packages);
    let fleet = Fleet::new();
    let (old, new) = (fleet.old(), fleet.new_folder());
    // Two that are refused, and one file that is no image.
    let cut = std::fs::read(old.join("001-63.qcow2")).unwrap();
    std::fs::write(old.join("cut.qcow2"), &cut[..100]).unwrap();
    std::fs::copy(old.join("009-63.img"), old.join("moving.img")).unwrap();
    std::fs::write(old.join("moving.img.ioalign-journal"), "x").unwrap();
    std::fs::write(old.join("README.txt"), "read me\n").unwrap();
    let before = contents(&old);
    let document = migrated(&[text(&old), "--output", text(&new)], 1);
    assert!(contents(&old) == before, "the originals stay");
    assert_eq!(document["result"], "incomplete");
    assert_eq!(
        document["images"].as_array().unwrap().len() as u64,
        IMAGES + 2
    );
    let fates = fates(&document);
    for name in ["cut.qcow2", "moving.img"] {
        assert_eq!(fates[name], "refused");
        assert!(!new.join(name).exists());
    }
    assert!(!new.join("README.txt").exists());
    let grids = ["vhd", "vdi"];
    for (name, bytes) in &fleet.parts {
        let path = new.join(name);
        let off = name.contains("-63.")
            || (grids.iter().any(|end| name.ends_with(end)) && !name.contains("fixed"));
        assert_eq!(fates[name], if off { "fixed" } else { "fine" }, "{name}");
        let (start, there) = partition(&path, fleet.folder.path(), 512);
        assert!(
            start.is_multiple_of(MIB) && there == *bytes,
            "{name} at {start}"
        );
        if !off {
            assert!(
                before[&old.join(name)] == std::fs::read(&path).unwrap(),
                "{name}"
            );
        }
    }
    let judged = check_folder(&new);
    assert_eq!(judged["summary"]["by_verdict"]["ok"], IMAGES, "{judged:#}");
    goes_on(&fleet, &document);
}

fn check_folder(folder: &Path) -> Value {
    let output = command(PROGRAM)
        .args(["check", "--json", text(folder)])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A second run writes what is missing alone, and refuses what is something else.
fn goes_on(fleet: &Fleet, first: &Value) {
    let (old, new) = (fleet.old(), fleet.new_folder());
    let (gone, other) = (new.join("001-63.qcow2"), new.join("009-63.img"));
    let whole = std::fs::read(&gone).unwrap();
    std::fs::remove_file(&gone).unwrap();
    let mut changed = std::fs::read(&other).unwrap();
    changed[2 << 20] ^= 1;
    std::fs::write(&other, &changed).unwrap();
    std::fs::remove_file(old.join("cut.qcow2")).unwrap();
    std::fs::remove_file(old.join("moving.img.ioalign-journal")).unwrap();
    let second = migrated(&[text(&old), "--output", text(&new)], 1);
    let written = |one: &&Value| one["was_there"] == false && !one["output"].is_null();
    let images = second["images"].as_array().unwrap();
    let names: Vec<_> = images
        .iter()
        .filter(written)
        .map(|one| &one["source"])
        .collect();
    assert_eq!(names, ["001-63.qcow2", "moving.img"]);
    assert_eq!(fates(&second)["009-63.img"], "refused");
    assert!(std::fs::read(&other).unwrap() == changed);
    assert!(std::fs::read(&gone).unwrap().len() == whole.len());
    assert!(second["written_bytes"].as_u64() < first["written_bytes"].as_u64());
}

/// Sectors, starts and file in one pass.
#[test]
fn sectors_and_starts_change_in_one_pass() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    let image = Image::new(
        40,
        "label: gpt\nfirst-lba: 34\nstart=63,size=16384,type=L\nstart=20480,size=20480,type=L\n",
    );
    // What works with other sectors is moved; what is unknown may not.
    let make = "truncate --size 8M \"$1.ext\"; mkfs.ext4 -q -b 4096 \"$1.ext\"; \
        for at in 63 20480; do dd if=\"$1.ext\" of=\"$1\" bs=512 seek=$at conv=notrunc status=none; done";
    tool("sh", &["-ec", make, "-", text(image.path())]);
    let first = image.disk.read(63 * 512, 8 << 20);
    let second = image.disk.read(20480 * 512, 20480 * 512);
    converted(image.path(), "vpc", "force_size=on", &old.join("a.vhd"));
    let new = folder.path().join("new");
    let arguments = [
        text(&old),
        "--output",
        text(&new),
        "--convert-sector-size",
        "4096",
        "--format",
        "vhdx",
    ];
    let document = migrated(&arguments, 0);
    let one = &document["images"][0];
    assert_eq!(
        (&one["fate"], &one["output"]),
        (&"fixed".into(), &"a.vhdx".into())
    );
    assert_eq!(
        (&one["moved_partitions"], &one["new_sector_bytes"]),
        (&1.into(), &4096.into())
    );
    let judged = check_image(&new.join("a.vhdx"), &["--target-logical", "4096"]);
    assert_eq!(judged.verdict(), "ok", "{:#}", judged.json);
    let start = judged.layer("p1")["below"][0]["start_bytes"].clone();
    assert_eq!(start.as_u64().unwrap_or(MIB) % 4096, 0);
    let raw = folder.path().join("raw");
    // QEMU reads VHDX of 512-byte sectors alone.
    done(&[
        text(&new.join("a.vhdx")),
        "--sector-size",
        "4096",
        "--convert-sector-size",
        "512",
        "--output",
        text(&raw),
    ]);
    let whole = std::fs::read(&raw).unwrap();
    let found = (0..whole.len() / 4096).any(|at| whole[at * 4096..].starts_with(&first));
    assert!(found && whole[20480 * 512..][..20480 * 512] == second);
}

#[test]
fn a_package_is_described_as_it_is_then() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    let (raw, bytes) = disk(folder.path(), 1, 63);
    converted(
        &raw,
        "vmdk",
        "subformat=streamOptimized",
        &old.join("vm-disk1.vmdk"),
    );
    std::fs::write(old.join("vm.nvram"), "settings").unwrap();
    let description = format!(
        r##"<?xml version="1.0"?>
<Envelope xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1">
  <References>
    <File ovf:href="vm-disk1.vmdk" ovf:id="file1" ovf:size="{}"/>
    <File ovf:href="vm.nvram" ovf:id="file2" ovf:size="8"/>
  </References>
  <DiskSection>
    <Info>Virtual disk information</Info>
    <Disk ovf:capacity="3" ovf:capacityAllocationUnits="byte * 2^20" ovf:diskId="vmdisk1" ovf:fileRef="file1" ovf:format="http://www.vmware.com/interfaces/specifications/vmdk.html#streamOptimized"/>
  </DiskSection>
  <VirtualSystem ovf:id="vm"><Name>a &amp; b</Name></VirtualSystem>
</Envelope>
"##,
        old.join("vm-disk1.vmdk").metadata().unwrap().len()
    );
    let ovf = old.join("vm.ovf");
    std::fs::write(&ovf, &description).unwrap();
    let sums = "cd \"$1\"; for f in vm.ovf vm-disk1.vmdk; do echo \"SHA1($f)= $(sha1sum <$f | cut -d' ' -f1)\"; done >vm.mf";
    tool("sh", &["-ec", sums, "-", text(&old)]);
    let new = folder.path().join("new");
    let document = migrated(&[text(&ovf), "--output", text(&new)], 0);
    assert_eq!(fates(&document)["vm-disk1.vmdk"], "fixed");
    assert_eq!(document["packages"][0]["manifest"], true);
    let (start, there) = partition(&new.join("vm-disk1.vmdk"), folder.path(), 512);
    assert!(start == MIB && there == bytes);
    assert_eq!(std::fs::read(new.join("vm.nvram")).unwrap(), b"settings");
    let length = |folder: &Path| {
        folder
            .join("vm-disk1.vmdk")
            .metadata()
            .unwrap()
            .len()
            .to_string()
    };
    let expected = description.replace("#streamOptimized", "#sparse").replace(
        &format!("\"{}\"", length(&old)),
        &format!("\"{}\"", length(&new)),
    );
    assert_eq!(
        std::fs::read_to_string(new.join("vm.ovf")).unwrap(),
        expected
    );
    let sums =
        "cd \"$1\"; sed -E 's/^SHA256\\((.*)\\)= (.*)/\\2  \\1/' vm.mf | sha256sum -c --strict -";
    let checked = tool("sh", &["-ec", sums, "-", text(&new)]);
    assert_eq!(checked, "vm.ovf: OK\nvm-disk1.vmdk: OK\n");
    // With a folder it is the same, and there is nothing left to write.
    let again = migrated(&[text(&old), "--output", text(&new)], 0);
    assert_eq!(again["images"][0]["was_there"], true);
    assert_eq!(again["packages"][0]["output"], "vm.ovf");
}

#[test]
fn a_package_without_its_disk_is_not_described() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("d.vmdk"), "KDMV").unwrap();
    let description = |href: &str| {
        format!(
            "<Envelope><References><File href=\"{href}\" id=\"f\"/></References>\
             <DiskSection><Disk fileRef=\"f\" capacity=\"1\"/></DiskSection></Envelope>"
        )
    };
    std::fs::write(old.join("a.ovf"), description("d.vmdk")).unwrap();
    std::fs::write(old.join("b.ovf"), description("../d.vmdk")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", old.join("l.vmdk")).unwrap();
    std::fs::write(old.join("c.ovf"), description("l.vmdk")).unwrap();
    let new = folder.path().join("new");
    let document = migrated(&[text(&old), "--output", text(&new)], 1);
    let packages = document["packages"].as_array().unwrap();
    let whys: Vec<_> = packages
        .iter()
        .map(|one| one["why"].as_str().unwrap())
        .collect();
    assert!(whys[0].contains("d.vmdk was refused"), "{whys:?}");
    assert!(whys[1].contains("no name below its folder"), "{whys:?}");
    assert!(whys[2].contains("a link out of its folder"), "{whys:?}");
    assert!(!new.join("a.ovf").exists() && !new.join("l.vmdk").exists());
}

#[test]
fn a_run_that_is_stopped_leaves_whole_images_and_goes_on() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    let image = Image::old();
    for name in ["a.img", "b.img", "c.img"] {
        std::fs::copy(image.path(), old.join(name)).unwrap();
    }
    let new = folder.path().join("new");
    let arguments = [
        text(&old),
        "--output",
        text(&new),
        "--limit",
        "40M",
        "--json",
    ];
    let child = started(&arguments);
    until("the second image is begun", || {
        let names = if new.is_dir() {
            files::names(&new)
        } else {
            Vec::new()
        };
        names
            .iter()
            .any(|name| name.starts_with(".b.img.ioalign-PARTIAL-"))
    });
    tool("kill", &["-INT", &child.id().to_string()]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let stopped: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stopped["result"], "interrupted");
    let all: Vec<_> = fates(&stopped).into_values().collect();
    assert_eq!(all, ["fixed", "not-begun", "not-begun"]);
    assert_eq!(files::names(&new), ["a.img"]);
    let document = migrated(&arguments[..3], 0);
    assert_eq!(document["images"][0]["was_there"], true);
    assert_eq!(document["images"][1]["was_there"], false);
    let first = std::fs::read(new.join("a.img")).unwrap();
    assert!(first == std::fs::read(new.join("c.img")).unwrap());
}

#[test]
fn what_makes_no_sense_says_what_does() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    let path = text(&old);
    refused(&[path], 64, &["fix ", "--output", "old-aligned"]);
    refused(
        &[path, "--output", text(&folder.path().join("new"))],
        65,
        &["there is no image in it"],
    );
    let inside = old.join("new");
    refused(
        &[path, "--output", text(&inside)],
        64,
        &["name a folder elsewhere"],
    );
    let (raw, _) = disk(folder.path(), 1, 63);
    std::fs::rename(&raw, old.join("a.img")).unwrap();
    let new = folder.path().join("new");
    let dry = migrated(&[path, "--output", text(&new), "--plan"], 0);
    assert_eq!(dry["result"], "planned");
    assert_eq!(dry["images"][0]["moved_partitions"], 1);
    assert!(!new.exists());
    migrated(&[path, "--output", text(&new), "--plan", "--exit-code"], 1);
    refused(
        &[text(&old.join("a.img")), "--apply", "--verify", "none"],
        64,
        &["original stays"],
    );
}

//! Packages in one file: OVAs as `qemu-img` and `tar` make them, and what is none.

use std::path::{Path, PathBuf};

use ioalign_testkit::bundle::{BundleBuilder, BundleMember};
use ioalign_testkit::files;
use tempfile::TempDir;

use super::migrate::{converted, disk, fates, migrated, partition};
use super::*;

/// Names of the files of the package, but its manifest.
const FILES: [&str; 4] = ["vm.ovf", "vm-disk1.vmdk", "vm-disk2.vmdk", "vm.nvram"];
/// The same with it, in the order in which most programs pack them.
const PACKED: [&str; 5] = [
    "vm.ovf",
    "vm-disk1.vmdk",
    "vm-disk2.vmdk",
    "vm.nvram",
    "vm.mf",
];

/// The files of a package: one disk at sector 63, one at 1 MiB, both streamed.
struct Package {
    folder: TempDir,
    /// What the partitions of the disks hold.
    parts: [Vec<u8>; 2],
}

impl Package {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        std::fs::create_dir(&old).unwrap();
        let parts = [(1, 63), (2, 2048)].map(|(number, start)| {
            let (raw, bytes) = disk(folder.path(), number, start);
            let name = old.join(format!("vm-disk{number}.vmdk"));
            converted(&raw, "vmdk", "subformat=streamOptimized", &name);
            bytes
        });
        std::fs::write(old.join("vm.nvram"), "settings").unwrap();
        std::fs::write(old.join("vm.ovf"), description("")).unwrap();
        let package = Self { folder, parts };
        package.sums("sha1sum", "SHA1(%s)= %s\\n");
        package
    }

    fn old(&self) -> PathBuf {
        self.folder.path().join("old")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the manifest.
    fn sums(&self, program: &str, line: &str) {
        let script = "cd \"$1\"; for f in vm.ovf vm-disk1.vmdk vm-disk2.vmdk vm.nvram; do \
             printf \"$3\" $f \"$($2 <$f | cut -d' ' -f1)\"; done >vm.mf";
        tool(
            "sh",
            &["-ec", script, "-", text(&self.old()), program, line],
        );
    }

    fn packed(&self, name: &str, options: &[&str], files: &[&str]) -> PathBuf {
        let path = self.path(name);
        let old = self.old();
        let first = ["-cf", text(&path), "-C", text(&old)];
        tool("tar", &[options, &first, files].concat());
        path
    }

    /// The new folder, with the disks as QEMU reads them.
    fn is_right(&self, new: &Path) {
        let names = ["vm-disk1.vmdk", "vm-disk2.vmdk"];
        for (name, bytes) in names.iter().zip(&self.parts) {
            let (start, there) = partition(&new.join(name), self.folder.path(), 512);
            assert!(start == MIB && there == *bytes, "{name} at {start}");
        }
        let sums = "cd \"$1\"; sed -E 's/^SHA256\\((.*)\\)= (.*)/\\2  \\1/' vm.mf | sha256sum -c --strict -";
        let checked = tool("sh", &["-ec", sums, "-", text(new)]);
        let all: String = FILES.iter().map(|name| format!("{name}: OK\n")).collect();
        assert_eq!(checked, all);
    }
}

/// `more`: attributes of the first file.
fn description(more: &str) -> String {
    let format = "http://www.vmware.com/interfaces/specifications/vmdk.html#streamOptimized";
    let capacity = "ovf:capacity=\"3\" ovf:capacityAllocationUnits=\"byte * 2^20\"";
    format!(
        r#"<?xml version="1.0"?>
<Envelope xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1">
  <References>
    <File ovf:href="vm-disk1.vmdk" ovf:id="file1" {more}/>
    <File ovf:href="vm-disk2.vmdk" ovf:id="file2"/>
    <File ovf:href="vm.nvram" ovf:id="file3" ovf:size="8"/>
  </References>
  <DiskSection>
    <Info>Virtual disk information</Info>
    <Disk {capacity} ovf:diskId="vmdisk1" ovf:fileRef="file1" ovf:format="{format}"/>
    <Disk {capacity} ovf:diskId="vmdisk2" ovf:fileRef="file2" ovf:format="{format}"/>
  </DiskSection>
</Envelope>
"#
    )
}

/// What it gives is what its unpacked files give, whichever program packed them.
#[test]
fn an_ova_becomes_the_folder_that_its_files_become() {
    needs!(Packages);
    let package = Package::new();
    let unpacked = package.path("unpacked");
    let ovf = package.old().join("vm.ovf");
    migrated(&[text(&ovf), "--output", text(&unpacked)], 0);
    package.is_right(&unpacked);
    let cert_first = [
        "vm.ovf",
        "vm.mf",
        "vm.cert",
        "vm-disk1.vmdk",
        "vm.nvram",
        "vm-disk2.vmdk",
    ];
    std::fs::write(package.old().join("vm.cert"), "a signature").unwrap();
    for (index, (options, files, sums)) in [
        // VirtualBox; VMware; OpenSSL 3; tars of other formats.
        (
            ["--format=ustar"].as_slice(),
            PACKED.as_slice(),
            ("sha1sum", "SHA1 (%s)= %s\\n"),
        ),
        (
            &["--format=ustar"],
            &cert_first,
            ("sha256sum", "SHA256(%s)= %s\\r\\n"),
        ),
        (
            &["--format=gnu"],
            &PACKED,
            ("sha256sum", "SHA2-256(%s)= %s\\n"),
        ),
        (
            &["--format=posix"],
            &PACKED,
            ("sha512sum", "SHA512(%s)= %s\\n"),
        ),
        (
            &["--format=ustar", "--transform=s,^,./,"],
            &PACKED,
            ("sha1sum", "SHA1(%s)= %s\\n"),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        package.sums(sums.0, sums.1);
        let ova = package.packed(&format!("{index}.ova"), options, files);
        let new = package.path(&format!("new{index}"));
        let document = migrated(&[text(&ova), "--output", text(&new)], 0);
        assert_eq!(fates(&document)["vm-disk1.vmdk"], "fixed");
        assert_eq!(fates(&document)["vm-disk2.vmdk"], "fine");
        package.is_right(&new);
        assert!(without_ids(&new) == without_ids(&unpacked), "{options:?}");
        // A second run has nothing to write.
        let again = migrated(&[text(&ova), "--output", text(&new)], 0);
        assert_eq!(again["images"][0]["was_there"], true);
    }
    // Packed again it is good.
    let back = package.path("back.ova");
    let new = package.path("new0");
    let words = [
        "--format=ustar",
        "-cf",
        text(&back),
        "-C",
        text(&new),
        "vm.ovf",
        "vm.mf",
    ];
    tool("tar", &[&words[..], &FILES[1..]].concat());
    let judged = checked(&back, 0);
    assert_eq!(judged["summary"]["by_verdict"]["ok"], 2, "{judged:#}");
    let again = package.path("again");
    let document = migrated(&[text(&back), "--output", text(&again)], 0);
    assert_eq!(fates(&document)["vm-disk1.vmdk"], "fine");
    package.is_right(&again);
}

/// The files but the manifest, without the identity that every new VMDK has.
fn without_ids(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = files::names(folder)
        .into_iter()
        .filter(|name| !name.ends_with(".mf"));
    let without = |name: String| {
        let mut bytes = std::fs::read(folder.join(&name)).unwrap();
        let at = bytes.windows(5).position(|five| five == b"\nCID=");
        if let Some(at) = at {
            bytes[at + 5..at + 13].fill(0);
        }
        (name, bytes)
    };
    names.map(without).collect()
}

fn checked(path: &Path, code: i32) -> Value {
    let output = command(PROGRAM)
        .args(["check", "--no-policy", "--json", text(path)])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `check` judges the disks, and says what puts them right.
#[test]
fn the_disks_of_an_ova_are_judged() {
    needs!(Packages);
    let package = Package::new();
    let ova = package.packed("a b.ova", &["--format=ustar"], &PACKED);
    let judged = checked(&ova, 1);
    let targets = judged["targets"].as_array().unwrap();
    let of = |number: usize| {
        let target = &targets[number];
        let word = |key: &str| target[key].as_str().unwrap().to_owned();
        (word("target"), word("verdict"))
    };
    let name = |disk: &str| text(&ova.join(disk)).to_owned();
    assert_eq!(of(0), (name("vm-disk1.vmdk"), "misaligned".to_owned()));
    assert_eq!(of(1), (name("vm-disk2.vmdk"), "ok".to_owned()));
    assert_eq!(targets.len(), 2);
    let command = format!("$ ioalign fix '{}' --output '", text(&ova));
    assert!(judged.to_string().contains(&command), "{judged:#}");
    // In a folder it is the same, and a migration of that leaves it out.
    let all = checked(package.folder.path(), 1);
    assert!(all.to_string().contains(&name("vm-disk2.vmdk")));
    let new = tempfile::tempdir().unwrap();
    let output = fix(&[text(package.folder.path()), "--output", text(new.path())]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("an OVA goes to a folder of its own"),
        "{said}"
    );
    // A report does not replace it.
    let output = std::process::Command::new(PROGRAM)
        .args(["check", text(&ova), "--replace", "-o", text(&ova)])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    assert!(checked(&ova, 1)["targets"].as_array().unwrap().len() == 2);
}

#[test]
fn an_ova_that_is_damaged_or_hostile_leaves_nothing() {
    needs!(Packages);
    let package = Package::new();
    let read = |name: &str| std::fs::read(package.old().join(name)).unwrap();
    let file = |name: &str| BundleMember::file(name, read(name));
    let all = || PACKED.map(file).to_vec();
    let with = |member: BundleMember| [all(), vec![member]].concat();
    let without = |name: &str| {
        let mut members = all();
        members.retain(|member| member.name != name.as_bytes());
        members
    };
    let other = |name: &str, data: Vec<u8>| {
        let mut members = all();
        let member = members.iter_mut().find(|one| one.name == name.as_bytes());
        member.unwrap().data = data;
        members
    };
    let described = |more: &str| {
        [
            vec![BundleMember::file("vm.ovf", description(more))],
            without("vm.ovf"),
        ]
        .concat()
    };
    let mut changed = read("vm-disk1.vmdk");
    // In its data, where the reader of images sees nothing.
    let last = changed.len() / 2;
    changed[last] ^= 1;
    let tar = |members: Vec<BundleMember>| {
        let builder = BundleBuilder::new("");
        members
            .into_iter()
            .fold(builder, BundleBuilder::member)
            .tar()
    };
    let whole = tar(all());
    let cut = whole[..whole.len() / 2].to_vec();
    let unmarked = whole[..whole.len() - 1024].to_vec();
    let md5 = b"MD5(vm.ovf)= 00".to_vec();
    for (bytes, why) in [
        (cut, "ends in the middle"),
        (unmarked, "no end mark"),
        (
            tar(other("vm-disk1.vmdk", changed)),
            "vm-disk1.vmdk is not the file that its manifest has a SHA1 of",
        ),
        (
            tar(other("vm.nvram", b"settingz".to_vec())),
            "vm.nvram is not the file",
        ),
        (tar(other("vm.mf", md5)), "cannot be compared"),
        (
            tar(with(BundleMember::file("../vm-disk3.vmdk", "x"))),
            "leads out",
        ),
        (
            tar(with(file("vm-disk1.vmdk"))),
            "two files of the name vm-disk1.vmdk",
        ),
        (
            tar(with(BundleMember::link("x", b'2', "/etc/hostname"))),
            "a link",
        ),
        (tar(with(BundleMember::link("x", b'1', "vm.ovf"))), "a link"),
        (tar(with(BundleMember::link("x", b'3', ""))), "no file"),
        (
            tar(with(BundleMember::file("b.ovf", "x"))),
            "more than one description",
        ),
        (tar(without("vm.ovf")), "without a description"),
        (
            tar(without("vm-disk2.vmdk")),
            "its file vm-disk2.vmdk cannot be found",
        ),
        (tar(described("ovf:chunkSize=\"5\"")), "in several parts"),
        (
            tar(described("ovf:compression=\"gzip\"")),
            "compressed as a whole",
        ),
        (b"no tar".to_vec(), "no tar, and so no OVA"),
    ] {
        let ova = package.path("bad.ova");
        std::fs::write(&ova, bytes).unwrap();
        let new = package.path("new");
        let before = files::names(package.folder.path());
        let output = fix(&[text(&ova), "--output", text(&new)]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(65), "{why}: {said}");
        assert!(
            said.contains(why) && said.contains("bad.ova"),
            "{why}: {said}"
        );
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert_eq!(files::names(package.folder.path()), before, "{why}");
    }
}

/// What a disk in it names is not looked for beside the OVA.
#[test]
fn a_disk_in_an_ova_reads_no_other_file() {
    needs!(Packages);
    let package = Package::new();
    let (raw, _) = disk(package.folder.path(), 3, 63);
    std::fs::copy(&raw, package.path("secret.img")).unwrap();
    let descriptor = "# Disk DescriptorFile\nversion=1\nCID=1\nparentCID=ffffffff\ncreateType=\"monolithicFlat\"\n\
         RW 6144 FLAT \"secret.img\" 0\n";
    std::fs::write(package.old().join("vm-disk1.vmdk"), descriptor).unwrap();
    let ova = package.packed("x.ova", &[], &FILES);
    let new = package.path("new");
    let document = migrated(&[text(&ova), "--output", text(&new)], 1);
    assert_eq!(fates(&document)["vm-disk1.vmdk"], "refused");
    assert!(!new.join("vm.ovf").exists() && !new.join("vm-disk1.vmdk").exists());
    assert_eq!(checked(&ova, 65)["targets"][0]["verdict"], "unknown");
}

#[test]
fn a_run_on_an_ova_that_is_stopped_leaves_nothing_half() {
    needs!(Packages);
    let package = Package::new();
    let ova = package.packed("x.ova", &[], &FILES);
    let new = package.path("new");
    let arguments = [
        text(&ova),
        "--output",
        text(&new),
        "--limit",
        "100k",
        "--json",
    ];
    let child = started(&arguments);
    until("the first disk is begun", || {
        new.is_dir()
            && files::names(&new)
                .iter()
                .any(|name| name.contains("PARTIAL"))
    });
    tool("kill", &["-INT", &child.id().to_string()]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(!new.exists(), "{:?}", files::names(&new));
    migrated(&arguments[..3], 0);
}

/// A digest that is wrong is not renewed in a folder either.
#[test]
fn a_damaged_disk_of_a_folder_keeps_its_wrong_digest() {
    needs!(Packages);
    let package = Package::new();
    let path = package.old().join("vm-disk1.vmdk");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let new = package.path("new");
    let document = migrated(&[text(&package.old()), "--output", text(&new)], 1);
    assert_eq!(fates(&document)["vm-disk1.vmdk"], "refused");
    assert_eq!(fates(&document)["vm-disk2.vmdk"], "fine");
    assert!(!new.join("vm.ovf").exists());
    let ovf = package.old().join("vm.ovf");
    let other = package.path("other");
    refused(
        &[text(&ovf), "--output", text(&other)],
        65,
        &["manifest has a SHA1 of"],
    );
    assert!(!other.exists());
}

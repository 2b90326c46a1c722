//! Descriptions of packages: names that are references, manifests of other packages, sizes that are not those of the
//! disks.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::migrate::{converted, disk, fates, migrated, partition};
use super::*;

/// A package of one disk, whose only partition begins at sector 63.
struct Package {
    folder: TempDir,
    /// What the partition holds.
    bytes: Vec<u8>,
}

impl Package {
    /// The file of the disk, its name in the description, and more of what that says of the disk.
    fn new(file: &str, href: &str, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        std::fs::create_dir(&old).unwrap();
        let (raw, bytes) = disk(folder.path(), 1, 63);
        converted(&raw, "vmdk", "subformat=streamOptimized", &old.join(file));
        let text = format!(
            "<Envelope><References><File id=\"f\" href=\"{href}\"/></References><DiskSection>\
             <Disk diskId=\"d\" fileRef=\"f\" {more} format=\"#streamOptimized\"/></DiskSection></Envelope>"
        );
        std::fs::write(old.join("vm.ovf"), text).unwrap();
        Self { folder, bytes }
    }

    fn old(&self, name: &str) -> PathBuf {
        self.folder.path().join("old").join(name)
    }

    fn new_folder(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// A manifest of these files; one that is not there has some digest.
    fn manifest(&self, names: &[&str]) {
        let script = "cd \"$1\"; shift; for f; do echo \"SHA256($f)= $(cat \"$f\" 2>/dev/null | sha256sum | cut -d' ' -f1)\"; done >vm.mf";
        let old = self.old("");
        tool("sh", &[&["-ec", script, "-", text(&old)], names].concat());
    }

    fn migrated(&self) -> Value {
        let (ovf, new) = (self.old("vm.ovf"), self.new_folder());
        migrated(&[text(&ovf), "--output", text(&new)], 0)
    }

    /// The disk is whole at its new place, and the new manifest is of the new files.
    fn is_right(&self, file: &str) {
        let new = self.new_folder();
        let (start, there) = partition(&new.join(file), self.folder.path(), 512);
        assert!(start == MIB && there == self.bytes, "{file} at {start}");
        let sums = "cd \"$1\"; test ! -e vm.mf || sed -E 's/^SHA256\\((.*)\\)= (.*)/\\2  \\1/' vm.mf | sha256sum -c --strict -";
        tool("sh", &["-ec", sums, "-", text(&new)]);
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.new_folder().join("vm.ovf")).unwrap()
    }
}

const RIGHT: &str = "capacity=\"3\" capacityAllocationUnits=\"byte * 2^20\"";

/// `%20` is a blank, also where the manifest writes the name in its own way; a file with a percent sign is one as well.
#[test]
fn the_name_of_a_file_is_a_reference() {
    needs!(Packages);
    for (file, href, listed) in [
        ("vm disk1.vmdk", "vm%20disk1.vmdk", "vm disk1.vmdk"),
        (
            "vm disk (2)é.vmdk",
            "vm%20disk%20(2)%C3%A9.vmdk",
            "vm disk (2)é.vmdk",
        ),
        ("vm disk1.vmdk", "vm disk1.vmdk", "vm disk1.vmdk"),
        ("vm%20disk1.vmdk", "vm%20disk1.vmdk", "vm%20disk1.vmdk"),
        ("100%.vmdk", "100%.vmdk", "100%.vmdk"),
    ] {
        let package = Package::new(file, href, RIGHT);
        package.manifest(&["vm.ovf", listed]);
        let document = package.migrated();
        assert_eq!(fates(&document)[file], "fixed");
        package.is_right(file);
        assert!(
            package.text().contains(&format!("href=\"{href}\"")),
            "{}",
            package.text()
        );
        // Other files of the folder are none of it.
        assert_eq!(document["other_files"], 0, "{document:#}");
    }
}

#[test]
fn a_manifest_of_another_package_is_refused_before_a_write() {
    needs!(Packages);
    for (names, why) in [
        (&["vm.ovf"][..], "has no digest of d.vmdk"),
        (&[][..], "has no digest of d.vmdk"),
        (
            &["vm.ovf", "d.vmdk", "zz.iso"],
            "names zz.iso, which is not there",
        ),
        (
            &["vm.ovf", "d.vmdk", "sub/more.vmdk"],
            "names sub/more.vmdk, which is not there",
        ),
    ] {
        let package = Package::new("d.vmdk", "d.vmdk", RIGHT);
        package.manifest(names);
        let (ovf, new) = (package.old("vm.ovf"), package.new_folder());
        let ova = package.folder.path().join("vm.ova");
        let old = package.old("");
        let pack = ["--format=ustar", "-cf", text(&ova), "-C", text(&old)];
        tool("tar", &[&pack[..], &["vm.ovf", "vm.mf", "d.vmdk"]].concat());
        for target in [&ovf, &ova] {
            refused(
                &[text(target), "--output", text(&new)],
                65,
                &["its manifest", why, "without its .mf"],
            );
            assert!(!new.exists());
        }
        // In a folder the image is put right, and the package is not described.
        migrated(&[text(&old), "--output", text(&new)], 1);
        assert!(!new.join("vm.ovf").exists() && new.join("d.vmdk").exists());
    }
}

#[test]
fn the_description_has_the_sizes_of_the_disks() {
    needs!(Packages);
    let small = "capacity=\"1\" capacityAllocationUnits=\"byte * 2^20\" populatedSize=\"12345\"";
    let package = Package::new("d.vmdk", "d.vmdk", small);
    let document = package.migrated();
    package.is_right("d.vmdk");
    assert!(
        package.text().contains(
            "fileRef=\"f\" capacity=\"3\" capacityAllocationUnits=\"byte * 2^20\" format="
        ),
        "{}",
        package.text()
    );
    let notes = document["packages"][0]["notes"].to_string();
    assert!(
        notes.contains("gave 1048576 bytes for the disk in d.vmdk, which has 3145728"),
        "{notes}"
    );
    let again = package.migrated();
    assert_eq!(again["images"][0]["was_there"], true);
    // What is larger is what an importer may make of it.
    let large = Package::new(
        "d.vmdk",
        "d.vmdk",
        "capacity=\"1\" capacityAllocationUnits=\"byte * 2^30\"",
    );
    large.migrated();
    assert!(large.text().contains("capacity=\"1\""), "{}", large.text());
}

/// Nobody wants a file in `/dev`.
#[test]
fn a_new_image_has_no_name_in_dev() {
    needs!(Packages);
    let image = Image::old();
    for device in ["/dev/null", "/dev/zero"] {
        let output = fix(&[text(image.path()), "--output", device]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let name = Path::new(device).file_name().unwrap().to_str().unwrap();
        assert!(said.contains(&format!("--output {name}.img`")), "{said}");
    }
}

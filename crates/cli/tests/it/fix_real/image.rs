//! A disk image with a real partition table, and its partitions as devices.

use std::path::Path;
use std::time::{Duration, Instant};

use ioalign_testkit::run::{command, text, tool};
use ioalign_testkit::{Disk, Loop};
use serde_json::Value;

/// The bytes of a sector of every table here.
pub const SECTOR: u64 = 512;

/// An image that `sfdisk` has partitioned.
pub struct Image {
    disk: Disk,
}

impl Image {
    /// An image of this many MiB, with a table as sfdisk reads it.
    pub fn new(mib: u64, table: &str) -> Self {
        let disk = Disk::new("disk.img", mib << 20);
        script(disk.path(), table, &[]);
        Self { disk }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.disk.path()
    }

    /// A folder for files beside it.
    pub fn folder(&self) -> &Path {
        self.disk.folder()
    }

    /// So many bytes of it.
    pub fn read(&self, at: u64, len: usize) -> Vec<u8> {
        self.disk.read(at, len)
    }

    /// Writes bytes to it.
    pub fn write(&self, at: u64, bytes: &[u8]) {
        self.disk.write(at, bytes);
    }

    /// Copies another image over it: the same disk once more.
    pub fn restore(&self, from: &Path) {
        let arguments = ["--sparse=always", text(from), text(self.path())];
        tool("cp", &arguments);
    }

    /// All partitions but the extended one.
    pub fn slots(&self) -> Vec<Slot> {
        slots(self.path())
    }

    /// The partition of a number.
    pub fn slot(&self, number: u64) -> Slot {
        let slots = self.slots();
        let found = slots.iter().find(|slot| slot.number == number);
        found
            .unwrap_or_else(|| panic!("no partition {number}: {slots:?}"))
            .clone()
    }

    /// A partition as a device of its own.
    pub fn device(&self, slot: &Slot) -> Loop {
        let offset = format!("--offset={}", slot.start * SECTOR);
        let limit = format!("--sizelimit={}", slot.sectors * SECTOR);
        Loop::new(self.path(), &[&offset, &limit])
    }

    /// Waits until no loop device holds it: FUSE lets go a little after its unmount, and `fix` refuses what is in use.
    pub fn released(&self) {
        let begun = Instant::now();
        while !tool("losetup", &["--associated", text(self.path())]).is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(20), "still in use");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Every partition lies on `sectors`, and is what it was: number, size, type and identity.
    pub fn assert_fixed(&self, before: &[Slot], sectors: u64) {
        let after = self.slots();
        assert_eq!(after.len(), before.len(), "{after:#?}\n{before:#?}");
        for (new, old) in after.iter().zip(before) {
            assert_eq!(new.start % sectors, 0, "{new:?}");
            let kept = Slot {
                start: new.start,
                ..old.clone()
            };
            assert_eq!(*new, kept);
        }
    }
}

/// A partition as sfdisk lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub number: u64,
    pub start: u64,
    pub sectors: u64,
    kind: Value,
    identity: Value,
    name: Value,
    bootable: Value,
}

/// The partitions of any image.
pub fn slots(image: &Path) -> Vec<Slot> {
    let said = tool("sfdisk", &["--json", text(image)]);
    // Before it: what sfdisk thinks of a damaged chain.
    let document = said.find('{').map_or("", |at| &said[at..]);
    let json: Value = serde_json::from_str(document).unwrap();
    let all = json["partitiontable"]["partitions"].as_array().unwrap();
    let data = all
        .iter()
        .filter(|one| one["type"] != "5" && one["type"] != "f");
    data.map(|one| slot(one, text(image))).collect()
}

fn slot(one: &Value, image: &str) -> Slot {
    let node = one["node"].as_str().unwrap();
    let number = node
        .trim_start_matches(image)
        .trim_start_matches('p')
        .parse();
    Slot {
        number: number.unwrap(),
        start: one["start"].as_u64().unwrap(),
        sectors: one["size"].as_u64().unwrap(),
        kind: one["type"].clone(),
        identity: one["uuid"].clone(),
        name: one["name"].clone(),
        bootable: one["bootable"].clone(),
    }
}

/// Runs sfdisk on an image with a script; the kernel is not notified.
pub fn script(image: &Path, table: &str, arguments: &[&str]) {
    let output = sfdisk(image, table, arguments).wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{table}: {errors}");
}

/// The same, as a process.
pub fn sfdisk(image: &Path, table: &str, arguments: &[&str]) -> std::process::Child {
    use std::io::Write as _;
    use std::process::Stdio;
    let fixed = ["--quiet", "--no-reread", "--no-tell-kernel", "--force"];
    let mut child = command("sfdisk")
        .args(fixed)
        .args(arguments)
        .arg(image)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(table.as_bytes()).unwrap();
    child
}

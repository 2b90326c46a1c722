//! Images cut off at every byte of the first structures, and around every sector after them: whatever is missing, an answer comes.
//!
//! In the process, because a million runs of a program would take hours; the whole assembly runs,
//! from the container through tables and volumes to file systems. `cargo xtask fuzz --truncate`
//! does the same for every byte of the first MiB of every seed, at night.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ioalign_inspect::Source;
use ioalign_inspect::assemble::{AssembleOptions, image_from};
use ioalign_inspect::source::check_range;
use ioalign_testkit::gpt::{self, LINUX};
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Disk, mbr};

use super::qemu_img;

/// Every length below this is tried.
const DENSE: usize = 4 << 10;
/// Below this, where the headers of all formats end, those around every sector, where fields begin and end.
const AROUND_SECTORS: usize = 64 << 10;
/// As many bytes before and behind the start of a sector.
const AROUND: usize = 8;
/// Then the start of every sector below a MiB.
const SECTOR: usize = 512;

/// The first bytes of an image.
struct Prefix {
    bytes: Arc<Vec<u8>>,
    len: usize,
}

impl Source for Prefix {
    fn len(&self) -> u64 {
        self.len as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> ioalign_inspect::Result<()> {
        check_range(self, offset, buffer.len())?;
        let start = usize::try_from(offset).unwrap();
        buffer.copy_from_slice(&self.bytes[start..start + buffer.len()]);
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("cut.img")
    }
}

/// Opens every prefix, on all processors. A panic in one fails the test and names the length.
fn cut(name: &str, image: &Path) {
    let mut bytes = Vec::new();
    let file = File::open(image).unwrap();
    file.take(1 << 20).read_to_end(&mut bytes).unwrap();
    let is_tried = |len: &usize| {
        let past = len % SECTOR;
        let is_near = past <= AROUND || past >= SECTOR - AROUND;
        *len < DENSE || past == 0 || (*len < AROUND_SECTORS && is_near) || *len == bytes.len()
    };
    let lens: Vec<_> = (0..=bytes.len()).filter(is_tried).collect();
    let bytes = Arc::new(bytes);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(len) = lens.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (bytes, len) = (Arc::clone(&bytes), *len);
            let prefix: Arc<dyn Source> = Arc::new(Prefix { bytes, len });
            let run = || image_from(&prefix, &AssembleOptions::default()).is_ok();
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            assert!(run.is_ok(), "{name} cut off at byte {len}");
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

fn content() -> Disk {
    let disk = mbr::disk("a.raw", 16, &[(0x83, 63, 10_000), (0x05, 12_000, 20_000)]);
    disk.write(12_000 * 512, &mbr::sector(&[(0x83, 63, 4096)]));
    disk.write(63 * 512, &[7; 65536]);
    disk
}

#[test]
fn containers() {
    needs!(Packages);
    let raw = content();
    for (name, format, options) in [
        ("v3", "qcow2", ""),
        ("vdi", "vdi", ""),
        ("dynamic", "vpc", ""),
        ("vhdx", "vhdx", ""),
        ("sparse", "vmdk", ""),
        ("stream", "vmdk", "subformat=streamOptimized"),
    ] {
        let convert = ["convert", "-f", "raw", "-O", format, "-o", options];
        let convert = if options.is_empty() {
            &convert[..5]
        } else {
            &convert[..]
        };
        qemu_img(raw.folder(), &[convert, &["a.raw", name]].concat());
        cut(name, &raw.folder().join(name));
    }
}

#[test]
fn tables() {
    cut("dos", content().path());
    let disk = Disk::new("gpt.img", 4 << 20);
    gpt::write(&disk, 512, &[(LINUX, 2048, 2048)]);
    cut("gpt", disk.path());
    let disk = Disk::new("4kn.img", 4 << 20);
    gpt::write(&disk, 4096, &[(LINUX, 256, 256)]);
    cut("gpt of 4 KiB", disk.path());
}

#[test]
fn volumes() {
    needs!(Fixtures);
    let fixtures = [
        ("lvm-on-raid5", "vda"),
        ("md-raid1-0.90", "vda"),
        ("luks2", "vda"),
    ];
    for (fixture, device) in fixtures {
        cut(
            fixture,
            &ioalign_testkit::run::fixture(fixture)
                .join("dev")
                .join(device),
        );
    }
}

#[test]
fn file_systems() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let makers: [(&str, &[&str]); 6] = [
        ("mkfs.ext4", &["-q", "-F"]),
        ("mkfs.xfs", &["-q", "-f"]),
        ("mkfs.btrfs", &["-q", "-f"]),
        ("mkfs.fat", &["-F", "32"]),
        ("mkfs.ntfs", &["-q", "-F", "-Q"]),
        ("mkswap", &["-q"]),
    ];
    for (program, options) in makers {
        let path = folder.path().join(program);
        std::fs::File::create(&path)
            .unwrap()
            .set_len(320 << 20)
            .unwrap();
        tool(program, &[options, &[text(&path)]].concat());
        cut(program, &path);
    }
}

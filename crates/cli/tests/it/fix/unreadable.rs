//! `--read-errors` on an image with a place that cannot be read: it lies on a btrfs, whose checksum of four KiB does
//! not fit any more, so that the kernel gives EIO. Root is needed.

use super::*;
use ioalign_testkit::{Loop, MountGuard};

/// What btrfs has a checksum of.
const BLOCK: u64 = 4096;

/// An image on a file system, and what holds that.
struct Spoiled {
    path: PathBuf,
    bad: std::ops::Range<u64>,
    _mount: MountGuard,
    _device: Loop,
}

impl Spoiled {
    /// A copy of an image, with a bad block in the middle of its last partition.
    fn of(image: &Image) -> Self {
        let last = image.table().pop().unwrap();
        let at = (last.start + last.size / 2).next_multiple_of(BLOCK);
        let folder = image.disk.folder();
        let (store, point) = (folder.join("store"), folder.join("mounted"));
        std::fs::File::create(&store)
            .unwrap()
            .set_len(256 * MIB)
            .unwrap();
        tool("mkfs.btrfs", &["-q", "-d", "single", text(&store)]);
        let path = point.join("disk.img");
        let on = |device: &Loop| MountGuard::new(&[device.text()], &point);
        {
            let device = Loop::new(&store, &[]);
            let _mount = on(&device);
            std::fs::copy(image.path(), &path).unwrap();
        }
        spoil(
            &store,
            &image.disk.read(at, usize::try_from(BLOCK).unwrap()),
        );
        let device = Loop::new(&store, &[]);
        Self {
            _mount: on(&device),
            _device: device,
            bad: at..at + BLOCK,
            path,
        }
    }

    fn bad(&self) -> (u64, u64) {
        (self.bad.start, self.bad.end)
    }
}

/// Changes the only block that holds these bytes.
fn spoil(store: &Path, block: &[u8]) {
    let mut bytes = std::fs::read(store).unwrap();
    let blocks = bytes.chunks_mut(block.len());
    let held: Vec<_> = blocks.filter(|held| *held == block).collect();
    assert_eq!(held.len(), 1);
    for held in held {
        held[17] ^= 1;
    }
    std::fs::write(store, bytes).unwrap();
}

/// What could not be read, byte by byte as ranges.
fn unreadable(answer: &Value) -> Vec<(u64, u64)> {
    let places = answer["done"]["unreadable"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let range = |place: &Value| (number(&place["start_bytes"]), number(&place["end_bytes"]));
    places.iter().map(range).collect()
}

/// The partitions where the table says, with zeros for what was lost.
fn holds_what_is_left(path: &Path, image: &Image, bad: &Spoiled) {
    let bytes = std::fs::read(path).unwrap();
    let (old, new) = (image.table(), table(path, 512));
    assert_eq!(new.len(), image.parts.len());
    for ((old, new), part) in old.iter().zip(&new).zip(&image.parts) {
        let mut expected = part.bytes.clone();
        if let Some(lost) = bad.bad.start.checked_sub(old.start) {
            let lost = usize::try_from(lost).unwrap();
            if let Some(lost) = expected.get_mut(lost..lost + 4096) {
                lost.fill(0);
            }
        }
        let start = usize::try_from(new.start).unwrap();
        assert_eq!(new.start % MIB, 0);
        assert!(bytes[start..start + expected.len()] == expected, "{new:?}");
    }
}

#[test]
fn a_new_image_is_made_of_what_can_be_read() {
    needs!(Packages, Root);
    let image = Image::old();
    let spoiled = Spoiled::of(&image);
    let new = image.disk.folder().join("new.img");
    let arguments = [text(&spoiled.path), "--output", text(&new)];
    refused(&arguments, 65, &["cannot be read", "--read-errors map"]);
    assert!(!new.exists());
    let answer = document(&[&arguments[..], &["--read-errors", "map"]].concat());
    assert_eq!(answer["result"], "copied");
    assert_eq!(unreadable(&answer), [spoiled.bad()]);
    holds_what_is_left(&new, &image, &spoiled);
}

#[test]
fn in_place_the_move_stops_and_goes_on_with_zeros() {
    needs!(Packages, Root);
    let image = Image::old();
    let spoiled = Spoiled::of(&image);
    let path = text(&spoiled.path);
    let words = ["cannot be read", "--read-errors map", "--resume"];
    refused(&[path, "--apply"], 65, &words);
    let answer = document(&[path, "--resume", "--read-errors", "map"]);
    assert_eq!(answer["result"], "moved");
    assert_eq!(unreadable(&answer), [spoiled.bad()]);
    holds_what_is_left(&spoiled.path, &image, &spoiled);
}

#[test]
fn a_conversion_maps_errors_too() {
    needs!(Packages, Root);
    let mut image = Image::new(40, "label: dos\n2048,20480,83\n22528,40960,83\n");
    let make = "truncate --size 10M \"$1.ext\"; mkfs.ext4 -q -b 4096 \"$1.ext\"; \
        dd if=\"$1.ext\" of=\"$1\" bs=1M seek=1 conv=notrunc status=none";
    tool("sh", &["-ec", make, "-", text(image.path())]);
    image.parts[0].bytes = image.disk.read(MIB, 10 << 20);
    let spoiled = Spoiled::of(&image);
    let new = image.disk.folder().join("new.img");
    let to = ["--convert-sector-size", "4096", "--output", text(&new)];
    // What noise is, nobody knows.
    let accepts = ["--limit", "1G", "--accept-boot"];
    let convert = [&[text(&spoiled.path)], &accepts[..], &to].concat();
    refused(&convert, 65, &["cannot be read", "--read-errors map"]);
    assert!(!new.exists());
    let answer = document(&[&convert[..], &["--read-errors", "map"]].concat());
    assert_eq!(unreadable(&answer), [spoiled.bad()]);
    let shown = Loop::new(&new, &["--sector-size", "4096"]);
    let table = table(shown.path(), 4096);
    let starts: Vec<_> = table.iter().map(|line| line.start).collect();
    assert_eq!(starts, [MIB, 11 * MIB]);
    let mut expected = [&image.parts[0].bytes[..], &image.parts[1].bytes].concat();
    let lost = usize::try_from(spoiled.bad.start - MIB).unwrap();
    expected[lost..lost + 4096].fill(0);
    let bytes = std::fs::read(&new).unwrap();
    assert!(bytes[1 << 20..(1 << 20) + expected.len()] == expected);
}

#[test]
fn a_conversion_keeps_to_a_limit_and_can_be_stopped() {
    needs!(Packages);
    let image = super::convert::image();
    let new = image.disk.folder().join("new.img");
    let convert = ["--convert-sector-size", "4096", "--output", text(&new)];
    let child = started(&[&[text(image.path()), "--limit", "2M"], &convert[..]].concat());
    let is_part = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        name.to_string_lossy()
            .starts_with(".new.img.ioalign-PARTIAL")
    };
    let has_part = || {
        let mut entries = std::fs::read_dir(image.disk.folder()).unwrap();
        entries.any(|entry| is_part(entry.unwrap()))
    };
    until("the new image is made", has_part);
    // Without the limit it would be whole before that is looked at.
    std::thread::sleep(Duration::from_millis(500));
    tool("kill", &["-INT", &child.id().to_string()]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(!new.exists() && !has_part());
}

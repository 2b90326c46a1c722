//! What is said of discards, against what is freed: holes that the kernel punches into a file, clusters that QEMU frees.

use std::fs;
use std::path::Path;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::sysroot::SysrootDisk;
use ioalign_testkit::{CheckRun, Disk, Loop, MountGuard, Sysroot, check, mbr, needs};
use serde_json::Value;
use tempfile::TempDir;

use super::PROGRAM;

const RULE: &str = "discard-off-unit";
const KIB: u64 = 1 << 10;

fn checked(target: &str) -> CheckRun {
    check(PROGRAM, [target])
}

/// The share that is freed of discards of this size, as a finding has it.
fn predicted(finding: &Value, size: u64) -> f64 {
    let rows = finding["discard"]["sizes"].as_array().unwrap();
    let row = rows.iter().find(|row| row["discard_bytes"] == size);
    row.unwrap()["freed_ratio"].as_f64().unwrap()
}

/// Bytes of an image or a file that lie somewhere.
fn allocated(path: &Path, format: &str) -> u64 {
    let map = tool(
        "qemu-img",
        &["map", "-f", format, "--output=json", text(path)],
    );
    let map: Value = serde_json::from_str(&map).unwrap();
    let entries = map.as_array().unwrap().iter();
    let data = entries.filter(|entry| entry["data"] == true);
    data.map(|entry| entry["length"].as_u64().unwrap()).sum()
}

/// Compares what was freed of `asked` bytes with the prediction, to the byte.
fn assert_freed(finding: &Value, size: u64, freed: u64, asked: u64) {
    let ratio = ioalign_core::units::ratio(freed, asked);
    assert_eq!(
        ratio,
        predicted(finding, size),
        "{size}: {freed} of {asked}"
    );
}

/// A file in XFS with blocks of 16 KiB: a loop device on it frees those.
struct Thin {
    folder: TempDir,
    _mount: MountGuard,
    _device: Loop,
    _disk: Disk,
}

impl Thin {
    fn new() -> Self {
        let disk = Disk::new("host.img", 512 << 20);
        let device = Loop::new(disk.path(), &[]);
        tool("mkfs.xfs", &["-q", "-b", "size=16k", device.text()]);
        let folder = TempDir::new().unwrap();
        let mount = MountGuard::new(&[device.text()], &folder.path().join("mnt"));
        Self {
            folder,
            _mount: mount,
            _device: device,
            _disk: disk,
        }
    }

    /// A file with all blocks in place, and a partition at sector 63.
    fn file(&self) -> std::path::PathBuf {
        let path = self.folder.path().join("mnt/thin.img");
        let disk = mbr::disk("thin.raw", 32, &[(0x83, 63, 60_000)]);
        let mut bytes = vec![7_u8; 32 << 20];
        bytes[..512].copy_from_slice(&disk.read(0, 512));
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// Frees 4 MiB of a device, from its byte 4 MiB on, in pieces of this size; returns what the file lost.
fn discarded(node: &str, size: u64, file: &Path) -> u64 {
    let freed_from = |file: &Path| {
        fs::File::open(file).unwrap().sync_all().unwrap();
        allocated(file, "raw")
    };
    let before = freed_from(file);
    let (from, step) = ((4_u64 << 20).to_string(), size.to_string());
    let arguments = ["-f", "-o", &from, "-l", &from, "-p", &step, node];
    tool("blkdiscard", &arguments);
    before - freed_from(file)
}

#[test]
fn a_loop_device_frees_what_is_predicted() {
    needs!(Root, Packages);
    let thin = Thin::new();
    for size in [16 * KIB, 64 * KIB, 256 * KIB, 1 << 20] {
        let file = thin.file();
        let device = Loop::new(&file, &[]);
        tool("partx", &["--add", device.text()]);
        let run = checked(device.text());
        let part = format!("{}p1", device.text());
        let finding = run.of_rule(RULE)[0];
        assert_eq!(finding["severity"], "suboptimal");
        assert_eq!(finding["unit_bytes"], 16 * KIB);
        // The kernel's own place of the first boundary in the partition.
        let name = part.trim_start_matches("/dev/");
        let kernel = fs::read_to_string(format!("/sys/class/block/{name}/discard_alignment"));
        let kernel: u64 = kernel.unwrap().trim().parse().unwrap();
        assert_eq!(finding["offset_bytes"], 16 * KIB - kernel);
        assert_freed(finding, size, discarded(&part, size, &file), 4 << 20);
        tool("partx", &["--delete", device.text()]);
    }
}

/// The kernel gives 0 as the first boundary of such a device, which is not where the file's blocks are.
#[test]
fn a_loop_device_that_begins_inside_its_file_is_off_its_blocks() {
    needs!(Root, Packages);
    let thin = Thin::new();
    let file = thin.file();
    let device = Loop::new(&file, &["--offset", "32256"]);
    // Before mkfs, which leaves zeros without a place.
    let freed = discarded(device.text(), 64 * KIB, &file);
    tool(
        "mkfs.ext4",
        &["-q", "-b", "4096", "-E", "nodiscard", device.text()],
    );
    let run = checked(device.text());
    let finding = run.of_rule(RULE)[0];
    assert_eq!(finding["offset_bytes"], 32256 % (16 * KIB));
    let kernel = fs::read_to_string(format!("/sys/block/{}/discard_alignment", device.name()));
    assert_eq!(kernel.unwrap().trim(), "0");
    assert_freed(finding, 64 * KIB, freed, 4 << 20);
}

/// incus#3922: a guest that does not know the clusters.
#[test]
fn qcow2_frees_what_is_predicted() {
    needs!(Packages);
    for (start, off) in [(63, true), (2048, false)] {
        let raw = mbr::disk("guest.raw", 32, &[(0x83, start, 50_000)]);
        let image = raw.folder().join("guest.qcow2");
        let convert = [
            "convert",
            "-f",
            "raw",
            "-O",
            "qcow2",
            text(raw.path()),
            text(&image),
        ];
        tool("qemu-img", &convert);
        let run = checked(text(&image));
        let found = run.of_rule(RULE);
        assert_eq!(found.len(), usize::from(off));
        for size in [64 * KIB, 256 * KIB, 1 << 20] {
            let fill = ["-f", "qcow2", "-c", "write -P 7 64k 28M", text(&image)];
            tool("qemu-io", &fill);
            let before = allocated(&image, "qcow2");
            let first = u64::from(start) * 512 + (1 << 20);
            let pieces = (0..(16 << 20) / size).map(|n| first + n * size);
            let commands = pieces.flat_map(|at| ["-c".to_owned(), format!("discard {at} {size}")]);
            let commands: Vec<String> = commands.collect();
            let mut arguments = vec!["-d", "unmap", "-f", "qcow2"];
            arguments.extend(commands.iter().map(String::as_str));
            arguments.push(text(&image));
            tool("qemu-io", &arguments);
            let freed = before - allocated(&image, "qcow2");
            match found.first() {
                Some(finding) => assert_freed(finding, size, freed, 16 << 20),
                None => assert_eq!(freed, 16 << 20),
            }
        }
    }
}

/// A host with a disk of a storage system that frees 64 KiB, and a partition at this sector.
fn captured(sector: u64, kernel: Option<u64>, max: u64) -> CheckRun {
    let disk = SysrootDisk::new("sda", 1 << 22)
        .attr("queue/discard_granularity", 65536)
        .attr("queue/discard_max_bytes", max)
        .attr("discard_alignment", 0);
    let host = Sysroot::new()
        .disk(disk)
        .partition("sda", 1, sector, 1 << 20);
    let host = match kernel {
        Some(bytes) => host.set("sda1", "discard_alignment", bytes),
        None => host,
    };
    check(PROGRAM, ["--sysroot", text(host.path())])
}

#[test]
fn a_captured_host_is_judged_by_what_its_kernel_said() {
    let run = captured(63, Some(65536 - 32256), 1 << 30);
    assert_eq!(run.of_rule(RULE)[0]["offset_bytes"], 32256);
    let computed = captured(63, None, 1 << 30);
    assert_eq!(computed.of_rule(RULE)[0]["offset_bytes"], 32256);
    assert!(captured(2048, Some(0), 1 << 30).of_rule(RULE).is_empty());
    assert!(captured(63, Some(0), 0).of_rule(RULE).is_empty());
}

//! The contract of direct I/O, held against what each file system accepts. These tests need root.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use ioalign_core::direct_io::{DirectIoContract, MisalignedDirectIo};
use ioalign_device::direct_io_contract;
use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard};

use super::MIB;

/// Reads, writes and buffers in memory; what becomes of other I/O.
type Demands = (Option<u64>, Option<u64>, MisalignedDirectIo);

const REFUSED: MisalignedDirectIo = MisalignedDirectIo::Refused;
const BUFFERED: MisalignedDirectIo = MisalignedDirectIo::Buffered;

/// A file of data, on the disk.
fn file_in(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("disk.img");
    fs::write(&path, vec![7; 4 << 20]).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    path
}

/// The contract of `path`, which a whole set of reads proves, and writes too.
fn holds(path: &Path, demands: Demands) -> DirectIoContract {
    let found = direct_io_contract(path).unwrap();
    let said = (
        found.offset_align_bytes,
        found.write_offset_align_bytes,
        found.misaligned,
    );
    assert_eq!(said, demands, "{}: {found:?}", path.display());
    assert_eq!(found.proved, Some(true), "{found:?}");
    assert!(found.tries >= 8, "{found:?}");
    for bytes in [512, 1024, 2048, 4096, 8192_usize] {
        let is_aligned =
            |align: Option<u64>| align.is_none_or(|align| (bytes as u64).is_multiple_of(align));
        let expected = is_aligned(demands.1)
            || found.misaligned == BUFFERED
            || (found.misaligned_writes == BUFFERED && is_aligned(demands.0));
        assert_eq!(writes(path, bytes), expected, "{}: {bytes}", path.display());
    }
    found
}

/// Whether a direct write of this length, at a multiple of it, is accepted.
fn writes(path: &Path, bytes: usize) -> bool {
    #[repr(align(65536))]
    struct Aligned([u8; 65536]);
    let buffer = Box::new(Aligned([7; 65536]));
    let direct = i32::try_from(rustix::fs::OFlags::DIRECT.bits()).unwrap();
    let file = OpenOptions::new()
        .write(true)
        .custom_flags(direct)
        .open(path)
        .unwrap();
    file.write_at(&buffer.0[..bytes], bytes as u64).is_ok()
}

/// A file system of `make`, mounted from a loop device with sectors of this size.
fn made(folder: &Path, make: &[&str], sector: &str) -> (Loop, MountGuard) {
    let image = folder.join("image");
    File::create(&image).unwrap().set_len(400 * MIB).unwrap();
    let device = Loop::new(&image, &["--direct-io=on", "--sector-size", sector]);
    let (program, options) = make.split_first().unwrap();
    tool(program, &[options, &[text(device.path())]].concat());
    let mount = MountGuard::new(&[text(device.path())], &folder.join("mounted"));
    (device, mount)
}

#[test]
fn file_systems_on_sectors_of_512_and_4096_bytes_keep_the_contract() {
    needs!(Root, Packages);
    for (make, sector, align) in [
        (&["mkfs.ext4", "-q"][..], "512", 512),
        (&["mkfs.ext4", "-q"], "4096", 4096),
        (&["mkfs.xfs", "-q"], "512", 512),
        (&["mkfs.xfs", "-q", "-s", "size=4096"], "4096", 4096),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (device, mount) = made(folder.path(), make, sector);
        holds(&file_in(mount.path()), (Some(align), Some(align), REFUSED));
        drop(mount);
        holds(device.path(), (Some(align), Some(align), REFUSED));
    }
}

#[test]
fn a_shared_file_of_xfs_is_written_in_whole_blocks() {
    needs!(Root, Packages);
    let folder = tempfile::tempdir().unwrap();
    let (_device, mount) = made(folder.path(), &["mkfs.xfs", "-q"], "512");
    let path = file_in(mount.path());
    let copy = mount.path().join("copy.img");
    tool("cp", &["--reflink=always", text(&path), text(&copy)]);
    for path in [&copy, &path] {
        let found = holds(path, (Some(512), Some(4096), REFUSED));
        assert_eq!(found.misaligned_writes, BUFFERED);
        assert!(
            found.because.iter().any(|why| why.contains("--reflink")),
            "{found:?}"
        );
    }
}

#[test]
fn btrfs_and_tmpfs_take_anything_by_the_page_cache() {
    needs!(Root, Packages);
    let folder = tempfile::tempdir().unwrap();
    let (_device, mount) = made(folder.path(), &["mkfs.btrfs", "-q"], "512");
    holds(&file_in(mount.path()), (Some(4096), Some(4096), BUFFERED));
    let point = folder.path().join("memory");
    let mount = MountGuard::new(&["-t", "tmpfs", "-o", "size=16m", "none"], &point);
    holds(&file_in(mount.path()), (None, None, BUFFERED));
}

#[test]
fn holes_prove_nothing() {
    needs!(Root, Packages);
    let folder = tempfile::tempdir().unwrap();
    let (_device, mount) = made(folder.path(), &["mkfs.ext4", "-q"], "4096");
    let path = mount.path().join("sparse.img");
    File::create(&path).unwrap().set_len(4 * MIB).unwrap();
    let found = direct_io_contract(&path).unwrap();
    let said = (found.offset_align_bytes, found.proved, found.tries);
    assert_eq!(said, (Some(4096), None, 0));
    // A table, and data behind a hole.
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_at(&[7; 512], 0).unwrap();
    file.write_at(&vec![7; 1 << 20], MIB).unwrap();
    file.sync_all().unwrap();
    holds(&path, (Some(4096), Some(4096), REFUSED));
}

#[test]
fn what_is_no_file_has_no_contract() {
    let error = direct_io_contract(Path::new("/dev/null")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("neither a file nor a block device"),
        "{error}"
    );
    assert!(direct_io_contract(Path::new("/no/such/file")).is_err());
}

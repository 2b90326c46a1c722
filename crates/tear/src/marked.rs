//! Pages that `check --atomic` certifies, on a disk that cuts writes at 4 KiB and loses power: those that are marked
//! `RWF_ATOMIC` stay whole in XFS, and those that are not marked are torn.

use std::fs::{File, OpenOptions};
use std::io::IoSlice;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use ioalign_core::random::split_mix;
use ioalign_device::{Result, atomic_file_limits};
use ioalign_testkit::needs;
use rustix::fs::OFlags;
use rustix::io::{ReadWriteFlags, pwritev2};

use crate::disk::TornDisk;
use crate::programs::{found, output};

const PAGE: usize = 16384;
const PAGES: u64 = 64;
/// Losses of power; without the mark most of them tear a page.
const LOSSES: u64 = 12;
const MARKED: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x40);

#[repr(align(4096))]
struct Aligned([u8; PAGE]);

/// Pages of one stamp each, over and over, until the disk is gone.
fn write_until_the_end(path: &Path, flags: ReadWriteFlags, mut chance: u64) {
    let direct = i32::try_from(OFlags::DIRECT.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .write(true)
        .custom_flags(direct)
        .open(path);
    let Ok(file) = file else {
        return;
    };
    let mut page = Box::new(Aligned([0; PAGE]));
    loop {
        let stamp = split_mix(&mut chance).to_le_bytes();
        page.0
            .chunks_exact_mut(8)
            .for_each(|word| word.copy_from_slice(&stamp));
        let at = split_mix(&mut chance) % PAGES * PAGE as u64;
        if pwritev2(&file, &[IoSlice::new(&page.0)], at, flags).is_err() {
            return;
        }
    }
}

/// Pages with more than one stamp.
fn torn(path: &Path) -> u64 {
    let file = File::open(path).unwrap();
    let mut page = vec![0; PAGE];
    let mut torn = 0;
    for at in 0..PAGES {
        file.read_exact_at(&mut page, at * PAGE as u64).unwrap();
        torn += u64::from(page.chunks_exact(8).any(|word| word != &page[..8]));
    }
    torn
}

/// Pages that are torn after all losses of power.
fn lost(flags: ReadWriteFlags) -> Result<u64> {
    let mut disk = TornDisk::new(2048 * 512, 4096, 7, None)?;
    let mut mkfs = Command::new(found("mkfs.xfs", "xfsprogs")?);
    // 256 MiB are less than it makes otherwise.
    mkfs.args(["-q", "-f", "-K", "--unsupported", "-m", "reflink=1"])
        .arg(disk.node());
    output(&mut mkfs)?;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pages");
    disk.mount_as("xfs", folder.path())?;
    std::fs::write(&path, vec![0; PAGE * usize::try_from(PAGES).unwrap()]).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    assert!(
        atomic_file_limits(&path).hold(PAGE as u64),
        "this kernel certifies it"
    );
    let mut chance = 1;
    let mut sum = 0;
    for _ in 0..LOSSES {
        let (place, seed) = (path.clone(), split_mix(&mut chance));
        let writer = thread::spawn(move || write_until_the_end(&place, flags, seed));
        thread::sleep(Duration::from_millis(60 + split_mix(&mut chance) % 60));
        disk.power_off()?;
        writer.join().unwrap();
        disk.unmount()?;
        disk.power_on();
        disk.mount_as("xfs", folder.path())?;
        sum += torn(&path);
    }
    disk.unmount()?;
    Ok(sum)
}

#[test]
fn marked_pages_stay_whole_and_others_are_torn() {
    needs!(Root, Packages);
    assert_eq!(lost(MARKED).unwrap(), 0, "certified");
    assert_ne!(
        lost(ReadWriteFlags::empty()).unwrap(),
        0,
        "refused without the mark"
    );
}

//! GRUB in a BIOS boot partition that a conversion moves: it is found where it then is, written in place or copied.

use ioalign_core::Boundaries;
use ioalign_repair::boot::Weight;
use ioalign_repair::convert::{Conversion, ConversionWish};
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts};
use ioalign_repair::mover::{self, MoveOrigin, MoverOptions, MoverProgress};
use ioalign_repair::overlay::{self, OverlayView};
use ioalign_repair::{Disk, Job, MemoryDisk};
use std::ops::ControlFlow;

use super::{answered, blank, shell};
use crate::image;

const BIOS_BOOT: &str = "21686148-6449-6E6F-744E-656564454649";
const ESP: &str = "type=U";
/// Sectors of GRUB's second stage behind its first.
const MORE: u16 = 20;

/// `boot.img` of GRUB 2 that loads this sector.
fn boot_img(core: u64) -> Vec<u8> {
    let mut code = vec![0; 440];
    code[..2].copy_from_slice(&[0xeb, 0x63]);
    code[0x5a..0x5c].copy_from_slice(&[0, 0x80]);
    code[0x5c..0x64].copy_from_slice(&core.to_le_bytes());
    code[0x180..0x19c].copy_from_slice(b"Geom\0Hard Disk\0Read\0 Error\r\n");
    code
}

/// `core.img` that begins in this sector.
fn core_img(core: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..512 * (usize::from(MORE) + 1))
        .map(|at| u8::try_from(at % 251).unwrap())
        .collect();
    bytes[..512].fill(0x90);
    bytes[0x140..0x151].copy_from_slice(b"Geom\0Read\0 Error\0");
    bytes[488..500].fill(0);
    bytes[500..508].copy_from_slice(&(core + 1).to_le_bytes());
    bytes[508..510].copy_from_slice(&MORE.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x20, 0x08]);
    bytes
}

/// A disk with GRUB: its second stage begins `skip` sectors into the first partition. `second`: the others.
fn grub(start: u64, skip: u64, second: &str) -> MemoryDisk {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    blank(&path, 64 << 20);
    let script =
        format!("label: gpt\nfirst-lba: 34\nstart={start}, size=2014, type={BIOS_BOOT}\n{second}");
    image::partition(&path, 512, &script);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..440].copy_from_slice(&boot_img(start + skip));
    let at = usize::try_from((start + skip) * 512).unwrap();
    let core = core_img(start + skip);
    bytes[at..at + core.len()].copy_from_slice(&core);
    MemoryDisk {
        bytes,
        logical_bytes: 512,
    }
}

fn wish(to: u64, both: bool) -> ConversionWish {
    ConversionWish {
        from: 512,
        to,
        both,
        may_grow: true,
    }
}

/// In place, and as it is copied.
fn done(disk: &MemoryDisk, plan: &Conversion) -> [Vec<u8>; 2] {
    let mut disk = disk.clone();
    let size = usize::try_from(plan.bytes).unwrap();
    let mut copied = vec![0; size];
    plan.view(&mut disk).read_at(0, &mut copied).unwrap();
    disk.bytes.resize(size, 0);
    let job = plan.job(&mut disk).unwrap();
    run(&mut disk, &job);
    [disk.bytes, copied]
}

fn run(disk: &mut MemoryDisk, job: &Job) {
    let options = MoverOptions::default();
    let mut store = MemoryDisk {
        bytes: vec![0; usize::try_from(mover::journal_bytes(job, &options).unwrap()).unwrap()],
        logical_bytes: 1,
    };
    let mut watch = |_: &MoverProgress| ControlFlow::Continue(());
    let origin = MoveOrigin::default();
    mover::apply_with(disk, &mut store, job, &origin, &options, &mut watch).unwrap();
}

fn le64(bytes: &[u8], at: u64) -> u64 {
    let at = usize::try_from(at).unwrap();
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The boot sector at `home` loads GRUB's second stage, whose list leads to the rest of it; its first sector.
fn followed(bytes: &[u8], home: u64) -> u64 {
    let first = le64(bytes, home + 0x5c);
    let at = usize::try_from(first * 512).unwrap();
    let core = core_img(first);
    assert!(
        bytes[at..at + core.len()] == core,
        "no second stage at sector {first}"
    );
    first
}

#[test]
fn grub_is_found_after_a_conversion_wherever_it_was() {
    needs!(Packages);
    let swap = format!("start=8192, size=40960, {ESP}\n");
    for (start, skip) in [(34, 0), (35, 0), (47, 8), (100, 3), (2048, 0)] {
        let disk = grub(start, skip, &swap);
        followed(&disk.bytes, 0);
        for (to, both) in [(4096, true), (4096, false)] {
            let plan = answered(&mut disk.clone(), wish(to, both)).unwrap();
            let new = plan.partitions[0].new.start / 512;
            assert_eq!(new == start, start == 2048, "{start}");
            for bytes in done(&disk, &plan) {
                assert_eq!(followed(&bytes, 0), new + skip, "{start} {both}");
                assert_eq!(bytes[510..512], [0x55, 0xaa]);
            }
        }
    }
}

/// The whole disk makes way where the first partition has no room before the next, and mebibytes stay mebibytes.
#[test]
fn what_makes_way_stays_on_its_boundary() {
    needs!(Packages);
    let more = format!("start=2048, size=40000, {ESP}\nstart=49160, size=8192, {ESP}\n");
    let disk = grub(34, 0, &more);
    let plan = answered(&mut disk.clone(), wish(4096, true)).unwrap();
    let starts: Vec<_> = plan
        .partitions
        .iter()
        .map(|one| one.new.start / 512)
        .collect();
    assert_eq!(starts, [2048, 4096, 49_160]);
    for bytes in done(&disk, &plan) {
        assert_eq!(followed(&bytes, 0), 2048);
    }
}

/// A move on a disk that has become longer writes a new table as well.
#[test]
fn grub_is_found_on_a_disk_that_is_longer() {
    needs!(Packages);
    let mut disk = grub(34, 5, "start=8192, size=40960, type=L\n");
    disk.bytes.resize(80 << 20, 0);
    let part = |number| PartitionFacts {
        needs: None,
        number,
        what: "data".to_owned(),
        demand: (number == 1).then_some(Boundaries {
            period: 4096,
            phase: 0,
        }),
        suggested: None,
        stays: None,
    };
    let survey = DiskSurvey {
        parts: vec![part(1), part(2)],
        container: None,
    };
    for grow in [false, true] {
        let choices = Choices {
            only: Vec::new(),
            align: None,
            grow,
            shrink_last: false,
            anywhere: false,
            enlarge: None,
        };
        let mut disk = disk.clone();
        if !grow {
            disk.bytes.truncate(64 << 20);
        }
        let plan = fix::plan(&mut disk, &survey, &choices).unwrap();
        assert_eq!(plan.new[0].start, 1 << 20);
        assert_eq!(plan.new[1].size > plan.old[1].size, grow);
        let mut copied = vec![0; disk.bytes.len()];
        let layers = overlay::of_job(&plan.job);
        let size = (disk.bytes.len() as u64, 512);
        let mut view = OverlayView::new(&mut disk, size, &plan.job.moves, &layers);
        view.read_at(0, &mut copied).unwrap();
        run(&mut disk, &plan.job);
        for bytes in [&disk.bytes, &copied] {
            assert_eq!(followed(bytes, 0), 2048 + 5, "{grow}");
        }
    }
}

/// A boot sector in a partition that stays, and in one whose FAT is rebuilt around its files.
#[test]
fn a_boot_sector_in_a_partition_loads_what_has_moved() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fat");
    // Clusters that are whole sectors of 4096 bytes stay where they are.
    shell(
        "truncate --size 20M \"$1\"; mkfs.fat -F 16 -s 8 -R 16 -r 512 -a \"$1\" >&2",
        &[&path],
    );
    let fat = std::fs::read(&path).unwrap();
    for holds_fat in [false, true] {
        let mut disk = grub(34, 0, "start=8192, size=40960, type=S\n");
        let home = 8192 * 512;
        if holds_fat {
            disk.bytes[home..home + fat.len()].copy_from_slice(&fat);
        }
        let boot = boot_img(34);
        disk.bytes[home..home + 3].copy_from_slice(&[0xeb, 0x63, 0x90]);
        disk.bytes[home + 0x5a..home + 440].copy_from_slice(&boot[0x5a..]);
        let answer = answered(&mut disk.clone(), wish(4096, true)).unwrap();
        if !holds_fat {
            // Whatever it is: who accepts it gets it whole.
            assert!(answer.refusal(|_| false).is_some());
        } else {
            assert!(answer.partitions[1].rebuilt.is_some_and(|one| one.kept));
        }
        for bytes in done(&disk, &answer) {
            assert_eq!(
                followed(&bytes, 0),
                followed(&bytes, home as u64),
                "{holds_fat}"
            );
        }
    }
}

/// Files that go to other places take GRUB's second stage with them, and nobody can tell GRUB.
#[test]
fn a_second_stage_in_files_that_go_elsewhere_is_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fat");
    shell(
        "truncate --size 20M \"$1\"; mkfs.fat -s 1 \"$1\" >&2; head -c 12000 /dev/zero >\"$1.core\"; mcopy -i \"$1\" \"$1.core\" ::/CORE.IMG",
        &[&path],
    );
    let fat = std::fs::read(&path).unwrap();
    let mut disk = grub(2048, 0, "start=8192, size=40960, type=U\n");
    let home = 8192 * 512;
    disk.bytes[home..home + fat.len()].copy_from_slice(&fat);
    // The file is the first one: it begins with the first cluster.
    let heap = (1 + 2 * u64::from(u16::from_le_bytes([fat[22], fat[23]]))) + 32;
    let core = 8192 + heap;
    let at = usize::try_from(core * 512).unwrap();
    let image = core_img(core);
    disk.bytes[at..at + image.len()].copy_from_slice(&image);
    disk.bytes[..440].copy_from_slice(&boot_img(core));
    let plan = answered(&mut disk, wish(4096, true)).unwrap();
    let refusal = plan.refusal(|_| false).unwrap().to_string();
    assert!(refusal.contains("files go to other places"), "{refusal}");
}

/// No BIOS reads sectors of 4096 bytes: the plan names it, and refuses what nothing could start.
#[test]
fn who_starts_it_afterwards_is_named() {
    needs!(Packages);
    let worst = |second: &str, wish: ConversionWish| {
        let mut disk = grub(34, 0, second);
        if second.contains(ESP) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("fat");
            shell("truncate --size 20M \"$1\"; mkfs.fat \"$1\" >&2", &[&path]);
            let fat = std::fs::read(&path).unwrap();
            disk.bytes[8192 * 512..][..fat.len()].copy_from_slice(&fat);
        }
        let plan = answered(&mut disk, wish).unwrap();
        let about = |words: &str| {
            let mut all = plan.consequences.iter();
            all.find(|one| one.what.contains(words))
                .map(|one| one.weight)
        };
        (
            about("SeaBIOS"),
            about("a BIOS starts GRUB in the MBR from sectors of 512"),
        )
    };
    let esp = format!("start=8192, size=40960, {ESP}\n");
    let none = "start=8192, size=40960, type=S\n";
    assert_eq!(worst(&esp, wish(4096, false)), (Some(Weight::Warned), None));
    assert_eq!(
        worst(none, wish(4096, false)),
        (Some(Weight::Refused), None)
    );
    assert_eq!(worst(&esp, wish(4096, true)), (None, Some(Weight::Told)));
}

//! `boot_fuzz RUNS [SEED]`: disks with file systems and boot loaders that know where they are, damaged, and what
//! a move of their partitions asks for. Nothing may panic, and every patch is whole blocks of what is there,
//! inside the partition that moves or outside of all that move. `cargo xtask fuzz --boot`.

mod windows;

use std::ops::Range;
use std::time::Instant;

use ioalign_repair::boot::{self, Fixups, Moved, Weight};
use ioalign_repair::tables::{PartitionSlot, RewritableTable, SlotKind};
use ioalign_repair::{Disk, MemoryDisk, Patch, PatchPhase};
use ioalign_testkit::{Random, mbr};

const SECTORS: usize = 512;
/// Where partitions are, what is in them, and where they go; the second is the extended one.
const STARTS: [usize; 4] = [63, 160, 170, 300];
const GOES: [(u32, u64); 3] = [(1, 68), (3, 302), (5, 180)];
/// Where the second stages of boot loaders lie: in the gap, and in partitions.
const SECONDS: [usize; 4] = [1, 70, 175, 310];

pub fn main() {
    let (runs, mut random) = Random::of_arguments(100_000);
    let windows = windows::Windows::new();
    let started = Instant::now();
    let (mut read, mut patched) = (0u64, 0u64);
    let mut hibernated = 0u64;
    for run in 0..runs {
        if run % 8 == 0 {
            hibernated += u64::from(is_hibernated(windows.damaged(&mut random)));
            continue;
        }
        let mut bytes = disk(&mut random);
        damage(&mut bytes, &mut random);
        let patches = one(bytes);
        read += u64::from(patches.is_some());
        patched += u64::from(patches.is_some_and(|count| count > 0));
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "boot: {runs} runs in {seconds:.1} s, {read} with a table, {patched} with patches, {hibernated} hibernated, no panic"
    );
    assert!(patched * 4 > runs, "too few have something to patch");
    assert!(hibernated * 32 > runs, "too few NTFS are read to the end");
}

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// A disk with something in each partition.
fn disk(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0; SECTORS * 512];
    let table = mbr::sector(&[(7, 63, 90), (5, 160, 130), (0x83, 300, 120)]);
    put(&mut bytes, 0, &table);
    put(&mut bytes, 160 * 512, &mbr::sector(&[(6, 10, 100)]));
    for start in STARTS {
        let hidden = if start == 170 {
            *random.pick(&[10, 170])
        } else {
            start
        };
        match random.below(6) {
            0 => ntfs(&mut bytes, start, hidden),
            1 => fat(&mut bytes, start, hidden),
            2 => exfat(&mut bytes, start, hidden),
            3 => put(&mut bytes, start * 512 + 4086, b"S1SUSPEND"),
            4 => put(&mut bytes, start * 512 + 3, b"EXTLINUX"),
            _ => {}
        }
    }
    for home in [0, 63, 160, 170, 300] {
        let second = *random.pick(&SECONDS);
        match random.below(6) {
            0 | 1 => grub(&mut bytes, home, second),
            2 => legacy(&mut bytes, home, second),
            3 if random.below(4) == 0 => put(&mut bytes, home * 512 + 6, b"LILO"),
            _ => {}
        }
    }
    bytes
}

fn le32(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap().to_le_bytes()
}

fn ntfs(bytes: &mut [u8], start: usize, hidden: usize) {
    let mut boot = vec![0; 512];
    put(&mut boot, 0, b"\xeb\x52\x90NTFS    \x00\x02\x08");
    put(&mut boot, 0x1c, &le32(hidden));
    put(&mut boot, 0x28, &le32(80));
    put(&mut boot, 510, &[0x55, 0xaa]);
    put(bytes, start * 512, &boot);
    put(bytes, (start + 80) * 512, &boot);
}

fn fat(bytes: &mut [u8], start: usize, hidden: usize) {
    let mut boot = vec![0; 512];
    put(
        &mut boot,
        0,
        b"\xeb\x58\x90mkfs.fat\x00\x02\x01\x20\x00\x02",
    );
    put(&mut boot, 0x1c, &le32(hidden));
    put(&mut boot, 0x32, &[6, 0]);
    put(&mut boot, 510, &[0x55, 0xaa]);
    put(bytes, start * 512, &boot);
    put(bytes, (start + 6) * 512, &boot);
}

fn exfat(bytes: &mut [u8], start: usize, hidden: usize) {
    let mut region = vec![0; 12 * 512];
    put(&mut region, 0, b"\xeb\x76\x90EXFAT   ");
    put(&mut region, 64, &le32(hidden));
    region[108] = 9;
    let summed = (0..11 * 512).filter(|index| ![106, 107, 112].contains(index));
    let sum = summed.fold(0u32, |sum, index| {
        sum.rotate_right(1).wrapping_add(u32::from(region[index]))
    });
    put(&mut region, 11 * 512, &sum.to_le_bytes().repeat(128));
    put(bytes, start * 512, &region);
    put(bytes, (start + 12) * 512, &region);
}

/// Entries of the table are kept.
fn grub(bytes: &mut [u8], home: usize, second: usize) {
    let at = home * 512;
    put(bytes, at, &[0xeb, 0x63]);
    put(bytes, at + 0x5a, &[0, 0x80]);
    put(bytes, at + 0x5c, &le32(second));
    put(bytes, at + 0x180, b"Geom\0Hard Disk\0Read\0 Error");
    put(bytes, second * 512 + 0x150, b"loading\0Geom\0Read\0 Error");
    let list = second * 512 + 500;
    put(bytes, list, &le32(second + 1));
    put(bytes, list + 8, &[4, 0, 0x20, 0x08]);
    put(bytes, list - 12, &le32(second + 8));
    put(bytes, list - 4, &[2, 0, 0xa0, 0x08]);
}

fn legacy(bytes: &mut [u8], home: usize, second: usize) {
    let at = home * 512;
    put(bytes, at, &[0xeb, 0x48]);
    put(bytes, at + 0x3e, &[3, 2, 0xff, 0, 0, 0x20]);
    put(bytes, at + 0x44, &le32(second));
    put(bytes, at + 0x48, &[0, 2]);
    put(bytes, at + 0x180, b"Geom\0Hard Disk\0Read\0 Error");
    put(
        bytes,
        second * 512 + 0x150,
        b"Loading stage\0Geom\0Read\0 Error",
    );
    put(bytes, second * 512 + 504, &le32(second + 1));
    put(bytes, second * 512 + 508, &[4, 0, 0x20, 0x02]);
}

/// Up to four places of first sectors become something else.
fn damage(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..random.below(4) {
        let sectors = [0, 1, 63, 69, 70, 143, 160, 170, 175, 300, 310];
        let at = random.pick(&sectors) * 512 + random.below(504);
        match random.below(3) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            _ => {
                let edges = [
                    0,
                    1,
                    300,
                    511,
                    1 << 31,
                    u64::MAX / 512,
                    u64::MAX - 1,
                    u64::MAX,
                ];
                put(bytes, at, &random.pick(&edges).to_le_bytes());
            }
        }
    }
}

/// Whether the file of a hibernated Windows is found.
fn is_hibernated(bytes: Vec<u8>) -> bool {
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: 512,
    };
    let table = RewritableTable::read(&mut disk).unwrap();
    let moved = [Moved {
        number: 1,
        from: 63 * 512,
        to: 64 * 512,
        bytes: 3000 * 512,
    }];
    let fixups = boot::fixups(&mut disk, &table, &moved).unwrap();
    let mut all = fixups.consequences.iter();
    all.any(|one| one.what.contains("hibernated"))
}

/// How many patches are asked for; `None` without a table.
fn one(bytes: Vec<u8>) -> Option<usize> {
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: 512,
    };
    let table = RewritableTable::read(&mut disk).ok()?;
    let slots = table.slots();
    let moved: Vec<_> = GOES
        .iter()
        .filter_map(|(number, to)| {
            let slot = slots.iter().find(|slot| slot.number == *number)?;
            Some(Moved {
                number: *number,
                from: slot.start,
                to: to * 512,
                bytes: slot.size,
            })
        })
        .collect();
    let goes = |one: &Moved| PartitionSlot {
        number: one.number,
        start: one.to,
        size: one.bytes,
        kind: SlotKind::Primary,
    };
    let slots: Vec<_> = moved.iter().map(goes).collect();
    let is_plan = table.rewritten(&slots).is_ok();
    boot::reserved(&mut disk, &table).unwrap();
    // Reading past the end of a damaged table's partitions is an error, and no panic.
    let Ok(fixups) = boot::fixups(&mut disk, &table, &moved) else {
        return Some(0);
    };
    for patch in fixups.patches.iter().filter(|_| is_plan) {
        holds(&mut disk, patch, &moved, &fixups);
    }
    Some(fixups.patches.len())
}

/// What the mover asks of a patch.
fn holds(disk: &mut MemoryDisk, patch: &Patch, moved: &[Moved], fixups: &Fixups) {
    assert_eq!((patch.at % 512, patch.before.len()), (0, 512));
    assert_eq!(patch.after.len(), 512);
    let overlaps = |place: &Range<u64>, at: u64, bytes: u64| {
        place.start < at.saturating_add(bytes) && at < place.end
    };
    let place = patch.place();
    let there = moved.iter().find(|one| overlaps(&place, one.to, one.bytes));
    let mut now = vec![0; 512];
    match (patch.phase, there) {
        (PatchPhase::Contents, _) => {
            let own = |one: &&Moved| {
                one.to <= place.start && place.end <= one.to.saturating_add(one.bytes)
            };
            let mut all = moved.iter().filter(own);
            let brought = all.any(|one| {
                let read = disk.read_at(one.from + (patch.at - one.to), &mut now);
                read.is_ok() && now == patch.before
            });
            assert!(
                brought,
                "no move brings what the patch at {} expects",
                patch.at
            );
        }
        (_, Some(over)) => {
            let refused = fixups
                .consequences
                .iter()
                .any(|one| one.weight == Weight::Refused);
            assert!(
                refused,
                "partition {} goes over the patch at {}",
                over.number, patch.at
            );
        }
        _ => {
            disk.read_at(patch.at, &mut now).unwrap();
            assert!(now == patch.before, "{} is not there", patch.at);
        }
    }
}

//! Boot code between partitions: the layout of a fix goes around it.

use ioalign_core::Boundaries;
use ioalign_repair::MemoryDisk;
use ioalign_repair::boot::Weight;
use ioalign_repair::fix::{self, Choices, DiskSurvey, PartitionFacts, RepairPlan};
use ioalign_testkit::mbr;

const SECTOR: usize = 512;
/// The second stage of GRUB, between the partitions.
const SECOND: u32 = 2300;
/// The start of the partition before it, one sector off 4 KiB.
const FIRST: u32 = 2047;
/// The start of the partition behind it, one sector off 4 KiB.
const START: u32 = 2305;

/// GRUB Legacy in the MBR, whose second stage has five sectors.
fn with_grub(bytes: &mut [u8]) {
    bytes[..3].copy_from_slice(&[0xeb, 0x48, 0x90]);
    bytes[0x3e..0x42].copy_from_slice(&[3, 2, 0xff, 0]);
    bytes[0x42..0x44].copy_from_slice(&0x8000_u16.to_le_bytes());
    bytes[0x44..0x48].copy_from_slice(&SECOND.to_le_bytes());
    let messages = b"Geom\0Hard Disk\0Read\0 Error\0";
    bytes[0x180..0x180 + messages.len()].copy_from_slice(messages);
    let second = &mut bytes[SECOND as usize * SECTOR..][..SECTOR];
    let messages = b"Geom\0Read\0 Error\0";
    second[0x150..0x150 + messages.len()].copy_from_slice(messages);
    second[504..508].copy_from_slice(&(SECOND + 1).to_le_bytes());
    second[508..].copy_from_slice(&[4, 0, 0x20, 0x08]);
}

fn plan(grub: bool) -> RepairPlan {
    let mut bytes = vec![0; 8 << 20];
    bytes[..SECTOR].copy_from_slice(&mbr::sector(&[(0x83, FIRST, 200), (0x83, START, 5000)]));
    if grub {
        with_grub(&mut bytes);
    }
    let part = |number| PartitionFacts {
        needs: None,
        number,
        what: "noise".to_owned(),
        demand: Some(Boundaries {
            period: 4096,
            phase: 0,
        }),
        suggested: None,
        stays: None,
    };
    let survey = DiskSurvey {
        parts: vec![part(1), part(2)],
        ..DiskSurvey::default()
    };
    let choices = Choices {
        align: Some(4096),
        ..Choices::default()
    };
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: SECTOR as u64,
    };
    fix::plan(&mut disk, &survey, &choices).unwrap()
}

#[test]
fn partitions_stay_on_their_side_of_boot_code() {
    for (grub, sector) in [(false, 2304), (true, 2312)] {
        let plan = plan(grub);
        let shifts = plan.shifts.iter();
        let mut shifts: Vec<_> = shifts
            .map(|shift| (shift.number, shift.to / SECTOR as u64))
            .collect();
        shifts.sort_unstable();
        assert_eq!(shifts, [(1, 2048), (2, sector)]);
        let mut all = plan.consequences.iter();
        assert!(
            all.all(|one| one.weight != Weight::Refused),
            "{:?}",
            plan.consequences
        );
    }
}

//! Logical partitions: hidden sectors count from the disk, or from the extended boot record.

use ioalign_repair::PatchPhase;
use ioalign_repair::boot::{self, Weight};
use ioalign_repair::tables::RewritableTable;
use ioalign_testkit::run::tool;

use super::{bytes, image_of, says, shift, write};
use crate::image;

const LOGICALS: &str = "label: dos\nlabel-id: 0x12345678\n\
    start=63, size=2000, type=83\n\
    start=4096, size=120000, type=f\n\
    start=4159, size=40000, type=c\n\
    start=50063, size=40000, type=c\n";

fn hidden(path: &std::path::Path, sector: u64) -> [u8; 4] {
    bytes(path, sector * 512 + 0x1c, 4).try_into().unwrap()
}

#[test]
fn what_counted_from_its_record_still_does() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, LOGICALS);
    let file = folder.path().join("made");
    for (start, hidden) in [(4159, "63"), (50063, "50063")] {
        std::fs::write(&file, vec![0; 40000 * 512]).unwrap();
        let name = file.to_str().unwrap();
        tool("/usr/sbin/mkfs.fat", &["-F", "16", "-h", hidden, name]);
        write(&path, start * 512, &std::fs::read(&file).unwrap());
    }
    let fixups = shift(&path, 512, &[(5, 6144), (6, 51200)]);
    assert_eq!(fixups.patches.len(), 2);
    // Its record is the first sector of the extended partition and stays there.
    assert_eq!(hidden(&path, 6144), 2048u32.to_le_bytes());
    assert_eq!(hidden(&path, 51200), 51200u32.to_le_bytes());
    assert!(says(&fixups, Weight::Told, "hidden sectors 63 become 2048"));
    assert!(says(
        &fixups,
        Weight::Told,
        "hidden sectors 50063 become 51200"
    ));
}

#[test]
fn the_first_record_goes_with_the_extended_partition() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    image_of(&path, 64, 512, LOGICALS);
    let file = folder.path().join("made");
    std::fs::write(&file, vec![0; 40000 * 512]).unwrap();
    let name = file.to_str().unwrap();
    tool("/usr/sbin/mkfs.fat", &["-F", "16", "-h", "63", name]);
    write(&path, 4159 * 512, &std::fs::read(&file).unwrap());
    // GRUB in the record, with its second stage in the gap before the partition.
    let second = 4700u32.to_le_bytes();
    write(&path, 4096 * 512, &[0xeb, 0x63]);
    write(&path, 4096 * 512 + 0x5a, &[0, 0x80]);
    write(&path, 4096 * 512 + 0x5c, &second);
    write(
        &path,
        4096 * 512 + 0x180,
        b"Geom\0Hard Disk\0Read\0 Error\0",
    );
    write(
        &path,
        4700 * 512 + 0x150,
        b"loading\0.\0\r\n\0Geom\0Read\0 Error\0",
    );
    let mut disk = image::open(&path, 512);
    let table = RewritableTable::read(&mut disk).unwrap();
    let mut new = table.slots();
    for slot in &mut new {
        slot.start = match slot.number {
            2 => 5000 * 512,
            5 => 6144 * 512,
            _ => slot.start,
        };
        if slot.number == 2 {
            slot.size -= (5000 - 4096) * 512;
        }
    }
    let reserved = boot::reserved(&mut disk, &table).unwrap();
    let fixups = boot::fixups_of(&mut disk, &table, &new, &reserved).unwrap();
    assert!(says(&fixups, Weight::Told, "hidden sectors 63 become 1144"));
    let record = fixups
        .patches
        .iter()
        .find(|patch| patch.phase == PatchPhase::Table)
        .unwrap();
    assert_eq!(record.at, 5000 * 512);
    assert_eq!(record.after[0x5c..0x60], 6685u32.to_le_bytes());
    let groups = table.rewritten(&new).unwrap();
    let places: Vec<_> = groups[0].iter().map(|sectors| sectors.at / 512).collect();
    assert_eq!(places[0], 5000);
}

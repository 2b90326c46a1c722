//! Logical partitions: hidden sectors count from the disk, or from the extended boot record.

use ioalign_repair::boot::Weight;
use ioalign_testkit::run::tool;

use super::{bytes, image_of, says, shift, write};

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

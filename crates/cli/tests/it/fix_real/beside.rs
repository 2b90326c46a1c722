//! The same disk for `sfdisk --move-data` and for `ioalign fix`: what a kill leaves, and what becomes of logical
//! partitions and of numbers inside.

use std::process::Child;
use std::time::Duration;

use ioalign_testkit::Random;
use ioalign_testkit::run::{text, tool};

use super::Fix;
use super::image::{Image, SECTOR, Slot, script, sfdisk};
use super::kinds::Kind;

/// An image in whose partitions no two sectors are alike, and a copy of it.
fn noise(mib: u64, table: &str) -> Image {
    let image = Image::new(mib, table);
    for slot in image.slots() {
        image.write(slot.start * SECTOR, &sectors(slot.number, slot.sectors));
    }
    copy(&image);
    image
}

fn sectors(partition: u64, count: u64) -> Vec<u8> {
    let mut random = Random(partition);
    let words: Vec<u8> = (0..SECTOR / 8)
        .flat_map(|_| random.next().to_le_bytes())
        .collect();
    let mut all = words.repeat(usize::try_from(count).unwrap());
    for (number, sector) in (0_u64..).zip(all.chunks_exact_mut(words.len())) {
        sector[..8].copy_from_slice(&number.to_le_bytes());
    }
    all
}

fn copy(image: &Image) {
    let to = fresh(image);
    let arguments = ["--sparse=always", text(image.path()), text(&to)];
    tool("cp", &arguments);
}

fn fresh(image: &Image) -> std::path::PathBuf {
    image.folder().join("fresh.img")
}

/// What lies in a partition, were it at this sector.
fn bytes(image: &Image, slot: &Slot, start: u64) -> Vec<u8> {
    image.read(
        start * SECTOR,
        usize::try_from(slot.sectors * SECTOR).unwrap(),
    )
}

/// Starts the same move again and again until a kill hits its middle: what is moved first is in its new place.
fn killed_in_the_middle(image: &Image, start: impl Fn() -> Child) {
    let hit = (0..20).any(|_| {
        image.restore(&fresh(image));
        let mut child = start();
        while !has_begun(image) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // It may have ended meanwhile.
        let _ = child.kill();
        child.wait().unwrap().code().is_none() && has_begun(image)
    });
    assert!(hit, "every run was faster than its kill");
}

/// Whether the last sector is in its new place, where zeros were.
fn has_begun(image: &Image) -> bool {
    let last = 2048 + (MIB << 11) - 1;
    image.read(last * SECTOR, 512).iter().any(|byte| *byte != 0)
}

const MIB: u64 = 192;

fn one_partition() -> Image {
    let table = format!("label: dos\nstart=63,size={},type=83\n", MIB << 11);
    noise(MIB + 2, &table)
}

#[test]
fn a_kill_costs_sfdisk_the_partition() {
    needs!(Packages);
    let image = one_partition();
    let slot = image.slot(1);
    let before = bytes(&image, &slot, 63);
    killed_in_the_middle(&image, || {
        sfdisk(image.path(), "+1985,", &["--move-data", "-N", "1"])
    });
    // The table names the new place, and the data are neither there nor where they were.
    assert_eq!(image.slot(1).start, 2048);
    assert!(bytes(&image, &slot, 2048) != before);
    assert!(bytes(&image, &slot, 63) != before);
}

#[test]
fn a_kill_costs_fix_nothing() {
    needs!(Packages);
    let image = one_partition();
    let slot = image.slot(1);
    let before = bytes(&image, &slot, 63);
    for (verb, start) in [("--resume", 2048), ("--rollback", 63)] {
        let fix = Fix::new(image.path(), image.folder());
        killed_in_the_middle(&image, || {
            let _ = std::fs::remove_file(&fix.journal);
            fix.slow("--apply").spawn().unwrap()
        });
        assert!(bytes(&image, &slot, 63) != before, "it is half moved");
        // The marker stands for the table: nobody takes the half for a partition.
        assert_eq!(image.slot(1).start, 1);
        fix.run(verb);
        assert_eq!(image.slot(1).start, start);
        assert!(bytes(&image, &slot, start) == before, "{verb}");
    }
}

/// Two logical partitions; the record of the second lies where the first goes.
fn two_logical() -> Image {
    noise(
        34,
        "label: dos\nstart=2048,size=62000,type=f\n5 : start=4097,size=20000,type=83\n\
         6 : start=30001,size=20000,type=83\n",
    )
}

#[test]
fn sfdisk_drops_the_next_logical_partition() {
    needs!(Packages);
    let image = two_logical();
    let second = image.slot(6);
    // It says that all went well.
    script(image.path(), "+4095,", &["--move-data", "-N", "5"]);
    assert_eq!(image.slot(5).start, 8192);
    // What is left of the other is nothing, or what the data happen to say where its record was.
    assert!(!image.slots().contains(&second), "{:?}", image.slots());
}

#[test]
fn fix_keeps_every_logical_partition() {
    needs!(Packages);
    let image = two_logical();
    let before = image.slots();
    let contents: Vec<_> = before
        .iter()
        .map(|slot| bytes(&image, slot, slot.start))
        .collect();
    Fix::new(image.path(), image.folder()).run("--apply");
    image.assert_fixed(&before, 8);
    for (slot, contents) in image.slots().iter().zip(contents) {
        assert!(bytes(&image, slot, slot.start) == contents, "{slot:?}");
    }
}

/// FAT says at which sector it starts; whoever boots from it believes that.
#[test]
fn sfdisk_leaves_hidden_sectors_behind() {
    needs!(Packages, Root);
    let image = Image::new(50, "label: dos\nstart=63,size=98304,type=c\n");
    Kind::Fat32.make(&image.device(&image.slot(1)), 63);
    copy(&image);
    script(image.path(), "+1985,", &["--move-data", "-N", "1"]);
    let hidden = || Kind::Fat32.hidden(&image.device(&image.slot(1)));
    assert_eq!((image.slot(1).start, hidden()), (2048, Some(63)));
    image.restore(&fresh(&image));
    Fix::new(image.path(), image.folder()).run("--apply");
    assert_eq!(hidden(), Some(image.slot(1).start));
}

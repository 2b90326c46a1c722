//! Made, filled, listed, moved, checked, mounted, listed.

use ioalign_testkit::check;

use super::super::PROGRAM;
use super::Fix;
use super::image::{Image, SECTOR, Slot};
use super::kinds::{self, Kind};

/// The sectors of 1 MiB.
const MIB: u64 = (1 << 20) / SECTOR;

/// Moves an image with these file systems in its partitions, in their order, and compares.
fn moved(image: &Image, kinds: &[Kind]) {
    let source = tempfile::tempdir().unwrap();
    kinds::files(source.path());
    let scratch = image.folder();
    let before = image.slots();
    assert_eq!(before.len(), kinds.len());
    let filled = |(slot, kind): (&Slot, &Kind)| {
        let device = image.device(slot);
        kind.make(&device, slot.start);
        kind.fill(&device, source.path(), scratch);
        kind.listing(&device, scratch)
    };
    let listings: Vec<_> = before.iter().zip(kinds).map(filled).collect();
    assert_eq!(check(PROGRAM, [image.path()]).verdict(), "misaligned");

    image.released();
    Fix::new(image.path(), scratch).run("--apply");

    image.assert_fixed(&before, 8);
    assert_eq!(check(PROGRAM, [image.path()]).verdict(), "ok");
    for ((slot, kind), listing) in image.slots().iter().zip(kinds).zip(listings) {
        let device = image.device(slot);
        kind.check(&device);
        assert_eq!(kind.listing(&device, scratch), listing, "{kind:?}");
        assert_eq!(kind.hidden(&device).unwrap_or(slot.start), slot.start);
    }
}

/// The layout of Windows XP and old Linux: one partition from sector 63 on.
fn primary(kind: Kind) {
    let sectors = kind.mib() * MIB;
    let table = format!(
        "label: dos\nstart=63,size={sectors},type={},bootable\n",
        kind.id()
    );
    moved(&Image::new(kind.mib() + 2, &table), &[kind]);
}

#[test]
fn ext4_from_sector_63() {
    needs!(Packages, Root);
    primary(Kind::Ext4);
}

#[test]
fn xfs_from_sector_63() {
    needs!(Packages, Root);
    primary(Kind::Xfs);
}

#[test]
fn btrfs_from_sector_63() {
    needs!(Packages, Root);
    primary(Kind::Btrfs);
}

#[test]
fn ntfs_from_sector_63() {
    needs!(Packages, Root);
    primary(Kind::Ntfs);
}

#[test]
fn fat32_from_sector_63() {
    needs!(Packages, Root);
    primary(Kind::Fat32);
}

/// Logical partitions as fdisk made them for cylinders: 63 sectors behind each boot record, no room between.
#[test]
fn a_chain_of_logical_partitions() {
    needs!(Packages, Root);
    let kinds = [Kind::Ext4, Kind::Btrfs, Kind::Ntfs, Kind::Fat32, Kind::Ext4];
    let mut table = String::from("label: dos\n");
    let mut at = 63;
    let mut logical = String::new();
    let mut extended = 0;
    for (number, kind) in (1..).zip(kinds) {
        let size = kind.mib() * MIB - 63 + if number == 3 { 5 } else { 0 };
        let line = format!("start={at},size={size},type={}\n", kind.id());
        if number == 1 {
            table.push_str(&line);
            extended = at + size;
        } else {
            logical.push_str(&line);
        }
        at += size + 63;
    }
    let room = 8 * MIB;
    let size = at + room - extended;
    table.push_str(&format!("start={extended},size={size},type=f\n"));
    // Behind numbers 1 and 2 come the logical ones, from 5 on.
    let numbered = (5..).zip(logical.lines());
    table.extend(numbered.map(|(number, line)| format!("{number} : {line}\n")));
    let image = Image::new((at + room) / MIB + 2, &table);
    moved(&image, &kinds);
}

/// GPT with odd starts, and identities that must stay.
#[test]
fn partitions_of_a_gpt() {
    needs!(Packages, Root);
    let esp = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
    let basic = "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7";
    let fat = 48 * MIB;
    let table = format!(
        "label: gpt\nfirst-lba: 34\nstart=35,size={fat},type={esp},name=\"EFI system\"\n\
         start={},size={fat},type={basic},attrs=\"GUID:63\"\nstart={},size={fat},type=L,name=root\n",
        fat + 35,
        2 * fat + 41
    );
    let image = Image::new(3 * 48 + 4, &table);
    moved(&image, &[Kind::Fat32, Kind::Ntfs, Kind::Ext4]);
}

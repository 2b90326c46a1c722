//! Solaris: mission 4.1, slice 0 of an EFI label at sector 34, and labels in cylinders.

use ioalign_core::Role;
use ioalign_core::TableKind;

use super::{at, read, said};

#[test]
fn an_efi_label_at_sector_34() {
    let format = "selecting c1t1d0\n[disk formatted]\npartition> print\n\
        Current partition table (original):\n\
        Total disk sectors available: 41926589 + 16384 (reserved sectors)\n\n\
        Part      Tag    Flag     First Sector         Size         Last Sector\n  \
        0        usr    wm                34       19.99GB          41926622    \n  \
        1 unassigned    wm                 0           0               0    \n  \
        8   reserved    wm          41926623        8.00MB          41943006    \n\n";
    let evidence = read(format);
    let slice = said(&evidence, "c1t1d0s0");
    assert_eq!((slice.start, slice.size), (at(34), at(41_926_589)));
    assert_eq!(slice.parents, ["c1t1d0"]);
    // 17 KiB: an 8 KiB read touches two units of 8 KiB.
    assert_eq!(slice.start.unwrap().low % 8192, 1024);
    assert_eq!(said(&evidence, "c1t1d0s8").role, Some(Role::Reserved));
    assert_eq!(evidence.devices.len(), 3);

    let prtvtoc = "* /dev/rdsk/c1t1d0s0 EFI partition map\n*\n* Dimensions:\n*         512 bytes/sector\n\
        *    41943040 sectors\n*    41942973 accessible sectors\n*\n* Flags:\n*   1: unmountable\n*  10: read-only\n*\n\
        *                            First     Sector      Last\n\
        * Partition  Tag  Flags      Sector     Count      Sector  Mount Directory\n       \
        0      4    00             34   41926589    41926622\n       8     11    00       41926623      16384    41943006\n";
    let evidence = read(prtvtoc);
    assert_eq!(said(&evidence, "c1t1d0s0").start, at(34));
    assert_eq!(
        said(&evidence, "c1t1d0").table.map(TableKind::name),
        Some("gpt")
    );
    assert_eq!(said(&evidence, "c1t1d0s8").role, Some(Role::Reserved));
    assert!(said(&evidence, "c1t1d0").remarks.is_empty());
}

#[test]
fn a_sparc_label_is_exact_in_cylinders() {
    let format = "Current partition table (original):\nTotal disk cylinders available: 1000 + 2 (reserved cylinders)\n\n\
        Part      Tag    Flag     Cylinders        Size            Blocks\n  \
        0       root    wm       0 -   99       49.22MB    (100/0/0)   100800\n  \
        1       swap    wu     100 -  149       24.61MB    (50/0/0)     50400\n  \
        2     backup    wm       0 -  999      492.19MB    (1000/0/0) 1008000\n  \
        3 unassigned    wm       0               0         (0/0/0)          0\n  \
        6        usr    wm     150 -  999      418.36MB    (850/0/0)   856800\n";
    let evidence = read(format);
    assert_eq!(said(&evidence, "disks1").start, at(100 * 1008));
    assert_eq!(said(&evidence, "disks1").role, Some(Role::Swap));
    assert_eq!(said(&evidence, "disks2").role, Some(Role::WholeDisk));
    assert_eq!(said(&evidence, "disks6").size, at(856_800));
    assert_eq!(
        said(&evidence, "disk").table.map(TableKind::name),
        Some("vtoc-sparc")
    );
}

#[test]
fn an_x86_label_counts_from_a_partition_that_is_not_shown() {
    let text = "* /dev/rdsk/c0d0s2 partition map\n*\n* Dimensions:\n*     512 bytes/sector\n*      63 sectors/track\n\
        *     255 tracks/cylinder\n*   16065 sectors/cylinder\n*    2609 cylinders\n*    2607 accessible cylinders\n*\n\
        *                          First     Sector    Last\n\
        * Partition  Tag  Flags    Sector     Count    Sector  Mount Directory\n       \
        0      2    00      48195  41833260  41881454   /\n       2      5    01          0  41881455  41881454\n       \
        8      1    01          0     16065     16064\n       9      9    01      16065     32130     48194\n";
    let evidence = read(text);
    let slice = said(&evidence, "c0d0s0");
    assert_eq!(slice.parents, ["c0d0 fdisk partition"]);
    assert_eq!(slice.start, at(48195));
    assert_eq!(said(&evidence, "c0d0 fdisk partition").start, None);
    assert_eq!(said(&evidence, "c0d0 fdisk partition").parents, ["c0d0"]);
    assert_eq!(said(&evidence, "c0d0s8").role, Some(Role::BiosBoot));
}

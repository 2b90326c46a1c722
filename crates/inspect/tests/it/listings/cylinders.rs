//! Starts in cylinders: intervals, settled only where end and length allow.

use ioalign_core::Severity;
use ioalign_inspect::captures::Number;

use super::{at, read, said};
use crate::tables::disk::Disk;

/// Mission 3.5: the disk of 63, 19535040 and 27342630, seen without `-u`.
const OLD: &str = "\
Disk /dev/sda: 500.1 GB, 500107862016 bytes
255 heads, 63 sectors/track, 60801 cylinders
Units = cylinders of 16065 * 512 = 8225280 bytes

   Device Boot      Start         End      Blocks   Id  System
/dev/sda1   *           1        1216     9767488+  83  Linux
/dev/sda2            1217        1702     3903795   82  Linux swap / Solaris
/dev/sda3            1703       60801   474712717+  8e  Linux LVM
";

#[test]
fn whole_cylinders_settle_a_start() {
    let evidence = read(OLD);
    assert_eq!(said(&evidence, "sda2").start, at(19_535_040));
    // 949425435 sectors are 59099 whole cylinders.
    assert_eq!(said(&evidence, "sda3").start, at(27_342_630));
    // 63 it is, but the text allows everything from sector 1 to 63.
    let first = said(&evidence, "sda1").start.unwrap();
    assert_eq!(
        first,
        Number {
            low: 512,
            high: 63 * 512
        }
    );
    assert_eq!(
        said(&evidence, "sda1").size,
        Some(Number::exact(19_534_977 * 512))
    );
}

#[test]
fn the_first_cylinder_may_be_sector_63_or_2048() {
    // A partition that does not end on a cylinder leaves both open.
    let text = OLD.replace("1216     9767488+", "1216     9765020 ");
    let start = said(&read(&text), "sda1").start.unwrap();
    assert!(start.low <= 63 * 512 && 2048 * 512 <= start.high);
}

#[test]
fn the_warning_of_fdisk_settles_what_the_cylinder_does_not() {
    let text = "Disk /dev/sdb: 1500.3 GB, 1500301910016 bytes\n\
        255 heads, 63 sectors/track, 182401 cylinders\n\
        Units = cylinders of 16065 * 512 = 8225280 bytes\n\
        Sector size (logical/physical): 512 bytes / 4096 bytes\n\
        I/O size (minimum/optimal): 4096 bytes / 4096 bytes\n\n   \
        Device Boot      Start         End      Blocks   Id  System\n\
        /dev/sdb1               1      182401  1465136001   83  Linux\n\
        Partition 1 does not start on physical sector boundary.\n\
        /dev/sdb2               5       10  1465136001   83  Linux\n";
    let evidence = read(text);
    let part = said(&evidence, "sdb1");
    assert!(!part.start.unwrap().is_exact());
    assert_eq!(part.remarks[0].severity, Severity::Misaligned);
    assert_eq!(part.remarks[0].rule, "fdisk-off-physical-sector");
    // Blocks that do not fit their cylinders narrow nothing.
    let odd = said(&evidence, "sdb2").start.unwrap();
    assert_eq!(odd.low, 4 * 8_225_280);
}

#[test]
fn the_old_sfdisk_counts_from_zero() {
    let text = "\nDisk /dev/sda: 1044 cylinders, 255 heads, 63 sectors/track\n\
        Units = cylinders of 8225280 bytes, blocks of 1024 bytes, counting from 0\n\n   \
        Device Boot Start     End   #cyls    #blocks   Id  System\n\
        /dev/sda1   *      0+     12      13-    104391   83  Linux\n\
        /dev/sda2         13    1043    1031    8281507+  8e  Linux LVM\n\
        /dev/sda3          0       -       0          0    0  Empty\n";
    let evidence = read(text);
    assert_eq!(
        said(&evidence, "sda1").start,
        Some(Number {
            low: 512,
            high: 63 * 512
        })
    );
    assert_eq!(said(&evidence, "sda2").start, at(13 * 16065));
    assert_eq!(said(&evidence, "sda2").type_id.as_deref(), Some("8e"));
    let sectors = "Disk /dev/sda: 1044 cylinders, 255 heads, 63 sectors/track\n\
        Units = sectors of 512 bytes, counting from 0\n\n   \
        Device Boot    Start       End   #sectors  Id  System\n\
        /dev/sda1   *        63    208844     208782  83  Linux\n";
    let evidence = read(sectors);
    assert_eq!(said(&evidence, "sda1").start, at(63));
    assert_eq!(said(&evidence, "sda1").size, at(208_782));
}

#[test]
fn fdisk_of_today_in_cylinders_contains_the_truth() {
    needs!(Packages);
    let disk = Disk::sfdisk(
        20_971_520,
        "label: dos\nstart=63,size=208782,type=83\nstart=208845,size=4000,type=82\n\
         start=300000,size=200001,type=83\nstart=2000896,size=16065,type=83\n",
    );
    let evidence = read(&disk.tool("fdisk", &["-u=cylinders", "-l"]));
    let truth = disk.table();
    for part in &truth.partitions {
        let name = format!("{}{}", disk.path().display(), part.number);
        let start = said(&evidence, &name).start.unwrap();
        assert!(!start.is_exact(), "{start:?}");
        assert!(start.low <= part.start.get() && part.start.get() <= start.high);
        let size = said(&evidence, &name).size.unwrap();
        assert!(size.low <= part.size.get() && part.size.get() <= size.high);
    }
}

#[test]
fn busybox_prints_triples_between() {
    let text = "Disk /dev/sda: 8192 MB, 8589934592 bytes, 16777216 sectors\n\
        1044 cylinders, 255 heads, 63 sectors/track\nUnits: sectors of 1 * 512 = 512 bytes\n\n\
        Device  Boot StartCHS    EndCHS        StartLBA     EndLBA    Sectors  Size Id Type\n\
        /dev/sda1 *  0,32,33     1023,254,63       2048   16777215   16775168 8191M 83 Linux\n";
    let evidence = read(text);
    assert_eq!(said(&evidence, "sda1").start, at(2048));
    assert_eq!(said(&evidence, "sda1").type_id.as_deref(), Some("83"));
}

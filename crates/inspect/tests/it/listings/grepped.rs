//! Outputs of which a filter or a narrow question left a few lines.

use ioalign_core::judge::{JudgeOptions, judge};
use ioalign_core::{Role, Severity};
use ioalign_inspect::assemble::{AssembleOptions, evidence};
use ioalign_inspect::captures::{Number, TextEvidence};

use super::{at, read, said, starts};

fn seed(name: &str) -> TextEvidence {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/texts");
    read(&std::fs::read_to_string(format!("{folder}/{name}.txt")).unwrap())
}

fn verdict(said: TextEvidence) -> Severity {
    let stack = evidence(said, &AssembleOptions::default()).stack;
    judge(&stack, &JudgeOptions::default()).verdict
}

/// Logical and physical sector of a disk.
fn sectors(evidence: &TextEvidence, name: &str) -> (Option<u64>, Option<u64>) {
    let claims = said(evidence, name).claims.as_ref().unwrap();
    (claims.logical, claims.physical)
}

#[test]
fn files_of_sysfs() {
    let evidence = seed("sysfs-1");
    assert_eq!(starts(&evidence), [("sda1", 1 << 20)]);
    assert_eq!(sectors(&evidence, "sda"), (Some(512), Some(4096)));
    assert_eq!(said(&evidence, "sda").size, at(41_943_040));
    assert_eq!(said(&evidence, "sda1").parents, ["sda"]);
    assert_eq!(verdict(evidence), Severity::Ok);
    let evidence = seed("sysfs-2");
    assert_eq!(starts(&evidence), [("vda1", 32256)]);
    assert_eq!(verdict(evidence), Severity::Misaligned);
    let tail = "==> /sys/block/sda/queue/optimal_io_size <==\n65536\n\n==> /sys/block/sda/queue/nr_requests <==\n64\n";
    let evidence = read(tail);
    assert_eq!(
        said(&evidence, "sda").claims.as_ref().unwrap().optimal,
        Some(65536)
    );
}

/// The values belong to files that a pattern named: which, nothing says.
#[test]
fn values_without_their_file_are_left_out() {
    let evidence = read("# cat /sys/block/sd?/queue/physical_block_size\n512\n4096\n");
    assert!(evidence.devices.is_empty());
}

#[test]
fn blockdev_answers_in_the_order_of_its_options() {
    let evidence = seed("blockdev-get-1");
    let claims = said(&evidence, "sdb").claims.as_ref().unwrap();
    assert_eq!((claims.logical, claims.physical), (Some(512), Some(4096)));
    assert_eq!((claims.minimum, claims.optimal), (Some(4096), Some(0)));
    let verbose = "$ sudo blockdev -v --getpbsz --getra --getsize64 /dev/sda /dev/sdb\n\
        get physical block (sector) size: 4096\nget readahead: 256\nget size in bytes: 1048576\n512\n256\n512\n";
    let evidence = read(verbose);
    assert_eq!(sectors(&evidence, "sda"), (None, Some(4096)));
    assert_eq!(said(&evidence, "sdb").size, at(1));
}

#[test]
fn blkid_knows_the_offset() {
    let evidence = seed("blkid-1");
    assert_eq!(starts(&evidence), [("sdb1", 32256)]);
    assert_eq!(said(&evidence, "sdb1").size, at(208_782));
    assert_eq!(verdict(evidence), Severity::Misaligned);
    let export = "# blkid -p -i -o export /dev/sda2\nMINIMUM_IO_SIZE=4096\nPHYSICAL_SECTOR_SIZE=4096\n\
        LOGICAL_SECTOR_SIZE=512\nPART_ENTRY_OFFSET=34\nPART_ENTRY_TYPE=21686148-6449-6e6f-744e-656564454649\n";
    let evidence = read(export);
    assert_eq!(starts(&evidence), [("sda2", 34 * 512)]);
    assert_eq!(said(&evidence, "sda2").role, Some(Role::BiosBoot));
    assert!(
        read("/dev/sda1: UUID=\"x\" TYPE=\"ext4\"\n")
            .devices
            .is_empty()
    );
}

#[test]
fn hdparm_knows_where_the_first_sector_lies() {
    let evidence = seed("hdparm-1");
    assert_eq!(sectors(&evidence, "sdc"), (Some(512), Some(4096)));
    assert_eq!(said(&evidence, "sdc").alignment_offset, None);
    let text = "/dev/sda:\n\tLBA48  user addressable sectors:  2048\n\tLogical  Sector size:   512 bytes\n\
        \tPhysical Sector size:   4096 bytes\n\tLogical Sector-0 offset:   512 bytes\n";
    let evidence = read(text);
    assert_eq!(
        said(&evidence, "sda")
            .claims
            .as_ref()
            .unwrap()
            .alignment_offset,
        3584
    );
    assert_eq!(said(&evidence, "sda").size, at(2048));
}

#[test]
fn controllers_tie_the_strip_to_the_disk() {
    let evidence = seed("storcli-1");
    let array = said(&evidence, "sdb").array.as_ref().unwrap();
    assert_eq!(array.level, 5);
    assert_eq!(array.chunk.unwrap().get(), 256 << 10);
    assert_eq!(array.full_stripe.unwrap().get(), 768 << 10);
}

#[test]
fn rows_of_fdisk_alone() {
    let evidence = seed("fdisk-rows-1");
    assert_eq!(
        starts(&evidence),
        [("sda1", 32256), ("sda2", 208_845 * 512)]
    );
    assert_eq!(said(&evidence, "sda2").size, at(41_720_805));
    assert_eq!(verdict(evidence), Severity::Misaligned);
    // Cylinders: the first leaves a track, of which nothing says how long it is; the second is full.
    let evidence = seed("fdisk-rows-2");
    assert!(!said(&evidence, "sda1").start.unwrap().is_exact());
    assert_eq!(said(&evidence, "sda2").start, at(208_845));
    assert_eq!(verdict(evidence), Severity::Misaligned);
    let large = "/dev/nvme0n1p1    256   76799   76544  299M EFI System\n";
    assert_eq!(starts(&read(large)), [("nvme0n1p1", 1 << 20)]);
}

/// `fdisk -x` prints two GUIDs behind the counts.
#[test]
fn the_type_is_the_first_guid() {
    let text = "Disk /dev/sda: 20 GiB, 21474836480 bytes, 41943040 sectors\n\
        Units: sectors of 1 * 512 = 512 bytes\nSector size (logical/physical): 512 bytes / 4096 bytes\n\
        I/O size (minimum/optimal): 4096 bytes / 4096 bytes\nDisklabel type: gpt\n\n\
        Device     Start   End Sectors Type-UUID                            UUID                                 Name Attrs\n\
        /dev/sda1     34  2047    2014 21686148-6449-6E6F-744E-656564454649 0A1B2C3D-0000-4000-8000-000000000001\n";
    let evidence = read(text);
    assert_eq!(said(&evidence, "sda1").role, Some(Role::BiosBoot));
    assert_ne!(verdict(evidence), Severity::Misaligned);
}

#[test]
fn qemu_img_for_people() {
    let evidence = seed("qemu-img-info-2");
    let image = said(&evidence, "disk.qcow2");
    assert_eq!(image.size, Some(Number::exact(20 << 30)));
    assert_eq!(image.block.unwrap().get(), 65536);
}

#[test]
fn formats_of_a_namespace_alone() {
    let formats = |used: &str| {
        read(&format!(
            "# nvme id-ns /dev/nvme0n1 -H | grep 'LBA Format'\n\
             LBA Format  0 : Metadata Size: 0   bytes - Data Size: 512 bytes - Relative Performance: 0x2 Good\n\
             LBA Format  1 : Metadata Size: 0   bytes - Data Size: 4096 bytes - Relative Performance: 0x1 Better{used}\n"
        ))
    };
    assert_eq!(
        said(&formats(" (in use)"), "nvme0n1").sector.unwrap().get(),
        4096
    );
    assert!(
        formats("").devices.is_empty(),
        "which of the two is not stated"
    );
}

#[test]
fn strides_alone() {
    let text = "# dumpe2fs -h /dev/md0 | grep -iE 'raid|block size'\nBlock size:               4096\n\
        RAID stride:              128\nRAID stripe width:        384\n";
    let evidence = read(text);
    let found = said(&evidence, "md0").filesystem.as_ref().unwrap();
    let geometry = found.geometry.unwrap();
    assert_eq!(
        (geometry.unit.get(), geometry.width.get()),
        (512 << 10, 1536 << 10)
    );
}

#[test]
fn tables_of_parted_alone() {
    let evidence = seed("parted-rows-1");
    assert_eq!(
        starts(&evidence),
        [("sdb1", 32256), ("sdb2", 208_845 * 512)]
    );
    assert_eq!(
        said(&evidence, "sdb").remarks[0].rule,
        "sector-size-assumed"
    );
    let evidence = seed("parted-rows-2");
    let start = |name: &str| said(&evidence, name).start.unwrap();
    assert_eq!(start("1"), Number::exact(34 * 512));
    assert_eq!(said(&evidence, "1").role, Some(Role::BiosBoot));
    assert!(!start("3").is_exact());
    assert_eq!(said(&evidence, "3").parents, ["unnamed (rows of parted)"]);
    assert_eq!(verdict(evidence), Severity::Unknown);
}

#[test]
fn udev_after_a_filter() {
    let text = "$ udevadm info --query=property --name=/dev/sdb1 | grep ID_PART_ENTRY\n\
        ID_PART_ENTRY_OFFSET=63\nID_PART_ENTRY_SIZE=208782\n";
    assert_eq!(starts(&read(text)), [("sdb1", 32256)]);
    assert!(read("ID_PART_ENTRY_OFFSET=63\n").devices.is_empty());
    let evidence = seed("probert-1");
    assert_eq!(starts(&evidence), [("sda1", 1 << 20)]);
    assert_eq!(said(&evidence, "sda1").parents, ["sda"]);
}

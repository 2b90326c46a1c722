//! BSD disklabels: against parted, fdisk and partx, and with every base that systems use.

use ioalign_core::Role;

use super::disk::{Disk, boot_record, partx, put, read, read_in, rules, spans};

/// A label at byte `at` of an image of 20,000 sectors: (type, offset, size) an entry.
pub fn label(at: usize, entries: &[(u8, u32, u32)]) -> Vec<u8> {
    let mut image = vec![0; 20_000 * 512];
    put(&mut image, at, &0x8256_4557_u32.to_le_bytes());
    put(&mut image, at + 132, &0x8256_4557_u32.to_le_bytes());
    put(&mut image, at + 40, &512_u32.to_le_bytes());
    let count = u16::try_from(entries.len()).unwrap();
    put(&mut image, at + 138, &count.to_le_bytes());
    for (i, (kind, offset, size)) in entries.iter().enumerate() {
        let entry = at + 148 + 16 * i;
        put(&mut image, entry, &size.to_le_bytes());
        put(&mut image, entry + 4, &offset.to_le_bytes());
        image[entry + 12] = *kind;
    }
    seal(&mut image, at, entries.len());
    image
}

/// Makes the XOR of the label's words zero.
pub fn seal(image: &mut [u8], at: usize, count: usize) {
    put(image, at + 136, &[0, 0]);
    let words = image[at..at + 148 + 16 * count].chunks_exact(2);
    let sum = words.fold([0, 0], |sum, word| [sum[0] ^ word[0], sum[1] ^ word[1]]);
    put(image, at + 136, &sum);
}

#[test]
fn parted_and_partx_agree() {
    needs!(Packages);
    let disk = Disk::new(200 << 20);
    let path = disk.path().to_string_lossy().into_owned();
    let steps = "mklabel bsd mkpart ext2 2048s 40959s mkpart linux-swap 40960s 81919s";
    let args = ["-s", path.as_str()].into_iter().chain(steps.split(' '));
    crate::tools::run(std::process::Command::new("parted").args(args));
    let table = disk.table();
    assert_eq!(table.kind.name(), "bsd");
    assert_eq!(spans(&table, 512), [(2048, 38_912), (40_960, 40_960)]);
    assert_eq!(spans(&table, 512), partx(&disk));
    assert_eq!(table.partitions[1].role, Role::Swap);
    assert_eq!(table.partitions[1].label, "b");
}

#[test]
fn a_label_nested_by_fdisk_is_relative_to_its_slice() {
    needs!(Packages);
    let disk = Disk::sfdisk(409_600, "label: dos\nstart=2048,size=40960,type=a5\n");
    let script = "b\ny\nn\na\n\n+10M\nt\na\n7\nn\nb\n22529\n\nt\nb\n1\nw\n";
    disk.feed("fdisk", &[], script);
    let outer = disk.table();
    assert_eq!(outer.partitions[0].type_id, "a5");
    let (start, size) = (2048 * 512, 40_960 * 512);
    let context = ioalign_inspect::tables::Context {
        parent_type: Some("a5".into()),
        start_on_disk: ioalign_core::Bytes::new(start),
        ..Default::default()
    };
    let slice = disk.view().sub(start, size);
    let table = ioalign_inspect::tables::probe(&slice, &context);
    let table = table.unwrap().unwrap();
    let absolute: Vec<_> = table
        .partitions
        .iter()
        .filter(|p| p.role != Role::WholeDisk)
        .map(|p| (p.start.get() / 512 + 2048, p.size.get() / 512))
        .collect();
    let theirs = partx(&disk);
    assert_eq!(theirs[0], (2048, 40_960));
    assert_eq!(absolute, theirs[1..]);
}

#[test]
fn each_system_counts_from_elsewhere() {
    let slice = 1_000_000_u32;
    let start = u64::from(slice) * 512;
    let inner = [(0, 1000), (1000, 500)];
    // FreeBSD, relative: `c` starts at 0.
    let freebsd = label(512, &[(7, 0, 1000), (1, 1000, 500), (0, 0, 20_000)]);
    // FreeBSD as bsdlabel wrote it: absolute, `c` says where the slice is.
    let absolute = label(
        512,
        &[(7, slice, 1000), (1, slice + 1000, 500), (0, slice, 20_000)],
    );
    for image in [&freebsd, &absolute] {
        let table = read_in(image, "a5", start).unwrap().unwrap();
        assert_eq!(spans(&table, 512)[..2], inner);
        assert_eq!(table.partitions[2].role, Role::WholeDisk);
        assert_eq!(rules(&table), Vec::<&str>::new());
    }
    // OpenBSD and NetBSD: absolute, `c` or `d` is the whole disk and lies before the slice.
    let entries = [
        (7, slice, 1000),
        (1, slice + 1000, 500),
        (0, 0, 9_000_000),
        (8, 64, 100),
    ];
    let table = read_in(&label(512, &entries), "a6", start)
        .unwrap()
        .unwrap();
    assert_eq!(spans(&table, 512), inner);
    assert_eq!(
        rules(&table),
        ["bsd-outside-slice"],
        "the DOS partition that it also lists"
    );
    assert!(table.remarks[0].why.contains("Partition d "));
}

#[test]
fn openbsd_keeps_high_halves() {
    let mut image = label(512, &[(7, 16, 1000)]);
    put(&mut image, 512 + 114, &1_u16.to_le_bytes());
    put(&mut image, 512 + 148 + 10, &1_u16.to_le_bytes());
    seal(&mut image, 512, 1);
    let table = read(&image).unwrap().unwrap();
    assert_eq!(spans(&table, 512), [(16, (1 << 32) + 1000)]);
    assert_eq!(rules(&table), ["partition-past-end"]);
}

#[test]
fn every_place_of_the_label_is_tried() {
    for at in [0, 64, 128, 512, 2048, 4096] {
        let table = read(&label(at, &[(7, 100, 200)])).unwrap().unwrap();
        assert_eq!(spans(&table, 512), [(100, 200)], "{at}");
        assert_eq!(table.partitions[0].entry_at.get(), at as u64 + 148);
    }
}

#[test]
fn a_real_mbr_wins_and_a_dedicated_one_does_not() {
    let mut image = label(512, &[(7, 16, 1000)]);
    boot_record(&mut image, 0, &[(0xa5, 0, 50_000)]);
    assert_eq!(read(&image).unwrap().unwrap().kind.name(), "bsd");
    boot_record(&mut image, 0, &[(0xa5, 63, 5000)]);
    assert_eq!(read(&image).unwrap().unwrap().kind.name(), "dos");
    assert!(
        read_in(&image, "83", 0).unwrap().is_some(),
        "the MBR, strictly valid"
    );
    image[446..512].fill(0);
    assert!(read_in(&image, "83", 0).unwrap().is_none());
}

#[test]
fn damage_is_named() {
    let mut image = label(512, &[(7, 16, 1000)]);
    image[512 + 30] ^= 1;
    assert_eq!(rules(&read(&image).unwrap().unwrap()), ["bsd-checksum"]);
    put(&mut image, 512 + 138, &400_u16.to_le_bytes());
    assert_eq!(
        read(&image).unwrap_err().field_name(),
        Some("d_npartitions")
    );
}

//! Solaris labels: SPARC against sfdisk, x86 against partx.

use ioalign_core::Role;

use super::disk::{Disk, boot_record, partx, put, read, read_in, rows, rules, spans};

#[test]
fn sparc_slices_are_read_as_sfdisk_reads_them() {
    needs!(Packages);
    let disk = Disk::sfdisk(409_600, "label: sun\n,20M\n,30M,82\n,40M,2\n");
    let table = disk.table();
    assert_eq!(table.kind.name(), "vtoc-sparc");
    let ours = rows(&table, 512)
        .into_iter()
        .map(|r| (r.number + 1, r.start, r.size));
    let theirs = disk.dump().into_iter().map(|r| (r.number, r.start, r.size));
    assert_eq!(ours.collect::<Vec<_>>(), theirs.collect::<Vec<_>>());
    assert_eq!(table.partitions[1].role, Role::Swap);
    assert!(
        rules(&table).contains(&"cylinder-off-grid"),
        "255 × 63 sectors"
    );
}

/// A SPARC label with tags: (tag, first cylinder, sectors) a slice.
fn sparc(heads: u16, sectors: u16, slices: &[(u16, u32, u32)]) -> Vec<u8> {
    let mut image = vec![0; 32 << 20];
    put(&mut image, 128, &1_u32.to_be_bytes());
    put(&mut image, 140, &8_u16.to_be_bytes());
    put(&mut image, 188, &0x600D_DEEE_u32.to_be_bytes());
    put(&mut image, 432, &10_u16.to_be_bytes());
    put(&mut image, 436, &heads.to_be_bytes());
    put(&mut image, 438, &sectors.to_be_bytes());
    for (i, (tag, start, size)) in slices.iter().enumerate() {
        put(&mut image, 142 + 4 * i, &tag.to_be_bytes());
        put(&mut image, 444 + 8 * i, &start.to_be_bytes());
        put(&mut image, 448 + 8 * i, &size.to_be_bytes());
    }
    put(&mut image, 508, &0xDABE_u16.to_be_bytes());
    seal(&mut image[..512]);
    image
}

/// Makes the XOR of the sector's words zero, in either byte order.
fn seal(sector: &mut [u8]) {
    put(sector, 510, &[0, 0]);
    let xor = |from: usize| sector.iter().skip(from).step_by(2).fold(0, |x, b| x ^ b);
    let sum = [xor(0), xor(1)];
    put(sector, 510, &sum);
}

fn on_disk(image: &[u8]) -> Disk {
    let disk = Disk::new(image.len() as u64);
    disk.write(0, image);
    disk
}

#[test]
fn sparc_cylinders_become_bytes() {
    let image = sparc(
        16,
        63,
        &[(2, 1, 5000), (3, 10, 4000), (5, 0, 60_000), (8, 20, 1000)],
    );
    let table = read(&image).unwrap().unwrap();
    let expected = [(1008, 5000), (10_080, 4000), (0, 60_000), (20_160, 1000)];
    assert_eq!(spans(&table, 512), expected);
    assert_eq!(
        partx(&on_disk(&image)),
        [expected[0], expected[1], expected[3]]
    );
    let roles: Vec<_> = table.partitions.iter().map(|p| p.role).collect();
    assert_eq!(roles, [Role::Data, Role::Swap, Role::WholeDisk, Role::Data]);
    assert_eq!(table.partitions[2].number, 2);
    // 1008 sectors: 4 KiB divides the cylinder, 64 KiB does not.
    assert_eq!(rules(&table), Vec::<&str>::new());
}

#[test]
fn sparc_labels_are_only_on_whole_disks_and_only_with_checksum() {
    let mut image = sparc(16, 64, &[(2, 0, 1000)]);
    assert!(read_in(&image, "0x02", 0).unwrap().is_none());
    image[300] ^= 1;
    assert!(read(&image).unwrap().is_none());
    let error = read(&sparc(0, 64, &[(2, 0, 1000)])).unwrap_err();
    assert_eq!(error.field_name(), Some("dkl_nhead"));
    let table = read(&sparc(u16::MAX, u16::MAX, &[(2, u32::MAX, u32::MAX)])).unwrap();
    assert!(rules(&table.unwrap()).contains(&"partition-past-end"));
}

/// A Solaris fdisk partition of 40,000 sectors with a VTOC in its sector 1.
fn x86(slices: &[(u16, u32, u32)]) -> Vec<u8> {
    let mut image = vec![0; 40_000 * 512];
    put(&mut image, 512 + 12, &0x600D_DEEE_u32.to_le_bytes());
    put(&mut image, 512 + 16, &1_u32.to_le_bytes());
    put(&mut image, 512 + 28, &512_u16.to_le_bytes());
    put(&mut image, 512 + 30, &16_u16.to_le_bytes());
    for (i, (tag, start, size)) in slices.iter().enumerate() {
        let at = 512 + 72 + 12 * i;
        put(&mut image, at, &tag.to_le_bytes());
        put(&mut image, at + 4, &start.to_le_bytes());
        put(&mut image, at + 8, &size.to_le_bytes());
    }
    put(&mut image, 512 + 508, &0xDABE_u16.to_le_bytes());
    seal(&mut image[512..1024]);
    image
}

#[test]
fn x86_slices_count_from_the_fdisk_partition() {
    let slices = [(2, 16_065, 10_000), (3, 63, 5000), (5, 0, 40_000)];
    let inner = x86(&slices);
    let mut image = vec![0; 63 * 512];
    boot_record(&mut image, 0, &[(0xbf, 63, 40_000)]);
    image.extend_from_slice(&inner);
    let outer = read(&image).unwrap().unwrap();
    assert_eq!(
        (outer.kind.name(), spans(&outer, 512)),
        ("dos", vec![(63, 40_000)])
    );
    let table = read_in(&inner, "bf", 63 * 512).unwrap().unwrap();
    assert_eq!(table.kind.name(), "vtoc-x86");
    assert_eq!(
        spans(&table, 512),
        slices.map(|(_, a, b)| (u64::from(a), u64::from(b)))
    );
    assert_eq!(table.partitions[2].role, Role::WholeDisk);
    assert_eq!(rules(&table), Vec::<&str>::new());
    // partx follows type 82 only; it prints absolute sectors.
    image[446 + 4] = 0x82;
    let theirs = partx(&on_disk(&image));
    assert!(
        theirs.contains(&(63 + 16_065, 10_000)) && theirs.contains(&(126, 5000)),
        "{theirs:?}"
    );
}

#[test]
fn type_82_is_solaris_where_it_holds_a_vtoc() {
    let mut image = vec![0; 63 * 512];
    boot_record(&mut image, 0, &[(0x82, 63, 40_000)]);
    image.extend_from_slice(&x86(&[(2, 100, 1000)]));
    let partition = read(&image).unwrap().unwrap().partitions.remove(0);
    assert_eq!(
        (partition.type_name, partition.role),
        ("Solaris", Role::Data)
    );
    image[64 * 512..65 * 512].fill(0);
    let partition = read(&image).unwrap().unwrap().partitions.remove(0);
    assert_eq!(partition.role, Role::Swap);
}

#[test]
fn x86_damage_is_named() {
    let mut image = x86(&[(2, 100, 1000)]);
    image[512 + 400] ^= 1;
    let table = read_in(&image, "bf", 0).unwrap().unwrap();
    assert_eq!(rules(&table), ["vtoc-checksum"]);
    put(&mut image, 512 + 30, &99_u16.to_le_bytes());
    let error = read_in(&image, "bf", 0).unwrap_err();
    assert_eq!(error.field_name(), Some("v_nparts"));
    assert!(read_in(&image, "83", 0).unwrap().is_none());
}

#[test]
fn sparc_labels_describe_their_disk() {
    let with = |heads: u16, sectors: u16, cylinders: u16, alternates: u16| {
        let mut image = sparc(heads, sectors, &[(2, 1, 63)]);
        put(&mut image, 432, &cylinders.to_be_bytes());
        put(&mut image, 434, &alternates.to_be_bytes());
        seal(&mut image[..512]);
        read(&image).unwrap().unwrap()
    };
    // 32 MiB are 64 cylinders of 512 KiB.
    let fits = with(16, 64, 60, 4);
    assert_eq!(fits.kind.name(), "vtoc-sparc");
    assert_eq!(fits.sector.map(|size| size.get()), Some(512));
    let slice = &fits.partitions[0];
    assert_eq!((slice.type_id.as_str(), slice.type_name), ("0x02", "root"));
    assert_eq!(rules(&fits), Vec::<&str>::new());
    assert_eq!(fits.first_usable.map(|at| at.get()), Some(512));
    let long = with(16, 64, 60, 5);
    assert_eq!(rules(&long), ["label-past-end"]);
    assert!(
        long.remarks[0]
            .why
            .contains("34078720 bytes, there are 33554432")
    );
    let odd = with(1, 63, 60, 4);
    assert_eq!(rules(&odd), ["cylinder-off-grid"]);
    assert!(
        odd.remarks[0].why.contains("3584 bytes past"),
        "{}",
        odd.remarks[0].why
    );
}

#[test]
fn sparc_labels_without_tags_have_the_whole_disk_in_slice_2() {
    let mut image = sparc(
        16,
        64,
        &[(3, 1, 1000), (3, 2, 1000), (3, 0, 9000), (3, 3, 1000)],
    );
    put(&mut image, 188, &[0; 4]);
    seal(&mut image[..512]);
    let table = read(&image).unwrap().unwrap();
    let roles: Vec<_> = table.partitions.iter().map(|p| p.role).collect();
    assert_eq!(roles, [Role::Data, Role::Data, Role::WholeDisk, Role::Data]);
    assert_eq!(table.partitions[3].entry_at.get(), 444 + 3 * 8);
}

#[test]
fn x86_labels_are_read_where_no_mbr_rules() {
    let kind = |image: &[u8]| read(image).unwrap().unwrap().kind.name();
    let mut image = x86(&[(2, 100, 1000)]);
    assert_eq!(kind(&image), "vtoc-x86");
    put(&mut image, 510, &[0x55, 0xaa]);
    assert_eq!(kind(&image), "vtoc-x86");
    boot_record(&mut image, 0, &[(0x83, 63, 1000)]);
    assert_eq!(kind(&image), "dos");
}

#[test]
fn x86_fields_are_checked() {
    let with = |at: usize, bytes: &[u8]| {
        let mut image = x86(&[(2, 100, 1000)]);
        put(&mut image, 512 + at, bytes);
        seal(&mut image[512..1024]);
        read_in(&image, "82", 0)
    };
    assert_eq!(with(16, &[2]).unwrap_err().field_name(), Some("v_version"));
    assert_eq!(with(30, &[17]).unwrap_err().field_name(), Some("v_nparts"));
    let magic = with(508, &[0xbf]).unwrap().unwrap();
    assert_eq!(rules(&magic), ["vtoc-checksum"]);
    assert_eq!(magic.remarks[0].place.offset, Some(512 + 510));
    // The size of its own sectors, or else that of the disk.
    let sectors = |bytes: u16| with(28, &bytes.to_le_bytes()).unwrap().unwrap();
    assert_eq!(sectors(2048).sector.map(|size| size.get()), Some(2048));
    assert_eq!(sectors(2048).partitions[0].start.get(), 100 * 2048);
    assert_eq!(sectors(2048).partitions[0].entry_at.get(), 512 + 72);
    assert_eq!(sectors(0).partitions[0].start.get(), 100 * 512);
}

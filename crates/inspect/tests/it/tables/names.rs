//! Names and roles of the types that tables have, each against a list of its own.

use ioalign_core::Role;
use ioalign_inspect::tables::Partition;

use super::disk::{boot_record, put, read, read_in};

/// The only partition of a table with this type.
fn one(table: &[Partition]) -> (String, &'static str, Role) {
    let [partition] = table else {
        panic!("{table:?}");
    };
    (
        partition.type_id.clone(),
        partition.type_name,
        partition.role,
    )
}

#[test]
fn types_of_an_mbr() {
    let known = [
        (0x01, "FAT12"),
        (0x04, "FAT16 below 32 MiB"),
        (0x06, "FAT16"),
        (0x07, "NTFS or exFAT"),
        (0x0b, "FAT32"),
        (0x0c, "FAT32 (LBA)"),
        (0x0e, "FAT16 (LBA)"),
        (0x11, "Hidden FAT"),
        (0x12, "OEM diagnostics"),
        (0x14, "Hidden FAT"),
        (0x16, "Hidden FAT"),
        (0x17, "Hidden NTFS"),
        (0x1b, "Hidden FAT"),
        (0x1c, "Hidden FAT"),
        (0x1e, "Hidden FAT"),
        (0x27, "Windows recovery"),
        (0x39, "Plan 9"),
        (0x41, "PReP boot"),
        (0x42, "Windows dynamic disk (LDM)"),
        (0x63, "GNU Hurd or System V"),
        (0x81, "Minix"),
        (0x82, "Linux swap"),
        (0x83, "Linux"),
        (0x84, "Hibernation"),
        (0x88, "Linux plain text"),
        (0x8e, "Linux LVM"),
        (0xa0, "Laptop hibernation"),
        (0xa5, "FreeBSD"),
        (0xa6, "OpenBSD"),
        (0xa8, "Darwin UFS"),
        (0xa9, "NetBSD"),
        (0xab, "Darwin boot"),
        (0xaf, "HFS or HFS+"),
        (0xbe, "Solaris boot"),
        (0xbf, "Solaris"),
        (0xda, "Data without file system"),
        (0xde, "Dell utility"),
        (0xea, "Boot loader specification extended boot"),
        (0xeb, "BeFS"),
        (0xee, "GPT protective"),
        (0xef, "EFI system"),
        (0xfb, "VMware VMFS"),
        (0xfc, "VMware VMkernel core dump"),
        (0xfd, "Linux RAID"),
        (0x99, ""),
    ];
    for (kind, name) in known {
        let mut image = vec![0; 1 << 20];
        boot_record(&mut image, 0, &[(kind, 64, 128)]);
        let role = match kind {
            0x41 => Role::BiosBoot,
            0x82 => Role::Swap,
            0xee => Role::Protective,
            0xef => Role::Esp,
            0xfb => Role::Vmfs,
            0xfc => Role::Reserved,
            _ => Role::Data,
        };
        let table = read(&image).unwrap().unwrap();
        assert_eq!(one(&table.partitions), (format!("{kind:02x}"), name, role));
    }
    for (kind, name) in [
        (0x05, "Extended"),
        (0x0f, "Extended (LBA)"),
        (0x85, "Linux extended"),
    ] {
        let mut image = vec![0; 1 << 20];
        boot_record(&mut image, 0, &[(kind, 64, 128)]);
        put(&mut image, 64 * 512 + 510, &[0x55, 0xaa]);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(
            one(&table.partitions),
            (format!("{kind:02x}"), name, Role::Extended)
        );
    }
}

#[test]
fn types_of_a_disklabel() {
    let known = [
        (1, "swap", Role::Swap),
        (7, "4.2BSD", Role::Data),
        (8, "MSDOS", Role::Data),
        (9, "4.4LFS", Role::Data),
        (11, "HPFS or NTFS", Role::Data),
        (12, "ISO 9660", Role::Data),
        (13, "boot", Role::BiosBoot),
        (14, "vinum or ADOS", Role::Data),
        (17, "ext2", Role::Data),
        (18, "NTFS", Role::Data),
        (19, "RAID", Role::Data),
        (22, "jfs2 or UDF", Role::Data),
        (27, "ZFS", Role::Data),
        (99, "", Role::Data),
    ];
    for (kind, name, role) in known {
        let image = super::bsd::label(512, &[(kind, 100, 200)]);
        let table = read(&image).unwrap().unwrap();
        let partition = &table.partitions[0];
        assert_eq!((partition.number, partition.label.as_str()), (1, "a"));
        assert_eq!(
            one(&table.partitions),
            (format!("0x{kind:02x}"), name, role)
        );
    }
}

#[test]
fn types_of_a_volume_header() {
    let known = [
        (0, "volume header", Role::Reserved),
        (1, "replacement tracks", Role::Reserved),
        (2, "replacement tracks", Role::Reserved),
        (3, "raw (swap)", Role::Swap),
        (4, "BSD", Role::Data),
        (5, "System V", Role::Data),
        (6, "volume (whole disk)", Role::WholeDisk),
        (7, "EFS", Role::Data),
        (8, "logical volume", Role::Data),
        (9, "raw logical volume", Role::Data),
        (10, "XFS", Role::Data),
        (11, "XFS log", Role::Data),
        (12, "XLV", Role::Data),
        (13, "XVM", Role::Data),
        (0x82, "Linux swap", Role::Swap),
        (0x83, "Linux", Role::Data),
        (0x8e, "Linux LVM", Role::Data),
        (0xfd, "Linux RAID", Role::Data),
        (99, "", Role::Data),
    ];
    for (kind, name, role) in known {
        let image = super::sgi::header(&[(0, 1000, 4096, kind)]);
        let table = read(&image).unwrap().unwrap();
        assert_eq!(table.partitions[0].entry_at.get(), 312);
        assert_eq!(
            one(&table.partitions),
            (format!("0x{kind:02x}"), name, role)
        );
    }
}

#[test]
fn types_of_an_apple_map() {
    let known = [
        (
            "Apple_partition_map",
            "",
            "Apple partition map",
            Role::Reserved,
        ),
        ("Apple_Bootstrap", "", "Apple bootstrap", Role::BiosBoot),
        ("Apple_HFS", "", "Apple HFS", Role::Data),
        ("Apple_HFSX", "", "Apple HFSX", Role::Data),
        (
            "Apple_UNIX_SVR2",
            "Swap partition",
            "Linux swap",
            Role::Swap,
        ),
        ("Apple_UNIX_SVR2", "root", "Unix", Role::Data),
        ("Linux_Swap", "any", "Linux swap", Role::Swap),
        ("FreeBSD-swap", "", "FreeBSD swap", Role::Swap),
        ("FreeBSD-boot", "", "FreeBSD boot", Role::BiosBoot),
        ("Apple_UFS", "", "Apple UFS", Role::Data),
        ("Apple_RAID", "", "Apple RAID", Role::Data),
        ("Apple_Boot", "", "Apple boot", Role::Data),
        ("Apple_Boot_RAID", "", "Apple boot", Role::Data),
        ("Apple_Loader", "", "Apple boot", Role::Data),
        ("Apple_Driver43", "", "Apple driver", Role::Reserved),
        ("Apple_FWDriver", "", "Apple driver", Role::Reserved),
        ("Apple_Patches", "", "Apple patches", Role::Reserved),
        ("Be_BFS", "swap", "", Role::Data),
    ];
    for (kind, label, name, role) in known {
        let mut image = super::apm::map(512, 512, &[(64, 100, kind)]);
        put(&mut image, 512 + 16, label.as_bytes());
        let table = read(&image).unwrap().unwrap();
        assert_eq!(
            (table.kind.name(), table.sector.map(|size| size.get())),
            ("apm", Some(512))
        );
        let partition = &table.partitions[0];
        assert_eq!((partition.number, partition.label.as_str()), (1, label));
        assert_eq!(partition.entry_at.get(), 512);
        assert_eq!(one(&table.partitions), (kind.to_owned(), name, role));
    }
    for free in ["Apple_Free", "Apple_Void", "Apple_Extra", "Apple_Scratch"] {
        let image = super::apm::map(512, 512, &[(64, 100, free)]);
        assert!(
            read(&image).unwrap().unwrap().partitions.is_empty(),
            "{free}"
        );
    }
}

/// A VTOC of x86 with one slice of this tag.
fn vtoc(tag: u16) -> Vec<u8> {
    let mut image = vec![0; 1 << 20];
    let at = 512;
    put(&mut image, at + 12, &0x600D_DEEE_u32.to_le_bytes());
    put(&mut image, at + 16, &1_u32.to_le_bytes());
    put(&mut image, at + 28, &512_u16.to_le_bytes());
    put(&mut image, at + 30, &16_u16.to_le_bytes());
    put(&mut image, at + 72 + 12, &tag.to_le_bytes());
    put(&mut image, at + 72 + 16, &64_u32.to_le_bytes());
    put(&mut image, at + 72 + 20, &100_u32.to_le_bytes());
    image
}

#[test]
fn tags_of_a_vtoc() {
    let known = [
        (0x00, "unassigned", Role::Data),
        (0x01, "boot", Role::BiosBoot),
        (0x02, "root", Role::Data),
        (0x03, "swap", Role::Swap),
        (0x04, "usr", Role::Data),
        (0x05, "backup (whole disk)", Role::WholeDisk),
        (0x06, "stand", Role::Data),
        (0x07, "var", Role::Data),
        (0x08, "home", Role::Data),
        (0x09, "alternates", Role::Reserved),
        (0x0a, "cache", Role::Data),
        (0x0b, "reserved", Role::Reserved),
        (0x0c, "system", Role::Data),
        (0x0e, "public region", Role::Data),
        (0x0f, "private region", Role::Reserved),
        (0x82, "Linux swap", Role::Swap),
        (0x83, "Linux", Role::Data),
        (0x8e, "Linux LVM", Role::Data),
        (0xfd, "Linux RAID", Role::Data),
        (0x0901, "FreeBSD swap", Role::Swap),
        (0x0902, "FreeBSD UFS", Role::Data),
        (0x0903, "FreeBSD vinum", Role::Data),
        (0x0904, "FreeBSD ZFS", Role::Data),
        (0x77, "", Role::Data),
    ];
    for (tag, name, role) in known {
        let table = read_in(&vtoc(tag), "bf", 0).unwrap().unwrap();
        assert_eq!(table.first_usable.map(|at| at.get()), Some(16 * 512));
        let partition = &table.partitions[0];
        assert_eq!((partition.number, partition.entry_at.get()), (1, 512 + 84));
        assert_eq!(
            (partition.start.get(), partition.size.get()),
            (64 * 512, 100 * 512)
        );
        assert_eq!(one(&table.partitions), (format!("0x{tag:02x}"), name, role));
    }
}

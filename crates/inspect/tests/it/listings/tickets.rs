//! Outputs as people paste them: prose, colours, carriage returns, translations, wrapped lines.

use ioalign_core::{Role, Severity, TableKind};
use ioalign_inspect::captures::Number;

use super::{at, read, said, starts};

/// Mission 3.5, `fdisk -ul`: neither sda1 nor sda3 is on 1 KiB, sda2 is on 32 KiB and not on 64.
const OLD: &str = "\
Disk /dev/sda: 500.1 GB, 500107862016 bytes
255 heads, 63 sectors/track, 60801 cylinders, total 976773168 sectors
Units = sectors of 1 * 512 = 512 bytes

   Device Boot      Start         End      Blocks   Id  System
/dev/sda1   *          63    19535039     9767488+  83  Linux
/dev/sda2        19535040    27342629     3903795   82  Linux swap / Solaris
/dev/sda3        27342630   976768064   474712717+  8e  Linux LVM
";

#[test]
fn fdisk_ul_of_the_old_days() {
    let evidence = read(OLD);
    assert_eq!(evidence.read, ["fdisk -l"]);
    assert_eq!(
        starts(&evidence),
        [
            ("sda1", 32256),
            ("sda2", 19_535_040 * 512),
            ("sda3", 27_342_630 * 512)
        ]
    );
    let natural = |name: &str| {
        let start = said(&evidence, name).start.unwrap().low;
        1_u64 << start.trailing_zeros()
    };
    assert_eq!(
        [natural("sda1"), natural("sda2"), natural("sda3")],
        [512, 32768, 1024]
    );
    let disk = said(&evidence, "sda");
    assert_eq!(disk.size, Some(Number::exact(500_107_862_016)));
    assert_eq!(disk.table.map(TableKind::name), Some("dos"));
    assert_eq!(
        said(&evidence, "sda1").size,
        Some(Number::exact(19_534_977 * 512))
    );
    assert_eq!(said(&evidence, "sda2").role, Some(Role::Swap));
    assert_eq!(said(&evidence, "sda3").type_id.as_deref(), Some("8e"));
    assert_eq!(said(&evidence, "sda3").parents, ["sda"]);
}

#[test]
fn the_same_from_parted_in_sectors() {
    for (list, bad) in [
        ([63, 19_535_040, 27_342_630], true),
        ([2048, 19_531_776, 27_920_384], false),
    ] {
        let mut text = "Model: ATA Some Disk (scsi)\nDisk /dev/sda: 976773168s\n\
             Sector size (logical/physical): 512B/512B\nPartition Table: msdos\n\n\
             Number  Start      End         Size        Type     File system  Flags\n"
            .to_owned();
        for (index, start) in list.iter().enumerate() {
            text += &format!(
                " {}      {start}s  {}s  1000s  primary  ext3\n",
                index + 1,
                start + 999
            );
        }
        let evidence = read(&text);
        let found: Vec<u64> = starts(&evidence)
            .iter()
            .map(|(_, start)| start / 512)
            .collect();
        assert_eq!(found, list);
        assert_eq!(found.iter().all(|start| start.is_multiple_of(2048)), !bad);
        assert_eq!(
            said(&evidence, "sda").claims.as_ref().unwrap().physical,
            Some(512)
        );
    }
}

#[test]
fn a_ticket_around_it_changes_nothing() {
    let clean = read(OLD);
    let mut ticket =
        "Hello, here: 2 disks, one slow = 100%.\n\n# \x1b[1mfdisk -ul\x1b[0m\n".to_owned();
    ticket += &OLD.replace(
        "Linux LVM\n",
        "Linux LVM\n\nPartition table entries are not in disk order\n",
    );
    ticket += "\n# df\nFilesystem     1K-blocks     Used Available Use% Mounted on\n\
               /dev/sda1        9614116  4817820   4307924  53% /\n\nThanks!\n";
    for form in [
        ticket.clone(),
        ticket.replace('\n', "\r\n"),
        ticket.lines().map(|line| format!("> {line}\n")).collect(),
        ticket.lines().map(|line| format!("    {line}\n")).collect(),
        ticket.lines().map(|line| format!("{line}\n\n")).collect(),
    ] {
        let evidence = read(&form);
        assert_eq!(starts(&evidence), starts(&clean), "{form}");
        assert_eq!(evidence.devices.len(), 4);
        assert_eq!(evidence.read, ["fdisk -l"]);
    }
}

#[test]
fn translations_are_read_by_structure() {
    let german = "\
Festplatte /dev/sda: 8 GiB, 8589934592 Bytes, 16777216 Sektoren
Festplattenmodell: Beispiel 8000
Einheiten: Sektoren von 1 * 512 = 512 Bytes
Sektorgröße (logisch/physikalisch): 512 Bytes / 4096 Bytes
E/A-Größe (minimal/optimal): 4096 Bytes / 33553920 Bytes
Festplattenbezeichnungstyp: dos
Festplattenbezeichner: 0x3d1f2a7b

Gerät      Boot Anfang     Ende Sektoren Größe Kn Typ
/dev/sda1  *        63  2099214  2099152    1G 83 Linux
/dev/sda2      2099215 16777215 14678001    7G 82 Linux Swap / Solaris

Partition 1 beginnt nicht an einer physikalischen Sektorgrenze.
";
    let evidence = read(german);
    assert_eq!(
        starts(&evidence),
        [("sda1", 32256), ("sda2", 2_099_215 * 512)]
    );
    let disk = said(&evidence, "sda");
    let claims = disk.claims.as_ref().unwrap();
    assert_eq!((claims.logical, claims.physical), (Some(512), Some(4096)));
    assert_eq!(
        (claims.minimum, claims.optimal),
        (Some(4096), Some(33_553_920))
    );
    assert_eq!(claims.model, "Beispiel 8000");
    assert_eq!(disk.table.map(TableKind::name), Some("dos"));
    assert_eq!(said(&evidence, "sda2").role, Some(Role::Swap));
    let remarks = &said(&evidence, "sda1").remarks;
    assert_eq!(remarks[0].severity, Severity::Note);
    assert!(remarks[0].why.contains("physikalischen"));

    let french = "\
Disque /dev/nvme0n1 : 20 GiB, 21474836480 octets, 5242880 secteurs
Modèle de disque : Exemple
Unités : secteur de 1 × 4096 = 4096 octets
Taille de secteur (logique / physique) : 4096 octets / 4096 octets
taille d'E/S (minimale / optimale) : 4096 octets / 4096 octets
Type d'étiquette de disque : gpt
Identifiant de disque : 00000000-0000-4000-8000-000000000000

Périphérique   Début     Fin Secteurs Taille Type
/dev/nvme0n1p1   256   65791    65536   256M Système EFI
/dev/nvme0n1p2 65792 5242874  5177083  19,7G Système de fichiers Linux
";
    let evidence = read(french);
    assert_eq!(
        starts(&evidence),
        [("nvme0n1p1", 1 << 20), ("nvme0n1p2", 65792 * 4096)]
    );
    assert_eq!(said(&evidence, "nvme0n1p1").role, Some(Role::Esp));
    assert_eq!(said(&evidence, "nvme0n1p1").number, Some(1));
    assert_eq!(said(&evidence, "nvme0n1").sector.unwrap().get(), 4096);
    assert_eq!(
        said(&evidence, "nvme0n1").table.map(TableKind::name),
        Some("gpt")
    );
}

#[test]
fn other_scripts_too() {
    let chinese = "Disk /dev/vda：40 GiB，42949672960 字节，83886080 个扇区\n\
        单元：扇区 / 1 * 512 = 512 字节\n扇区大小(逻辑/物理)：512 字节 / 512 字节\n\
        I/O 大小(最小/最佳)：512 字节 / 512 字节\n磁盘标签类型：dos\n磁盘标识符：0xde75dfa6\n\n\
        设备       启动  起点     末尾     扇区 大小 Id 类型\n\
        /dev/vda1  *     2048 83886046 83883999  40G 83 Linux\n";
    let evidence = read(chinese);
    assert_eq!(starts(&evidence), [("vda1", 1 << 20)]);
    assert_eq!(
        said(&evidence, "vda").size,
        Some(Number::exact(42_949_672_960))
    );
    assert_eq!(
        said(&evidence, "vda").claims.as_ref().unwrap().logical,
        Some(512)
    );
    assert_eq!(
        said(&evidence, "vda").table.map(TableKind::name),
        Some("dos")
    );

    let parted = "Modell: ATA Beispiel (scsi)\nFestplatte  /dev/sda:  500GB\n\
        Sektorgröße (logisch/physisch): 512B/4096B\nPartitionstabelle: gpt\nDisk-Flags: \n\n\
        Nummer  Anfang  Ende    Größe   Dateisystem     Name  Flags\n \
        1      17,4kB  1049kB  1031kB                        bios_grub\n \
        2      10,5MB  537MB   526MB   fat32                 boot, esp\n";
    let evidence = read(parted);
    assert_eq!(evidence.read, ["parted -l"]);
    assert_eq!(said(&evidence, "sda1").start, at(34));
    assert_eq!(said(&evidence, "sda1").role, Some(Role::BiosBoot));
    assert_eq!(said(&evidence, "sda2").role, Some(Role::Esp));
    assert!(!said(&evidence, "sda2").start.unwrap().is_exact());
    assert_eq!(
        said(&evidence, "sda").claims.as_ref().unwrap().physical,
        Some(4096)
    );
}

#[test]
fn long_names_are_wrapped_by_mail_programs() {
    let text = "Disk /dev/mapper/mpath-of-a-very-long-name: 10.7 GB, 10737418240 bytes\n\
        255 heads, 63 sectors/track, 1305 cylinders, total 20971520 sectors\n\
        Units = sectors of 1 * 512 = 512 bytes\n\n   Device Boot   Start   End   Blocks   Id  System\n\
        /dev/mapper/mpath-of-a-very-long-name1\n   *          63      208844      104391   83  Linux\n\
        /dev/mapper/mpath-of-a-very-long-name2\n              208845    20964824    10377990   8e  Linux LVM\n";
    let evidence = read(text);
    assert_eq!(
        starts(&evidence),
        [
            ("mapper/mpath-of-a-very-long-name1", 32256),
            ("mapper/mpath-of-a-very-long-name2", 208_845 * 512)
        ]
    );
    let part = said(&evidence, "mapper/mpath-of-a-very-long-name2");
    assert_eq!(
        (part.number, &*part.parents[0]),
        (Some(2), "mapper/mpath-of-a-very-long-name")
    );
}

#[test]
fn colons_within_names() {
    let text = OLD.replace("/dev/sda", "/dev/disk/by-path/pci-0000:00:1f.2-ata-1");
    let text = text.replace("ata-11", "ata-1-part1");
    let evidence = read(&text);
    let part = said(&evidence, "disk/by-path/pci-0000:00:1f.2-ata-1-part1");
    assert_eq!((part.start, part.number), (at(63), Some(1)));
}

#[test]
fn several_programs_in_one_ticket() {
    let text = format!(
        "{OLD}\nModel: ATA Some Disk (scsi)\nDisk /dev/sda: 500GB\n\
         Sector size (logical/physical): 512B/512B\nPartition Table: msdos\n\n\
         Number  Start   End     Size    Type     File system  Flags\n \
         1      32.3kB  10.0GB  10.0GB  primary  ext3         boot\n\n\
         # partition table of /dev/sda\nunit: sectors\n\n\
         /dev/sda1 : start=       63, size= 19534977, Id=83, bootable\n\
         /dev/sda4 : start=        0, size=        0, Id= 0\n"
    );
    let evidence = read(&text);
    assert_eq!(evidence.read, ["fdisk -l", "sfdisk -d", "parted -l"]);
    let first = evidence.devices.iter().filter(|said| said.name == "sda1");
    assert_eq!(
        first.map(|said| said.start).collect::<Vec<_>>(),
        [at(63); 3]
    );
    assert!(evidence.devices.iter().all(|said| said.name != "sda4"));
}

/// Before and after `fdisk` moved a partition: only the last state is on the disk.
#[test]
fn a_table_shown_again_replaces_the_one_before_it() {
    let moved = OLD.replace("          63    19535039", "        2048    19535039");
    let evidence = read(&format!("{OLD}\n# fdisk /dev/sda\n\n{moved}"));
    assert_eq!(evidence.read, ["fdisk -l"]);
    assert_eq!(
        starts(&evidence)[0],
        ("sda1", 1 << 20),
        "{:?}",
        starts(&evidence)
    );
    let names: Vec<_> = evidence.devices.iter().map(|said| &said.name).collect();
    assert_eq!(names, ["sda", "sda1", "sda2", "sda3"]);
}

#[test]
fn prose_is_no_listing() {
    for text in [
        "",
        "Disk /dev/sda: is slow, very slow",
        "We start=early, size=matters and 2 * 3 = 6.",
        "NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT\ntank 1T 1G 1T - - 0% 0% 1.00x ONLINE -",
        "NAME=\"Debian GNU/Linux\"\nVERSION=\"12\"\nID=debian",
        "NAME TYPE SIZE USED PRIO\n/dev/dm-1 partition 976M 0B -2",
        "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 100 50 50 50% /",
        "{\"a\": 1}",
    ] {
        let evidence = read(text);
        assert!(evidence.read.is_empty(), "{text}: {:?}", evidence.read);
        assert!(evidence.devices.is_empty());
    }
}

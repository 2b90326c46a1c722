//! Windows: wmic, Get-Partition, diskpart, fsutil, msinfo32.

use ioalign_core::{Role, Severity};
use ioalign_inspect::captures::{self, Number, Text, TextEvidence};

use super::{read, said, starts};

#[test]
fn wmic_as_table_list_and_collapsed() {
    let table = "Index  Name                   Size          StartingOffset  \r\r\n\
        0      Disk #0, Partition #0  104857600     1048576         \r\r\n\
        1      Disk #0, Partition #1  499999834112  105906176       \r\r\n\
        0      Disk #1, Partition #0  8587160064    32256           \r\r\n";
    let collapsed = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n");
    let list = "\r\nIndex=0\r\nName=Disk #0, Partition #0\r\nSize=104857600\r\nStartingOffset=1048576\r\n\r\n\
        Index=1\r\nName=Disk #0, Partition #1\r\nSize=499999834112\r\nStartingOffset=105906176\r\n\r\n\
        Index=0\r\nName=Disk #1, Partition #0\r\nSize=8587160064\r\nStartingOffset=32256\r\n";
    let csv = "Node,Index,Name,Size,StartingOffset\r\nHOST,0,Disk #0, Partition #0,104857600,1048576\r\n\
        HOST,1,Disk #0, Partition #1,499999834112,105906176\r\nHOST,0,Disk #1, Partition #0,8587160064,32256\r\n";
    let powershell = "Name                          Size StartingOffset\n----                          ---- --------------\n\
        Disk #0, Partition #0    104857600        1048576\nDisk #0, Partition #1 499999834112      105906176\n\
        Disk #1, Partition #0   8587160064          32256\n";
    for text in [table, &collapsed.collect::<String>(), list, csv, powershell] {
        let evidence = read(text);
        assert_eq!(
            starts(&evidence),
            [
                ("Disk #0, Partition #0", 1 << 20),
                ("Disk #0, Partition #1", 105_906_176),
                ("Disk #1, Partition #0", 32256)
            ],
            "{text}"
        );
        assert_eq!(
            said(&evidence, "Disk #1, Partition #0").parents,
            ["PhysicalDrive1"]
        );
    }
}

#[test]
fn utf_16_is_ordinary_there() {
    let text = "Name                   StartingOffset\r\nDisk #0, Partition #0  1048576\r\n";
    let raw: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut evidence = TextEvidence::default();
    captures::read(&Text::new(&raw), None, &mut evidence).unwrap();
    assert_eq!(starts(&evidence), [("Disk #0, Partition #0", 1 << 20)]);
}

#[test]
fn get_partition_as_list_and_table() {
    let list = "DiskNumber           : 2\nDriveLetter          : C\nGptType              : {e3c9e316-0b5c-4db8-817d-f92df00215ae}\n\
        MbrType              : \nOffset               : 17408\nPartitionNumber      : 1\nSize                 : 134217728\n\n\
        DiskNumber : 2\nOffset : 135266304\nPartitionNumber : 2\nSize : 1000\nMbrType : 7\n";
    let evidence = read(list);
    assert_eq!(
        starts(&evidence),
        [
            ("Harddisk2Partition1", 17408),
            ("Harddisk2Partition2", 135_266_304)
        ]
    );
    assert_eq!(said(&evidence, "Harddisk2Partition1").role, Some(Role::Msr));
    assert_eq!(
        said(&evidence, "Harddisk2Partition2").type_id.as_deref(),
        Some("07")
    );
    let table = "\n\n   DiskPath: \\\\?\\scsi#disk&ven_x\n\n\
        PartitionNumber  DriveLetter Offset                                        Size Type\n\
        ---------------  ----------- ------                                        ---- ----\n\
        1                           1048576                                     499 MB Recovery\n\
        2                           524288000                                    16 MB Reserved\n\
        3                C           541065216                                465.26 GB Basic\n";
    let evidence = read(table);
    let found: Vec<u64> = starts(&evidence).iter().map(|(_, start)| *start).collect();
    assert_eq!(found, [1 << 20, 524_288_000, 541_065_216]);
    assert_eq!(evidence.devices[1].role, Some(Role::Msr));
}

#[test]
fn get_disk_tells_the_sectors() {
    let evidence = read(
        "Number             : 0\nFriendlyName       : Some SSD\nSize               : 500107862016\n\
        LogicalSectorSize  : 512\nPhysicalSectorSize : 4096\n",
    );
    let claims = said(&evidence, "PhysicalDrive0").claims.clone().unwrap();
    assert_eq!((claims.logical, claims.physical), (Some(512), Some(4096)));
}

#[test]
fn diskpart_rounds_and_so_settles_little() {
    let text = "DISKPART> select disk 0\n\nDisk 0 is now the selected disk.\n\nDISKPART> list partition\n\n  \
        Partition ###  Type              Size     Offset\n  -------------  ----------------  -------  -------\n  \
        Partition 1    Primary             39 GB    31 KB\n* Partition 2    Primary            100 MB  1024 KB\n  \
        Partition 3    Reserved            16 MB   101 MB\n";
    let evidence = read(text);
    let holds = |name: &str, bytes: u64| {
        let start = said(&evidence, name).start.unwrap();
        start.low <= bytes && bytes <= start.high && !start.is_exact()
    };
    assert!(holds("Harddisk0Partition1", 32256), "31.5 KB, cut");
    assert!(holds("Harddisk0Partition2", 1 << 20));
    assert!(holds("Harddisk0Partition3", 101 << 20));
    assert_eq!(said(&evidence, "Harddisk0Partition3").role, Some(Role::Msr));
    assert_eq!(
        said(&evidence, "Harddisk0Partition2").parents,
        ["PhysicalDrive0"]
    );
    let rounded = read(&text.replace("  31 KB", "  32 KB"));
    let start = said(&rounded, "Harddisk0Partition1").start.unwrap();
    assert!(
        start.low <= 32256 && 32256 <= start.high,
        "31.5 KB, rounded"
    );
    let german = "Datenträger 1 ist jetzt der derzeit gewählte Datenträger.\n  \
        Partition ###  Typ               Größe    Offset\n  Partition 1    Primär             100 MB  1024 KB\n";
    assert_eq!(read(german).devices[0].name, "Harddisk1Partition1");
    let detail = "Disk 3 is now the selected disk.\nPartition 1\nType  : 07\nHidden: No\nActive: Yes\nOffset in Bytes: 32256\n";
    assert_eq!(starts(&read(detail)), [("Harddisk3Partition1", 32256)]);
}

#[test]
fn fsutil_tells_sectors_clusters_and_alignment() {
    let text = "C:\\> fsutil fsinfo ntfsinfo c:\nNTFS Volume Serial Number :        0x2e1cc3b41cc37563\n\
        Total Sectors :                    976,773,119  (465.7 GB)\nBytes Per Sector  :                512\n\
        Bytes Per Physical Sector :        4096\nBytes Per Cluster :                65536\n\n\
        C:\\> fsutil fsinfo sectorinfo d:\nLogicalBytesPerSector :                                 512\n\
        PhysicalBytesPerSectorForAtomicity :                    16384\nPhysicalBytesPerSectorForPerformance :                  16384\n\
        FileSystemEffectivePhysicalBytesPerSectorForAtomicity : 4096\nDevice Alignment :                                      Aligned (0x000)\n\
        Partition alignment on device :                         Misaligned (0x200)\nPerforms Normal Seeks\n";
    let evidence = read(text);
    let volume = said(&evidence, "C:");
    let ntfs = volume.filesystem.as_ref().unwrap();
    assert_eq!((ntfs.kind, ntfs.block.unwrap().get()), ("ntfs", 65536));
    assert_eq!(volume.size, Some(Number::exact(976_773_119 * 512)));
    assert_eq!(
        said(&evidence, "disk of C:")
            .claims
            .as_ref()
            .unwrap()
            .physical,
        Some(4096)
    );
    let other = said(&evidence, "D:");
    assert_eq!(other.remarks[0].severity, Severity::Misaligned);
    assert!(other.remarks[0].why.contains("512 B"));
    assert_eq!(
        said(&evidence, "disk of D:")
            .claims
            .as_ref()
            .unwrap()
            .physical,
        Some(16384)
    );
}

#[test]
fn msinfo_in_english_and_grouped_digits() {
    let text = "Description\tDisk drive\nModel\tWDC WD10\nBytes/Sector\t512\nMedia Loaded\tYes\nPartitions\t1\n\
        Size\t931.51 GB (1,000,202,273,280 bytes)\nPartition\tDisk #0, Partition #0\nPartition Size\t100.00 MB (104,857,600 bytes)\n\
        Partition Starting Offset\t1,048,576 bytes\nPartition\tDisk #0, Partition #1\nPartition Size\t1.00 GB (1,073,741,824 bytes)\n\
        Partition Starting Offset\t105,906,688 bytes\n";
    let evidence = read(text);
    assert_eq!(
        starts(&evidence),
        [
            ("Disk #0, Partition #0", 1 << 20),
            ("Disk #0, Partition #1", 105_906_688)
        ]
    );
    assert_eq!(
        said(&evidence, "Disk #0, Partition #0").size,
        Some(Number::exact(104_857_600))
    );
    assert_eq!(
        said(&evidence, "PhysicalDrive0")
            .claims
            .as_ref()
            .unwrap()
            .logical,
        Some(512)
    );
}

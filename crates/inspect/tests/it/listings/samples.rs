//! One output of every listing, today's form and where it differs that of ten years ago.

/// A text that `format` reads.
pub struct Sample {
    pub format: &'static str,
    pub text: &'static str,
    /// Its rounded numbers are translated (decimal commas).
    pub translated: bool,
    /// It has long lines that can be put together again.
    pub wraps: bool,
}

const fn plain(format: &'static str, text: &'static str) -> Sample {
    Sample {
        format,
        text,
        translated: false,
        wraps: false,
    }
}

const fn translated(format: &'static str, text: &'static str) -> Sample {
    Sample {
        translated: true,
        ..plain(format, text)
    }
}

const fn wrapping(format: &'static str, text: &'static str) -> Sample {
    Sample {
        wraps: true,
        ..plain(format, text)
    }
}

pub const SAMPLES: &[Sample] = &[
    plain("blkid", include_str!("../../../../../fuzz/texts/blkid-1.txt")),
    plain("blockdev-get", include_str!("../../../../../fuzz/texts/blockdev-get-1.txt")),
    plain("fdisk-rows", include_str!("../../../../../fuzz/texts/fdisk-rows-1.txt")),
    plain("parted-rows", include_str!("../../../../../fuzz/texts/parted-rows-1.txt")),
    plain("parted-align", include_str!("../../../../../fuzz/texts/parted-align-1.txt")),
    plain("fdasd", include_str!("../../../../../fuzz/texts/fdasd-1.txt")),
    plain("rufus", include_str!("../../../../../fuzz/texts/rufus-1.txt")),
    plain("probert", include_str!("../../../../../fuzz/texts/probert-1.txt")),
    plain("sysfs", include_str!("../../../../../fuzz/texts/sysfs-1.txt")),
    translated(
        "fdisk",
        "\
Disk /dev/sda: 8.5 GiB, 9126805504 bytes, 17825792 sectors
Disk model: Example 8000
Units: sectors of 1 * 512 = 512 bytes
Sector size (logical/physical): 512 bytes / 4096 bytes
I/O size (minimum/optimal): 4096 bytes / 4096 bytes
Disklabel type: dos
Disk identifier: 0x3d1f2a7b

Device     Boot   Start      End  Sectors  Size Id Type
/dev/sda1  *         63  2099214  2099152    1G 83 Linux
/dev/sda2       2099216 17825791 15726576  7.5G 82 Linux swap / Solaris
",
    ),
    translated(
        "fdisk",
        "\
Disk /dev/sda: 500.1 GB, 500107862016 bytes
255 heads, 63 sectors/track, 60801 cylinders, total 976773168 sectors
Units = sectors of 1 * 512 = 512 bytes

   Device Boot      Start         End      Blocks   Id  System
/dev/sda1   *          63    19535039     9767488+  83  Linux
/dev/sda2        19535040    27342629     3903795   82  Linux swap / Solaris
/dev/sda3        27342630   976768064   474712717+  8e  Linux LVM
",
    ),
    translated(
        "fdisk",
        "\
Disk /dev/sda: 500.1 GB, 500107862016 bytes
255 heads, 63 sectors/track, 60801 cylinders
Units = cylinders of 16065 * 512 = 8225280 bytes

   Device Boot      Start         End      Blocks   Id  System
/dev/sda1   *           1        1216     9767488+  83  Linux
/dev/sda2            1217        1702     3903795   82  Linux swap / Solaris
",
    ),
    plain(
        "sfdisk-dump",
        "\
label: gpt
label-id: 6E0A1C5C-3E4C-4B53-8E6E-7B4E7B7F8A01
device: /dev/sda
unit: sectors
first-lba: 34
last-lba: 976773134
sector-size: 512

/dev/sda1 : start=          34, size=        2014, type=21686148-6449-6E6F-744E-656564454649
/dev/sda2 : start=        2049, size=      204800, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4
",
    ),
    plain(
        "sfdisk-dump",
        "\
# partition table of /dev/sda
unit: sectors

/dev/sda1 : start=       63, size= 19534977, Id=83, bootable
/dev/sda2 : start= 19535040, size=  7807590, Id=82
/dev/sda3 : start=        0, size=        0, Id= 0
",
    ),
    plain(
        "sfdisk-json",
        "\
{
   \"partitiontable\": {
      \"label\": \"gpt\",
      \"device\": \"/dev/sda\",
      \"unit\": \"sectors\",
      \"sectorsize\": 512,
      \"partitions\": [
         {
            \"node\": \"/dev/sda1\",
            \"start\": 63,
            \"size\": 204800,
            \"type\": \"0FC63DAF-8483-4772-8E79-3D69D8477DE4\"
         }
      ]
   }
}
",
    ),
    translated(
        "parted",
        "\
Model: ATA Some Disk (scsi)
Disk /dev/sda: 500GB
Sector size (logical/physical): 512B/4096B
Partition Table: gpt
Disk Flags: 

Number  Start   End     Size    File system  Name  Flags
 1      17.4kB  1049kB  1031kB                     bios_grub
 2      1536kB  537MB   536MB   ext4
",
    ),
    plain(
        "parted",
        "\
Model: ATA Some Disk (scsi)
Disk /dev/sda: 976773168s
Sector size (logical/physical): 512B/512B
Partition Table: msdos

Number  Start      End         Size        Type     File system     Flags
 1      63s        19535039s   19534977s   primary  ext3            boot
 2      19535040s  27342629s   7807590s    primary  linux-swap(v1)
",
    ),
    plain(
        "parted-machine",
        "BYT;\n/dev/sda:976773168s:scsi:512:4096:gpt:ATA Some Disk:;\n1:34s:2047s:2014s:::bios_grub;\n2:2049s:1050623s:1048575s:ext4::;\n",
    ),
    plain(
        "gdisk",
        "\
GPT fdisk (gdisk) version 1.0.9

Disk /dev/sda: 976773168 sectors, 465.8 GiB
Sector size (logical/physical): 512/4096 bytes
Disk identifier (GUID): 6E0A1C5C-3E4C-4B53-8E6E-7B4E7B7F8A01
Partition table holds up to 128 entries
First usable sector is 34, last usable sector is 976773134
Partitions will be aligned on 2048-sector boundaries
Total free space is 2014 sectors (1007.0 KiB)

Number  Start (sector)    End (sector)  Size       Code  Name
   1              34            2047   1007.0 KiB  EF02  
   2            2049         1050623   512.0 MiB   8300  Linux
",
    ),
    plain(
        "lsblk",
        "\
NAME        MAJ:MIN   SIZE TYPE START LOG-SEC PHY-SEC MIN-IO OPT-IO ALIGNMENT PKNAME
nvme0n1     259:0     465G disk           512     512    512      0         0 
├─nvme0n1p1 259:1     512M part  2048     512     512    512      0         0 nvme0n1
└─nvme0n1p2 259:2     464G part  4097     512     512    512      0         0 nvme0n1
",
    ),
    translated(
        "lsblk",
        "\
NAME   ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED    RQ-SIZE
sda            0   4096      0    4096     512    1 deadline     128
|-sda1         0   4096      0    4096     512    1 deadline     128
`-sda2      3584   4096      0    4096     512    1 deadline     128
",
    ),
    wrapping(
        "lsblk-pairs",
        "\
NAME=\"sda\" KNAME=\"sda\" MAJ:MIN=\"8:0\" SIZE=\"465G\" TYPE=\"disk\" START=\"\" ALIGNMENT=\"0\" MIN-IO=\"4096\" OPT-IO=\"0\" PHY-SEC=\"4096\" LOG-SEC=\"512\"
NAME=\"sda1\" KNAME=\"sda1\" MAJ:MIN=\"8:1\" SIZE=\"100G\" TYPE=\"part\" START=\"63\" ALIGNMENT=\"0\" MIN-IO=\"4096\" OPT-IO=\"0\" PHY-SEC=\"4096\" LOG-SEC=\"512\"
",
    ),
    wrapping(
        "lsblk-pairs",
        "\
NAME=\"sda\" PKNAME=\"\" MAJ_MIN=\"8:0\" SIZE=\"465G\" TYPE=\"disk\" ALIGNMENT=\"0\" MIN_IO=\"4096\" OPT_IO=\"33553920\" PHY_SEC=\"4096\" LOG_SEC=\"512\"
NAME=\"sda1\" PKNAME=\"sda\" MAJ_MIN=\"8:1\" SIZE=\"100G\" TYPE=\"part\" ALIGNMENT=\"0\" MIN_IO=\"4096\" OPT_IO=\"33553920\" PHY_SEC=\"4096\" LOG_SEC=\"512\"
",
    ),
    wrapping(
        "lsblk-json",
        "{\"blockdevices\": [{\"name\": \"sda\", \"maj:min\": \"8:0\", \"size\": 500107862016, \"type\": \"disk\", \"log-sec\": 512, \"phy-sec\": 4096, \"min-io\": 4096,\
         \"opt-io\": 0, \"alignment\": 0, \"children\": [{\"name\": \"sda1\", \"maj:min\": \"8:1\", \"size\": 107374182400, \"type\": \"part\", \"start\": 63}]}]}\n",
    ),
    plain(
        "blockdev",
        "\
RO    RA   SSZ   BSZ        StartSec            Size   Device
rw   256   512  4096               0    500107862016   /dev/sda
rw   256   512  4096              63    107374182400   /dev/sda1
",
    ),
    plain(
        "blockdev",
        "\
RO    RA   SSZ   BSZ   StartSec     Size    Device
rw   256   512  4096          0   976773168  /dev/sda
rw   256   512  1024         63   195371505  /dev/sda1
",
    ),
    plain(
        "proc-partitions",
        "major minor  #blocks  name\n\n   8        0  488386584 sda\n   8        1     102400 sda1\n",
    ),
    plain(
        "udevadm",
        "\
P: /devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1
N: sda1
E: DEVNAME=/dev/sda1
E: DEVTYPE=partition
E: ID_PART_ENTRY_DISK=8:0
E: ID_PART_ENTRY_NUMBER=1
E: ID_PART_ENTRY_OFFSET=63
E: ID_PART_ENTRY_SCHEME=dos
E: ID_PART_ENTRY_SIZE=204800
E: ID_PART_ENTRY_TYPE=0x83
",
    ),
    plain(
        "partedutil",
        "\
~ # partedUtil getptbl /vmfs/devices/disks/naa.600508b1001c1337
gpt
60801 255 63 976773168
1 34 976768064 AA31E02A400F11DB9590000C2911D1B8 vmfs 0
",
    ),
    plain(
        "esxcli-partitions",
        "\
Device        Partition  Start Sector  End Sector  Type          Size
------------  ---------  ------------  ----------  ----  ------------
naa.6001               0             0   976773168     0  500107862016
naa.6001               1            63   976768065    fb  500105183744
",
    ),
    plain(
        "prtvtoc",
        "\
* /dev/rdsk/c1t1d0s0 EFI partition map
*
* Dimensions:
*         512 bytes/sector
*    41943040 sectors
*    41942973 accessible sectors
*
* Flags:
*   1: unmountable
*  10: read-only
*
*                            First     Sector      Last
* Partition  Tag  Flags      Sector     Count      Sector  Mount Directory
       0      4    00             34   41926589    41926622
       8     11    00       41926623      16384    41943006
",
    ),
    translated(
        "format",
        "\
Current partition table (original):
Total disk sectors available: 41926589 + 16384 (reserved sectors)

Part      Tag    Flag     First Sector         Size         Last Sector
  0        usr    wm                34       19.99GB          41926622    
  1 unassigned    wm                 0           0               0    
  8   reserved    wm          41926623        8.00MB          41943006    
",
    ),
    plain(
        "gpart",
        "\
=>       40  976773088  ada0  GPT  (466G)
         40       1024     1  freebsd-boot  (512K)
       1064    4194304     2  freebsd-swap  (2.0G)
    4195368  972577760     3  freebsd-zfs  (464G)
",
    ),
    plain(
        "gpart-list",
        "\
Geom name: ada0
modified: false
state: OK
scheme: GPT
Providers:
1. Name: ada0p1
   Mediasize: 524288 (512K)
   Sectorsize: 512
   Stripesize: 4096
   Stripeoffset: 0
   offset: 17408
   type: freebsd-ufs
   index: 1
   end: 1057
   start: 34
Consumers:
1. Name: ada0
   Mediasize: 500107862016 (466G)
   Sectorsize: 512
   Stripesize: 4096
   Stripeoffset: 0
",
    ),
    plain(
        "gpt-show",
        "\
gpt show: /dev/disk0: mediasize=500107862016; sectorsize=512; blocks=976773168
      start       size  index  contents
          0          1         PMBR
          1          1         Pri GPT header
         34      76800      1  GPT part - C12A7328-F81F-11D2-BA4B-00A0C93EC93B
",
    ),
    translated(
        "diskutil",
        "   Device Identifier:         disk0s2
   Device Node:               /dev/disk0s2
   Part of Whole:             disk0

   Partition Type:            Apple_APFS
   Disk Size:                 500.1 GB (500068036608 Bytes) (exactly 976695384 512-Byte-Units)
   Device Block Size:         512 Bytes
   Partition Offset:          209736192 Bytes (409641 512-Byte-Device-Blocks)
",
    ),
    plain(
        "diskutil-list",
        "\
/dev/disk0 (internal, physical):
   #:                       TYPE NAME                    SIZE       IDENTIFIER
   0:      GUID_partition_scheme                        *251.0 GB   disk0
   1:                        EFI EFI                     209.7 MB   disk0s1
",
    ),
    plain(
        "wmic",
        "\
Index  Name                   Size          StartingOffset  
0      Disk #0, Partition #0  104857600     1048576         
1      Disk #0, Partition #1  499999834112  105906688       
",
    ),
    plain(
        "get-partition",
        "\
DiskNumber           : 2
DriveLetter          : C
GptType              : {ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}
MbrType              : 
Offset               : 17408
PartitionNumber      : 1
Size                 : 134217728
",
    ),
    plain(
        "diskpart",
        "\
Disk 0 is now the selected disk.

  Partition ###  Type              Size     Offset
  -------------  ----------------  -------  -------
  Partition 1    Primary             39 GB    31 KB
  Partition 2    Primary            100 MB  1024 KB
",
    ),
    plain(
        "fsutil",
        "\
LogicalBytesPerSector :                                 512
PhysicalBytesPerSectorForAtomicity :                    4096
PhysicalBytesPerSectorForPerformance :                  4096
FileSystemEffectivePhysicalBytesPerSectorForAtomicity : 4096
Device Alignment :                                      Aligned (0x000)
Partition alignment on device :                         Misaligned (0x200)
Performs Normal Seeks
",
    ),
    plain(
        "msinfo32",
        "Description\tDisk drive\nModel\tWDC WD10\nBytes/Sector\t512\nPartitions\t1\nSize\t931.51 GB (1,000,202,273,280 bytes)\n\
         Partition\tDisk #0, Partition #0\nPartition Size\t100.00 MB (104,857,600 bytes)\nPartition Starting Offset\t32,256 bytes\n",
    ),
    wrapping(
        "ansible",
        "\
web1 | SUCCESS => {
    \"ansible_facts\": {
        \"ansible_devices\": {
            \"sda\": {\"model\": \"Some Disk\", \"rotational\": \"1\", \"sectors\": \"976773168\", \"sectorsize\": \"512\", \"partitions\": {
                \"sda1\": {\"sectors\": \"204800\", \"sectorsize\": 512, \"size\": \"100.00 MB\", \"start\": \"63\"}}}
        }
    },
    \"changed\": false
}
",
    ),
    plain(
        "libvirt",
        "\
<domain type='kvm'>
  <name>web1</name>
  <devices>
    <disk type='block' device='disk'>
      <source dev='/dev/vg/web1'/>
      <blockio logical_block_size='512' physical_block_size='4096'/>
      <target dev='vda' bus='virtio'/>
    </disk>
  </devices>
</domain>
",
    ),
    plain(
        "qemu-img-info",
        "\
{
    \"virtual-size\": 10737418240,
    \"filename\": \"disk.qcow2\",
    \"cluster-size\": 65536,
    \"format\": \"qcow2\",
    \"actual-size\": 200704,
    \"dirty-flag\": false
}
",
    ),
    wrapping(
        "qemu-img-map",
        "[{ \"start\": 0, \"length\": 65536, \"depth\": 0, \"present\": true, \"zero\": false, \"data\": true, \"offset\": 512}]\n",
    ),
];

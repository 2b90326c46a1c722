//! Arrays that are known by name, with every parameter and where it comes from.

use ioalign_core::simulation_document::ArrayPreset;

const LAB: &str = "md of Linux 6.1 on null_blk disks with completion_nsec=5000000, one I/O at a time, in \
                   virtual time; 5.085 ms are fitted to its aligned reads and include the machine";

/// All of them.
pub const fn presets() -> [ArrayPreset; 10] {
    [
        ArrayPreset {
            name: "md-raid10-4",
            about: "RAID 10 near-2 of md on four disks of 5 ms",
            source: LAB,
            toml: "level = \"raid10\"\ndisks = 4\nelement = \"64k\"\nowner = \"md\"\nservice = \"5.085ms\"\n",
        },
        ArrayPreset {
            name: "md-raid5-4",
            about: "RAID 5 of md on four disks of 5 ms",
            source: LAB,
            toml: "level = \"raid5\"\ndisks = 4\nelement = \"64k\"\nowner = \"md\"\nservice = \"5.085ms\"\n",
        },
        ArrayPreset {
            name: "md-raid6-6",
            about: "RAID 6 of md on six disks of 5 ms",
            source: LAB,
            toml: "level = \"raid6\"\ndisks = 6\nelement = \"64k\"\nowner = \"md\"\nservice = \"5.085ms\"\n",
        },
        ArrayPreset {
            name: "mysql-raid10",
            about: "aligning I/O on a hard disk RAID: four disks of 15,000 rpm, cache with a battery",
            source: "the article's system summary; product manual 100516226 of its disks, ST3600057SS; the rest is assumed",
            toml: MYSQL_RAID10,
        },
        ArrayPreset {
            name: "mysql-raid10-through",
            about: "the same, its cache set to write-through",
            source: "as mysql-raid10",
            toml: MYSQL_RAID10_THROUGH,
        },
        ArrayPreset {
            name: "vmfs-raid5",
            about: "VMFS partition alignment: a five-disk RAID 5 of a storage array",
            source: "the paper: five disks, RAID 5, 64 KiB, 512 MB of read cache; the disks are not named: assumed",
            toml: VMFS_RAID5,
        },
        ArrayPreset {
            name: "hci-vdisk",
            about: "the return of misaligned I/O: 1 MiB writes to virtual disks of a hyperconverged cluster",
            source: "the article: 4 KiB at least are overwritten as a whole; the cluster is not described: assumed",
            toml: HCI_VDISK,
        },
        ArrayPreset {
            name: "zfs-volume",
            about: "LUN alignment on Solaris: a volume of 8 KiB blocks on a storage appliance",
            source: "the paper: blocks of 8 KiB; the appliance's disks are not described: assumed",
            toml: ZFS_VOLUME,
        },
        ArrayPreset {
            name: "ssd-group",
            about: "RAID groups against storage pools: a RAID 5 of 15 SSDs of 200 GB",
            source: "the article: 15 SSDs of single-level cells, 200 GB; times of such flash are assumed",
            toml: SSD_GROUP,
        },
        ArrayPreset {
            name: "hdd-group",
            about: "the same group with disks of 15,000 rpm",
            source: "disks as in mysql-raid10",
            toml: HDD_GROUP,
        },
    ]
}

const MYSQL_RAID10: &str = "\
level = \"raid10\"
disks = 4                   # article
element = \"64k\"             # article
disk_size = \"558G\"          # article
[hdd]
least_seek = \"0.2ms\"        # product manual 100516226: track to track 0.2 ms for reads, 0.44 ms for writes
full_seek = \"6.7ms\"         # the same: 6.6 and 7.4 ms; 6.7 gives the mean of its averages, 3.4 and 3.9 ms
rpm = 15000                 # the same: 2.0 ms of latency
track = \"637k\"              # the same: 122 to 204 MB/s, their mean in a revolution
fixed = \"0.1ms\"             # assumed: command and bus
queue = 16                  # assumed: commands that the controller gives to a disk
[cache]
write = \"back\"              # article: measured both ways
size = \"96M\"                # article: 128 MB in all; assumed: three quarters for writes
read_ahead = \"256k\"         # article: read-ahead on; assumed: one row of the array each way
destage = 64                # assumed: 16 for each disk
";

const MYSQL_RAID10_THROUGH: &str = "\
level = \"raid10\"
disks = 4
element = \"64k\"
disk_size = \"558G\"
[hdd]
least_seek = \"0.2ms\"
full_seek = \"6.7ms\"
rpm = 15000
track = \"637k\"
fixed = \"0.1ms\"
queue = 16
[cache]
write = \"through\"
read_ahead = \"256k\"
";

const VMFS_RAID5: &str = "\
level = \"raid5\"
disks = 5                   # paper
element = \"64k\"             # paper
disk_size = \"136G\"          # assumed: a disk of 146 GB, usual with that array
[hdd]
least_seek = \"0.3ms\"        # assumed: disks of 10,000 rpm of the time
full_seek = \"8.7ms\"         # assumed: 4.7 ms on average
rpm = 10000                 # assumed
track = \"360k\"              # assumed: 60 MB/s
fixed = \"0.1ms\"             # assumed
queue = 16                  # assumed
[cache]
write = \"back\"              # assumed: the array mirrors its write cache
size = \"256M\"               # assumed: half of the read cache
read = \"512M\"               # paper
read_ahead = \"512k\"         # assumed: two rows
destage = 32                # assumed
";

const HCI_VDISK: &str = "\
level = \"raid10\"            # assumed: two copies
disks = 16                  # assumed: four nodes of four disks
element = \"4M\"              # assumed: groups of extents of 4 MiB
disk_size = \"931G\"          # assumed: disks of 1 TB
unit = \"4k\"                 # article: at least 4 KiB
[hdd]
least_seek = \"0.8ms\"        # assumed, for a nearline disk
full_seek = \"15.2ms\"        # assumed: 8.5 ms on average
rpm = 7200                  # product manual 100671510 (Constellation ES.3): 4.16 ms of latency
track = \"1050k\"             # the same: 83 to 175 MB/s, their mean in a revolution
fixed = \"0.1ms\"             # assumed
queue = 1                   # assumed
";

const ZFS_VOLUME: &str = "\
level = \"raid10\"            # assumed: mirrors
disks = 40                  # assumed
element = \"512k\"            # ZFS: metaslabs fill 512 KiB of a device before the next one
disk_size = \"558G\"          # assumed
unit = \"8k\"                 # paper
[hdd]
least_seek = \"0.2ms\"        # assumed: the disks of mysql-raid10
full_seek = \"6.7ms\"
rpm = 15000
track = \"637k\"
fixed = \"0.1ms\"
queue = 10                  # ZFS: commands of a device in flight
";

const SSD_GROUP: &str = "\
level = \"raid5\"
disks = 15                  # article
element = \"64k\"             # that array's element
disk_size = \"186G\"          # article: 200 GB
[ssd]
channels = 8                # assumed
page = \"4k\"                 # assumed
read = \"80us\"               # assumed: single-level cells with their bus
write = \"250us\"             # assumed
buffer = \"8M\"               # assumed: safe without power
spare = \"28%\"               # assumed: 256 GiB of flash for 200 GB
filled = \"100%\"             # article: all of it, or half
";

const HDD_GROUP: &str = "\
level = \"raid5\"
disks = 15
element = \"64k\"
disk_size = \"558G\"
[hdd]
least_seek = \"0.2ms\"
full_seek = \"6.7ms\"
rpm = 15000
track = \"637k\"
fixed = \"0.1ms\"
queue = 16
";

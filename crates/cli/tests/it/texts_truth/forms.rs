//! Further outputs: of programs that do not print a table as `fdisk` does.

use std::fmt::Write;

use super::facts::{Facts, Part};

/// A form by its name, if it is one of these.
pub fn render(form: &str, disk: &Facts) -> Option<String> {
    let text = match form {
        "align-check" => align_check(disk),
        "bootinfo" => bootinfo(disk),
        "blkid" => blkid(disk),
        "diskpart-rows" => diskpart_rows(disk),
        "fdasd" => fdasd(disk),
        "fdisk-x" => fdisk_x(disk),
        "get-partition" => get_partition(disk),
        "partedutil" => parted_util(disk),
        "rows" => rows(disk, ""),
        "rows-warned" => rows(
            disk,
            "Partition 9 does not start on physical sector boundary.\n",
        ),
        "rufus" => rufus(disk),
        "udevadm" => udevadm(disk),
        "zpool" => zpool(disk),
        _ => return None,
    };
    Some(text)
}

/// `parted DISK align-check optimal N`, which names starts only where it complains.
fn align_check(disk: &Facts) -> String {
    let row = |part: &Part| {
        let start = part.start / disk.logical;
        let answer = match start % 2048 {
            0 => format!("{} aligned", part.number),
            past => format!("{} not aligned: {start}s % 2048s != {past}s", part.number),
        };
        format!(
            "# parted /dev/{} align-check optimal {}\n{answer}\n",
            disk.name, part.number
        )
    };
    disk.parts.iter().map(row).collect()
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let (first, rest) = digits.split_at(head);
    let groups = rest
        .as_bytes()
        .chunks(3)
        .map(|group| String::from_utf8_lossy(group).into_owned());
    let first = Some(first.to_owned()).filter(|first| !first.is_empty());
    first
        .into_iter()
        .chain(groups)
        .collect::<Vec<_>>()
        .join(",")
}

/// The boot info script, which stands in thousands of threads about boot loaders.
fn bootinfo(disk: &Facts) -> String {
    let ss = disk.logical;
    let sectors = disk.size / ss;
    let mut out = format!(
        "============================ Drive/Partition Info: =============================\n\nDrive: {} ____________________\n\n\
         Disk /dev/{}: {} GB, {} bytes\n255 heads, 63 sectors/track, 60801 cylinders, total {sectors} sectors\n\
         Units = sectors of 1 * {ss} = {ss} bytes\nSector size (logical/physical): {ss} bytes / {} bytes\n\n\
         Partition  Boot  Start Sector    End Sector  # of Sectors  Id System\n\n",
        disk.name,
        disk.name,
        disk.size / 1_000_000_000,
        disk.size,
        disk.physical
    );
    if disk.gpt {
        writeln!(
            out,
            "/dev/{}1                   1 {:>13} {:>13}  ee GPT\n\n\nGUID Partition Table detected.\n\n\
             Partition    Start Sector    End Sector  # of Sectors System",
            disk.name,
            thousands(sectors - 1),
            thousands(sectors - 1)
        )
        .unwrap();
    }
    for part in &disk.parts {
        let (start, count) = (part.start / ss, part.size / ss);
        let kind = match disk.gpt {
            true => part.kind.replace('_', " "),
            false => format!("{} Linux", part.kind),
        };
        let [start, end, count] = [start, start + count - 1, count].map(thousands);
        writeln!(
            out,
            "{}    {start:>15} {end:>13} {count:>13}  {kind}",
            disk.device(part)
        )
        .unwrap();
    }
    out + "\n\n\"blkid\" output: ____________________\n\nDevice           UUID                                   TYPE       LABEL\n"
}

/// `blkid -p -o export` of the disk and of each partition.
fn blkid(disk: &Facts) -> String {
    let mut out = String::new();
    for part in &disk.parts {
        writeln!(
            out,
            "DEVNAME={}\nMINIMUM_IO_SIZE={}\nPHYSICAL_SECTOR_SIZE={}\nLOGICAL_SECTOR_SIZE={}\n\
             PART_ENTRY_SCHEME=dos\nPART_ENTRY_TYPE=0x83\nPART_ENTRY_NUMBER={}\nPART_ENTRY_OFFSET={}\nPART_ENTRY_SIZE={}\n\
             PART_ENTRY_DISK=8:0\n",
            disk.device(part),
            disk.minimum,
            disk.physical,
            disk.logical,
            part.number,
            part.start / 512,
            part.size / 512
        )
        .unwrap();
    }
    out
}

/// What `Select-String` leaves of `list partition`.
fn diskpart_rows(disk: &Facts) -> String {
    let unit = |bytes: u64| match bytes {
        0..0x30_0000 => format!("{} KB", bytes >> 10),
        0x30_0000..0x3_0000_0000 => format!("{} MB", bytes >> 20),
        _ => format!("{} GB", bytes >> 30),
    };
    let row = |part: &Part| {
        format!(
            "  Partition {}    Primary         {:>9}  {:>7}\n",
            part.number,
            unit(part.size),
            unit(part.start)
        )
    };
    disk.parts.iter().map(row).collect()
}

/// Tracks of twelve blocks of 4 KiB, as every ECKD DASD has.
fn fdasd(disk: &Facts) -> String {
    const TRACK: u64 = 12 * 4096;
    let mut out = format!(
        "reading volume label ..: VOL1\nreading vtoc ..........: ok\n\nDisk /dev/{}:\n  cylinders ............: {}\n\
         \x20 tracks per cylinder ..: 15\n  blocks per track .....: 12\n  bytes per block ......: 4096\n\
         \x20 volume label .........: VOL1\n\n ------------------------------- tracks -------------------------------\n\
         \x20              Device      start      end   length   Id  System\n",
        disk.name,
        disk.size / TRACK / 15
    );
    for part in &disk.parts {
        let (start, count) = (part.start / TRACK, part.size / TRACK);
        writeln!(
            out,
            "          {} {start:>10} {:>8} {count:>8}    {}  Linux native",
            disk.device(part),
            start + count - 1,
            part.number
        )
        .unwrap();
    }
    out
}

/// `fdisk -x`, with cylinders and attributes behind the type.
fn fdisk_x(disk: &Facts) -> String {
    let ss = disk.logical;
    let mut out = format!(
        "Disk /dev/{}: {} GiB, {} bytes, {} sectors\n",
        disk.name,
        disk.size >> 30,
        disk.size,
        disk.size / ss
    );
    if !disk.model.is_empty() {
        writeln!(out, "Disk model: {}", disk.model).unwrap();
    }
    writeln!(
        out,
        "Units: sectors of 1 * {ss} = {ss} bytes\nSector size (logical/physical): {ss} bytes / {} bytes\n\
         I/O size (minimum/optimal): {} bytes / {} bytes\nDisklabel type: {}\nDisk identifier: 0x0002a4c6\n",
        disk.physical,
        disk.minimum,
        disk.optimal,
        disk.table()
    )
    .unwrap();
    out += "Device     Boot  Start       End   Sectors Id Type   Start-C/H/S End-C/H/S Attrs\n";
    for part in &disk.parts {
        let (start, count) = (part.start / ss, part.size / ss);
        writeln!(
            out,
            "{} {start:>12} {:>12} {count:>12} {:>2} Linux        0/1/1   12/254/63 80",
            disk.device(part),
            start + count - 1,
            part.kind
        )
        .unwrap();
    }
    out
}

fn get_partition(disk: &Facts) -> String {
    let mut out = format!(
        "\n\n   DiskPath: {}\n\nPartitionNumber  DriveLetter Offset            Size Type\n\
         ---------------  ----------- ------            ---- ----\n",
        disk.name
    );
    for part in &disk.parts {
        let kind = match part.kind.as_str() {
            "Microsoft_reserved" => "Reserved",
            _ => "Basic",
        };
        writeln!(
            out,
            "{}                            {:<15} {} MB {kind}",
            part.number,
            part.start,
            part.size >> 20
        )
        .unwrap();
    }
    out
}

fn parted_util(disk: &Facts) -> String {
    let mut out = format!(
        "[root@esxi:~] partedUtil getptbl /vmfs/devices/disks/{}\ngpt\n{} 255 63 {}\n",
        disk.name,
        disk.size / 512 / 16065,
        disk.size / 512
    );
    for part in &disk.parts {
        let start = part.start / 512;
        writeln!(
            out,
            "{} {start} {} AA31E02A400F11DB9590000C2911D1B8 vmfs 0",
            part.number,
            start + part.size / 512 - 1
        )
        .unwrap();
    }
    out
}

/// Rows of `fdisk -l` alone, of an image where the disk is one.
fn rows(disk: &Facts, before: &str) -> String {
    let ss = disk.logical;
    let row = |part: &Part| {
        let (start, count) = (part.start / ss, part.size / ss);
        let device = disk.device(part);
        let device = match disk.name.contains('.') {
            true => device.replace("/dev/", ""),
            false => device,
        };
        let kind = &part.kind;
        let size = part.size >> 20;
        format!(
            "{device} {start} {} {count} {size}M {kind} Linux\n",
            start + count - 1
        )
    };
    before.to_owned() + &disk.parts.iter().map(row).collect::<String>()
}

fn rufus(disk: &Facts) -> String {
    let mut out = format!(
        "Found USB 3.0 device 'Stick USB Device' (0781:5581)\n1 device found\n\
         Disk type: Removable, Disk size: {} GB, Sector size: {} bytes\n\
         Cylinders: {}, Tracks per cylinder: 255, Sectors per track: 63\nPartition type: {}, NB Partitions: {}\n\
         Disk ID: 0x69043244\nDrive has a Zeroed Master Boot Record\n",
        disk.size / 1_000_000_000,
        disk.logical,
        disk.size / 512 / 16065,
        if disk.gpt { "GPT" } else { "MBR" },
        disk.parts.len()
    );
    for part in &disk.parts {
        writeln!(
            out,
            "Partition {}:\n  Type: FAT32 LBA (0x0c)\n  Detected File System: FAT32\n  Size: {} MB ({} bytes)\n  \
             Start Sector: {}, Boot: Yes",
            part.number,
            part.size >> 20,
            part.size,
            part.start / disk.logical
        )
        .unwrap();
    }
    out
}

/// `udevadm info`, sorted by key as it prints them.
fn udevadm(disk: &Facts) -> String {
    let mut out = String::new();
    for part in &disk.parts {
        writeln!(
            out,
            "E: DEVNAME={}\nE: DEVPATH=/devices/pci0000:00/block/{}\nE: DEVTYPE=partition\nE: ID_FS_TYPE=ext4\n\
             E: ID_PART_ENTRY_NUMBER={}\nE: ID_PART_ENTRY_OFFSET={}\nE: ID_PART_ENTRY_SIZE={}\nE: ID_PART_TABLE_TYPE=dos\n",
            disk.device(part),
            disk.name,
            part.number,
            part.start / 512,
            part.size / 512
        )
        .unwrap();
    }
    out
}

/// A pool on whole disks: no places at all.
fn zpool(disk: &Facts) -> String {
    format!(
        "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n\
         \t  {}       ONLINE       0     0     0\n\nerrors: No known data errors\n",
        disk.name
    )
}

//! What programs print of one disk, in the forms that people paste.

use std::fmt::Write;

use super::facts::{Facts, Part};
use super::{forms, noise};

/// A form of output, by the name that the table of facts uses.
pub fn render(dialect: &str, disk: &Facts) -> String {
    let (form, around) = dialect.split_once('+').unwrap_or((dialect, ""));
    let text = match form {
        "fdisk" => fdisk(disk, &EN),
        "fdisk-de" => fdisk(disk, &DE),
        "fdisk-fr" => fdisk(disk, &FR),
        "fdisk-zh" => fdisk(disk, &ZH),
        "fdisk-2.20" => old_fdisk(disk, true, true),
        "fdisk-2.14" => old_fdisk(disk, true, false),
        "fdisk-cyl" => old_fdisk(disk, false, true),
        "fdisk-cyl-2.14" => old_fdisk(disk, false, false),
        "busybox" => busybox(disk),
        "sfdisk" => sfdisk(disk, false),
        "sfdisk-old" => sfdisk(disk, true),
        "sfdisk-uS" => counting(disk, 512),
        "sfdisk-uM" => counting(disk, 1 << 20),
        "parted" => parted(disk, &rounded),
        "parted-s" => parted(disk, &|bytes| format!("{}s", bytes / disk.logical)),
        "parted-B" => parted(disk, &|bytes| format!("{bytes}B")),
        "gdisk" => gdisk(disk),
        "lsblk" => lsblk(disk, true),
        "lsblk-plain" => lsblk(disk, false),
        "blockdev" => blockdev(disk),
        "gpart" => gpart(disk),
        other => forms::render(other, disk).unwrap_or_else(|| panic!("no dialect {other}")),
    };
    noise::around(text, around)
}

/// Words of fdisk in a language.
struct Words {
    disk: &'static str,
    units: &'static str,
    sector: &'static str,
    io: &'static str,
    label: &'static str,
    header: [&'static str; 2],
}

const EN: Words = Words {
    disk: "bytes",
    units: "Units: sectors of 1 * SS = SS bytes",
    sector: "Sector size (logical/physical)",
    io: "I/O size (minimum/optimal)",
    label: "Disklabel type",
    header: [
        "Device     Boot Start End Sectors Size Id Type",
        "Device Start End Sectors Size Type",
    ],
};
const DE: Words = Words {
    disk: "Bytes",
    units: "Einheiten: Sektoren von 1 * SS = SS Bytes",
    sector: "Sektorgröße (logisch/physikalisch)",
    io: "E/A-Größe (minimal/optimal)",
    label: "Festplattenbezeichnungstyp",
    header: [
        "Gerät      Boot Anfang Ende Sektoren Größe Kn Typ",
        "Gerät Anfang Ende Sektoren Größe Typ",
    ],
};
const FR: Words = Words {
    disk: "octets",
    units: "Unités : secteur de 1 × SS = SS octets",
    sector: "Taille de secteur (logique / physique)",
    io: "taille d'E/S (minimale / optimale)",
    label: "Type d'étiquette de disque",
    header: [
        "Périphérique Amorçage Début Fin Secteurs Taille Id Type",
        "Périphérique Début Fin Secteurs Taille Type",
    ],
};
const ZH: Words = Words {
    disk: "字节",
    units: "单元：扇区 / 1 * SS = SS 字节",
    sector: "扇区大小(逻辑/物理)",
    io: "I/O 大小(最小/最佳)",
    label: "磁盘标签类型",
    header: [
        "设备       启动 起点 末尾 扇区 大小 Id 类型",
        "设备 起点 末尾 扇区 大小 类型",
    ],
};

fn fdisk(disk: &Facts, words: &Words) -> String {
    let (ss, size) = (disk.logical, disk.size);
    let mut out = format!(
        "Disk /dev/{}: {} GiB, {size} {}, {} sectors\n",
        disk.name,
        size >> 30,
        words.disk,
        size / ss
    );
    if !disk.model.is_empty() {
        writeln!(out, "Disk model: {}", disk.model).unwrap();
    }
    writeln!(out, "{}", words.units.replace("SS", &ss.to_string())).unwrap();
    writeln!(
        out,
        "{}: {ss} bytes / {} bytes",
        words.sector, disk.physical
    )
    .unwrap();
    writeln!(
        out,
        "{}: {} bytes / {} bytes",
        words.io, disk.minimum, disk.optimal
    )
    .unwrap();
    writeln!(
        out,
        "{}: {}\n\n{}",
        words.label,
        disk.table(),
        words.header[usize::from(disk.gpt)]
    )
    .unwrap();
    for part in &disk.parts {
        let (start, sectors) = (part.start / ss, part.size / ss);
        let kind = part.kind.replace('_', " ");
        writeln!(
            out,
            "{} {start} {} {sectors} 1G {kind}",
            disk.device(part),
            start + sectors - 1
        )
        .unwrap();
    }
    out + "\n"
}

/// util-linux 2.14 to 2.22, in sectors (`-u`) or cylinders; `limits`: from 2.17 on.
fn old_fdisk(disk: &Facts, sectors: bool, limits: bool) -> String {
    const CYLINDER: u64 = 255 * 63 * 512;
    let cylinders = disk.size / CYLINDER;
    let mut out = format!(
        "\nDisk /dev/{}: {} GB, {} bytes\n255 heads, 63 sectors/track, {cylinders} cylinders",
        disk.name,
        disk.size / 1_000_000_000,
        disk.size
    );
    match sectors {
        true => writeln!(
            out,
            ", total {} sectors\nUnits = sectors of 1 * 512 = 512 bytes",
            disk.size / 512
        ),
        false => writeln!(out, "\nUnits = cylinders of 16065 * 512 = {CYLINDER} bytes"),
    }
    .unwrap();
    if limits {
        writeln!(
            out,
            "Sector size (logical/physical): 512 bytes / {} bytes",
            disk.physical
        )
        .unwrap();
        writeln!(
            out,
            "I/O size (minimum/optimal): {} bytes / {} bytes",
            disk.minimum, disk.optimal
        )
        .unwrap();
    }
    out += "Disk identifier: 0x000e5dcb\n\n   Device Boot      Start         End      Blocks   Id  System\n";
    for part in &disk.parts {
        let (unit, first) = if sectors { (512, 0) } else { (CYLINDER, 1) };
        let last = (part.start + part.size - 1) / unit + first;
        let odd = if (part.size / 512).is_multiple_of(2) {
            " "
        } else {
            "+"
        };
        writeln!(
            out,
            "{}   {:>12} {last:>12} {:>10}{odd}  {:>2}  Linux",
            disk.device(part),
            part.start / unit + first,
            part.size / 1024,
            part.kind
        )
        .unwrap();
    }
    out + "\n"
}

fn busybox(disk: &Facts) -> String {
    let mut out = format!(
        "Disk /dev/{}: {} GB, {} bytes, {} sectors\n60801 cylinders, 255 heads, 63 sectors/track\n\
         Units: sectors of 1 * 512 = 512 bytes\n\n\
         Device  Boot StartCHS    EndCHS        StartLBA     EndLBA    Sectors  Size Id Type\n",
        disk.name,
        disk.size >> 30,
        disk.size,
        disk.size / 512
    );
    for part in &disk.parts {
        let (start, count) = (part.start / 512, part.size / 512);
        writeln!(
            out,
            "{} *  0,1,1       1023,254,63 {start:>12} {:>10} {count:>10}  1G {:>2} Linux",
            disk.device(part),
            start + count - 1,
            part.kind
        )
        .unwrap();
    }
    out + "\n"
}

fn sfdisk(disk: &Facts, old: bool) -> String {
    let ss = disk.logical;
    let mut out = match old {
        true => format!("# partition table of /dev/{}\nunit: sectors\n\n", disk.name),
        false => format!(
            "label: {}\nlabel-id: 0x0004f28c\ndevice: /dev/{}\nunit: sectors\nsector-size: {ss}\n\n",
            disk.table(),
            disk.name
        ),
    };
    let key = if old { "Id" } else { "type" };
    for part in &disk.parts {
        let (start, count) = (part.start / ss, part.size / ss);
        writeln!(
            out,
            "{} : start={start:>12}, size={count:>12}, {key}={:>2}",
            disk.device(part),
            part.kind
        )
        .unwrap();
    }
    out + "\n"
}

/// sfdisk before 2.26: units from 0, `+` for what was cut.
fn counting(disk: &Facts, unit: u64) -> String {
    let (units, columns) = match unit {
        512 => (
            "sectors of 512 bytes, counting from 0",
            "   #sectors  Id  System",
        ),
        _ => (
            "mebibytes of 1048576 bytes, blocks of 1024 bytes, counting from 0",
            "   MiB    #blocks   Id  System",
        ),
    };
    let mut out = format!(
        "Disk /dev/{}: 30401 cylinders, 255 heads, 63 sectors/track\nUnits = {units}\n\n   Device Boot    Start       End{columns}\n",
        disk.name
    );
    for part in &disk.parts {
        let (end, cut) = (part.start + part.size, |at: u64| {
            if at.is_multiple_of(unit) { " " } else { "+" }
        });
        write!(
            out,
            "{}  {:>9}{} {:>10}{}",
            disk.device(part),
            part.start / unit,
            cut(part.start),
            (end - 1) / unit,
            cut(end)
        )
        .unwrap();
        match unit {
            512 => writeln!(out, " {:>10}  {:>2}  Linux", part.size / 512, part.kind),
            _ => writeln!(
                out,
                " {:>8}{} {:>10}  {:>2}  Linux",
                part.size / unit,
                cut(part.size),
                part.size / 1024,
                part.kind
            ),
        }
        .unwrap();
    }
    out + "\n"
}

/// As libparted rounds (`unit.c`): the largest unit of which there are ten, three digits.
pub fn rounded(bytes: u64) -> String {
    let units = [
        ("TB", 1_000_000_000_000_u64),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("kB", 1000),
    ];
    let (name, unit) = *units
        .iter()
        .find(|(_, unit)| bytes >= unit * 10)
        .unwrap_or(&("B", 1));
    let tenths = (bytes * 10 + unit / 2) / unit;
    match tenths {
        _ if unit == 1 => format!("{bytes}B"),
        0..1000 => format!("{}.{}{name}", tenths / 10, tenths % 10),
        _ => format!("{}{name}", (bytes + unit / 2) / unit),
    }
}

fn parted(disk: &Facts, place: &dyn Fn(u64) -> String) -> String {
    let driver = match disk.name.as_str() {
        name if name.starts_with("nvme") => "nvme",
        name if name.starts_with("mmc") => "sd/mmc",
        name if name.starts_with("vd") => "virtblk",
        name if name.starts_with("xvd") => "xvd",
        _ => "scsi",
    };
    let label = if disk.gpt { "gpt" } else { "msdos" };
    let mut out = format!(
        "Model: {} ({driver})\nDisk /dev/{}: {}\nSector size (logical/physical): {}B/{}B\nPartition Table: {label}\n\
         Disk Flags: \n\nNumber  Start   End     Size    Type      File system  Flags\n",
        disk.model,
        disk.name,
        place(disk.size),
        disk.logical,
        disk.physical
    );
    for part in &disk.parts {
        let end = part.start + part.size - 1;
        writeln!(
            out,
            " {}  {}  {}  {}  {}",
            part.number,
            place(part.start),
            place(end),
            place(part.size),
            flags(disk, part)
        )
        .unwrap();
    }
    out + "\n\n"
}

fn flags(disk: &Facts, part: &Part) -> &'static str {
    match part.kind.as_str() {
        "82" | "Linux_swap" => "primary   linux-swap(v1)",
        "5" | "f" => "extended               lba",
        "EFI_System" => "fat32   EFI  boot, esp",
        "BIOS_boot" => "bios_grub",
        "Microsoft_reserved" => "msftres",
        "iso" => "primary  iso9660  boot",
        _ if disk.gpt => "ext4",
        _ => "primary   ext4",
    }
}

fn gdisk(disk: &Facts) -> String {
    let ss = disk.logical;
    let mut out = format!(
        "GPT fdisk (gdisk) version 1.0.5\n\nDisk /dev/{}: {} sectors, {} GiB\nModel: {}\nSector size (logical/physical): {ss}/{} bytes\n\
         Disk identifier (GUID): 75C58B93-05BD-4879-B6C1-7A372E985E7C\nPartition table holds up to 128 entries\n\
         First usable sector is 34, last usable sector is {}\n\nNumber  Start (sector)    End (sector)  Size       Code  Name\n",
        disk.name,
        disk.size / ss,
        disk.size >> 30,
        disk.model,
        disk.physical,
        disk.size / ss - 34
    );
    for part in &disk.parts {
        let code = match part.kind.as_str() {
            "EFI_System" => "EF00",
            "BIOS_boot" => "EF02",
            "Microsoft_reserved" => "0C01",
            "Linux_swap" => "8200",
            _ => "8300",
        };
        let start = part.start / ss;
        writeln!(
            out,
            "{:>4} {start:>15} {:>15}   1.0 GiB     {code}  x",
            part.number,
            start + part.size / ss - 1
        )
        .unwrap();
    }
    out + "\n"
}

fn lsblk(disk: &Facts, starts: bool) -> String {
    let [rota, tran] = ["rota", "tran"].map(|key| disk.extra(key).unwrap_or("-"));
    let tran = tran.trim_matches('-');
    if !starts {
        let mut out = format!(
            "NAME        MAJ:MIN RM   SIZE RO TYPE MOUNTPOINT\n{:<12} 8:0    0   465G  0 disk\n",
            disk.name
        );
        for part in &disk.parts {
            let name = disk.device(part).replace("/dev/", "");
            writeln!(out, "└─{name:<10} 8:{}    0   465G  0 part", part.number).unwrap();
        }
        return out + "\n";
    }
    let limits = format!(
        "{:>7} {:>7} {:>6} {:>8}",
        disk.physical, disk.logical, disk.minimum, disk.optimal
    );
    let mut out = format!(
        "NAME         TYPE      START PHY-SEC LOG-SEC MIN-IO   OPT-IO ROTA TRAN   MODEL\n{:<12} disk            {limits} {rota:>4} {tran:<6} {}\n",
        disk.name, disk.model
    );
    for part in &disk.parts {
        let name = disk.device(part).replace("/dev/", "");
        writeln!(
            out,
            "└─{name:<10} part {:>10} {limits} {rota:>4}",
            part.start / 512
        )
        .unwrap();
    }
    out + "\n"
}

fn blockdev(disk: &Facts) -> String {
    let mut out = format!(
        "RO    RA   SSZ   BSZ   StartSec            Size   Device\nrw   256 {:>5}  4096          0 {:>15}   /dev/{}\n",
        disk.logical, disk.size, disk.name
    );
    for part in &disk.parts {
        let device = disk.device(part);
        writeln!(
            out,
            "rw   256 {:>5}  4096 {:>10} {:>15}   {device}",
            disk.logical,
            part.start / 512,
            part.size
        )
        .unwrap();
    }
    out + "\n"
}

fn gpart(disk: &Facts) -> String {
    let ss = disk.logical;
    let mut out = format!(
        "=>        34  {}  {}  GPT  ({}G)\n",
        disk.size / ss - 67,
        disk.name,
        disk.size >> 30
    );
    for part in &disk.parts {
        let kind = match part.kind.as_str() {
            "BIOS_boot" => "freebsd-boot",
            "EFI_System" => "efi",
            "Linux_swap" => "freebsd-swap",
            _ => "freebsd-ufs",
        };
        writeln!(
            out,
            "  {:>10}  {:>10}  {}  {kind}  (1.0G)",
            part.start / ss,
            part.size / ss,
            part.number
        )
        .unwrap();
    }
    out + "\n"
}

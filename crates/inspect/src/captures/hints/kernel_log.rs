//! Lines of the kernel's log, and of mkfs, that speak of alignment.
//!
//! The log keeps what sysfs has forgotten: an optimal transfer size that `sd` refused is 0 in sysfs
//! and named in the log (`drivers/scsi/sd.c`, `drivers/md/dm-table.c`, `drivers/md/md.c`).

use ioalign_core::{Remark, SectorSize, Severity, rules};

use crate::captures::reading::{before, leading};
use crate::captures::{Number, Said, Text, TextEvidence, TextFormat};
use crate::error::Result;
use crate::host::hints::{Claims, Transport, optimal_is_bogus};

/// `dmesg`, `journalctl -k`.
pub const FORMAT: TextFormat = TextFormat {
    name: "dmesg",
    command: "dmesg",
    sniff: |text| text.any(|line| RULES.iter().any(|rule| (rule.device)(line).is_some())),
    read,
};

/// Messages that are kept: a failing device repeats its own.
const MOST_MESSAGES: usize = 1 << 10;

/// A message: which device it is about, and what it means.
struct KernelMessage {
    device: fn(&str) -> Option<&str>,
    say: fn(&str, &mut Said),
}

const RULES: &[KernelMessage] = &[
    KernelMessage {
        device: refused,
        say: say_refused,
    },
    KernelMessage {
        device: inconsistent,
        say: say_inconsistent,
    },
    KernelMessage {
        device: md_misaligned,
        say: say_inconsistent,
    },
    KernelMessage {
        device: unaligned_request,
        say: say_unaligned,
    },
    KernelMessage {
        device: improper,
        say: say_improper,
    },
    KernelMessage {
        device: offset_by,
        say: say_offset,
    },
    KernelMessage {
        device: unsupported,
        say: say_unsupported,
    },
    KernelMessage {
        device: logical_blocks,
        say: say_logical,
    },
    KernelMessage {
        device: physical_blocks,
        say: say_physical,
    },
];

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let mut seen: Vec<(usize, &str)> = Vec::new();
    for line in text.lines() {
        for (index, rule) in RULES.iter().enumerate() {
            let Some(device) = (rule.device)(line) else {
                continue;
            };
            if !seen.contains(&(index, device)) && seen.len() < MOST_MESSAGES {
                seen.push((index, device));
                (rule.say)(line.trim(), evidence.device(device));
            }
        }
    }
    Ok(())
}

/// `sdb` of `sd 6:0:0:0: [sdb] …`.
fn bracketed<'a>(line: &'a str, message: &str) -> Option<&'a str> {
    let (head, _) = line.split_once(message)?;
    let (_, rest) = head.rsplit_once('[')?;
    let (device, _) = rest.split_once(']')?;
    let plain = device.starts_with(|c: char| c.is_ascii_lowercase());
    (plain && device.chars().all(|c| c.is_ascii_alphanumeric())).then_some(device)
}

/// What `sd` did not pass on (`sd_validate_opt_xfer_size`, `sd_validate_min_xfer_size`).
fn refused(line: &str) -> Option<&str> {
    let found = ["Optimal transfer size ", "Preferred minimum I/O size "]
        .iter()
        .find_map(|message| bracketed(line, message))?;
    let complaint = [" not a multiple of ", " > ", " < "];
    complaint
        .iter()
        .any(|each| line.contains(each))
        .then_some(found)
}

fn say_refused(line: &str, said: &mut Said) {
    let stated = line
        .split_once("Optimal transfer size ")
        .map(|(_, rest)| rest);
    let bytes = stated
        .filter(|rest| rest.contains("bytes"))
        .and_then(leading);
    let physical = line
        .split_once("physical block size (")
        .and_then(|(_, rest)| leading(rest));
    let arithmetic = bytes.and_then(|bytes| {
        let physical = physical.unwrap_or(512);
        optimal_is_bogus(bytes, 512, physical, physical)
    });
    let why = match arithmetic {
        Some(why) => format!("{why}; the kernel refused it: \"{line}\""),
        None => format!("The kernel refused a size that the device reports: \"{line}\""),
    };
    said.remarks
        .push(Remark::note(rules::BOGUS_HINT, why).advise(
            "Nothing to do: sysfs shows 0 for it; older kernels and other systems may believe it",
        ));
}

/// `…: adding target device sdb1 caused an alignment inconsistency: …, start=33553920`.
fn inconsistent(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("adding target device ")?;
    let (device, rest) = rest.split_once(' ')?;
    rest.starts_with("caused an alignment inconsistency")
        .then_some(device)
}

/// `md0: Warning: Device sdb1 is misaligned`.
fn md_misaligned(line: &str) -> Option<&str> {
    let (head, device) = line.split_once("Warning: Device ")?;
    let device = device.strip_suffix(" is misaligned")?;
    head.contains("md").then_some(device)
}

fn say_inconsistent(line: &str, said: &mut Said) {
    let why = format!("The kernel found it misaligned when a volume was put on it: \"{line}\"");
    said.remarks.push(
        Remark::new(rules::KERNEL_MISALIGNED_STACK, Severity::Misaligned, why)
            .advise("Compare the start of the partition with the units of its disk, and the members of the volume with each other"),
    );
}

/// `sd 0:0:0:0: [sda] tag#0 request not aligned to the logical block size`.
fn unaligned_request(line: &str) -> Option<&str> {
    bracketed(line, "request not aligned to the logical block size")
        .or_else(|| bracketed(line, "Unaligned partial completion"))
}

fn say_unaligned(line: &str, said: &mut Said) {
    let why = format!("Requests fail that are not whole logical blocks: \"{line}\"");
    said.remarks.push(
        Remark::new(rules::REQUEST_BELOW_LOGICAL_BLOCK, Severity::Broken, why)
            .advise("What lies above was made for smaller sectors than this device has"),
    );
}

/// mkfs.xfs: `warning: device is not properly aligned /dev/sdb1`.
fn improper(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("device is not properly aligned")?;
    let device = rest.split_whitespace().next()?;
    device.starts_with("/dev/").then_some(device)
}

fn say_improper(line: &str, said: &mut Said) {
    let why = format!("mkfs found it misaligned: \"{line}\"");
    said.remarks.push(Remark::new(
        rules::MKFS_MISALIGNED,
        Severity::Misaligned,
        why,
    ));
}

/// mke2fs: `/dev/sdb1 alignment is offset by 3584 bytes.`
fn offset_by(line: &str) -> Option<&str> {
    let (device, rest) = line.trim().split_once(" alignment is offset by ")?;
    (leading(rest).is_some() && device.starts_with("/dev/")).then_some(device)
}

fn say_offset(line: &str, said: &mut Said) {
    let offset = line
        .split_once(" offset by ")
        .and_then(|(_, rest)| leading(rest));
    said.alignment_offset = offset.and_then(|bytes| i64::try_from(bytes).ok());
    say_improper(line, said);
}

/// `XFS (sdb1): device supports 4096 byte sectors (not 512)`.
fn unsupported(line: &str) -> Option<&str> {
    let (head, rest) = line.split_once("): device supports ")?;
    let device = head.rsplit_once('(')?.1;
    rest.contains(" byte sectors (not ").then_some(device)
}

fn say_unsupported(line: &str, said: &mut Said) {
    let sector = line
        .split_once("device supports ")
        .and_then(|(_, rest)| leading(rest));
    said.sector = sector.and_then(|bytes| SectorSize::new(u32::try_from(bytes).ok()?));
    let why = format!("The file system was made for other sectors and does not mount: \"{line}\"");
    said.remarks.push(Remark::new(
        rules::LOG_SECTOR_MISMATCH,
        Severity::Broken,
        why,
    ));
}

/// `[sda] 976773168 512-byte logical blocks: (500 GB/466 GiB)`.
fn logical_blocks(line: &str) -> Option<&str> {
    bracketed(line, "-byte logical blocks").filter(|_| logical(line).is_some())
}

fn logical(line: &str) -> Option<(u64, SectorSize)> {
    let (head, _) = line.split_once("-byte logical blocks")?;
    let mut words = head.split_whitespace().rev();
    let sector = words.next()?.parse().ok().and_then(SectorSize::new)?;
    Some((words.next()?.parse().ok()?, sector))
}

fn say_logical(line: &str, said: &mut Said) {
    let Some((count, sector)) = logical(line) else {
        return;
    };
    said.sector = Some(sector);
    said.size = Number::sectors(count, sector);
    said.claims = Some(Claims {
        logical: Some(u64::from(sector.get())),
        transport: Transport::Scsi,
        ..Claims::default()
    });
}

/// `[sda] 4096-byte physical blocks`.
fn physical_blocks(line: &str) -> Option<&str> {
    bracketed(line, "-byte physical blocks")
}

fn say_physical(line: &str, said: &mut Said) {
    let stated = before(&line.replace("-byte", " -byte"), "-byte").and_then(leading);
    said.claims = Some(Claims {
        physical: stated,
        transport: Transport::Scsi,
        ..Claims::default()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_found_with_and_without_time() {
        for line in [
            "[    2.1] sd 6:0:0:0: [sdb] 4096-byte physical blocks",
            "sd 6:0:0:0: [sdb] 4096-byte physical blocks",
            "Nov 21 11:00:00 host kernel: sd 6:0:0:0: [sdb] 4096-byte physical blocks",
        ] {
            assert_eq!(physical_blocks(line), Some("sdb"), "{line}");
        }
        assert_eq!(physical_blocks("4096-byte physical blocks"), None);
    }
}

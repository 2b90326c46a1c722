//! What is mounted and what pages: where file systems and databases are to be looked for.

use std::path::PathBuf;

use ioalign_core::Bytes;

use super::DevNo;
use super::inventory::Inventory;
use super::root::Root;

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The device number of the mount; btrfs and overlay have one without a device.
    pub devno: DevNo,
    /// The kernel name of its block device, where there is one.
    pub device: Option<String>,
    /// The source as mounted: `/dev/sda1`, `tmpfs`.
    pub source: String,
    /// Its mount point.
    pub point: PathBuf,
    /// The part of the file system that is mounted there; `/` but for bind mounts and subvolumes.
    pub part: String,
    /// `ext4`, `xfs`, …
    pub kind: String,
    /// Options of the mount and of the file system, joined by commas.
    pub options: String,
}

/// Paging space in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The device or file.
    pub path: PathBuf,
    /// The kernel name of its block device; `None` for a file.
    pub device: Option<String>,
    /// Size.
    pub size: Bytes,
}

/// Mounts on block devices, from `proc/self/mountinfo` (`proc/1/mountinfo` in a copy).
pub(super) fn mounts(root: &Root, inventory: &Inventory) -> Vec<Mount> {
    let on_devices = |mount: &Mount| mount.device.is_some() || mount.source.starts_with("/dev/");
    all(root, inventory)
        .into_iter()
        .filter(on_devices)
        .collect()
}

/// All mounts, those without a device as well.
pub(super) fn all(root: &Root, inventory: &Inventory) -> Vec<Mount> {
    let text = root
        .text("proc/self/mountinfo")
        .or_else(|_| root.text("proc/1/mountinfo"))
        .unwrap_or_default();
    text.lines()
        .filter_map(parse_mount)
        .map(|mount| {
            let device = device_of(inventory, &mount);
            Mount { device, ..mount }
        })
        .collect()
}

/// `36 35 98:0 /part /point options [tags…] - type source super-options` (proc(5)).
pub fn parse_mount(line: &str) -> Option<Mount> {
    let (front, back) = line.split_once(" - ")?;
    let mut front = front.split(' ').skip(2);
    let devno = DevNo::parse(front.next()?)?;
    let (part, point, options) = (front.next()?, front.next()?, front.next()?);
    let mut back = back.split(' ');
    let (kind, source) = (back.next()?, back.next()?);
    Some(Mount {
        devno,
        device: None,
        source: unescape(source),
        point: PathBuf::from(unescape(point)),
        part: unescape(part),
        kind: kind.to_owned(),
        options: format!("{options},{}", back.next().unwrap_or("")),
    })
}

fn device_of(inventory: &Inventory, mount: &Mount) -> Option<String> {
    let by_number = inventory.by_devno.get(&mount.devno).cloned();
    by_number.or_else(|| by_path(inventory, &mount.source))
}

fn by_path(inventory: &Inventory, path: &str) -> Option<String> {
    let name = path.strip_prefix("/dev/")?.replace('/', "!");
    inventory.blocks.contains_key(&name).then_some(name)
}

/// Blanks, tabs, newlines and backslashes are written as three octal digits.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let code = after.get(..3).and_then(|d| u8::from_str_radix(d, 8).ok());
        match (code, after.get(3..)) {
            (Some(code), Some(tail)) => {
                out.push(char::from(code));
                rest = tail;
            }
            _ => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// `proc/swaps`: path, type, size in KiB.
pub(super) fn swaps(root: &Root, inventory: &Inventory) -> Vec<Swap> {
    let text = root.text("proc/swaps").unwrap_or_default();
    text.lines()
        .skip(1)
        .filter_map(|line| swap(inventory, line))
        .collect()
}

fn swap(inventory: &Inventory, line: &str) -> Option<Swap> {
    let mut words = line.split_whitespace();
    let path = unescape(words.next()?);
    let size = Bytes::new(words.nth(1)?.parse().ok()?).checked_mul(1024)?;
    Some(Swap {
        device: by_path(inventory, &path),
        path: PathBuf::from(path),
        size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mountinfo_lines() {
        let line = "36 35 98:0 /sub /mnt/a\\040b rw,noatime master:1 - ext4 /dev/sda1 rw,errors=x";
        let mount = parse_mount(line).unwrap();
        assert_eq!(
            mount.devno,
            DevNo {
                major: 98,
                minor: 0
            }
        );
        assert_eq!(mount.point, PathBuf::from("/mnt/a b"));
        assert_eq!((mount.part.as_str(), mount.kind.as_str()), ("/sub", "ext4"));
        assert_eq!(mount.options, "rw,noatime,rw,errors=x");
        assert_eq!(parse_mount("36 35 98:0 / /mnt"), None);
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape("a\\134b\\"), "a\\b\\");
        assert_eq!(unescape("\\9é"), "\\9é");
    }
}

//! A second reader of VHDX with sectors of 4096 bytes, which QEMU refuses: written from [MS-VHDX] 2.2 to 2.6 and from
//! nothing else, so that an error of the writer is not an error of its reader as well.

use std::collections::BTreeMap;

use super::convert::image;
use super::*;

const KIB: usize = 1 << 10;
const BAT: &str = "2DC27766-F623-4200-9D64-115E9BFD4A08";
const METADATA: &str = "8B7CA206-4790-4B9A-B8FE-575F050F886E";
const FILE_PARAMETERS: &str = "CAA16737-FA36-4D43-B3B6-33F0AA44E76B";
const DISK_SIZE: &str = "2FA54224-CD1B-4876-B211-5DBED83BF4B8";
const DISK_ID: &str = "BECA12AB-B2E6-4523-93EF-C309E000C746";
const LOGICAL: &str = "8141BF1D-A96F-4709-BA47-F233A8FAAB5F";
const PHYSICAL: &str = "CDA348C7-445D-4471-9CC9-E9885251C556";

/// What is wrong.
type Wrong = String;

/// All that the file says.
struct Virtual {
    logical: u32,
    physical: u32,
    block: u32,
    bytes: Vec<u8>,
}

fn number(bytes: &[u8], at: usize, len: usize) -> Result<u64, Wrong> {
    let field = bytes
        .get(at..at + len)
        .ok_or(format!("byte {at} is past the end"))?;
    Ok(field
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn guid(bytes: &[u8], at: usize) -> Result<String, Wrong> {
    let n = |at, len| number(bytes, at, len);
    let tail: String = (10..16)
        .map(|i| n(at + i, 1).map(|b| format!("{b:02X}")))
        .collect::<Result<_, _>>()?;
    Ok(format!(
        "{:08X}-{:04X}-{:04X}-{:02X}{:02X}-{tail}",
        n(at, 4)?,
        n(at + 4, 2)?,
        n(at + 6, 2)?,
        n(at + 8, 1)?,
        n(at + 9, 1)?
    ))
}

/// CRC-32C (2.2.2), bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg())
        })
    })
}

/// A structure whose checksum is at 4 and counts as zero.
fn summed(file: &[u8], at: usize, len: usize, signature: &[u8]) -> Result<Vec<u8>, Wrong> {
    let found = file.get(at..at + len).ok_or(format!("nothing at {at}"))?;
    ensure(found.starts_with(signature), || {
        format!("no signature at {at}")
    })?;
    let mut zeroed = found.to_vec();
    zeroed[4..8].fill(0);
    let sum = u64::from(crc32c(&zeroed));
    ensure(number(found, 4, 4)? == sum, || {
        format!("the checksum at {at} is wrong")
    })?;
    Ok(found.to_vec())
}

fn ensure(holds: bool, wrong: impl FnOnce() -> Wrong) -> Result<(), Wrong> {
    if holds { Ok(()) } else { Err(wrong()) }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

/// Places in the file that are taken: whole MiB, inside the file, none twice (2.1).
struct Places(Vec<(u64, u64)>, u64);

impl Places {
    fn take(&mut self, at: u64, len: u64) -> Result<(), Wrong> {
        ensure(at.is_multiple_of(MIB) && at >= MIB, || {
            format!("{at} is no place")
        })?;
        ensure(at + len <= self.1, || format!("{at}+{len} is past the end"))?;
        let free = self
            .0
            .iter()
            .all(|(start, size)| at + len <= *start || start + size <= at);
        ensure(free, || format!("{at}+{len} is taken"))?;
        self.0.push((at, len));
        Ok(())
    }
}

/// The header with the larger sequence number (2.2.2); its log has to be empty.
fn header(file: &[u8], places: &mut Places) -> Result<(), Wrong> {
    ensure(file.starts_with(b"vhdxfile"), || {
        "no file identifier".to_owned()
    })?;
    let both = [64 * KIB, 128 * KIB].map(|at| summed(file, at, 4 * KIB, b"head"));
    let [first, second] = both;
    let (first, second) = (first?, second?);
    let sequence = |header: &[u8]| number(header, 8, 8);
    ensure(sequence(&first)? != sequence(&second)?, || {
        "both headers are current".to_owned()
    })?;
    let current = if sequence(&first)? > sequence(&second)? {
        first
    } else {
        second
    };
    let log = guid(&current, 48)?;
    ensure(log == "00000000-0000-0000-0000-000000000000", || {
        format!("log {log} has to be replayed")
    })?;
    for (at, name) in [(16, "file"), (32, "data")] {
        ensure(!guid(&current, at)?.starts_with("00000000-0000"), || {
            format!("no {name} write GUID")
        })?;
    }
    ensure(
        (number(&current, 64, 2)?, number(&current, 66, 2)?) == (0, 1),
        || "versions".to_owned(),
    )?;
    let length = number(&current, 68, 4)?;
    ensure(length > 0 && length.is_multiple_of(MIB), || {
        format!("a log of {length}")
    })?;
    places.take(number(&current, 72, 8)?, length)
}

/// The regions by their GUIDs (2.2.3); both copies say the same.
fn regions(file: &[u8], places: &mut Places) -> Result<BTreeMap<String, (u64, u64)>, Wrong> {
    let first = summed(file, 192 * KIB, 64 * KIB, b"regi")?;
    let second = summed(file, 256 * KIB, 64 * KIB, b"regi")?;
    ensure(first == second, || "the region tables differ".to_owned())?;
    let mut regions = BTreeMap::new();
    for entry in 0..index(number(&first, 8, 4)?) {
        let at = 16 + 32 * entry;
        let (id, offset, length) = (
            guid(&first, at)?,
            number(&first, at + 16, 8)?,
            number(&first, at + 24, 4)?,
        );
        ensure([BAT, METADATA].contains(&id.as_str()), || {
            format!("region {id}")
        })?;
        ensure(number(&first, at + 28, 4)? == 1, || {
            format!("{id} is not required")
        })?;
        ensure(length > 0 && length.is_multiple_of(MIB), || {
            format!("{id} has {length}")
        })?;
        places.take(offset, length)?;
        ensure(
            regions.insert(id.clone(), (offset, length)).is_none(),
            || format!("{id} twice"),
        )?;
    }
    ensure(regions.len() == 2, || "a region is missing".to_owned())?;
    Ok(regions)
}

/// The metadata items (2.6) with their flags: virtual disk 2, required 4.
fn metadata(region: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Wrong> {
    ensure(region.starts_with(b"metadata"), || "no metadata".to_owned())?;
    let mut items = BTreeMap::new();
    for entry in 0..index(number(region, 10, 2)?) {
        let at = 32 + 32 * entry;
        let id = guid(region, at)?;
        let (offset, length) = (
            index(number(region, at + 16, 4)?),
            index(number(region, at + 20, 4)?),
        );
        ensure(offset >= 64 * KIB && length > 0, || {
            format!("{id} is in the table")
        })?;
        let flags = number(region, at + 24, 4)?;
        let wanted = if id == FILE_PARAMETERS { 4 } else { 6 };
        ensure(flags == wanted, || format!("{id} has flags {flags}"))?;
        let item = region
            .get(offset..offset + length)
            .ok_or(format!("{id} is outside"))?;
        ensure(items.insert(id.clone(), item.to_vec()).is_none(), || {
            format!("{id} twice")
        })?;
    }
    Ok(items)
}

fn read(file: &[u8]) -> Result<Virtual, Wrong> {
    let mut places = Places(Vec::new(), file.len() as u64);
    header(file, &mut places)?;
    let regions = regions(file, &mut places)?;
    let part = |id: &str| {
        let (offset, length) = regions[id];
        &file[index(offset)..index(offset + length)]
    };
    let items = metadata(part(METADATA))?;
    let item = |id: &str, at, len| match items.get(id) {
        Some(item) => number(item, at, len),
        None => Err(format!("no item {id}")),
    };
    ensure(items.get(DISK_ID).is_some_and(|id| id.len() == 16), || {
        "no disk id".to_owned()
    })?;
    let block = item(FILE_PARAMETERS, 0, 4)?;
    ensure(item(FILE_PARAMETERS, 4, 4)? == 0, || {
        "fixed, or with a parent".to_owned()
    })?;
    let (size, logical, physical) = (
        item(DISK_SIZE, 0, 8)?,
        item(LOGICAL, 0, 4)?,
        item(PHYSICAL, 0, 4)?,
    );
    for sector in [logical, physical] {
        ensure([512, 4096].contains(&sector), || {
            format!("a sector of {sector}")
        })?;
    }
    ensure(size > 0 && size.is_multiple_of(logical), || {
        format!("{size} bytes")
    })?;
    ensure(
        block.is_power_of_two() && (MIB..=256 * MIB).contains(&block),
        || format!("blocks of {block}"),
    )?;
    let bytes = contents(file, part(BAT), (size, block, logical), &mut places)?;
    let small = |number: u64| u32::try_from(number).unwrap();
    Ok(Virtual {
        logical: small(logical),
        physical: small(physical),
        block: small(block),
        bytes,
    })
}

/// The blocks by the BAT (2.5): after each chunk there is one entry for a sector bitmap.
fn contents(
    file: &[u8],
    bat: &[u8],
    (size, block, logical): (u64, u64, u64),
    places: &mut Places,
) -> Result<Vec<u8>, Wrong> {
    let ratio = (logical << 23) / block;
    let mut bytes = vec![0; index(size)];
    let count = size.div_ceil(block);
    for one in 0..count {
        let entry = number(bat, index(one + one / ratio) * 8, 8)?;
        let (state, reserved, offset) = (entry & 7, entry >> 3 & 0x1_ffff, entry >> 20);
        ensure(reserved == 0, || format!("entry {one}: {entry:x}"))?;
        match state {
            // Not present, undefined, zero, unmapped.
            0..=3 => {}
            6 => {
                places.take(offset * MIB, block)?;
                let (from, to) = (index(offset * MIB), index(one * block));
                let len = index(block.min(size - one * block));
                bytes[to..to + len].copy_from_slice(&file[from..from + len]);
            }
            _ => return Err(format!("entry {one} has state {state}")),
        }
    }
    for bitmap in (1..)
        .map(|chunk| chunk * (ratio + 1) - 1)
        .take_while(|at| *at < count + (count - 1) / ratio)
    {
        ensure(number(bat, index(bitmap) * 8, 8)? == 0, || {
            "a sector bitmap without a parent".to_owned()
        })?;
    }
    Ok(bytes)
}

#[test]
fn a_vhdx_of_4096_is_read_by_another_reader() {
    needs!(Packages);
    let image = image();
    let folder = image.disk.folder();
    let raw = folder.join("raw.img");
    done(&[
        text(image.path()),
        "--convert-sector-size",
        "4096",
        "--output",
        text(&raw),
    ]);
    let vhdx = folder.join("new.vhdx");
    done(&[
        text(image.path()),
        "--convert-sector-size",
        "4096",
        "--output",
        text(&vhdx),
    ]);
    let file = std::fs::read(&vhdx).unwrap();
    let disk = read(&file).unwrap();
    assert_eq!((disk.logical, disk.physical), (4096, 4096));
    assert!(
        disk.bytes == std::fs::read(&raw).unwrap(),
        "contents, blocks of {}",
        disk.block
    );
    assert_eq!(&disk.bytes[4096..4104], b"EFI PART");
    // Written in place, and read by the other reader again: its log is empty afterwards.
    let moved = ["--partition", "2", "--align", "4M", "--apply"];
    done(&[&[text(&vhdx)], &moved[..]].concat());
    let again = read(&std::fs::read(&vhdx).unwrap()).unwrap();
    assert!(again.bytes != disk.bytes && again.logical == 4096);
    // Every field is looked at: one bit, and it is refused.
    let (bat, metadata) = (
        regions(&file, &mut Places(Vec::new(), u64::MAX)).unwrap()[BAT].0,
        regions(&file, &mut Places(Vec::new(), u64::MAX)).unwrap()[METADATA].0,
    );
    for at in [
        0,
        64 * KIB + 20,
        128 * KIB + 70,
        192 * KIB + 17,
        256 * KIB + 9,
        index(metadata) + 3,
        index(metadata) + 33,
        index(bat),
    ] {
        let mut broken = file.clone();
        broken[at] ^= 1;
        assert!(read(&broken).is_err(), "byte {at}");
    }
}

/// An image for both sectors says one of them: the one that it came from.
#[test]
fn a_universal_vhdx_keeps_its_sector() {
    needs!(Packages);
    let image = image();
    let vhdx = image.disk.folder().join("both.vhdx");
    done(&[text(image.path()), "--universal", "--output", text(&vhdx)]);
    let disk = read(&std::fs::read(&vhdx).unwrap()).unwrap();
    assert_eq!(disk.logical, 512);
    assert_eq!(
        (&disk.bytes[512..520], &disk.bytes[4096..4104]),
        (&b"EFI PART"[..], &b"EFI PART"[..])
    );
}

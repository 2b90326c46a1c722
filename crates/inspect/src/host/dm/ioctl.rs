//! `DM_TABLE_STATUS` on `/dev/mapper/control`: the table of a live device. Needs root.

use std::fs::File;
use std::io;

use ioalign_core::Bytes;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

use super::table::{DmSegment, MOST_SEGMENTS, Table, segment};
use crate::host::DevNo;

/// `struct dm_ioctl` of `linux/dm-ioctl.h`.
#[repr(C)]
#[derive(Clone)]
struct DmIoctlHead {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event_nr: u32,
    padding: u32,
    dev: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
}

/// The header followed by room for the answer.
#[repr(C)]
struct DmCall<const ROOM: usize> {
    head: DmIoctlHead,
    room: [u8; ROOM],
}

const HEAD: usize = size_of::<DmIoctlHead>();
/// `struct dm_target_spec`: sector_start, length (u64), status, next (32 bits), type (16 bytes).
const SPEC: usize = 40;
const TABLE_STATUS: Opcode = opcode::read_write::<DmIoctlHead>(0xfd, 12);

const STATUS_TABLE: u32 = 1 << 4;
const BUFFER_FULL: u32 = 1 << 8;
const NOFLUSH: u32 = 1 << 11;
/// The kernel wipes its copy of the answer, which may hold a crypt key.
const SECURE_DATA: u32 = 1 << 15;

const SMALL: usize = 16 << 10;
const LARGE: usize = 4 << 20;

/// The table of the device with this number.
pub(super) fn table(control: &File, devno: DevNo) -> io::Result<Table> {
    match call::<SMALL>(control, devno)? {
        Some(table) => Ok(table),
        None => call::<LARGE>(control, devno)?
            .ok_or_else(|| io::Error::other("the table is larger than 4 MiB")),
    }
}

/// One call; `None` when the answer does not fit.
fn call<const ROOM: usize>(control: &File, devno: DevNo) -> io::Result<Option<Table>> {
    let mut answer = answer::<ROOM>(devno)?;
    // SAFETY: the opcode is DM_TABLE_STATUS, which takes a `dm_ioctl` (`Head`, same layout)
    // followed by a buffer; `data_size` is the size of both together, and the kernel writes no
    // further. The box is alive and borrowed by nobody else. The command changes no device.
    unsafe {
        ioctl(
            control,
            Updater::<TABLE_STATUS, DmCall<ROOM>>::new(&mut answer),
        )
    }?;
    if answer.head.flags & BUFFER_FULL != 0 {
        return Ok(None);
    }
    let start = usize::try_from(answer.head.data_start).unwrap_or(usize::MAX);
    let count = usize::try_from(answer.head.target_count).unwrap_or(0);
    let table = parse(
        answer
            .room
            .get(start.saturating_sub(HEAD)..)
            .unwrap_or_default(),
        count,
    );
    answer.room.fill(0);
    Ok(Some(table))
}

/// A zeroed call on the heap: 4 MiB have no place on a stack.
fn answer<const ROOM: usize>(devno: DevNo) -> io::Result<Box<DmCall<ROOM>>> {
    let too_large = |_| io::Error::other("buffer too large");
    let mut call = Box::<DmCall<ROOM>>::new_uninit();
    // SAFETY: `Call` is plain integers and byte arrays, for which all zeros is a valid value.
    let mut call = unsafe {
        call.as_mut_ptr().write_bytes(0, 1);
        call.assume_init()
    };
    call.head.version = [4, 0, 0];
    call.head.data_size = u32::try_from(size_of::<DmCall<ROOM>>()).map_err(too_large)?;
    call.head.data_start = u32::try_from(HEAD).map_err(too_large)?;
    call.head.flags = STATUS_TABLE | NOFLUSH | SECURE_DATA;
    call.head.dev = encode(devno);
    Ok(call)
}

/// `huge_encode_dev`: the kernel's 64-bit form with split minor.
fn encode(devno: DevNo) -> u64 {
    let (major, minor) = (u64::from(devno.major), u64::from(devno.minor));
    (minor & 0xff) | ((major & 0xfff) << 8) | ((minor & !0xff) << 12)
}

/// The specs of an answer; `next` counts from the first spec.
fn parse(bytes: &[u8], count: usize) -> Table {
    let mut table = Table::new();
    let mut at = 0_usize;
    for _ in 0..count.min(MOST_SEGMENTS) {
        let Some((found, next)) = spec(bytes, at) else {
            break;
        };
        table.push(found);
        if next <= at {
            break;
        }
        at = next;
    }
    table
}

fn spec(bytes: &[u8], at: usize) -> Option<(DmSegment, usize)> {
    let long = |at: usize| {
        let raw = bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_le_bytes(raw.try_into().ok()?))
    };
    let start = Bytes::new(long(at)?).checked_mul(512)?;
    let len = Bytes::new(long(at.checked_add(8)?)?).checked_mul(512)?;
    let next = usize::try_from(long(at.checked_add(16)?)? >> 32).ok()?;
    let target = text(bytes.get(at.checked_add(24)?..at.checked_add(SPEC)?)?);
    let args = text(bytes.get(at.checked_add(SPEC)?..)?);
    let segment = segment(start, len, target, args.split_whitespace());
    Some((segment, next))
}

/// Text up to the first NUL.
fn text(bytes: &[u8]) -> &str {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    std::str::from_utf8(bytes.get(..end).unwrap_or_default()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_kernels_sizes() {
        assert_eq!(HEAD, 312);
        assert_eq!(TABLE_STATUS, 0xC138_FD0C);
        assert_eq!(size_of::<DmCall<SMALL>>(), HEAD + SMALL);
    }

    #[test]
    fn device_numbers_are_encoded_as_the_kernel_does() {
        let devno = |major, minor| encode(DevNo { major, minor });
        assert_eq!(devno(253, 0), 0xfd00);
        assert_eq!(devno(253, 256), 0x10_fd00);
    }

    fn one(start: u64, len: u64, next: u32, target: &str, args: &str) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(start.to_le_bytes());
        out.extend(len.to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend(next.to_le_bytes());
        let mut name = target.as_bytes().to_vec();
        name.resize(16, 0);
        out.extend(name);
        out.extend(args.as_bytes());
        out.push(0);
        out
    }

    #[test]
    fn answers_are_read_and_damage_is_survived() {
        let mut bytes = one(0, 8, 64, "linear", "8:1 2048");
        bytes.resize(64, 0);
        bytes.extend(one(8, 8, 128, "crypt", "aes deadbeef 0 8:2 0"));
        let table = parse(&bytes, 2);
        assert_eq!(table.len(), 2);
        assert_eq!(table[0].bytes(1), Some(Bytes::MIB));
        assert_eq!(table[1].word(1), Some("-"), "no key");
        for cut in 0..bytes.len() {
            let _ = parse(&bytes[..cut], usize::MAX);
        }
        bytes[20] = 0;
        assert_eq!(parse(&bytes, usize::MAX).len(), 1, "no loop");
    }
}

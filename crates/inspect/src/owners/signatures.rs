//! Magic numbers and their places: what `wipefs` takes away, and what no reader knows.
//!
//! Places as in the kernel's headers and libblkid's probes (`libblkid/src/superblocks`).

use ioalign_core::on_disk::bytes::{le16, le32, u8_at};

use super::{Owner, OwnerKind, Removal};
use crate::error::Result;
use crate::view::View;

/// Where a magic number lies.
#[derive(Copy, Clone, Debug)]
enum At {
    /// At this byte.
    Start(u64),
    /// In the sector of 512 bytes that is this many before the end, at this byte of it.
    End(u64, u64),
    /// The same in sectors of 4096 bytes.
    End4k(u64, u64),
}

impl At {
    fn of(self, len: u64) -> Option<u64> {
        let (sector, back, at) = match self {
            Self::Start(at) => return Some(at),
            Self::End(back, at) => (512, back, at),
            Self::End4k(back, at) => (4096, back, at),
        };
        let number = (len / sector).checked_sub(back)?;
        number.checked_mul(sector)?.checked_add(at)
    }
}

/// The magic number of a format that a reader knows.
struct Known {
    format: &'static str,
    at: At,
    magic: &'static [u8],
}

const fn known(format: &'static str, at: u64, magic: &'static [u8]) -> Known {
    let at = At::Start(at);
    Known { format, at, magic }
}

const fn at_end(format: &'static str, at: At, magic: &'static [u8]) -> Known {
    Known { format, at, magic }
}

const BCACHE: &[u8] = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
const BCACHEFS: &[u8] = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";
const DDF: &[u8] = b"\xde\x11\xde\x11";
const DDF_LITTLE: &[u8] = b"\x11\xde\x11\xde";
const IMSM: &[u8] = b"Intel Raid ISM Cfg Sig. ";
const STRATIS: &[u8] = b"!Stra0tis\x86\xff\x02^Arh";

/// What `wipefs` erases of each format; the first that is there counts. Formats that are told by several places
/// at once, or by none, are not here.
const KNOWN: &[Known] = &[
    at_end("imsm", At::End(2, 0), IMSM),
    at_end("imsm", At::End4k(2, 0), IMSM),
    at_end("ddf", At::End(1, 0), DDF),
    at_end("ddf", At::End(1, 0), DDF_LITTLE),
    at_end("ddf", At::End(257, 0), DDF),
    at_end("ddf", At::End(257, 0), DDF_LITTLE),
    known("bcache", 0x1018, BCACHE),
    known("luks", 0, b"LUKS\xba\xbe"),
    known("bitlocker", 0, b"\xeb\x52\x90-FVE-FS-"),
    known("bitlocker", 0, b"\xeb\x58\x90-FVE-FS-"),
    known("bitlocker", 0, b"\xeb\x58\x90MSWIN4.1"),
    known("lvm2", 0x218, b"LVM2 001"),
    known("lvm2", 0x018, b"LVM2 001"),
    known("lvm2", 0x418, b"LVM2 001"),
    known("lvm2", 0x618, b"LVM2 001"),
    known("stratis", 0x204, STRATIS),
    known("stratis", 0x1204, STRATIS),
    known("vdo", 0, b"dmvdo001"),
    known("bluestore", 0, b"bluestore block device"),
    known("integrity", 0, b"integrt\0"),
    known("snapshot-cow", 0, b"SnAp"),
    known("ext", 0x438, b"\x53\xef"),
    known("f2fs", 0x400, b"\x10\x20\xf5\xf2"),
    known("erofs", 0x400, b"\xe2\xe1\xf5\xe0"),
    known("hfsplus", 0x400, b"H+"),
    known("hfsplus", 0x400, b"HX"),
    known("nilfs2", 0x406, b"\x34\x34"),
    known("xfs", 0, b"XFSB"),
    known("ntfs", 3, b"NTFS    "),
    known("exfat", 3, b"EXFAT   "),
    known("refs", 0, b"\0\0\0ReFS\0"),
    known("squashfs", 0, b"hsqs"),
    known("apfs", 0x20, b"NXSB"),
    known("bcachefs", 0x1018, BCACHEFS),
    known("bcachefs", 0x1018, BCACHE),
    known("jfs", 0x8000, b"JFS1"),
    known("btrfs", 0x1_0040, b"_BHRfS_M"),
    known("ufs", 0x1_055c, b"\x19\x01\x54\x19"),
    known("ufs", 0x1_055c, b"\x19\x54\x01\x19"),
    known("ufs", 0x255c, b"\x54\x19\x01\0"),
    known("ufs", 0x255c, b"\0\x01\x19\x54"),
    known("ufs", 0x4_055c, b"\x19\x01\x54\x19"),
    known("udf", 0x8001, b"BEA01"),
    known("iso9660", 0x8001, b"CD001"),
    known("vmfs", 0x10_0000, b"\x0d\xd0\x01\xc0"),
    known("vmfs", 0x20_0000, b"\x5e\xf1\xab\x2f"),
    known("hfs", 0x400, b"BD"),
    // The jump, which a table does not need; the signature behind it belongs to both.
    known("fat", 0, b"\xeb"),
    known("fat", 0, b"\xe9"),
];

#[cfg(test)]
pub(super) fn is_known(format: &str) -> bool {
    KNOWN.iter().any(|one| one.format == format)
}

/// Pages of swap, whose signature ends the first one.
const PAGES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// The byte at which `wipefs` finds what a reader recognised.
pub(super) fn place(view: &View, format: &str) -> Result<Option<u64>> {
    if format == "swap" {
        return swap(view);
    }
    for one in KNOWN.iter().filter(|one| one.format == format) {
        if let Some(at) = one.at.of(view.len())
            && view.has(at, one.magic)?
        {
            return Ok(Some(at));
        }
    }
    crate::filesystems::known_magic(view, format)
}

fn swap(view: &View) -> Result<Option<u64>> {
    for page in PAGES {
        for magic in [
            &b"SWAPSPACE2"[..],
            b"SWAP-SPACE",
            b"S1SUSPEND",
            b"S2SUSPEND",
            b"ULSUSPEND",
            b"LINHIB0001",
        ] {
            if view.has(page - 10, magic)? {
                return Ok(Some(page - 10));
            }
        }
    }
    Ok(None)
}

type Check = fn(&View, u64) -> Result<bool>;

/// What no reader knows.
#[derive(Copy, Clone)]
struct Bare {
    format: &'static str,
    what: &'static str,
    kind: OwnerKind,
    at: At,
    magic: &'static [u8],
    /// Further proof, where the magic number is short.
    check: Check,
}

const fn bare(
    format: &'static str,
    what: &'static str,
    kind: OwnerKind,
    at: At,
    magic: &'static [u8],
) -> Bare {
    Bare {
        format,
        what,
        kind,
        at,
        magic,
        check: |_, _| Ok(true),
    }
}

const fn firmware(
    format: &'static str,
    what: &'static str,
    back: u64,
    magic: &'static [u8],
) -> Bare {
    bare(
        format,
        what,
        OwnerKind::FirmwareRaid,
        At::End(back, 0),
        magic,
    )
}

const fn short(bare: Bare, check: Check) -> Bare {
    Bare { check, ..bare }
}

const PROMISE: &str = "a member of a Promise firmware RAID set";
const PROMISE_MAGIC: &[u8] = b"Promise Technology, Inc.";
const HIGHPOINT: &str = "a member of a HighPoint firmware RAID set";
const HIGHPOINT_AT: At = At::Start(0x1220);
const MINIX: &str = "the file system minix";

const BARE: &[Bare] = &[
    firmware(
        "adaptec",
        "a member of an Adaptec firmware RAID set",
        1,
        b"\x37\xfc\x4d\x1e",
    ),
    firmware(
        "lsi",
        "a member of an LSI MegaRAID firmware set",
        1,
        b"$XIDE$",
    ),
    firmware(
        "nvidia",
        "a member of an NVIDIA firmware RAID set",
        2,
        b"NVIDIA  ",
    ),
    firmware("hpt45x", HIGHPOINT, 11, b"\xf3\x16\x78\x5a"),
    firmware("hpt45x", HIGHPOINT, 11, b"\xfd\x16\x78\x5a"),
    bare(
        "hpt37x",
        HIGHPOINT,
        OwnerKind::FirmwareRaid,
        HIGHPOINT_AT,
        b"\xf0\x16\x78\x5a",
    ),
    bare(
        "hpt37x",
        HIGHPOINT,
        OwnerKind::FirmwareRaid,
        HIGHPOINT_AT,
        b"\xfd\x16\x78\x5a",
    ),
    firmware("promise", PROMISE, 63, PROMISE_MAGIC),
    firmware("promise", PROMISE, 255, PROMISE_MAGIC),
    firmware("promise", PROMISE, 256, PROMISE_MAGIC),
    firmware("promise", PROMISE, 16, PROMISE_MAGIC),
    firmware("promise", PROMISE, 399, PROMISE_MAGIC),
    firmware("promise", PROMISE, 591, PROMISE_MAGIC),
    firmware("promise", PROMISE, 675, PROMISE_MAGIC),
    firmware("promise", PROMISE, 735, PROMISE_MAGIC),
    firmware("promise", PROMISE, 911, PROMISE_MAGIC),
    firmware("promise", PROMISE, 974, PROMISE_MAGIC),
    firmware("promise", PROMISE, 991, PROMISE_MAGIC),
    firmware("promise", PROMISE, 951, PROMISE_MAGIC),
    firmware("promise", PROMISE, 3087, PROMISE_MAGIC),
    short(
        bare(
            "silicon",
            "a member of a Silicon Image firmware RAID set",
            OwnerKind::FirmwareRaid,
            At::End(1, 0x60),
            b"\0\0\0\x2f",
        ),
        silicon,
    ),
    short(
        firmware(
            "jmicron",
            "a member of a JMicron firmware RAID set",
            1,
            b"JM",
        ),
        jmicron,
    ),
    short(
        firmware("via", "a member of a VIA firmware RAID set", 1, b"\x55\xaa"),
        via,
    ),
    bare(
        "drbdmanage",
        "the control volume of drbdmanage",
        OwnerKind::Volume,
        At::Start(0),
        b"$DRBDmgr=q",
    ),
    bare(
        "drbd-proxy",
        "the log of a DRBD proxy",
        OwnerKind::Volume,
        At::Start(0),
        b"DRBDdlh*",
    ),
    bare(
        "verity",
        "the hashes of dm-verity",
        OwnerKind::Volume,
        At::Start(0),
        b"verity\0\0",
    ),
    bare(
        "oracleasm",
        "a disk of Oracle ASM",
        OwnerKind::Volume,
        At::Start(32),
        b"ORCLDISK",
    ),
    bare(
        "ocfs",
        "the file system ocfs",
        OwnerKind::Filesystem,
        At::Start(0x2000),
        b"OracleCFS",
    ),
    bare(
        "exfs",
        "the file system exfs",
        OwnerKind::Filesystem,
        At::Start(0),
        b"EXFS",
    ),
    bare(
        "bcachefs",
        "a device of bcachefs (a copy of its superblock)",
        OwnerKind::Volume,
        At::Start(0x20_0018),
        BCACHEFS,
    ),
    bare(
        "bcachefs",
        "a device of bcachefs (a copy of its superblock)",
        OwnerKind::Volume,
        At::End(2048, 24),
        BCACHEFS,
    ),
    short(
        bare(
            "nilfs2",
            "the file system nilfs2 (the copy of its superblock)",
            OwnerKind::Filesystem,
            At::End(8, 6),
            b"\x34\x34",
        ),
        nilfs,
    ),
    short(
        bare(
            "minix",
            MINIX,
            OwnerKind::Filesystem,
            At::Start(0x410),
            b"\x7f\x13",
        ),
        minix,
    ),
    short(
        bare(
            "minix",
            MINIX,
            OwnerKind::Filesystem,
            At::Start(0x410),
            b"\x8f\x13",
        ),
        minix,
    ),
    short(
        bare(
            "minix",
            MINIX,
            OwnerKind::Filesystem,
            At::Start(0x410),
            b"\x68\x24",
        ),
        minix,
    ),
    short(
        bare(
            "minix",
            MINIX,
            OwnerKind::Filesystem,
            At::Start(0x410),
            b"\x78\x24",
        ),
        minix,
    ),
    short(
        bare(
            "minix",
            MINIX,
            OwnerKind::Filesystem,
            At::Start(0x418),
            b"\x5a\x4d",
        ),
        minix3,
    ),
];

/// The copy of a superblock that is found when the first one is gone.
fn nilfs(view: &View, magic: u64) -> Result<bool> {
    crate::filesystems::simple::is_nilfs(view, magic - 6)
}

/// Looks for what no reader knows.
pub(super) fn find(view: &View, found: &mut Vec<Owner>) -> Result<()> {
    for one in BARE {
        let Some(at) = one.at.of(view.len()) else {
            continue;
        };
        // The copy of what is named already.
        let is_named = found.iter().any(|owner| owner.format == one.format);
        if is_named || !view.has(at, one.magic)? || !(one.check)(view, at)? {
            continue;
        }
        found.push(Owner {
            format: one.format,
            what: one.what.to_owned(),
            kind: one.kind,
            // `wipefs` knows the first superblock of bcachefs alone.
            removal: (one.format != "bcachefs").then_some(Removal::At(at)),
        });
    }
    LUKS_COPIES
        .into_iter()
        .try_for_each(|at| luks_copy(view, at, found))
}

/// Where the second header of LUKS2 may be, which names its place.
const LUKS_COPIES: [u64; 9] = [
    0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000,
];

/// The second header, where the first one was overwritten.
fn luks_copy(view: &View, at: u64, found: &mut Vec<Owner>) -> Result<()> {
    if found.iter().any(|one| one.format == "luks") || !view.has(at, b"SKUL\xba\xbe")? {
        return Ok(());
    }
    let here = view.try_record(at, 512)?;
    if here.is_some_and(|header| header.be64(256) == at) {
        found.push(Owner {
            format: "luks",
            what: "a LUKS volume, of which only the second header is left".to_owned(),
            kind: OwnerKind::Volume,
            removal: Some(Removal::At(at)),
        });
    }
    Ok(())
}

/// Sum of 16-bit words up to the checksum, negated.
fn silicon(view: &View, magic: u64) -> Result<bool> {
    let Some(record) = view.try_record(magic - 0x60, 512)? else {
        return Ok(false);
    };
    let sum = words(record.slice(0, 0x13e)).fold(0_u16, u16::wrapping_add);
    Ok(record.u8(0x116) < 8 && sum.wrapping_neg() == record.le16(0x13e))
}

/// 16-bit words that sum to 0 or 1.
fn jmicron(view: &View, at: u64) -> Result<bool> {
    let Some(record) = view.try_record(at, 128)? else {
        return Ok(false);
    };
    let sum = words(record.bytes()).fold(0_u16, u16::wrapping_add);
    Ok(sum <= 1 && record.u8(0x30) <= 5)
}

/// A sum of the 50 bytes before the checksum.
fn via(view: &View, at: u64) -> Result<bool> {
    let Some(record) = view.try_record(at, 51)? else {
        return Ok(false);
    };
    let bytes = record.slice(0, 50).iter();
    let sum = bytes.fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    Ok(record.u8(2) <= 2 && sum == record.u8(50))
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks_exact(2).map(|word| le16(word, 0))
}

/// `struct minix_super_block`: as many maps as its inodes and zones need, and states that exist.
fn minix(view: &View, magic: u64) -> Result<bool> {
    let Some(sb) = view.try_record(magic - 16, 64)? else {
        return Ok(false);
    };
    let sb = sb.bytes();
    let second = matches!(le16(sb, 16), 0x2468 | 0x2478);
    let zones = match second {
        true => u64::from(le32(sb, 20)),
        false => u64::from(le16(sb, 2)),
    };
    let (inodes, maps, zone_maps) = (u64::from(le16(sb, 0)), le16(sb, 4), le16(sb, 6));
    let enough = |maps: u16, things: u64| u64::from(maps) * 8192 > things;
    let sound = u8_at(sb, 18) <= 3 && u8_at(sb, 19) == 0 && le16(sb, 10) == 0;
    Ok(sound && inodes > 0 && zones > 0 && enough(maps, inodes) && enough(zone_maps, zones))
}

/// `struct minix3_super_block`, with a block of its own.
fn minix3(view: &View, magic: u64) -> Result<bool> {
    let Some(sb) = view.try_record(magic - 24, 64)? else {
        return Ok(false);
    };
    let block = sb.le16(28);
    let (inodes, maps) = (u64::from(sb.le32(0)), u64::from(sb.le16(6)));
    Ok(block.is_power_of_two()
        && block >= 1024
        && inodes > 0
        && maps * u64::from(block) * 8 > inodes)
}

//! What single L1 and L2 entries mean.

use super::super::guest::{GuestPiece, GuestSpan};
use super::header::Qcow2Header;

/// The offset of an L2 table or a cluster: bits 9 to 55.
const OFFSET: u64 = 0x00FF_FFFF_FFFF_FE00;
const COMPRESSED: u64 = 1 << 62;
const COPIED: u64 = 1 << 63;
/// Standard entries of version 3 only: the cluster reads as zeros.
const ZERO: u64 = 1;
/// Subclusters of a cluster with extended entries.
const PARTS: u32 = 32;

/// Why an entry cannot be followed.
pub type Bad = &'static str;

/// All that the tables' geometry depends on.
pub struct Qcow2Shape {
    /// 2 or 3.
    pub version: u32,
    /// A cluster has `1 << cluster_bits` bytes.
    pub cluster_bits: u32,
    /// 32 subclusters a cluster.
    pub extended: bool,
    /// Data are in another file.
    pub external: bool,
    /// Bytes of the disk.
    pub size: u64,
    /// The place of the L1 table.
    pub l1_offset: u64,
    /// Entries of it.
    pub l1_entries: u64,
    /// Bytes of the file.
    pub file_len: u64,
}

impl Qcow2Shape {
    pub(super) const fn new(header: &Qcow2Header, file_len: u64) -> Self {
        Self {
            version: header.version,
            cluster_bits: header.cluster_bits,
            extended: header.extended,
            external: header.external,
            size: header.size,
            l1_offset: header.l1_offset,
            l1_entries: header.l1_entries,
            file_len,
        }
    }

    /// Bytes a cluster.
    pub const fn cluster(&self) -> u64 {
        1 << self.cluster_bits
    }

    /// Bytes a subcluster.
    pub const fn subcluster(&self) -> u64 {
        self.cluster() / 32
    }

    /// Bytes an L2 entry.
    pub const fn entry(&self) -> u64 {
        if self.extended { 16 } else { 8 }
    }

    /// Bytes of guest data that one L2 table maps.
    pub const fn span(&self) -> u64 {
        self.cluster() / self.entry() * self.cluster()
    }

    /// The place of the L2 table of an L1 entry; `None` when nothing of its span is allocated.
    pub fn table(&self, entry: u64) -> Result<Option<u64>, Bad> {
        let at = entry & OFFSET;
        if at == 0 {
            return Ok(None);
        }
        if at & (self.cluster() - 1) != 0 {
            return Err("an L2 table that is not at a cluster");
        }
        if at + self.cluster() > self.file_len {
            return Err("an L2 table behind the end of the file");
        }
        let l1_end = self.l1_offset + self.l1_entries * 8;
        if at < l1_end && at + self.cluster() > self.l1_offset {
            return Err("an L2 table that lies in the L1 table");
        }
        Ok(Some(at))
    }

    /// What the cluster at guest address `guest` is.
    pub fn read(&self, entry: u64, bitmap: u64, guest: u64) -> Result<Cluster, Bad> {
        if entry & COMPRESSED != 0 {
            if self.external {
                return Err("a compressed cluster, though data are in an external file");
            }
            return Ok(Cluster::Packed(entry & !(COPIED | COMPRESSED)));
        }
        let at = self.allocated(entry, guest)?;
        if self.extended {
            return parts(at, bitmap);
        }
        match (entry & ZERO != 0, at) {
            (true, _) if self.version < 3 => Err("a zero cluster in a version 2 image"),
            (true, _) => Ok(Cluster::Zero),
            (false, Some(at)) => Ok(Cluster::Stored(at)),
            (false, None) => Ok(Cluster::Below),
        }
    }

    /// The host offset of an entry that is not compressed.
    fn allocated(&self, entry: u64, guest: u64) -> Result<Option<u64>, Bad> {
        let at = entry & OFFSET;
        // Offset 0 is the header, so nothing is there; in an external file it is guest
        // cluster 0, and the copied flag says.
        if at == 0 && !(self.external && entry & COPIED != 0) {
            return Ok(None);
        }
        if at & (self.cluster() - 1) != 0 {
            return Err("a data cluster that is not at a cluster");
        }
        if self.external && at != guest {
            return Err("a cluster whose place in the external file is not its guest address");
        }
        Ok(Some(at))
    }

    /// The start of the compressed bytes of a descriptor, and the most there can be.
    ///
    /// The sector count says how many more 512-byte sectors the data touch.
    pub const fn packed(&self, key: u64) -> (u64, u64) {
        let offset_bits = 62 - (self.cluster_bits - 8);
        let at = key & ((1 << offset_bits) - 1);
        let sectors = (key >> offset_bits) + 1;
        (at, sectors * 512 - at % 512)
    }
}

/// Bits 0 to 31 of the bitmap: subcluster allocated; 32 to 63: reads as zeros.
fn parts(at: Option<u64>, bitmap: u64) -> Result<Cluster, Bad> {
    let (stored, zero) = (bitmap & 0xFFFF_FFFF, bitmap >> 32);
    if stored & zero != 0 {
        return Err("a subcluster that is both stored and zero");
    }
    // Without a host cluster, allocation bits mean nothing (as in QEMU).
    let stored = if at.is_some() { stored } else { 0 };
    match (stored, zero, at) {
        (0, 0, _) => Ok(Cluster::Below),
        (0, 0xFFFF_FFFF, _) => Ok(Cluster::Zero),
        (0xFFFF_FFFF, _, Some(at)) => Ok(Cluster::Stored(at)),
        _ => Ok(Cluster::Parts {
            at: at.unwrap_or(0),
            stored,
            zero,
        }),
    }
}

/// The kind of a guest cluster.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// The backing image's.
    Below,
    /// Zeros.
    Zero,
    /// At this offset of the data file.
    Stored(u64),
    /// Compressed, with this descriptor.
    Packed(u64),
    /// Subclusters that differ, lowest bit first.
    Parts {
        /// The host cluster's offset.
        at: u64,
        /// Which are stored there.
        stored: u64,
        /// Which are zeros.
        zero: u64,
    },
}

impl Cluster {
    /// What stands `within` bytes into the cluster, and how long it goes on.
    pub fn span(self, within: u64, shape: &Qcow2Shape) -> GuestSpan {
        let room = shape.cluster() - within;
        let stored = |at: u64| GuestPiece::Stored {
            file: 0,
            at: at + within,
        };
        let piece = match self {
            Self::Below => GuestPiece::Below,
            Self::Zero => GuestPiece::Zero,
            Self::Stored(at) => stored(at),
            Self::Packed(key) => GuestPiece::Packed { key, within },
            Self::Parts { at, stored, zero } => return part_span(at, stored, zero, within, shape),
        };
        GuestSpan { piece, room }
    }
}

fn part_span(at: u64, stored: u64, zero: u64, within: u64, shape: &Qcow2Shape) -> GuestSpan {
    let kind = |i: u32| (stored >> i & 1, zero >> i & 1);
    let first = u32::try_from(within / shape.subcluster()).map_or(PARTS - 1, |i| i.min(PARTS - 1));
    let next = (first..PARTS).find(|i| kind(*i) != kind(first));
    let end = u64::from(next.unwrap_or(PARTS)) * shape.subcluster();
    let piece = match kind(first) {
        (1, _) => GuestPiece::Stored {
            file: 0,
            at: at + within,
        },
        (_, 1) => GuestPiece::Zero,
        _ => GuestPiece::Below,
    };
    let room = end - within;
    GuestSpan { piece, room }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Qcow2Shape = Qcow2Shape {
        version: 3,
        cluster_bits: 16,
        extended: false,
        external: false,
        size: 1 << 30,
        l1_offset: 0x3_0000,
        l1_entries: 2,
        file_len: 1 << 20,
    };

    #[test]
    fn l1_entries() {
        assert_eq!(SHAPE.table(0), Ok(None));
        assert_eq!(SHAPE.table(COPIED | 0x4_0000), Ok(Some(0x4_0000)));
        assert!(SHAPE.table(0x4_0200).is_err(), "unaligned");
        assert!(SHAPE.table(1 << 20).is_err(), "behind the end");
        assert!(SHAPE.table(0x3_0000).is_err(), "the L1 table itself");
    }

    #[test]
    fn l2_entries() {
        let read = |entry| SHAPE.read(entry, 0, 0);
        assert_eq!(read(0), Ok(Cluster::Below));
        assert_eq!(read(1), Ok(Cluster::Zero));
        assert_eq!(read(COPIED | 0x5_0001), Ok(Cluster::Zero));
        assert_eq!(read(COPIED | 0x5_0000), Ok(Cluster::Stored(0x5_0000)));
        assert!(read(0x5_0200).is_err());
        let packed = COMPRESSED | (3 << 54) | 0x1_2345;
        assert_eq!(read(packed), Ok(Cluster::Packed(packed & !COMPRESSED)));
        assert_eq!(
            SHAPE.packed(packed & !COMPRESSED),
            (0x1_2345, 4 * 512 - 0x145)
        );
    }

    #[test]
    fn an_external_file_is_mapped_in_place() {
        let shape = Qcow2Shape {
            external: true,
            ..SHAPE
        };
        assert_eq!(shape.read(COPIED, 0, 0), Ok(Cluster::Stored(0)));
        assert_eq!(shape.read(0, 0, 0), Ok(Cluster::Below));
        assert!(shape.read(COPIED | 0x2_0000, 0, 0x1_0000).is_err());
        assert!(shape.read(COMPRESSED, 0, 0).is_err());
    }

    #[test]
    fn subclusters() {
        let shape = Qcow2Shape {
            extended: true,
            ..SHAPE
        };
        let bitmap = 0b0110 | 0b1000 << 32;
        let cluster = shape.read(0x5_0000, bitmap, 0).unwrap();
        let span = |within| cluster.span(within, &shape);
        let (piece, room) = (GuestPiece::Below, 2048);
        assert_eq!(span(0), GuestSpan { piece, room });
        let piece = GuestPiece::Stored {
            file: 0,
            at: 0x5_0000 + 2048 + 8,
        };
        let room = 4096 - 8;
        assert_eq!(span(2048 + 8), GuestSpan { piece, room });
        assert_eq!(span(3 * 2048).piece, GuestPiece::Zero);
        assert_eq!(span(4 * 2048).room, 28 * 2048);
        assert!(shape.read(0x5_0000, 1 | 1 << 32, 0).is_err());
        assert_eq!(shape.read(0, 1, 0), Ok(Cluster::Below));
    }
}

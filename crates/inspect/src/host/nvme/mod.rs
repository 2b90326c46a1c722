//! NVMe Identify Namespace: what the drive itself says about its units.
//!
//! sysfs shows a digest: physical = min(NPWG, AWUPF), minimum I/O = NPWG, optimal I/O = NOWS
//! (`drivers/nvme/host/core.c`). The 4096 bytes themselves need root.

pub mod counters;
mod drive;
pub mod ioctl;

pub use drive::CountingDrive;

/// The fields of Identify Namespace (NVM Command Set, CNS 00h) that concern alignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdNs {
    /// Bytes a logical block in the format in use.
    pub logical: u64,
    /// Preferred write granularity in blocks, where the drive supports the field.
    pub npwg: Option<u32>,
    /// Preferred write alignment in blocks.
    pub npwa: Option<u32>,
    /// Optimal write size in blocks; `None` also for a raw 0, which means nothing.
    pub nows: Option<u32>,
    /// Optimal I/O boundary in blocks; 0: none.
    pub noiob: u16,
    /// What is written whole or not at all on power failure, in blocks; `None`: the controller's AWUPF counts.
    pub nawupf: Option<u32>,
    /// Atomic boundary size on power failure in blocks; 0: none.
    pub nabspf: u32,
    /// Atomic boundary offset in blocks.
    pub nabo: u16,
    /// All formats: bytes a block and metadata bytes, with the drive's relative performance (0 best).
    pub formats: Vec<LbaFormat>,
    /// Index of the format in use.
    pub current: usize,
}

/// An LBA format.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LbaFormat {
    /// Bytes a block.
    pub block: u64,
    /// Metadata bytes a block.
    pub metadata: u16,
    /// 0 best, 1 better, 2 good, 3 degraded.
    pub performance: u8,
}

/// Length of the structure.
pub const ID_NS_BYTES: usize = 4096;
/// NSFEAT bits 5:4, OPTPERF: any value but 0 says that NPWG, NPWA and NOWS are defined; bit 4 adds
/// NPDG and NPDA, bit 5 their 32-bit successors of another structure (NVM Command Set 1.1, which is
/// NVMe 2.1).
const OPTPERF: u8 = 3 << 4;
/// Up to NVMe 2.0 OPTPERF is bit 4 alone, and bit 5 is reserved (`drivers/nvme/host/core.c`, commit
/// d3c04a6ea5fd, asks the version in the same way).
const OPTPERF_2_0: u8 = 1 << 4;
/// The version from which on both bits count, as VER of Identify Controller has it.
const VERSION_2_1: u32 = 0x0002_0100;
/// NSFEAT bit 1, NSABP: NAWUPF is defined. Linux asks it too, and takes a raw 0 for nothing (`nvme_configure_atomic_write`).
const NSABP: u8 = 1 << 1;
/// The start of the formats, and how many there are at most.
const FORMATS_AT: usize = 128;
const MOST_FORMATS: usize = 64;

/// Reads the structure; `None` where it is too short or its format in use is impossible.
///
/// The version of the controller is not known: both bits of OPTPERF are believed, since a drive that
/// knows only one of them leaves the other clear.
pub fn parse(bytes: &[u8]) -> Option<IdNs> {
    parse_for(bytes, None)
}

/// Byte of VER in Identify Controller (CNS 01h).
const VERSION_AT: usize = 80;

/// The version that a controller names in Identify Controller; drives before 1.2 name none.
pub fn version(controller: &[u8]) -> Option<u32> {
    let raw = controller.get(VERSION_AT..VERSION_AT + 4)?;
    let version = u32::from_le_bytes(raw.try_into().ok()?);
    (version != 0).then_some(version)
}

/// Which bits of NSFEAT say that the fields about preferred writes mean something.
const fn optperf(version: Option<u32>) -> u8 {
    match version {
        Some(version) if version < VERSION_2_1 => OPTPERF_2_0,
        _ => OPTPERF,
    }
}

/// The same for a controller of this version.
pub fn parse_for(bytes: &[u8], version: Option<u32>) -> Option<IdNs> {
    let byte = |at: usize| bytes.get(at).copied();
    let word = |at: usize| Some(u16::from_le_bytes([byte(at)?, byte(at + 1)?]));
    if bytes.len() < ID_NS_BYTES {
        return None;
    }
    let (features, last, flbas) = (byte(24)?, byte(25)?, byte(26)?);
    let formats = formats(bytes, usize::from(last) + 1);
    let current = current(flbas, formats.len());
    let logical = formats.get(current)?.block;
    // The optional performance fields count from 0; NOWS 0 is "one block" and says nothing.
    let counted = |at: usize| {
        let value = word(at).filter(|_| features & optperf(version) != 0)?;
        Some(u32::from(value) + 1)
    };
    let from_zero = |value: u16| if value == 0 { 0 } else { u32::from(value) + 1 };
    (logical != 0).then_some(IdNs {
        logical,
        npwg: counted(64),
        npwa: counted(66),
        nows: counted(72).filter(|blocks| *blocks > 1),
        noiob: word(46)?,
        nawupf: Some(word(36)?)
            .filter(|raw| features & NSABP != 0 && *raw != 0)
            .map(|raw| u32::from(raw) + 1),
        nabspf: from_zero(word(44)?),
        nabo: word(42)?,
        formats,
        current,
    })
}

fn formats(bytes: &[u8], count: usize) -> Vec<LbaFormat> {
    let table = bytes.get(FORMATS_AT..).unwrap_or_default();
    let rows = table.chunks_exact(4).take(count.min(MOST_FORMATS));
    rows.map(|row| {
        let field = |i: usize| row.get(i).copied().unwrap_or(0);
        let shift = u32::from(field(2));
        LbaFormat {
            block: if (9..=16).contains(&shift) {
                1 << shift
            } else {
                0
            },
            metadata: u16::from_le_bytes([field(0), field(1)]),
            performance: field(3) & 3,
        }
    })
    .collect()
}

/// FLBAS bits 0 to 3, with bits 5 and 6 above them where there are more than 16 formats.
fn current(flbas: u8, formats: usize) -> usize {
    let low = usize::from(flbas & 0xf);
    let high = usize::from((flbas >> 5) & 3) << 4;
    if formats > 16 { high | low } else { low }
}

impl IdNs {
    fn bytes(&self, blocks: Option<u32>) -> Option<u64> {
        self.logical.checked_mul(u64::from(blocks?))
    }

    /// NPWG in bytes: the indirection unit of drives that have a coarse one.
    pub fn write_granularity(&self) -> Option<u64> {
        self.bytes(self.npwg)
    }

    /// NPWA in bytes.
    pub fn write_alignment(&self) -> Option<u64> {
        self.bytes(self.npwa)
    }

    /// NOWS in bytes.
    pub fn optimal_write(&self) -> Option<u64> {
        self.bytes(self.nows)
    }

    /// NOIOB in bytes.
    pub fn io_boundary(&self) -> Option<u64> {
        self.bytes(Some(u32::from(self.noiob)).filter(|blocks| *blocks != 0))
    }

    /// NAWUPF, NABSPF and NABO for people; `None` where it has none of its own.
    pub fn atomic_words(&self) -> Option<String> {
        let unit = self.bytes(Some(self.nawupf?))?;
        let mut said = format!("NAWUPF {unit} B");
        if let Some((boundary, offset)) = self.atomic_boundary() {
            said.push_str(&format!(", NABSPF {boundary} B from byte {offset} (NABO)"));
        }
        Some(said)
    }

    /// NABSPF and NABO in bytes.
    pub fn atomic_boundary(&self) -> Option<(u64, u64)> {
        let boundary = self.bytes(Some(self.nabspf).filter(|blocks| *blocks != 0))?;
        Some((boundary, self.bytes(Some(u32::from(self.nabo)))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut bytes = vec![0; ID_NS_BYTES];
        (bytes[24], bytes[25], bytes[26]) = (OPTPERF_2_0, 1, 1);
        bytes[130] = 9;
        bytes[134] = 12;
        bytes[64..66].copy_from_slice(&15_u16.to_le_bytes());
        bytes[66..68].copy_from_slice(&15_u16.to_le_bytes());
        bytes[72..74].copy_from_slice(&31_u16.to_le_bytes());
        bytes[46..48].copy_from_slice(&256_u16.to_le_bytes());
        bytes
    }

    #[test]
    fn fields_count_blocks_from_zero() {
        let ns = parse(&sample()).unwrap();
        assert_eq!(ns.logical, 4096);
        assert_eq!(ns.write_granularity(), Some(65536));
        assert_eq!(ns.write_alignment(), Some(65536));
        assert_eq!(ns.optimal_write(), Some(131_072));
        assert_eq!(ns.io_boundary(), Some(1 << 20));
        assert_eq!(ns.atomic_boundary(), None);
        assert_eq!(ns.formats.len(), 2);
    }

    #[test]
    fn without_the_feature_bit_the_fields_mean_nothing() {
        let mut bytes = sample();
        bytes[24] = 0;
        let ns = parse(&bytes).unwrap();
        assert_eq!((ns.npwg, ns.npwa, ns.nows), (None, None, None));
        bytes[26] = 9;
        assert_eq!(parse(&bytes), None, "a format that is not there");
        assert_eq!(parse(&bytes[..4095]), None);
    }

    #[test]
    fn both_bits_count_since_2_1() {
        for (bits, version, stated) in [
            (0b01, None, true),
            (0b10, None, true),
            (0b11, None, true),
            (0b01, Some(0x0001_0400), true),
            (0b10, Some(0x0001_0400), false),
            (0b10, Some(0x0002_0000), false),
            (0b11, Some(0x0002_0000), true),
            (0b10, Some(0x0002_0100), true),
            (0b00, Some(0x0002_0100), false),
        ] {
            let mut bytes = sample();
            bytes[24] = bits << 4;
            let ns = parse_for(&bytes, version).unwrap();
            let expected = stated.then_some(65536);
            assert_eq!(ns.write_granularity(), expected, "{bits:02b} {version:x?}");
        }
    }

    #[test]
    fn versions_of_controllers() {
        let mut controller = vec![0; 4096];
        assert_eq!(version(&controller), None);
        controller[80..84].copy_from_slice(&[0, 1, 2, 0]);
        assert_eq!(version(&controller), Some(VERSION_2_1));
        assert_eq!(version(&controller[..82]), None);
    }

    #[test]
    fn atomic_units_count_with_their_feature_bit() {
        let mut bytes = sample();
        bytes[36] = 3;
        assert_eq!(parse(&bytes).unwrap().atomic_words(), None);
        bytes[24] |= NSABP;
        let said = parse(&bytes).unwrap().atomic_words();
        assert_eq!(said.as_deref(), Some("NAWUPF 16384 B"));
        bytes[44] = 7;
        let said = parse(&bytes).unwrap().atomic_words();
        assert_eq!(
            said.as_deref(),
            Some("NAWUPF 16384 B, NABSPF 32768 B from byte 0 (NABO)")
        );
        bytes[36] = 0;
        assert_eq!(parse(&bytes).unwrap().nawupf, None);
    }

    #[test]
    fn atomic_boundary_with_offset() {
        let mut bytes = sample();
        bytes[44] = 7;
        bytes[42] = 2;
        assert_eq!(
            parse(&bytes).unwrap().atomic_boundary(),
            Some((32768, 8192))
        );
    }

    #[test]
    fn any_bytes_are_survived() {
        let mut seed = 1_u64;
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..ID_NS_BYTES)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    u8::try_from(seed >> 56).unwrap_or(0)
                })
                .collect();
            let _ = parse(&bytes);
        }
    }
}

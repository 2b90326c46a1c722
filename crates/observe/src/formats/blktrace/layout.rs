//! The offsets of the fields of a record: 48 bytes in version 7, 64 in version 8, then the payload.

/// `BLK_IO_TRACE_MAGIC`, in the upper three bytes of the first word.
const MAGIC: u32 = 0x6561_7400;

/// Version and byte order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BlktraceLayout {
    version: BlktraceVersion,
    big: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum BlktraceVersion {
    Seven,
    Eight,
}

/// The fields that are used, of either version.
#[derive(Copy, Clone, Debug)]
pub struct RawBlktrace {
    /// Nanoseconds.
    pub time: u64,
    /// 512-byte sectors.
    pub sector: u64,
    /// Length.
    pub bytes: u32,
    /// The action and its object.
    pub action: u64,
    /// The process.
    pub pid: u32,
    /// `major << 20 | minor`.
    pub device: u32,
}

impl BlktraceLayout {
    /// The layout of the record that begins here.
    #[inline]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let word = *bytes.first_chunk::<4>()?;
        let (magic, big) = match u32::from_le_bytes(word) {
            little if little & 0xffff_ff00 == MAGIC => (little, false),
            _ => (u32::from_be_bytes(word), true),
        };
        let version = match magic {
            m if m == MAGIC | 7 => BlktraceVersion::Seven,
            m if m == MAGIC | 8 => BlktraceVersion::Eight,
            _ => return None,
        };
        Some(Self { version, big })
    }

    const fn header(self) -> usize {
        match self.version {
            BlktraceVersion::Seven => 48,
            BlktraceVersion::Eight => 64,
        }
    }

    /// The record at the start of `bytes`, its payload and its length with payload; `None` where
    /// it is cut off.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> Option<(RawBlktrace, &[u8], usize)> {
        let header = self.header();
        let fields = BlktraceFields {
            bytes: bytes.get(..header)?,
            big: self.big,
        };
        let (raw, pdu) = match self.version {
            BlktraceVersion::Seven => (fields.seven()?, fields.u16(46)?),
            BlktraceVersion::Eight => (fields.eight()?, fields.u16(50)?),
        };
        let len = header + usize::from(pdu);
        Some((raw, bytes.get(header..len)?, len))
    }
}

struct BlktraceFields<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl BlktraceFields<'_> {
    #[inline]
    fn u16(&self, at: usize) -> Option<u16> {
        let raw = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.big {
            u16::from_be_bytes(raw)
        } else {
            u16::from_le_bytes(raw)
        })
    }

    #[inline]
    fn u32(&self, at: usize) -> Option<u32> {
        let raw = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.big {
            u32::from_be_bytes(raw)
        } else {
            u32::from_le_bytes(raw)
        })
    }

    #[inline]
    fn u64(&self, at: usize) -> Option<u64> {
        let raw = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.big {
            u64::from_be_bytes(raw)
        } else {
            u64::from_le_bytes(raw)
        })
    }

    #[inline]
    fn seven(&self) -> Option<RawBlktrace> {
        Some(RawBlktrace {
            time: self.u64(8)?,
            sector: self.u64(16)?,
            bytes: self.u32(24)?,
            action: u64::from(self.u32(28)?),
            pid: self.u32(32)?,
            device: self.u32(36)?,
        })
    }

    #[inline]
    fn eight(&self) -> Option<RawBlktrace> {
        Some(RawBlktrace {
            time: self.u64(8)?,
            sector: self.u64(16)?,
            bytes: self.u32(24)?,
            pid: self.u32(28)?,
            action: self.u64(32)?,
            device: self.u32(40)?,
        })
    }
}

/// The first word of what nearly every trace consists of: version 7, little-endian.
const COMMON: u32 = MAGIC | 7;

/// A record of the common kind without payload, as in the file. All offsets are constants here, which
/// is several times as fast as the general way.
#[derive(Copy, Clone)]
pub struct PlainRecord<'a>(&'a [u8; 48]);

impl<'a> PlainRecord<'a> {
    /// The record, where it is one.
    #[inline]
    pub fn of(bytes: &'a [u8; 48]) -> Option<Self> {
        let record = Self(bytes);
        let plain = record.u32(0) == COMMON && record.u32(44) >> 16 == 0;
        plain.then_some(record)
    }

    #[inline]
    fn u32(self, at: usize) -> u32 {
        let raw = self.0.get(at..).and_then(<[u8]>::first_chunk);
        raw.map_or(0, |raw| u32::from_le_bytes(*raw))
    }

    #[inline]
    fn u64(self, at: usize) -> u64 {
        let raw = self.0.get(at..).and_then(<[u8]>::first_chunk);
        raw.map_or(0, |raw| u64::from_le_bytes(*raw))
    }

    /// The action and its object.
    #[inline]
    pub fn action(self) -> u32 {
        self.u32(28)
    }

    /// All fields.
    #[inline]
    pub fn raw(self) -> RawBlktrace {
        RawBlktrace {
            time: self.u64(8),
            sector: self.u64(16),
            bytes: self.u32(24),
            action: u64::from(self.action()),
            pid: self.u32(32),
            device: self.u32(36),
        }
    }
}

/// How many bytes the plain records at the start of `bytes` are.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    let (records, _) = bytes.as_chunks::<48>();
    let plain = records
        .iter()
        .take_while(|one| PlainRecord::of(one).is_some());
    plain.count() * 48
}

/// How many bytes of `bytes` are whole records. Bytes that are no record count as whole: the parser
/// reports them.
pub fn whole(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= 4) {
        let plain = plain(rest);
        if plain > 0 {
            at += plain;
            continue;
        }
        match BlktraceLayout::of(rest) {
            Some(layout) => match layout.read(rest) {
                Some((_, _, len)) => at += len,
                None => return at,
            },
            None => at += 1,
        }
    }
    at
}

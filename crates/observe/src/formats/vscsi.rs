//! Command traces of VMware's vscsiStats, binary, versions 1 (32 bytes a record) and 2 (40 bytes,
//! with the response time), little-endian without a header. Layout: public readers of the cache
//! traces recorded with it; the version is in every record.

use super::text::UNKNOWN;
use super::{FormatFacts, Framing, Hints, Parse, Parser, TraceFormat};
use super::{packed, scsi};
use crate::record::{Io, TraceRecords};

/// vscsiStats version 1.
pub const ONE: TraceFormat = TraceFormat {
    name: "vscsi1",
    title: "VMware vscsiStats trace, binary version 1",
    sniff: |head| sniff(head, VscsiVersion::One),
    framing: Framing::Records(|bytes| bytes.len() / 32 * 32),
    takes: &[],
    whole_disk: false,
    parser: |_, hints| Ok(Box::new(VscsiReader::new(VscsiVersion::One, hints))),
};

/// vscsiStats version 2.
pub const TWO: TraceFormat = TraceFormat {
    name: "vscsi2",
    title: "VMware vscsiStats trace, binary version 2",
    sniff: |head| sniff(head, VscsiVersion::Two),
    framing: Framing::Records(|bytes| bytes.len() / 40 * 40),
    takes: &[],
    whole_disk: false,
    parser: |_, hints| Ok(Box::new(VscsiReader::new(VscsiVersion::Two, hints))),
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum VscsiVersion {
    One,
    Two,
}

/// The fields of either version.
struct RawVscsi {
    version: u16,
    command: u16,
    len: u32,
    block: u64,
    time: u64,
    response: Option<u64>,
}

impl VscsiVersion {
    const fn size(self) -> usize {
        match self {
            Self::One => 32,
            Self::Two => 40,
        }
    }

    const fn number(self) -> u16 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    #[inline]
    fn read(self, record: &[u8]) -> Option<RawVscsi> {
        let short = |at: usize| Some(u16::from_le_bytes(*record.get(at..)?.first_chunk()?));
        let word = |at: usize| Some(u32::from_le_bytes(*record.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u64::from_le_bytes(*record.get(at..)?.first_chunk()?));
        Some(match self {
            Self::One => RawVscsi {
                len: word(4)?,
                command: short(12)?,
                version: short(14)? >> 8,
                block: long(16)?,
                time: long(24)?,
                response: None,
            },
            Self::Two => RawVscsi {
                command: short(0)?,
                version: short(2)? >> 8,
                len: word(8)?,
                block: long(16)?,
                time: long(24)?,
                response: Some(long(32)?),
            },
        })
    }
}

/// Records looked at.
const SNIFFED: usize = 64;

/// There is no magic: every record must have the version and a SCSI command, and most be I/O.
fn sniff(head: &[u8], version: VscsiVersion) -> bool {
    let mut ios = 0;
    let mut all = 0;
    for record in head.chunks_exact(version.size()).take(SNIFFED) {
        let Some(raw) = version.read(record) else {
            return false;
        };
        let Some(op) = scsi::op(raw.command) else {
            return false;
        };
        if raw.version != version.number() || raw.block > 1 << 55 {
            return false;
        }
        all += 1;
        ios += usize::from(op.has_place());
    }
    ios * 2 > all
}

#[derive(Clone)]
struct VscsiReader {
    version: VscsiVersion,
    /// A trace is of one virtual disk, and does not name it.
    device: String,
}

impl Parse for VscsiReader {
    fn parse(&mut self, chunk: &[u8], out: &mut TraceRecords) {
        let not = "not a record of this version of vscsiStats";
        let size = self.version.size();
        packed::take(chunk, size, &self.device, out, not, |record| {
            self.one(record)
        });
    }

    fn split(&self) -> Option<Parser> {
        Some(Box::new(self.clone()))
    }

    fn facts(&self) -> FormatFacts {
        FormatFacts {
            time: "us",
            offset: "512-byte blocks of the virtual disk",
            len: "bytes",
            op: "SCSI commands",
            latency: match self.version {
                VscsiVersion::One => "none",
                VscsiVersion::Two => "response time, us",
            },
        }
    }
}

impl VscsiReader {
    fn new(version: VscsiVersion, hints: &Hints) -> Self {
        let device = hints.device.clone().unwrap_or_else(|| "vscsi".to_owned());
        Self { version, device }
    }

    #[inline]
    fn one(&self, record: &[u8]) -> Option<Io> {
        let raw = self.version.read(record)?;
        if raw.version != self.version.number() {
            return None;
        }
        let latency = match raw.response {
            Some(us) => us.checked_mul(1000)?,
            None => UNKNOWN.latency,
        };
        Some(Io {
            time: i64::try_from(raw.time.checked_mul(1000)?).ok()?,
            offset: raw.block.checked_mul(512)?,
            len: raw.len,
            latency,
            op: scsi::op(raw.command)?,
            ..UNKNOWN
        })
    }
}

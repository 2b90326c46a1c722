//! The guest's address space over all extents: where a byte lies, and compressed grains.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::coding::Grain;
use super::descriptor::SECTOR;
use super::extents::{Body, VmdkExtent};
use super::grains::Grains;
use super::headers::VmdkPacking;
use crate::error::{Error, Result};
use crate::images::guest::{BlockMap, GuestPiece, GuestSpan};

/// Bytes of the marker before a compressed grain: sector (8), size (4).
const MARKER_BYTES: u64 = 12;
/// A compressed grain's key is its extent above this many bits of its sector.
const SECTOR_BITS: u32 = 32;

/// Finds guest bytes in the extents.
pub(super) struct ExtentMap {
    /// In guest order, without gaps.
    pub(super) extents: Vec<VmdkExtent>,
}

impl ExtentMap {
    fn extent(&self, address: u64) -> Option<(usize, &VmdkExtent)> {
        let after = self.extents.partition_point(|e| e.start <= address);
        let index = after.checked_sub(1)?;
        Some((index, self.extents.get(index)?))
    }
}

impl BlockMap for ExtentMap {
    fn find(&self, address: u64) -> Result<GuestSpan> {
        let Some((index, extent)) = self.extent(address) else {
            return Err(Error::malformed("The disk has no extents"));
        };
        let past = address - extent.start;
        let room = extent.len.saturating_sub(past);
        Ok(match &extent.body {
            Body::Zero => GuestSpan {
                piece: GuestPiece::Zero,
                room,
            },
            Body::Flat { file, at } => GuestSpan {
                piece: GuestPiece::Stored {
                    file: *file,
                    at: at.saturating_add(past),
                },
                room,
            },
            Body::Sparse {
                file,
                grains,
                packing,
            } => sparse_span(grains, *packing, (index, *file), past, room)?,
        })
    }

    fn unpack(&self, key: u64) -> Result<Vec<u8>> {
        let index = usize::try_from(key >> SECTOR_BITS).unwrap_or(usize::MAX);
        let at = (key & u64::from(u32::MAX)) * SECTOR;
        match self.extents.get(index).map(|extent| &extent.body) {
            Some(Body::Sparse {
                grains,
                packing: Some(packing),
                ..
            }) => inflate(grains, *packing, at),
            _ => Err(Error::malformed("No compressed extent")),
        }
    }
}

fn sparse_span(
    grains: &Grains,
    packing: Option<VmdkPacking>,
    (index, file): (usize, usize),
    past: u64,
    room: u64,
) -> Result<GuestSpan> {
    if past >= grains.capacity() {
        // The descriptor's extent is longer than the header's; said in a remark.
        let piece = GuestPiece::Zero;
        return Ok(GuestSpan { piece, room });
    }
    let (grain, within_grain) = grains.find(past)?;
    let piece = match grain {
        Grain::Below => GuestPiece::Below,
        Grain::Zero => GuestPiece::Zero,
        Grain::At(at) if packing.is_some() => {
            let within = past % grains.grain();
            let sector = at.saturating_sub(within) / SECTOR;
            let key = (index as u64) << SECTOR_BITS | sector;
            GuestPiece::Packed { key, within }
        }
        Grain::At(at) => GuestPiece::Stored { file, at },
    };
    let room = room.min(within_grain);
    Ok(GuestSpan { piece, room })
}

/// Inflates the grain at byte `at`: zlib (RFC 1950) behind an optional marker. Never more than a
/// grain, however much the data would yield.
fn inflate(grains: &Grains, packing: VmdkPacking, at: u64) -> Result<Vec<u8>> {
    let view = grains.view();
    // Incompressible data grow a little; QEMU reads two grains as well.
    let most = grains.grain().saturating_mul(2);
    let (start, len) = if packing.markers {
        let marker = view.record(at, usize::try_from(MARKER_BYTES).unwrap_or(12))?;
        (at + MARKER_BYTES, u64::from(marker.le32(8)))
    } else {
        (at, most.min(view.len().saturating_sub(at)))
    };
    if len == 0 || len > most {
        let what = format!(
            "A compressed grain of {len} bytes, grains have {}",
            grains.grain()
        );
        return Err(view.malformed(at, what).field("grain marker"));
    }
    let packed = view.read(start, usize::try_from(len).unwrap_or(usize::MAX))?;
    let mut out = Vec::new();
    ZlibDecoder::new(packed.as_slice())
        .take(grains.grain())
        .read_to_end(&mut out)
        .map_err(|error| {
            view.locate(
                Error::malformed(format!("It does not inflate: {error}")),
                at,
            )
        })?;
    Ok(out)
}

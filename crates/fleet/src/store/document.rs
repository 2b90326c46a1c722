//! Check documents, packed: a tenth of their size.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::error::{FleetError, FleetResult};

/// The largest document that is unpacked.
const MOST_BYTES: u64 = 256 << 20;

/// Packs it.
pub(crate) fn pack(document: &[u8]) -> FleetResult<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(document).and_then(|()| encoder.finish());
    packed.map_err(|error| FleetError::Foreign(format!("cannot pack a document: {error}")))
}

/// Unpacks it.
pub(crate) fn unpack(packed: &[u8]) -> FleetResult<Vec<u8>> {
    let mut document = Vec::new();
    let read = ZlibDecoder::new(packed)
        .take(MOST_BYTES)
        .read_to_end(&mut document);
    let damaged =
        |error| FleetError::Foreign(format!("a document of the store is damaged: {error}"));
    read.map_err(damaged)?;
    Ok(document)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_document_is_refused() {
        let packed = pack(b"a document of a host").unwrap();
        assert_eq!(unpack(&packed).unwrap(), b"a document of a host");
        assert!(unpack(&packed[..packed.len() / 2]).is_err());
    }
}

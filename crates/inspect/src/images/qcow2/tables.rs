//! Looks a guest address up in the L1 and L2 tables, through the file's page cache.

use std::sync::Arc;

use super::super::guest::{BlockMap, GuestPiece, GuestSpan};
use super::entry::Qcow2Shape;
use super::unpack::Method;
use crate::error::{Error, Result};
use crate::source::Source;

/// The tables of an open image.
pub struct Qcow2Tables {
    source: Arc<dyn Source>,
    shape: Qcow2Shape,
    method: Method,
}

impl Qcow2Tables {
    pub const fn new(source: Arc<dyn Source>, shape: Qcow2Shape, method: Method) -> Self {
        Self {
            source,
            shape,
            method,
        }
    }

    fn word(&self, at: u64) -> Result<u64> {
        let mut raw = [0; 8];
        self.source.read_at(at, &mut raw)?;
        Ok(u64::from_be_bytes(raw))
    }
}

impl BlockMap for Qcow2Tables {
    fn find(&self, address: u64) -> Result<GuestSpan> {
        let shape = &self.shape;
        let l1_at = shape.l1_offset + address / shape.span() * 8;
        let in_span = address % shape.span();
        let table = shape.table(self.word(l1_at)?);
        let Some(table) = table.map_err(|bad| bad_entry(bad, l1_at, "l1_entry"))? else {
            let room = shape.span() - in_span;
            let piece = GuestPiece::Below;
            return Ok(GuestSpan { piece, room });
        };
        let within = in_span % shape.cluster();
        let at = table + in_span / shape.cluster() * shape.entry();
        let bitmap = if shape.extended {
            self.word(at + 8)?
        } else {
            0
        };
        let cluster = shape.read(self.word(at)?, bitmap, address - within);
        let cluster = cluster.map_err(|bad| bad_entry(bad, at, "l2_entry"))?;
        Ok(cluster.span(within, shape))
    }

    fn unpack(&self, key: u64) -> Result<Vec<u8>> {
        let (at, len) = self.shape.packed(key);
        // The count is rounded up to sectors, so the last cluster's may reach past the end.
        let len = len.min(self.source.len().saturating_sub(at));
        let mut packed = vec![0; usize::try_from(len).unwrap_or(0)];
        self.source.read_at(at, &mut packed)?;
        let cluster = usize::try_from(self.shape.cluster()).unwrap_or(0);
        self.method
            .unpack(&packed, cluster)
            .map_err(|error| error.at(at))
    }
}

/// An entry that cannot be followed.
pub fn bad_entry(bad: &str, at: u64, field: &'static str) -> Error {
    Error::malformed(format!("The entry names {bad}"))
        .at(at)
        .field(field)
}

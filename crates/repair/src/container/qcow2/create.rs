//! A new qcow2: version 3, clusters of 64 KiB, counts of 16 bits.

use std::io;

use super::super::fields::{HeaderFields, narrow};
use super::super::store::{Store, damaged, length};
use super::header::HEADER_BYTES;

const CLUSTER_BITS: u32 = 16;
const CLUSTER: u64 = 1 << CLUSTER_BITS;
/// Guest bytes that an L2 table maps.
const SPAN: u64 = CLUSTER / 8 * CLUSTER;
/// Header, table of counts, block of counts; the L1 table is behind them.
const COUNTS_AT: u64 = CLUSTER;
const BLOCK_AT: u64 = 2 * CLUSTER;
const L1_AT: u64 = 3 * CLUSTER;
/// QEMU's limit for the L1 table.
const MOST_BYTES: u64 = (32 << 20) / 8 * SPAN;

/// Writes one without data.
pub fn create(store: &mut dyn Store, bytes: u64) -> io::Result<()> {
    if bytes > MOST_BYTES {
        return Err(damaged(format!("a qcow2 holds {MOST_BYTES} bytes at most")));
    }
    let entries = bytes.div_ceil(SPAN);
    let clusters = 3 + (entries * 8).div_ceil(CLUSTER);
    let mut header = HeaderFields::new(HEADER_BYTES);
    header
        .put(0, b"QFI\xfb")
        .put(4, &3_u32.to_be_bytes())
        .put(20, &CLUSTER_BITS.to_be_bytes())
        .put(24, &bytes.to_be_bytes())
        .put(36, &narrow(entries, "the L1 table")?.to_be_bytes())
        .put(40, &L1_AT.to_be_bytes())
        .put(48, &COUNTS_AT.to_be_bytes())
        .put(56, &1_u32.to_be_bytes())
        .put(96, &4_u32.to_be_bytes())
        .put(100, &112_u32.to_be_bytes());
    store.put(0, &header.0)?;
    store.put(COUNTS_AT, &BLOCK_AT.to_be_bytes())?;
    store.put(BLOCK_AT, &1_u16.to_be_bytes().repeat(length(clusters)?))?;
    store.set_len(clusters * CLUSTER)
}

//! Linux swap, also with a hibernation image in it: page size and length.
//!
//! Layout: `union swap_header` (kernel `include/linux/swap.h`); the signature ends the first page,
//! so its place shows the page size.

use ioalign_core::{Bytes, Remark, rules};

use super::FileSystem;
use super::fields::product;
use crate::error::Result;
use crate::view::{Record, View};

/// Page sizes of the architectures that run Linux.
const PAGES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
/// mkswap refuses less.
const FEWEST_PAGES: u64 = 10;
const SIGNATURE: u64 = 10;
/// What a suspended system writes over the signature.
const SUSPENDED: [&[u8]; 4] = [b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND", b"LINHIB0001"];

enum Signature {
    Old,
    New,
    Suspended(&'static [u8]),
}

/// Tries swap.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    for page in PAGES {
        if view.len() < FEWEST_PAGES * page {
            break;
        }
        let raw = view.read(page - SIGNATURE, 10)?;
        let Some(signature) = signature(&raw) else {
            continue;
        };
        let header = view.record(1024, 512)?;
        return Ok(describe(&header, &signature, page));
    }
    Ok(None)
}

fn signature(raw: &[u8]) -> Option<Signature> {
    match raw {
        b"SWAPSPACE2" => Some(Signature::New),
        b"SWAP-SPACE" => Some(Signature::Old),
        _ => SUSPENDED
            .into_iter()
            .find(|word| raw.starts_with(word))
            .map(Signature::Suspended),
    }
}

fn describe(header: &Record, signature: &Signature, page: u64) -> Option<FileSystem> {
    let mut found = FileSystem {
        kind: "swap",
        block: Some(Bytes::new(page)),
        ..FileSystem::default()
    };
    found
        .facts
        .insert("page-size", Bytes::new(page).to_string());
    match signature {
        // Version 0 has a bitmap where version 1 has its header.
        Signature::Old => return Some(found),
        Signature::New => {}
        Signature::Suspended(word) => found.remarks.push(hibernated(word)),
    }
    let last = match (header.le32(0), header.be32(0)) {
        (1, _) => header.le32(4),
        (_, 1) => header.be32(4),
        _ => return None,
    };
    if last == 0 {
        return None;
    }
    found.size = product(u64::from(last) + 1, page);
    found.uuid = header.uuid(12);
    found.label = header.text(28, 16);
    Some(found)
}

fn hibernated(word: &[u8]) -> Remark {
    let word = String::from_utf8_lossy(word);
    let why =
        format!("The swap space holds a hibernated system ({word}): creating it again loses it");
    Remark::note(rules::SWAP_HOLDS_HIBERNATION_IMAGE, why)
}

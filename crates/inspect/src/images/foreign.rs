//! Formats that are recognised and not read: better a word about what to do than a raw disk
//! without a partition table.

use std::sync::Arc;

use super::{Image, ImagePolicy};
use crate::error::{Error, Result};
use crate::source::Source;
use crate::view::View;

/// The place of a magic number.
enum At {
    Start(u64),
    /// Bytes before the end.
    End(u64),
}

struct Foreign {
    name: &'static str,
    at: At,
    magic: &'static [u8],
}

/// Magic numbers as in QEMU's `block/` and Apple's UDIF trailer. qcow version 1 shares its
/// magic with qcow2, whose reader names it.
const FOREIGN: &[Foreign] = &[
    Foreign {
        name: "QED",
        at: At::Start(0),
        magic: b"QED\0",
    },
    Foreign {
        name: "Parallels",
        at: At::Start(0),
        magic: b"WithoutFreeSpace",
    },
    Foreign {
        name: "Parallels (extended)",
        at: At::Start(0),
        magic: b"WithouFreSpacExt",
    },
    Foreign {
        name: "Bochs",
        at: At::Start(0),
        magic: b"Bochs Virtual HD Image\0",
    },
    Foreign {
        name: "cloop",
        at: At::Start(0),
        magic: b"#!/bin/sh\n#V2.0 Format\n",
    },
    Foreign {
        name: "DMG",
        at: At::End(512),
        magic: b"koly",
    },
];

/// Refuses the formats of the list with what to do instead.
pub fn open(source: &Arc<dyn Source>, _: &ImagePolicy) -> Result<Option<Image>> {
    let view = View::new(Arc::clone(source));
    for foreign in FOREIGN {
        let at = match foreign.at {
            At::Start(at) => Some(at),
            At::End(before) => view.len().checked_sub(before),
        };
        if let Some(at) = at
            && view.has(at, foreign.magic)?
        {
            return Err(view.locate(unread(foreign.name), at));
        }
    }
    Ok(None)
}

/// The error for a format that is recognised only.
pub fn unread(name: &str) -> Error {
    Error::unsupported(format!(
        "It is a {name} image, a format that is recognised but not read; \
         convert it with `qemu-img convert -O raw IMAGE OUT.raw` and check that"
    ))
}

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
    /// The program that turns it into a raw image.
    convert: &'static str,
}

/// What QEMU reads.
const QEMU: &str = "qemu-img convert -O raw IMAGE OUT.raw";
/// What libewf reads.
const EWF: &str = "ewfexport -f raw -t OUT IMAGE";

/// Magic numbers as in QEMU's `block/` and Apple's UDIF trailer. qcow version 1 shares its
/// magic with qcow2, whose reader names it. EWF: libewf, "Expert Witness Compression Format"; AFF:
/// afflib; Android: `system/core/libsparse/sparse_format.h`.
const FOREIGN: &[Foreign] = &[
    Foreign {
        name: "EnCase (E01)",
        at: At::Start(0),
        magic: b"EVF\x09\x0d\x0a\xff\0",
        convert: EWF,
    },
    Foreign {
        name: "EnCase (Ex01)",
        at: At::Start(0),
        magic: b"EVF2\x0d\x0a\x81\0",
        convert: EWF,
    },
    Foreign {
        name: "EnCase (L01)",
        at: At::Start(0),
        magic: b"LVF\x09\x0d\x0a\xff\0",
        convert: EWF,
    },
    Foreign {
        name: "AFF",
        at: At::Start(0),
        magic: b"AFF10\r\n\0",
        convert: "affconvert -r IMAGE",
    },
    Foreign {
        name: "Android sparse",
        at: At::Start(0),
        magic: b"\x3a\xff\x26\xed",
        convert: "simg2img IMAGE OUT.raw",
    },
    Foreign {
        name: "QED",
        at: At::Start(0),
        magic: b"QED\0",
        convert: QEMU,
    },
    Foreign {
        name: "Parallels",
        at: At::Start(0),
        magic: b"WithoutFreeSpace",
        convert: QEMU,
    },
    Foreign {
        name: "Parallels (extended)",
        at: At::Start(0),
        magic: b"WithouFreSpacExt",
        convert: QEMU,
    },
    Foreign {
        name: "Bochs",
        at: At::Start(0),
        magic: b"Bochs Virtual HD Image\0",
        convert: QEMU,
    },
    Foreign {
        name: "cloop",
        at: At::Start(0),
        magic: b"#!/bin/sh\n#V2.0 Format\n",
        convert: QEMU,
    },
    Foreign {
        name: "DMG",
        at: At::End(512),
        magic: b"koly",
        convert: QEMU,
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
            return Err(view.locate(unread(foreign.name, foreign.convert), at));
        }
    }
    Ok(None)
}

/// The error for a format that is recognised only, and that QEMU reads.
pub fn for_qemu(name: &str) -> Error {
    unread(name, QEMU)
}

fn unread(name: &str, convert: &str) -> Error {
    Error::unsupported(format!(
        "It is a {name} image, a format that is recognised but not read; \
         convert it with `{convert}` and check that"
    ))
}

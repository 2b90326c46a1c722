//! Targets: what is opened, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

use std::path::Path;

use ioalign_device::{Error, ErrorKind, Target, TargetRequest};

mod devices;
mod direct;
mod files;
mod folders;
mod permission;
mod scratch;
mod users;
mod writers;

const MIB: u64 = 1 << 20;

/// To read, past the page cache.
fn reading() -> TargetRequest {
    TargetRequest {
        direct: true,
        ..TargetRequest::default()
    }
}

/// To write.
fn writing() -> TargetRequest {
    TargetRequest {
        write: true,
        ..reading()
    }
}

/// To write over what is there.
fn destroying(path: &Path) -> TargetRequest {
    TargetRequest {
        destroy: Some(path.to_owned()),
        ..writing()
    }
}

fn sized(want: TargetRequest, bytes: u64) -> TargetRequest {
    TargetRequest {
        size_bytes: Some(bytes),
        ..want
    }
}

/// The refusal, which names the target, the reason and the next step.
fn refused(path: &Path, want: &TargetRequest, kind: ErrorKind, words: &[&str]) -> Error {
    let error = Target::open(path, want).err();
    let error = error.unwrap_or_else(|| panic!("{} is not refused: {words:?}", path.display()));
    let text = error.to_string();
    assert!(text.starts_with(&format!("{}", path.display())), "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is missing: {text}");
    }
    assert_eq!(error.kind(), kind, "{text}");
    error
}

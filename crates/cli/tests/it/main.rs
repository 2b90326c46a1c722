//! Tests of the program as its users run it: one binary.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod cli;
mod composition;
mod folder;
mod hostile;
mod oracles;
mod scenarios_host;
mod scenarios_image;

use std::ffi::OsStr;
use std::path::Path;

use ioalign_testkit::{Checked, check};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ioalign");

/// `ioalign check --json IMAGE ARGUMENT…`
fn check_image(image: &Path, arguments: &[&str]) -> Checked {
    let arguments = arguments.iter().map(OsStr::new);
    check(PROGRAM, std::iter::once(image.as_os_str()).chain(arguments))
}

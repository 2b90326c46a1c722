//! What a fix means, and what was done.

use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_core::consequence::{Consequence, Weight};
use ioalign_core::fix_document::FixDone;
use ioalign_core::units::ratio;

use super::paragraph;
use crate::options::RenderOptions;
use crate::text::heading;
use crate::words::numbers::{about, time};
use crate::words::sentence::capital;

/// What it means for boot and contents.
pub fn consequences(text: &mut String, all: &[Consequence], options: &RenderOptions) {
    if all.is_empty() {
        return;
    }
    heading(text, "What it means", options);
    for one in all {
        let mark = match one.weight {
            Weight::Told => "  - ",
            Weight::Warned => "  ! ",
            Weight::Refused => "  X refused: ",
        };
        let advice = match &one.advice {
            Some(advice) => format!(". {}", capital(advice)),
            None => String::new(),
        };
        paragraph(text, &format!("{}{advice}", one.what), mark, options);
    }
    text.push('\n');
}

/// What was done.
pub fn done(text: &mut String, done: &FixDone) {
    if done.written_bytes == 0 {
        text.push_str("nothing had to be written\n");
        return;
    }
    let _ = writeln!(
        text,
        "{} moved, {} written, {} read back and compared, in {}",
        about(Bytes::new(done.moved_bytes)),
        about(Bytes::new(done.written_bytes)),
        about(Bytes::new(done.verified_bytes)),
        time(ratio(done.elapsed_us, 1))
    );
    for place in &done.unreadable {
        let _ = writeln!(
            text,
            "  bytes {} to {} could not be read, and hold zeros now",
            place.start_bytes, place.end_bytes
        );
    }
}

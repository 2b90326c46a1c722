//! Damage for traces: bits, bytes, lengths, and numbers past their range.

use ioalign_observe::TraceRecords;
use ioalign_observe::formats::{self, FORMATS, Framing, Hints};
use ioalign_testkit::Random;

/// Everything that a file goes through before its records are ordered: said by every format, read by
/// its own and by some of the others.
pub fn run(bytes: &[u8], hints: &Hints) {
    let detected = formats::detect(bytes);
    // It is no stream: its reader takes all of it.
    if detected.is_some_and(|format| format.name == "parquet") {
        let _ = formats::parquet::groups::all(bytes.to_vec());
    }
    for (format, number) in FORMATS.iter().zip(bytes.len()..) {
        if let Framing::Records(whole) = format.framing {
            assert!(whole(bytes) <= bytes.len());
        }
        let read = number % 8 == 0 || detected.is_some_and(|d| d.name == format.name);
        if let (true, Ok(mut parser)) = (read, (format.parser)(bytes, hints)) {
            let mut out = TraceRecords::default();
            parser.parse(bytes, &mut out);
            assert!(out.skipped.first.len() <= 5);
        }
    }
}

/// Some damage.
pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
            2 => drop(bytes.drain(at..(at + random.below(9)).min(bytes.len()))),
            3 => bytes
                .splice(at..at, *b"18446744073709551615")
                .for_each(drop),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}
